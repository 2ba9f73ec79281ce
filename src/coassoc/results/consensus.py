"""The consensus of a pool as files for its user: labels of the samples, numbers of clusters."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.confidence import sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.running.selecting import Comparison
from coassoc.storage.hdf5 import read_draws
from coassoc.storage.records import Pool, Run

__all__ = ["ConsensusLabels", "consensus_labels", "write_comparison", "write_consensus"]


@dataclass(frozen=True, eq=False)
class ConsensusLabels:
    """What methods found on one ensemble.

    Attributes
    ----------
    ensemble : Ensemble
    clusterings : list of str
        Names of the base clusterings.
    samples : (n,) array
        Names of the samples; their numbers from 1 where they have none.
    partitions : dict of str to (n,) array
        Method → its clusters.
    confidence : dict of str to (n,) array
        Method → the confidence of each sample, see :func:`coassoc.confidence.sample_confidence`.
    failures : dict of str to str
        Method → why it found none.
    unlabelled : dict of int to str
        Samples without any label, which are none of the n: place in the file → name.
    matched : str
        How the rows of a file of labels became the samples of a data set, as a sentence.
    """

    ensemble: Ensemble
    clusterings: list[str]
    samples: NDArray
    partitions: dict[str, NDArray]
    confidence: dict[str, NDArray]
    failures: dict[str, str]
    unlabelled: dict[int, str]
    matched: str


def consensus_labels(pool: Pool, m: int, runs: Mapping[str, Run]) -> ConsensusLabels:
    """What the runs of methods found on the first ensemble of a pool.

    Parameters
    ----------
    pool : Pool
    m : int
        Ensemble size.
    runs : mapping
        Method → its run, of one point.

    Raises
    ------
    DataError
        If no method found anything; with the reason of the first.
    """
    draw = read_draws(pool, m)[0]
    ensemble = Ensemble(pool.labels[:, draw])
    first = {method: run.results[0][0] for method, run in runs.items()}
    partitions = {name: each.labels for name, each in first.items() if each.labels is not None}
    failures = {name: each.status for name, each in first.items() if each.labels is None}
    if not partitions:
        method, reason = next(iter(failures.items()))
        raise DataError(f"No method has a consensus; {method} was {reason}")
    names = json.loads(pool.attributes.get("clusterings", "[]"))
    names = names or [str(j + 1) for j in range(pool.labels.shape[1])]
    unlabelled = json.loads(pool.attributes.get("unlabelled", "{}"))
    numbers = np.arange(1, ensemble.n_samples + 1)
    return ConsensusLabels(
        ensemble,
        [names[j] for j in draw],
        numbers if pool.samples is None else pool.samples,
        partitions,
        {name: sample_confidence(ensemble, labels) for name, labels in partitions.items()},
        failures,
        {int(place): name for place, name in unlabelled.items()},
        pool.attributes.get("matched", ""),
    )


def write_consensus(path: str | Path, found: ConsensusLabels) -> None:
    """Write a CSV file: a line for each sample, two columns for each method.

    They are empty for samples without any label. The file appears when it is whole.
    """
    header = ["sample"]
    columns = [found.samples.tolist()]
    for method, labels in found.partitions.items():
        header += [method, f"{method} confidence"]
        columns.append(labels.tolist())
        columns.append([f"{value:.4f}" for value in found.confidence[method]])
    lines = _lines(list(zip(*columns, strict=True)), found.unlabelled)
    _write_whole(Path(path), header, lines)


def write_comparison(path: str | Path, found: Comparison) -> None:
    """Write a CSV file: a line for each method and number of clusters, a column for each criterion.

    The last column names the criteria that choose this number. The file appears when it is whole.
    """
    header, lines = [], []
    for method, selection in found.selections.items():
        header = ["method", "n_clusters", *selection.criteria.columns, "chosen by"]
        for c, values in selection.criteria.iterrows():
            choosing = [name for name, chosen in selection.chosen.items() if chosen == c]
            lines.append((method, c, *(f"{value:.6g}" for value in values), ", ".join(choosing)))
    _write_whole(Path(path), header, lines)


def _write_whole(path: Path, header: list[str], lines: Iterable[tuple[Any, ...]]) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)
    os.replace(beside, path)


def _lines(labelled: list[tuple[Any, ...]], unlabelled: Mapping[int, str]) -> Iterator[tuple]:
    """Lines in the order of the file; those of samples without any label have a name only."""
    rest = iter(labelled)
    blank = ("",) * (len(labelled[0]) - 1)
    for place in range(len(labelled) + len(unlabelled)):
        yield (unlabelled[place], *blank) if place in unlabelled else next(rest)
