"""Export of ensembles to programs in other languages, and import of their labels.

The samples are in random order, so a program that depends on sample order has no advantage. File
names contain the fingerprint of the ensembles, and files of labels must have the same names.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
from numpy.typing import NDArray

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.scores import score_run
from coassoc.bench.storage.records import Outcome, RepeatResult, Run
from coassoc.errors import DataError
from coassoc.io.atomic import write_text
from coassoc.numerics.seeds import seed_sequence

_README = """\
Ensembles for 'coassoc compare --labels'. ensembles.csv lists them.

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
        pd.DataFrame(flat, columns=columns).to_csv(folder / f"{stem}.csv", index=False)
        content = {"labels": labels.astype(float), "n_clusters": float(pool.n_classes)}
        scipy.io.savemat(folder / f"{stem}.mat", content, do_compression=True)
        shape = {"n": len(labels), "m": m, "draws": repeats, "n_clusters": pool.n_classes}
        listed.append({"file": stem, "dataset": name, **shape})
    pd.DataFrame(listed).to_csv(folder / "ensembles.csv", index=False)
    write_text(folder / "README.txt", _README)


def read_labels(folder: Path, benchmark: Benchmark) -> dict[str, pd.DataFrame]:
    """Rows of scores on each data set, computed from labels in a folder.

    Raises
    ------
    DataError
        If labels of a data set are missing, belong to another export, or have another form.
    """
    scores = {}
    for dataset, pool in benchmark.pools.items():
        results = [_result(column) for column in _labels(folder, dataset, benchmark).T]
        attributes = {
            "m": benchmark.m,
            "n_clusters": pool.n_classes,
            "pool_fingerprint": pool.attributes["fingerprint"],
        }
        scores[dataset] = pd.DataFrame(score_run(Run([{}], [results], attributes), pool))
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
    try:
        table = np.loadtxt(path, delimiter=",", ndmin=2)
    except FileNotFoundError as error:
        raise DataError(
            f"{path} not found. Export the ensembles again if {folder} has labels of {dataset} "
            "with another name."
        ) from error
    except ValueError as error:
        raise DataError(
            f"{path}: {error}. Write labels as integers, separated by commas, and no header."
        ) from error
    shape = len(benchmark.pools[dataset].labels), benchmark.repeats(dataset)
    if table.shape != shape or (table[~np.isnan(table)] % 1 != 0).any():
        raise DataError(
            f"{path} has {table.shape[0]} rows and {table.shape[1]} columns. It must have integers "
            f"in {shape[0]} rows, one for each sample, and {shape[1]} columns, one for each "
            "ensemble."
        )
    return table[np.argsort(_order(dataset, len(table)))]


def _result(column: NDArray) -> RepeatResult:
    if np.isnan(column).any():
        return RepeatResult.without_labels(Outcome.FAILED, "a sample has no label")
    labels = np.unique(column, return_inverse=True)[1]
    return RepeatResult(labels, n_clusters_found=int(labels.max()) + 1)
