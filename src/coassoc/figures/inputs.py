"""What figures are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from coassoc.ensemble import Ensemble
from coassoc.results.scores import read_scores
from coassoc.results.summaries import summarize
from coassoc.running.fits import Task
from coassoc.running.runs import first_fit, read_inputs
from coassoc.storage.hdf5 import read_draws, read_pool, read_run
from coassoc.storage.records import Pool, Run

__all__ = ["FittedCell", "Inputs", "first_ensemble", "read_figure_inputs"]

T = TypeVar("T")


class FittedCell(NamedTuple):
    """A method fitted on the first draw of a pool, as in the first repeat of its run.

    Attributes
    ----------
    label, dataset : str
        Row and data set of the cell.
    pool : Pool
    features : (n, d) array, sparse matrix or None
        What the method saw besides the base clusterings.
    estimator : fitted estimator
    """

    label: str
    dataset: str
    pool: Pool
    features: Any
    estimator: Any


@dataclass(frozen=True)
class Inputs:
    """What a figure is drawn from; what its kind does not need is empty.

    Attributes
    ----------
    spec : mapping
        The figure's entry in its paper's file.
    cells : sequence of mapping
        Its cells (:meth:`coassoc.plan.artefacts.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Scores of runs by their stems.
    base, pools : mapping
        "pool/dataset" → scores of the base clusterings, and the pool.
    runs : sequence of Run
        One for each cell, with history.
    fits : iterable of FittedCell
        One for each cell, fitted when its turn comes.
    seed : int
        Root seed of the experiment.
    """

    spec: Mapping[str, Any]
    cells: Sequence[Mapping[str, Any]] = ()
    scores: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    base: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    pools: Mapping[str, Pool] = field(default_factory=dict)
    runs: Sequence[Run] = ()
    fits: Iterable[FittedCell] = ()
    seed: int = 0

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means and deviations (:func:`coassoc.results.summaries.summarize`)."""
        return summarize(self.cells, self.scores, self.spec["metrics"])

    def pool(self, cell: Mapping[str, Any]) -> Pool:
        """The pool of a cell."""
        return self.pools[f"{cell['pool']}/{cell['dataset']}"]


def first_ensemble(pool: Pool, m: int) -> Ensemble:
    """The first draw of m base clusterings."""
    return Ensemble(pool.labels[:, read_draws(pool, m)[0]])


def read_figure_inputs(
    files: Mapping[str, Any],
    target: Mapping[str, Any],
    fits: Iterable[Mapping[str, Any]] = (),
    seed: int = 0,
) -> Inputs:
    """Read what the rule of a figure names.

    Parameters
    ----------
    files : mapping
        Any of "scores" (a path), "pools" and "runs" (paths; the pools in the order in which the
        cells first name them).
    target : mapping
        "spec" and "cells".
    fits : iterable of mapping
        For kinds that fit methods, one for each cell with its label, dataset, task, pool_file and
        features_file.
    seed : int
        Root seed.
    """
    cells = target["cells"]
    scores = read_scores(files["scores"]) if "scores" in files else {}
    runs = {_stem(path): read_run(path, history=True) for path in files.get("runs", ())}
    return Inputs(
        target["spec"],
        cells,
        scores,
        {name.removesuffix("/base"): lines for name, lines in scores.items() if "/base" in name},
        _by_place(cells, [read_pool(path) for path in files.get("pools", ())]),
        [runs[source] for cell in cells for source in cell["sources"] if source in runs],
        _fitted(fits),
        seed,
    )


def _stem(path: str) -> str:
    """Name of a run below ``results/runs``, by its last five parts."""
    return "/".join(Path(path).with_suffix("").parts[-5:])


def _by_place(cells: Iterable[Mapping[str, Any]], items: Sequence[T]) -> dict[str, T]:
    """Items by "pool/dataset", one for each that the cells name, or none at all."""
    places = dict.fromkeys(f"{cell['pool']}/{cell['dataset']}" for cell in cells)
    return dict(zip(places, items, strict=True)) if items else {}


def _fitted(fits: Iterable[Mapping[str, Any]]) -> Iterator[FittedCell]:
    """One after the other, so that the similarities of all need not fit into memory at once."""
    for fit in fits:
        pool, features = read_inputs(fit["pool_file"], fit["features_file"])
        estimator = first_fit(Task(**fit["task"]), pool, features)
        yield FittedCell(fit["label"], fit["dataset"], pool, features, estimator)
