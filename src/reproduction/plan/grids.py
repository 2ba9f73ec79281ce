"""Runs that cover a grid of parameters, of rows that are tuned and of curves and surfaces.

A run covers several values of one parameter or of all, so that a grid is a few jobs and not
hundreds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods.registry import Method
from coassoc.metrics import METRICS
from coassoc.storage.records import Cell
from reproduction.plan.choices import Choices
from reproduction.plan.keys import Source, block_of
from reproduction.plan.kinds import Tune
from reproduction.plan.studies import Row, Target

#: Points of a grid up to which one run covers it; more are spread over runs side by side.
_SMALL = 8


@dataclass(frozen=True)
class _Grid:
    method: Method
    #: Parameters that the row sets.
    fixed: Mapping[str, Any]
    #: Varied parameter → its values, and those of them that are made.
    whole: Mapping[str, list[Any]]
    part: Mapping[str, list[Any]]

    @property
    def points(self) -> tuple[int, int] | None:
        """Points that are kept of the grid and all of it; None if it is not cut."""
        if self.part == self.whole:
            return None
        kept, every = (math.prod(map(len, grid.values())) for grid in (self.part, self.whole))
        return kept, every

    def blocks(
        self, race: str | None = None, repeats: int | None = None
    ) -> dict[tuple[Any, ...], str]:
        """Values of the parameters that a run does not vary → its block.

        One run covers a small grid, or a whole one where its points race; others vary the last
        parameter.
        """
        size = math.prod(map(len, self.part.values()))
        across = 0 if race or size <= _SMALL else len(self.part) - 1
        outside, inside = [*self.part][:across], [*self.part][across:]
        varied = {name: self.part[name] for name in inside}
        blocks = {}
        for outer in itertools.product(*(self.part[name] for name in outside)):
            single = {**self.fixed, **dict(zip(outside, outer, strict=True))}
            values = {**{name: [value] for name, value in single.items()}, **varied}
            blocks[outer] = block_of(
                values, self.method.parameters, race=race, repeats=repeats, points=self.points
            )
        return blocks


def _grid(target: Target, cell: Cell, row: Row, method: Method, choices: Choices) -> _Grid:
    """What is varied for a cell; a ConfigError for a parameter without a grid, or a bad value."""
    swept = cell.row in target.swept
    whole, part, kept = {}, {}, choices.shortened(cell, "grid") or {}
    for name in target.over if swept else tuned_over(method, row):
        values = choices.grid(name, tuned=not swept) or method.parameters[name].grid
        if not values:
            raise ConfigError(
                f"{target.study.source}: {target.name} varies {name} of {method.name}, "
                "which has no grid; give one by override.grid of the configuration."
            )
        for value in values:
            method.check_parameters("config", {name: value})
        if strange := [str(value) for value in kept.get(name, ()) if value not in values]:
            raise ConfigError(
                f"config: shortened.grid.{name} has {', '.join(strange)}, which is not in the "
                f"grid of {cell.row} in {target.name}; allowed are {', '.join(map(str, values))}."
            )
        whole[name] = list(values)
        part[name] = [value for value in values if value in kept.get(name, values)]
    return _Grid(method, row.parameters, whole, part)


def tuned_blocks(
    target: Target, cell: Cell, row: Row, method: Method, choices: Choices
) -> Iterator[str]:
    """Blocks of the runs among whose points a tuned row has its best."""
    assert row.tune is not None
    grid, declared = _grid(target, cell, row, method, choices), method.parameters
    repeats = choices.shortened(cell, "repeats")
    races = can_race(row.tune) and (choices.shortened(cell, "race") or row.tune.race)
    yield from grid.blocks(row.tune.score if races else None, repeats).values()
    # A row must not fall behind the method's default: where a part lacks that, a run adds it.
    part = grid.part.items()
    if grid.points and not all(declared[name].default in values for name, values in part):
        fixed = {name: [value] for name, value in row.parameters.items()}
        yield block_of(fixed, declared, repeats=repeats)


def swept_cells(
    target: Target, cell: Cell, row: Row, method: Method, choices: Choices
) -> Iterator[Cell]:
    """Cells of a curve or surface, one for each point of the grid; `cell` says where."""
    grid = _grid(target, cell, row, method, choices)
    blocks = grid.blocks(repeats=choices.shortened(cell, "repeats"))
    across = len(next(iter(blocks)))
    for values in itertools.product(*grid.part.values()):
        run = Source(cell.pool, cell.dataset, cell.m, method.name, blocks[values[:across]])
        x = values[0] if len(values) == 1 else list(values)
        point = dict(zip(grid.part, values, strict=True))
        yield replace(cell, x=x, sources=(str(run),), point=point)


def tuned_over(method: Method, row: Row) -> list[str]:
    """Parameters over which a row is tuned: those it names, or all with a grid that are not set."""
    if not row.tune:
        return []
    declared = method.parameters.items()
    free = [name for name, known in declared if known.grid and name not in row.parameters]
    return row.tune.over or free


def can_race(tune: Tune) -> bool:
    """Whether points can race by the score of a row's key ``tune``: one that each repeat has alone.

    The stability of a repeat depends on the others, and ANMI is compared where classes are unknown.
    """
    return tune.score in METRICS
