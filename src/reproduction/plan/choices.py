"""What a configuration replaces of the studies' choices, shortens or leaves out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coassoc.storage.records import Cell
from reproduction.plan.configuration import Configuration, NotRun, Override, Shortened
from reproduction.plan.studies import Target


@dataclass(frozen=True)
class Choices:
    """A configuration's keys ``override``, ``not_run`` and ``shortened``."""

    override: Override
    not_run: Sequence[NotRun]
    shortenings: Sequence[Shortened]

    @classmethod
    def of(cls, config: Configuration) -> Choices:
        """Those of a configuration."""
        return cls(config.override or Override(), config.not_run or [], config.shortened or [])

    def instead(self, target: Target, key: str) -> Any:
        """The replacement of a target's own choice: given for it, for its study, or for all."""
        own = self.override.targets or {}
        said = (own.get(target.name), own.get(target.study.name), self.override)
        return next((value for entry in said if (value := getattr(entry, key, None))), None)

    def datasets(self, target: Target, named: list[str]) -> list[str]:
        """Some data sets of a target, or those that take their place."""
        instead = self.instead(target, "datasets")
        if not instead:
            return named
        if target.entry.of_printed:
            return [dataset for dataset in named if dataset in instead]
        # A table of one data set gets one data set, tables of different ones different ones.
        groups = target.study.datasets.values()
        known = list(dict.fromkeys(itertools.chain.from_iterable(groups)))
        first = known.index(named[0]) if named[0] in known else 0
        rotated = [instead[(first + i) % len(instead)] for i in range(len(instead))]
        return sorted(rotated[: len(named)], key=instead.index)

    def pool_of(self, target: Target, dataset: str) -> str:
        """The pool of a data set: the configuration's, the target's, or the study's."""
        study, entry = target.study, target.entry
        usual = entry.pool or study.pools.get(dataset, study.pool)
        own = entry.pools.get(dataset, usual)
        return str(self.instead(target, "pool") or own)

    def pool(self, name: str) -> str:
        """The replacement of a pool that a row or variant names itself."""
        return (self.override.pools or {}).get(name, name)

    def grid(self, parameter: str, tuned: bool) -> list[Any] | None:
        """The replacement of a parameter's grid; None to keep that of its paper.

        A grid that is only tuned over may have a replacement of its own.
        """
        of_tuned = (self.override.tune or {}).get(parameter) if tuned else None
        return of_tuned or (self.override.grid or {}).get(parameter)

    def on(self, target: Target) -> Choices:
        """Those of cells that concern a target; measured times and criteria stay whole."""
        names = {target.name, target.study.name}
        whole = target.made_from in ("timing", "scaling", "selection")
        return Choices(
            self.override,
            [entry for entry in self.not_run if names & {*(entry.targets or names)}],
            [x for x in self.shortenings if names & {*(x.targets or names)} and not whole],
        )

    def reason(self, cell: Cell) -> str:
        """Why a cell is not run; empty if it is."""
        return next((entry.reason for entry in self.not_run if _has(entry, cell)), "")

    def shortened(self, cell: Cell, key: str) -> Any:
        """What the first entry on a cell that has the key "race", "repeats" or "grid" says."""
        entries = (entry for entry in self.shortenings if _has(entry, cell))
        return next((value for entry in entries if (value := getattr(entry, key))), None)


def _has(entry: NotRun | Shortened, cell: Cell) -> bool:
    rows, datasets = entry.rows, entry.datasets
    return (rows is None or cell.row in rows) and (datasets is None or cell.dataset in datasets)
