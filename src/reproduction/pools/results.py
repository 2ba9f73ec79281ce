"""Pools of published results: partitions of one data set by many algorithms.

The files are those of Gagolewski's benchmark suite: for each algorithm, data set and number of
clusters a table whose columns are settings of the algorithm and whose rows are samples.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.datasets.registry import DataSource
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.errors import DataError
from coassoc.io.untrusted import reading
from coassoc.numerics.integers import smallest_unsigned


def read_results(source: DataSource, paths: Sequence[str | Path]) -> tuple[NDArray, list[str]]:
    """Partitions and their names.

    The role of each file is the name of its algorithm. The source's argument ``clusters`` is the
    number of clusters that each partition must have. Its argument ``columns`` is "all", or "first"
    for the first setting of each algorithm.

    Returns
    -------
    labels : (n, M) array
        Clusters 0 … k−1.
    names : list of str
        Algorithm and setting of each column, such as "Genie/Genie_G0.3".

    Raises
    ------
    DataError
        If a file is not a table of labels, the files have different samples, or a partition has a
        different number of clusters.
    """
    parts, names = [], []
    for file, path in zip(source.files, paths, strict=True):
        with reading(path):
            table = pd.read_csv(path, dtype=float)
        first = source.arguments["columns"] == "first"
        for name, labels in [*table.items()][:1] if first else table.items():
            if np.unique(labels).tolist() != list(range(1, source.arguments["clusters"] + 1)):
                raise DataError(
                    f"{path}: column {name} does not have exactly the labels from 1 to "
                    f"{source.arguments['clusters']}. Correct the file."
                )
            parts.append(labels.to_numpy().astype(np.int64) - 1)
            names.append(f"{file.role}/{name}")
        if len(parts[-1]) != len(parts[0]):
            raise DataError(
                f"{path} has {len(parts[-1])} samples, but {paths[0]} has {len(parts[0])}. Use "
                "files with the same samples."
            )
    return smallest_unsigned(np.column_stack(parts)), names


def import_results(
    source: DataSource,
    paths: Sequence[str | Path],
    settings: PoolSettings,
    dataset: Dataset,
    *,
    name: str,
    seed: int = 0,
    origin: str = "",
) -> Pool:
    """A pool of the partitions in published files, in the order of the source's files.

    Classes, reference labellings and names of samples are those of the data set. The attribute
    ``clusterings`` lists the names of the columns.

    Raises
    ------
    DataError
        As in :func:`read_results`, and if the data set has a different number of samples.
    """
    labels, names = read_results(source, paths)
    if dataset.X.shape[0] != len(labels):
        raise DataError(
            f"{paths[0]} has {len(labels)} samples, but the data set {name} has "
            f"{dataset.X.shape[0]}. Use files with the same samples."
        )
    attributes = {
        "made": "published results of many algorithms; labels renumbered to 0 … k-1",
        "source": origin,
        "clusterings": names,
        "k_rule": f"{source.arguments['clusters']} clusters",
        "preprocessing": "",
    }
    pool = Pool(labels, dataset.y, {}, attributes, dataset.samples, dataset.truths)
    return settings.complete(pool, name, seed)
