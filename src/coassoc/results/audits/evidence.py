"""What audits are made from: cells and their score files, what is asked, and numbers in print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from coassoc.results.summaries import cell_scores

Scores = Mapping[str, pd.DataFrame]
Cells = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Evidence:
    """What one audit is made from."""

    #: As parameters (:meth:`coassoc.plan.studies.Cell.as_parameters`).
    cells: Sequence[Mapping[str, Any]]
    #: By their stems; for "scaling" measured times, for "n_clusters" criteria at several c.
    scores: Scores
    #: The audit's entry in its file: metrics, and for "order" and "significance" relative_to.
    spec: Mapping[str, Any]
    #: For "protocol", the published numbers.
    published: Sequence[Mapping[str, str]] = ()

    @property
    def metric(self) -> str:
        """Name of the score in tables; of several, the first; empty if none is asked for."""
        return next(iter(self.spec.get("metrics", {})), "")

    @property
    def column(self) -> str:
        """Column of this score in the score files."""
        return str(self.spec["metrics"][self.metric])

    @property
    def reference(self) -> str:
        """Label of the row that others are compared with."""
        rows = (cell["label"] for cell in self.cells if cell["row"] == self.spec["relative_to"])
        return str(next(rows))

    def lines(self) -> Iterator[tuple[Mapping[str, Any], pd.DataFrame, dict[str, Any]]]:
        """For each cell its lines without failures, and what it is: label, …, parameters, run."""
        for cell in self.cells:
            frame, origin = cell_scores(cell, self.scores)
            place = {key: cell[key] for key in ("label", "dataset", "pool", "m")}
            yield cell, frame[frame["status"] == "ok"], {**place, **origin}

    def values(self) -> Iterator[tuple[Mapping[str, Any], pd.Series, dict[str, Any]]]:
        """For each cell its scores by repeat, what it is, and repeats, mean and std of these."""
        for cell, lines, place in self.lines():
            known = lines.set_index("repeat")
            values = known.get(self.column, pd.Series(dtype=float))
            numbers = {"repeats": len(values), "mean": values.mean(), "std": values.std()}
            yield cell, values, {**place, **numbers}
