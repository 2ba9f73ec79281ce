"""What a configuration puts in the place of the papers' own choices, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coassoc.plan.artefacts import Cell
from coassoc.plan.papers import Entry

__all__ = ["Choices", "Shorter", "sentence_on_missing", "sentence_on_points"]


@dataclass(frozen=True)
class Shorter:
    """How a cell is made with fewer fits: by a race, on first repeats, over part of its grid."""

    race: bool = False
    repeats: int | None = None
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)


class Choices:
    """The keys ``override``, ``not_run`` and ``shortened`` of a configuration."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._override: Mapping[str, Any] = config.get("override") or {}
        self._not_run: Sequence[Mapping[str, Any]] = config.get("not_run") or []
        self._shortened: Sequence[Mapping[str, Any]] = config.get("shortened") or []

    def instead(self, entry: Entry, key: str) -> Any:
        """What takes the place of an entry's own choice: said of it, of its paper, or of all."""
        own = self._override.get("targets") or {}
        of_entry, of_paper = (own.get(name) or {} for name in (entry.target, entry.paper.name))
        return of_entry.get(key) or of_paper.get(key) or self._override.get(key)

    def pool(self, name: str) -> str:
        """The pool in the place of one that a row or variant names itself."""
        return str((self._override.get("pools") or {}).get(name, name))

    def grid(self, parameter: str, tuned: bool) -> list[Any] | None:
        """Values of a parameter in the place of its paper's; None to keep these.

        A grid that is only tuned over may have values of its own.
        """
        keys = ("tune", "grid") if tuned else ("grid",)
        given = ((self._override.get(key) or {}).get(parameter) for key in keys)
        return next((values for values in given if values), None)

    def keeps(self, entry: Entry, method: str) -> bool:
        """Whether a method's rows stay in a table, figure or audit."""
        methods = self.instead(entry, "methods")
        return not methods or method in methods

    def reason(self, entry: Entry, cell: Cell) -> str:
        """Why a cell is not run; empty if it is."""
        return next((str(each["reason"]) for each in _of(self._not_run, entry, cell)), "")

    def shorter(self, entry: Entry, cell: Cell) -> Shorter:
        """How a cell is made with fewer fits; of several entries on it the first that says so."""
        said: dict[str, Any] = {}
        for each in _of(self._shortened, entry, cell):
            said = {**each, **said}
        return Shorter(said.get("race", False), said.get("repeats"), said.get("grid", {}))


def _of(
    listed: Iterable[Mapping[str, Any]], entry: Entry, cell: Cell
) -> Iterator[Mapping[str, Any]]:
    """Those of a list's items that are on a cell: that have it in all of their lists."""
    here = {entry.paper.name, entry.target}
    for each in listed:
        if (
            here & set(each.get("targets", here))
            and cell.dataset in each.get("datasets", [cell.dataset])
            and cell.row in each.get("rows", [cell.row])
        ):
            yield each


def sentence_on_missing(cells: Iterable[Cell]) -> str:
    """A sentence on the cells that are not run; empty if all are."""
    reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for cell in cells:
        if cell.not_run:
            labels, datasets = reasons.setdefault(cell.not_run, ({}, {}))
            labels[cell.label], datasets[cell.dataset] = None, None
    parts = [
        f"{', '.join(labels)} on {', '.join(datasets)} ({reason})"
        for reason, (labels, datasets) in reasons.items()
    ]
    return f" Not run: {'; '.join(parts)}." if parts else ""


def sentence_on_points(cells: Iterable[Cell]) -> str:
    """A sentence on the cells that are tuned over a part of their grid; empty if none is."""
    tuned: dict[tuple[str, tuple[int, int]], dict[str, None]] = {}
    for cell in cells:
        points = cell.runs[0].points if cell.runs and not cell.not_run else None
        if points:
            tuned.setdefault((cell.dataset, points), {})[cell.label] = None
    parts = [
        f"{', '.join(labels)} on {dataset} ({fitted} of {whole})"
        for (dataset, (fitted, whole)), labels in tuned.items()
    ]
    points = "some points of the grid and the default only"
    return f" Tuned over {points}: {'; '.join(parts)}." if parts else ""
