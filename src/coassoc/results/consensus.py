"""The consensus of a pool as files for its user: labels of the samples, numbers of clusters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.confidence import sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.running.selecting import Comparison
from coassoc.storage.hdf5 import read_draws
from coassoc.storage.records import Pool, Run
from coassoc.storage.whole import write_text

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
    partitions = {name: made.labels for name, made in first.items() if made.labels is not None}
    failures = {name: made.status for name, made in first.items() if made.labels is None}
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
    columns: dict[str, Any] = {"sample": found.samples}
    for method, labels in found.partitions.items():
        columns[method] = labels
        columns[f"{method} confidence"] = [f"{value:.4f}" for value in found.confidence[method]]
    table = pd.DataFrame(columns, dtype=object)
    labelled = np.ones(len(table) + len(found.unlabelled), dtype=bool)
    labelled[list(found.unlabelled)] = False
    table = table.set_axis(np.flatnonzero(labelled)).reindex(range(len(labelled)))
    table.loc[~labelled, "sample"] = pd.Series(found.unlabelled)
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def write_comparison(path: str | Path, found: Comparison) -> None:
    """Write a CSV file: a line for each method and number of clusters, a column for each criterion.

    The last column names the criteria that choose this number. The file appears when it is whole.
    """
    frames = []
    for method, selection in found.selections.items():
        choosing = [
            ", ".join(name for name, chosen in selection.chosen.items() if chosen == c)
            for c in selection.criteria.index
        ]
        frame = selection.criteria.map("{:.6g}".format).rename_axis("n_clusters").reset_index()
        frame.insert(0, "method", method)
        frames.append(frame.assign(**{"chosen by": choosing}))
    lines = pd.concat(frames) if frames else pd.DataFrame()
    write_text(path, lines.to_csv(index=False, lineterminator="\n"))
