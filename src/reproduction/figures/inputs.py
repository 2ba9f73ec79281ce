"""The inputs of figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from coassoc.bench.summaries import summarize
from coassoc.ensemble import Ensemble
from coassoc.metrics import score_partition
from coassoc.storage.hdf5 import read_pool, read_run
from coassoc.storage.records import Pool, Run
from reproduction.plan.files import PlanFiles
from reproduction.plan.keys import Source
from reproduction.plan.kinds import KINDS
from reproduction.scores.files import read_scores

#: Row of base clusterings before a fit refines them.
GIVEN = "given"


class FittedCell(NamedTuple):
    """A method fitted on the first draw of a pool, as in the first repeat of its run."""

    row: str
    label: str
    dataset: str
    pool: Pool
    #: (n, d) array or sparse matrix, which the method saw besides the base clusterings, or None.
    features: Any
    estimator: Any


@dataclass(frozen=True)
class Inputs:
    """The inputs of one figure; those that its kind does not need are empty."""

    #: The figure's entry in its paper's file.
    spec: Mapping[str, Any]
    #: As parameters (:meth:`reproduction.plan.studies.Cell.as_parameters`).
    cells: Sequence[Mapping[str, Any]] = ()
    #: By their stems.
    scores: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    #: "pool/dataset" → the pool.
    pools: Mapping[str, Pool] = field(default_factory=dict)
    #: One for each cell, with history.
    runs: Sequence[Run] = ()
    #: One for each cell, fitted when its turn comes.
    fits: Iterable[FittedCell] = ()
    #: Root seed of the experiment.
    seed: int = 0

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means and deviations (:func:`coassoc.bench.summaries.summarize`)."""
        return summarize(self.cells, self.scores, self.spec["metrics"])

    @cached_property
    def refinements(self) -> pd.DataFrame:
        """Scores of base clusterings, x their numbers, as given and as each fit refines them."""
        return pd.DataFrame(line for fit in self.fits for line in self._refinement(fit))

    def _refinement(self, fit: FittedCell) -> Iterator[dict[str, Any]]:
        ((metric, score),) = self.spec["metrics"].items()
        place = {"dataset": fit.dataset, "refined_by": fit.label, "metric": metric, "repeats": 1}
        fitted = fit.estimator
        for row, labels in ((GIVEN, fitted.initial_labels_), (fit.row, fitted.refined_labels_)):
            for number, column in enumerate(labels.T, 1):
                mean = score_partition(fit.pool.classes, column)[score]
                yield {**place, "row": row, "x": number, "mean": mean}

    @property
    def numbers(self) -> pd.DataFrame:
        """What a figure with a file of its numbers shows."""
        return self.summary if self.scores else self.refinements

    def pool(self, cell: Mapping[str, Any]) -> Pool:
        """The pool of a cell."""
        return self.pools[f"{cell['pool']}/{cell['dataset']}"]


def first_ensemble(pool: Pool, m: int) -> Ensemble:
    """The first draw of m base clusterings."""
    return Ensemble(pool.labels[:, pool.draws_of(m)[0]])


def read_figure_inputs(
    files: Mapping[str, Any], target: Mapping[str, Any], plan: PlanFiles, seed: int = 0
) -> Inputs:
    """Read what the rule of a figure names: any of "scores" (a path), "pools" and "runs" (paths).

    The target has "kind", "spec" and "cells"; those of kinds that fit methods are fitted.
    """
    cells = target["cells"]
    scores = read_scores(files["scores"]) if "scores" in files else {}
    pools = {
        "/".join(Path(path).with_suffix("").parts[-2:]): read_pool(path)
        for path in files.get("pools", ())
    }
    runs = [Source.parse(text) for cell in cells for text in cell["sources"]]
    shown = [
        read_run(plan.run_file(run), run.method, history=True) for run in runs if "runs" in files
    ]
    fits = _fitted(cells, plan) if KINDS[target["kind"]].needs == "fits" else ()
    return Inputs(target["spec"], cells, scores, pools, shown, fits, seed)


def _fitted(cells: Iterable[Mapping[str, Any]], plan: PlanFiles) -> Iterator[FittedCell]:
    """One after the other, so that the similarities of all need not fit into memory at once."""
    # Most figures fit nothing, and need not wait for what fits do.
    from coassoc.bench.fits import Task
    from reproduction.running.inputs import first_fit, read_inputs

    for cell in cells:
        (run,) = map(Source.parse, cell["sources"])
        pool, features = read_inputs(run.pool_file, *plan.features([run]))
        estimator = first_fit(Task(**plan.task(run)), pool, features)
        yield FittedCell(cell["row"], cell["label"], run.dataset, pool, features, estimator)
