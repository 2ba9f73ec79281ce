"""What papers show: an artefact (a table, a figure or an audit) and its cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from coassoc.plan.keys import RunKey
from coassoc.plan.kinds import KINDS
from coassoc.plan.papers import SECTIONS, Entry

__all__ = ["GROUPS", "RANKING", "Artefact", "Cell"]

#: Name of the ranking: of its target, and of the study as which it is expanded.
RANKING = "ranking"

#: Targets of several at once: sections, kinds, and what entries give as their group.
GROUPS = (*SECTIONS, "protocol", "sensitivity", "ensemble_size", "ablations", "runtime")


@dataclass(frozen=True)
class Cell:
    """Numbers of one row on one data set at one ensemble size.

    Attributes
    ----------
    row : str
        Key of the row in the paper's file.
    label : str
        Name of the row in the table.
    dataset, pool, m : str, str, int
        Where it comes from.
    x : value or None
        Abscissa, in figures.
    runs : tuple of RunKey
        The candidates; empty for rows that are no method's.
    reference : str or None
        In place of a method: "mean" or "best" of the base clusterings in the pool, "ensemble-mean"
        or "ensemble-best" of those in each repeat's ensemble, or a control, "random" or "truth".
    tune : str or None
        Score by which the best candidate is chosen; None where there is a single one.
    point : dict or None
        Only this point of the runs counts.
    variant : str
        In a comparison or protocol, which of its variants this is.
    columns : dict of str to str
        Metrics whose column of the score files is not the paper's: in a protocol, what the variant
        takes the metric to be.
    not_run : str
        Why the configuration leaves the cell out; empty for cells that are made.
    """

    row: str
    label: str
    dataset: str
    pool: str
    m: int
    x: Any = None
    runs: tuple[RunKey, ...] = ()
    reference: str | None = None
    tune: str | None = None
    point: dict[str, Any] | None = None
    variant: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    not_run: str = ""

    @property
    def sources(self) -> list[str]:
        """Stems of the score files that the cell needs."""
        if self.not_run:
            return []
        if self.reference in ("mean", "best"):
            return [f"{self.pool}/{self.dataset}/base"]
        if self.reference:
            return [f"{self.pool}/{self.dataset}/m{self.m}/reference"]
        return [run.stem for run in self.runs]

    def as_parameters(self) -> dict[str, Any]:
        """Plain form for a workflow's ``params``: without the runs, and with the sources."""
        plain = {name: value for name, value in vars(self).items() if name != "runs"}
        return {**plain, "sources": self.sources}


@dataclass(frozen=True)
class Artefact(Entry):
    """A table, a figure or an audit (both at once) under a configuration.

    Attributes
    ----------
    spec : mapping
        Its entry in the paper's file, as the configuration has it; metrics → their columns.
    cells : tuple of Cell
        What it shows.
    """

    cells: tuple[Cell, ...] = field(default=(), repr=False)

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return self.section == "tables"

    @property
    def path(self) -> str:
        """Its place below the folders of tables, figures and scores, such as ``eccms/table4``."""
        return RANKING if self.paper.name == RANKING else f"{self.paper.name}/{self.name}"

    @property
    def files(self) -> list[str]:
        """What it produces."""
        return [pattern.format(self.path) for pattern in SECTIONS[self.section]]

    @property
    def numbers(self) -> str:
        """The CSV file of its numbers; of figures only curves and surfaces have one."""
        folder = "figures" if self.section == "figures" else "results/tables"
        return f"{folder}/{self.path}.csv"

    @property
    def name_in_published(self) -> str:
        """Name of a table in published.csv."""
        return str(self.spec.get("published", self.name))

    @property
    def needs(self) -> str:
        """What it is made from, see :class:`~coassoc.plan.kinds.Kind`."""
        return "timing" if self.spec.get("timed") else KINDS[self.kind].needs

    @property
    def sources(self) -> list[str]:
        """Stems of all that its cells need, without repetition."""
        return list(dict.fromkeys(stem for cell in self.cells for stem in cell.sources))

    @property
    def runs(self) -> list[RunKey]:
        """The runs of all cells, one after another."""
        return [run for cell in self.cells for run in cell.runs]

    def belongs_to(self, group: str) -> bool:
        """Whether a group of targets has it: its section, its kind or the group in its entry."""
        return group in (self.section, self.kind, self.spec.get("group"))
