"""Cells: which lines of scores stand behind the numbers of a row on a data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """Numbers of one row on one data set at one ensemble size."""

    #: Key of the row, and its name in tables.
    row: str
    label: str
    dataset: str
    pool: str
    m: int
    #: Abscissa, in figures.
    x: Any = None
    #: Of what the lines of scores are that it needs, such as a run, or the candidates of a tuned
    #: row; scores have them by their texts. Empty for cells that are left out.
    sources: Sequence[Any] = ()
    #: In place of a method: "mean" or "best" of the base clusterings in the pool, "ensemble-mean",
    #: "ensemble-best" or "ensemble-picked" of those in each repeat's ensemble, or a control,
    #: "random" or "truth".
    reference: str | None = None
    #: Score by which the best candidate is chosen; None where there is a single one.
    tune: str | None = None
    #: Only this point of the runs counts.
    point: Mapping[str, Any] | None = None
    #: Which of several variants of the row this is.
    variant: str = ""
    #: Metrics whose column of the scores is another one than the table's.
    columns: Mapping[str, str] = field(default_factory=dict)
    #: Why the cell is left out; empty for cells that are made.
    not_run: str = ""
