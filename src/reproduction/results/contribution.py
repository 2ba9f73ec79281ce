"""Consensus labels in the form of Gagolewski's benchmark suite, to be contributed to it.

For each data set and number of clusters K the suite has a packed table of an algorithm, with a
column for each setting, here a method of consensus, and labels from 1 to K. As it wants it, there
is no column where a method did not converge or gave another number of clusters.
"""

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from coassoc.datasets.batteries import load_batteries
from coassoc.errors import DataError
from reproduction.plan.keys import RunKey
from coassoc.pools.draws import ALL
from coassoc.storage.hdf5 import read_run
from coassoc.storage.whole import write_whole

#: Name of the algorithm in the suite, with which columns begin, as "sklearn_birch" does.
ALGORITHM = "coassoc"


def contribute(
    folder: str | Path, methods: Sequence[str], out: str | Path, pool: str = "suite-main"
) -> tuple[list[Path], dict[str, list[str]]]:
    """Write the partitions of the first repeats of runs at the methods' defaults.

    Parameters
    ----------
    folder : path
        Where the workflow ran.
    methods : sequence of str
    out : path
        Where files go, as ``original/coassoc/{battery}/{dataset}.result{K}.gz``.
    pool : str
        Of published results, whose consensus this is.

    Returns
    -------
    files : list of Path
    left_out : dict of str to list of str
        Method and why a file lacks its column → the data sets.

    Raises
    ------
    DataError
        If there is no run of one of the methods on any data set. Nothing is written then.
    """
    folder = Path(folder)
    left_out: dict[str, list[str]] = {}
    tables: dict[Path, dict[str, np.ndarray]] = {}
    never_run = set(methods)
    for place, dataset in load_batteries(folder / "config/batteries.yaml").items():
        name = f"{place.battery}/{place.member}.result{place.classes}.gz"
        columns = tables[Path(out) / "original" / ALGORITHM / name] = {}
        for method in methods:
            path = folder / RunKey(pool, dataset.name, ALL, method).path()
            if path.exists():
                never_run.discard(method)
            labels, why_not = _labels(path, place.classes)
            if labels is None:
                left_out.setdefault(f"{method}, {why_not}", []).append(dataset.name)
            else:
                columns[f"{ALGORITHM}_{method}"] = labels
    if never_run:
        raise DataError(
            f"{folder}/results/runs/{pool}: no runs, at the defaults, of "
            f"{', '.join(sorted(never_run))}; make the arena first, or name methods that are in it."
        )
    files = [file for file, columns in tables.items() if columns]
    for file in files:
        # As the suite does: names in quotes, no names of samples.
        text = pd.DataFrame(tables[file]).to_csv(
            index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
        )
        # Without the time, so that equal labels make equal files.
        write_whole(file, gzip.compress(text.encode(), mtime=0))
    return files, left_out


def _labels(path: Path, n_clusters: int) -> tuple[np.ndarray | None, str]:
    """Labels 1 … K of the first repeat of a run, or why there are none."""
    if not path.exists():
        return None, "not run"
    result = read_run(path).results[0][0]
    if result.labels is None:
        return None, result.status
    if not result.converged:
        return None, "did not converge"
    clusters, labels = np.unique(result.labels, return_inverse=True)
    if len(clusters) != n_clusters:
        return None, f"{len(clusters)} clusters in place of {n_clusters}"
    return labels + 1, ""
