"""Export of ensembles to programs in other languages, and import of their labels.

The samples are in random order, so a program that depends on sample order has no advantage. File
names contain the fingerprint of the ensembles, and files of labels must have the same names.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.io
from numpy.typing import NDArray

from coassoc.atomic import write_text
from coassoc.bench.benchmark import Benchmark
from coassoc.bench.scores import score_run
from coassoc.display import count_of
from coassoc.errors import DataError
from coassoc.io.features import numbers_in
from coassoc.io.files import open_table
from coassoc.io.table import TableFile
from coassoc.seeds import seed_sequence
from coassoc.storage.records import Outcome, Pool, RepeatResult, Run

_README = """\
Ensembles of {count} for 'coassoc compare --labels'. ensembles.csv lists them.

NAME.FINGERPRINT.csv   lists the samples in rows. Column "3.17" is base clustering 17 of ensemble 3.
NAME.FINGERPRINT.mat   contains the same labels as the array labels (samples x base clusterings x
                       ensembles), and n_clusters, the requested number of clusters.

Cluster each ensemble, and write the results to NAME.FINGERPRINT.labels.csv in another folder. Write
no header, a row for each sample in the same order, and a column for each ensemble, separated by
commas. Labels are integers. For an ensemble without a result, write NaN in the whole column.
"""


def write_ensembles(folder: Path, benchmark: Benchmark) -> None:
    """Write the used draws as CSV and .mat files, with labels numbered from 1."""
    folder.mkdir(parents=True, exist_ok=True)
    m = benchmark.m
    listed = []
    for name, pool in benchmark.pools.items():
        stem, repeats = _stem(name, benchmark), benchmark.repeats(name)
        order, draws = _order(name, len(pool.labels)), benchmark.draws(name)
        labels = np.stack([pool.labels[order][:, draw] + 1 for draw in draws], axis=2)
        columns = [f"{r}.{j}" for r in range(1, repeats + 1) for j in range(1, m + 1)]
        flat = labels.transpose(0, 2, 1).reshape(len(labels), -1)
        write_text(folder / f"{stem}.csv", pd.DataFrame(flat, columns=columns).to_csv(index=False))
        content = {"labels": labels.astype(float), "n_clusters": float(pool.n_classes)}
        scipy.io.savemat(folder / f"{stem}.mat", content, do_compression=True)
        shape = {"n": len(labels), "m": m, "draws": repeats, "n_clusters": pool.n_classes}
        listed.append({"file": stem, "dataset": name, **shape})
    write_text(folder / "ensembles.csv", pd.DataFrame(listed).to_csv(index=False))
    write_text(folder / "README.txt", _README.format(count=count_of(len(listed), "data set")))


def read_labels(
    named: Mapping[str, Path], benchmark: Benchmark
) -> dict[tuple[str, str], pd.DataFrame]:
    """Rows of scores on each data set, computed from labels in folders.

    Raises
    ------
    DataError
        If labels of a data set are missing, belong to another export, or have another form.
    """
    scores = {}
    for row, folder in named.items():
        for dataset, pool in benchmark.pools.items():
            labels = _labels(folder, dataset, benchmark)
            run = _run(labels, row, pool, benchmark.m)
            scores[row, dataset] = pd.DataFrame(score_run(run, pool))
    return scores


def _stem(dataset: str, benchmark: Benchmark) -> str:
    fingerprint = benchmark.shipped.datasets[dataset]["fingerprint"]
    return f"{dataset}.{fingerprint}-{benchmark.repeats(dataset)}"


def _order(dataset: str, n: int) -> NDArray[np.intp]:
    """The order of the samples in files."""
    return np.random.default_rng(seed_sequence(0, "export", dataset)).permutation(n)


def _labels(folder: Path, dataset: str, benchmark: Benchmark) -> NDArray:
    """The (n, repeats) labels in the order of the pool, NaN if a label is missing."""
    path = folder / f"{_stem(dataset, benchmark)}.labels.csv"
    if not path.is_file():
        others = sorted(file.name for file in folder.glob(f"{dataset}.*.labels.csv"))
        present = f"{others[0]} belongs to another export" if others else "no such file"
        raise DataError(
            f"{folder}: labels of {dataset} not found ({present}). Save the labels as {path.name}."
        )
    source = TableFile(str(path), header=False, separator=",")
    advice = "Write labels as integers, separated by commas, and no header"
    table = numbers_in(open_table(source), advice=advice)
    n, repeats = len(benchmark.pools[dataset].labels), benchmark.repeats(dataset)
    if table.shape != (n, repeats):
        raise DataError(
            f"{path} has {count_of(table.shape[0], 'row')} and "
            f"{count_of(table.shape[1], 'column')}. It must have {count_of(n, 'row')}, one for "
            f"each sample, and {count_of(repeats, 'column')}, one for each ensemble."
        )
    finite = table[np.isfinite(table)]
    if (finite != np.floor(finite)).any():
        raise DataError(
            f"{path}: the label {finite[finite != np.floor(finite)][0]} is not an integer. Write "
            "labels as integers."
        )
    in_place = np.empty_like(table)
    in_place[_order(dataset, n)] = table
    return in_place


def _run(labels: NDArray, row: str, pool: Pool, m: int) -> Run:
    results = [_result(column) for column in labels.T]
    attributes: dict[str, Any] = {"method": row, "m": m, "commit": "", "code": row}
    attributes |= {"n_clusters": pool.n_classes, "pool_fingerprint": pool.attributes["fingerprint"]}
    return Run([{}], [results], attributes)


def _result(column: NDArray) -> RepeatResult:
    if np.isnan(column).any():
        return RepeatResult.without_labels(Outcome.FAILED, "a sample has no label")
    labels = np.unique(column, return_inverse=True)[1]
    return RepeatResult(labels, n_clusters_found=int(labels.max()) + 1)
