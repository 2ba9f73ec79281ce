"""Pools published by authors: base clusterings, or partitions by many algorithms.

Files of base clusterings are MATLAB files. Files of partitions are those of Gagolewski's benchmark
suite: for each algorithm, data set and number of clusters a table whose columns are settings of the
algorithm and whose rows are samples.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.datasets.registry import DataSource
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.records import Dataset, Pool, encode_classes
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.io.arrays import read_matlab
from coassoc.io.untrusted import reading
from coassoc.numerics.integers import smallest_unsigned


def read_published(
    source: DataSource, paths: Sequence[str | Path]
) -> tuple[NDArray, NDArray | None]:
    """Base clusterings and classes of a published pool.

    The source's arguments ``labels`` and ``classes`` name MATLAB variables. The labels are an
    (n, M) matrix, or a cell array of M columns or of M 0/1 membership matrices. The classes come
    from the file with role "classes" if there is one.

    Returns
    -------
    labels : (n, M) array
        Each column relabelled to 0 … k−1.
    y : (n,) array or None
        Classes in order of first appearance.
    """
    by_role = dict(zip((file.role for file in source.files), map(Path, paths), strict=True))
    variable, classes = source.arguments.get("labels", "members"), source.arguments.get("classes")
    path = by_role["data"]
    members = read_matlab(path, [variable])[variable]
    try:
        with warnings.catch_warnings():  # the catalogue knows the orientation
            warnings.filterwarnings("ignore", r".*: there are \d+ clusterings of \d+ samples")
            labels = Ensemble(_as_matrix(members)).labels
    except ValueError as error:
        raise DataError(f"{path}: {variable}: {error}") from error
    if classes is None:
        return smallest_unsigned(labels), None
    where = by_role.get("classes", path)
    y, _ = encode_classes(read_matlab(where, [classes])[classes])
    if len(y) != len(labels):
        raise DataError(
            f"{path}: {variable} has {len(labels)} samples, but {classes} has {len(y)}. Choose "
            "variables with the same samples."
        )
    return smallest_unsigned(labels), y


def _as_matrix(members: NDArray) -> NDArray:
    """An (n, M) label matrix from a matrix or from a cell array of columns or memberships."""
    if members.dtype != object:
        return members
    columns = [np.asarray(cell) for cell in members.ravel()]
    if any(1 not in cell.shape for cell in columns):
        return np.column_stack([cell.argmax(axis=1) for cell in columns])
    return np.column_stack([cell.ravel() for cell in columns])


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


def import_pool(
    source: DataSource,
    paths: Sequence[str | Path],
    settings: PoolSettings,
    dataset: Dataset | None = None,
    *,
    name: str,
    seed: int = 0,
    origin: str = "",
) -> Pool:
    """A published pool with new draws, because the authors' draws are not public.

    The name of the data set is part of the seeds of the draws. `origin` says where the file came
    from. Partitions by many algorithms need the data set, which gives the classes, reference
    labellings and names of samples. The attribute ``clusterings`` then lists the names of the
    columns.
    """
    made: dict[str, Any] = {"source": origin}
    if dataset is None:
        labels, y = read_published(source, paths)
        made["made"] = f"published by others; base clusterings relabelled to 0 … k-1 ({origin})"
        pool = Pool(labels, y, {}, made)
    else:
        labels, names = read_results(source, paths)
        if dataset.X.shape[0] != len(labels):
            raise DataError(
                f"{paths[0]} has {len(labels)} samples, but the data set {name} has "
                f"{dataset.X.shape[0]}. Use files with the same samples."
            )
        made["made"] = "published results of many algorithms; labels renumbered to 0 … k-1"
        made |= {"clusterings": names, "k_rule": f"{source.arguments['clusters']} clusters"}
        made["preprocessing"] = ""
        pool = Pool(labels, dataset.y, {}, made, dataset.samples, dataset.truths)
    if settings.size not in (None, labels.shape[1]):
        raise DataError(
            f"{paths[0]}: there are {labels.shape[1]} base clusterings, but the pool "
            f"{settings.name} has the size {settings.size}. Correct the size in the catalogue."
        )
    return settings.complete(pool, name, seed)
