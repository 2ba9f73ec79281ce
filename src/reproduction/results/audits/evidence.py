"""The evidence of an audit: its cells with their scores, its entry, and published numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from coassoc.bench.significance import with_values
from coassoc.bench.summaries import CellParameters, Scores, lines_of


@dataclass(frozen=True)
class Evidence:
    """What one audit is made from."""

    #: As in :func:`coassoc.bench.summaries.summarize`.
    cells: Sequence[CellParameters]
    #: For "scaling" measured times, for "n_clusters" criteria at several c.
    scores: Scores
    #: The audit's entry in its file: metrics, and for "order" and "significance" relative_to.
    spec: dict[str, Any]
    #: For "protocol", the published numbers.
    published: Sequence[dict[str, str]] = ()

    @property
    def metric(self) -> str:
        """Name of the score in tables; of several, the first; empty if none is asked for."""
        return next(iter(self.spec.get("metrics", {})), "")

    @property
    def reference(self) -> str:
        """Label of the row that others are compared with."""
        rows = (cell["label"] for cell in self.cells if cell["row"] == self.spec["relative_to"])
        return str(next(rows))

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Score lines of all cells, failed repeats included, with label, dataset, … and run."""
        return lines_of(self.cells, self.scores)

    @property
    def values(self) -> pd.DataFrame:
        """The score lines with the audit's score as ``value``, NaN where a repeat failed."""
        return with_values(self.lines, self.spec["metrics"][self.metric])


def numbers_of(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Number of values ("repeats"), mean and std (n − 1) of each group, with its origin."""
    origin = [name for name in ("pool", "m", "parameters", "run", "raced") if name in values]
    groups = values.groupby(keys, sort=False)
    numbers = groups["value"].agg(repeats="count", mean="mean", std="std")
    return groups[origin].first().join(numbers)
