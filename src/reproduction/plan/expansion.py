"""From the entry of a target in a study's file to its cells and their runs.

A run covers several values of one parameter or of all, so that a grid is a few jobs and not
hundreds.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coassoc.errors import ConfigError
from coassoc.methods.registry import Method
from coassoc.metrics import METRICS
from coassoc.pools.draws import named_size
from coassoc.storage.records import Cell
from reproduction.plan.configuration import (
    Configuration,
    NotRun,
    Override,
    Shortened,
)
from reproduction.plan.keys import Block, Source, part_of_grid, shuffled_pool
from reproduction.plan.kinds import ChoiceAnalysis, SizeFigure, TableEntry, Tune, Variant
from reproduction.plan.studies import Row, Target, varied

Grids = dict[str, list[Any]]

#: Points of a grid up to which one run covers it; more are spread over runs side by side.
_SMALL_GRID = 8


@dataclass(frozen=True)
class Shorter:
    """How fewer fits make a cell."""

    race: bool = False
    repeats: int | None = None
    grid: Mapping[str, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Choices:
    """What a configuration replaces of the studies' choices, shortens or leaves out."""

    override: Override
    not_run: Sequence[NotRun]
    shortened: Sequence[Shortened]

    @classmethod
    def of(cls, config: Configuration) -> Choices:
        """Those of a configuration."""
        return cls(config.override or Override(), config.not_run or [], config.shortened or [])

    def instead(self, target: Target, key: str) -> Any:
        """The replacement of a target's own choice: given for it, for its study, or for all."""
        own = self.override.targets or {}
        said = (own.get(target.name), own.get(target.study.name), self.override)
        return next((value for entry in said if (value := getattr(entry, key, None))), None)

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
        shortened = [] if whole else [x for x in self.shortened if names & {*(x.targets or names)}]
        not_run = [x for x in self.not_run if names & {*(x.targets or names)}]
        return replace(self, not_run=not_run, shortened=shortened)

    def reason(self, cell: Cell) -> str:
        """Why a cell is not run; empty if it is."""
        return next((entry.reason for entry in self.not_run if _has(entry, cell)), "")

    def shorter(self, cell: Cell) -> Shorter:
        """How fewer fits make a cell.

        The first entry on the cell that says it decides whether points race, and so on.
        """
        entries = [entry for entry in self.shortened if _has(entry, cell)]
        return Shorter(
            any(entry.race for entry in entries),
            next((entry.repeats for entry in entries if entry.repeats), None),
            next((entry.grid for entry in entries if entry.grid), {}),
        )


def _has(entry: NotRun | Shortened, cell: Cell) -> bool:
    rows, datasets = entry.rows, entry.datasets
    return (rows is None or cell.row in rows) and (datasets is None or cell.dataset in datasets)


def expand(target: Target, methods: Mapping[str, Method], choices: Choices) -> Target | None:
    """A target with its cells under a configuration; None where nothing of it is left.

    A parameter that is varied and has no grid, or a bad value in a grid, is a ConfigError.
    """
    choices = choices.on(target)
    expansion = _Expansion(target, methods, choices)
    cells = [_unless(choices.reason(cell), cell) for cell in expansion.cells()]
    entry, study = target.entry, target.study
    caption = entry.caption.strip()
    if target.section != "tables":
        # A table has a place for the reason; the others show what there is.
        caption += _sentence_on_missing(cells, target.key)
        cells = [cell for cell in cells if not cell.not_run]
    if not cells:
        return None
    here = ", ".join(dict.fromkeys(cell.dataset for cell in cells))
    if choices.instead(target, "datasets"):
        caption += f" The text tells what is seen on other data sets than those here ({here})."
    shown = {
        "title": entry.title.replace("{datasets}", here),
        "caption": caption + _sentence_on_points(cells),
        "metrics": {name: study.metrics[name] for name in target.metrics},
    }
    if entry.by_size:
        shown["own"] = [study.label(row) for row in study.own]
    if isinstance(entry, TableEntry) and entry.mean:
        shown["mean"] = expansion.datasets(study.datasets[entry.mean])
    return replace(target, cells=tuple(cells), shown={**target.shown, **shown})


def _unless(reason: str, cell: Cell) -> Cell:
    """The cell; if there is a reason not to run it, without sources."""
    return replace(cell, not_run=reason, sources=()) if reason else cell


def _sentence_on_missing(cells: Iterable[Cell], key: str) -> str:
    """A sentence on the cells that are not run; empty if all are.

    Those of a target without rows have its key in their place, which tells a reader nothing.
    """
    reasons: dict[str, list[Cell]] = {}
    for cell in cells:
        reasons.setdefault(cell.not_run, []).append(cell)
    reasons.pop("", None)
    parts = []
    for reason, missing in reasons.items():
        rows = _listed(cell.label for cell in missing if cell.row != key)
        where = _listed(cell.dataset for cell in missing)
        parts.append(f"{rows} on {where} ({reason})" if rows else f"{where} ({reason})")
    return f" Not run: {'; '.join(parts)}." if parts else ""


def _sentence_on_points(cells: Iterable[Cell]) -> str:
    """Sentences on the cells that are drawn or tuned at a part of their grid, or not tuned."""
    swept, tuned, untuned = defaultdict(list), defaultdict(list), defaultdict(list)
    for cell in cells:
        if points := part_of_grid(cell):
            fitted, whole = points
            where = f"{cell.dataset} ({fitted} of {whole})"
            if cell.point is not None:
                swept[where].append(cell.label)
            elif fitted == len(cell.sources) == 1:  # its one point is the default
                untuned[cell.dataset].append(cell.label)
            else:
                tuned[where].append(cell.label)
    parts = {
        start: "; ".join(f"{_listed(labels)} on {place}" for place, labels in places.items())
        for start, places in (
            ("Drawn at some points of the grid only", swept),
            ("Tuned over some points of the grid and the default only", tuned),
            ("Not tuned, at the default", untuned),
        )
    }
    return "".join(f" {start}: {part}." for start, part in parts.items() if part)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


class _Expansion:
    def __init__(self, target: Target, methods: Mapping[str, Method], choices: Choices) -> None:
        self._target, self._study, self._entry = target, target.study, target.entry
        self._methods = methods
        self._choices = choices
        self._m = named_size(self._entry.m or self._study.m)

    # -- which cells ----------------------------------------------------------------------------

    def cells(self) -> Iterator[Cell]:
        rows, sizes = list(self._rows()), [self._m]
        if isinstance(self._entry, SizeFigure):
            sizes = self._choices.instead(self._target, "sizes") or self._entry.sizes
        for dataset in self.datasets(self._target.datasets):
            pool = self._pool(dataset)
            yield from self._swept(dataset, pool)
            for m in sizes:
                if isinstance(self._entry, ChoiceAnalysis):
                    for label, own in self._entry.ensembles.items():
                        yield Cell(label, label, dataset, self._choices.pool(own), m)
                elif not self._target.rows and not self._target.swept:  # the pool alone is shown
                    yield Cell(self._target.key, self._target.key, dataset, pool, m)
                for key, row, variant, percent in rows:
                    x = m if self._entry.by_size else percent
                    cell = Cell(key, row.label or key, dataset, pool, m, x)
                    yield self._cell(row, variant, percent, cell)

    def _rows(self) -> Iterator[tuple[str, Row, Variant | None, int | None]]:
        """Rows that the configuration keeps, each once, in each variant, or so shuffled."""
        kept = self._choices.instead(self._target, "methods")
        for key in self._target.rows:
            row = self._study.rows[key]
            if row.method and kept and row.method not in kept:
                continue
            for percent in self._target.shuffled:
                yield key, row, None, percent
            for variant in self._target.variants:
                yield key, varied(row, variant), variant, None
            if not self._target.shuffled and not self._target.variants:
                yield key, row, None, None

    def datasets(self, named: list[str]) -> list[str]:
        """Some data sets of the target, or those that the configuration puts in their place."""
        instead = self._choices.instead(self._target, "datasets")
        if not instead:
            return named
        if self._entry.of_printed:
            return [dataset for dataset in named if dataset in instead]
        # A table of one data set gets one data set, tables of different ones different ones.
        known = list(dict.fromkeys(itertools.chain.from_iterable(self._study.datasets.values())))
        first = known.index(named[0]) if named[0] in known else 0
        rotated = [instead[(first + i) % len(instead)] for i in range(len(instead))]
        return sorted(rotated[: len(named)], key=instead.index)

    def _pool(self, dataset: str) -> str:
        """The pool of a data set: the configuration's, the target's, or the study's."""
        usual = self._entry.pool or self._study.pools.get(dataset, self._study.pool)
        own = self._entry.pools.get(dataset, usual)
        return str(self._choices.instead(self._target, "pool") or own)

    # -- which runs -----------------------------------------------------------------------------

    def _cell(self, row: Row, variant: Variant | None, percent: int | None, cell: Cell) -> Cell:
        """The cell of a row, from where it stands."""
        pool = self._choices.pool(row.pool) if row.pool else cell.pool
        if percent is None:
            percent = _shuffled(row)
        cell = replace(cell, pool=shuffled_pool(pool, percent), reference=row.base or row.control)
        if variant:
            cell = replace(
                cell,
                variant=variant.label.format(pool=pool),
                m=variant.m or cell.m,
                columns=variant.metrics,
            )
        if cell.reference in ("mean", "best"):
            return replace(cell, sources=(Source(cell.pool, cell.dataset),))
        if cell.reference:
            return replace(cell, sources=(_run(cell, "reference"),))
        assert row.method is not None
        if row.among:
            shorter, point = self._choices.shorter(cell), dict(row.parameters)
            single = {name: (value,) for name, value in point.items()}
            block = Block(repeats=shorter.repeats).at({**single, **row.among})
            return replace(cell, sources=(_run(cell, row.method, block),), point=point)
        runs = [_run(cell, row.method, block) for block in self._blocks_of(row, cell)]
        return replace(cell, sources=tuple(runs), tune=row.tune.score if row.tune else None)

    def _blocks_of(self, row: Row, cell: Cell) -> Iterator[Block]:
        """The parameters of a row, or those over whose grid it is tuned."""
        method, fixed, tune = self._methods[row.method or ""], row.parameters, row.tune
        shorter = self._choices.shorter(cell)
        race = tune.score if tune and can_race(tune) and (shorter.race or tune.race) else None
        over = tuned_over(method, row)
        plain = Block(repeats=shorter.repeats)
        points, part = self._in_part(self._grids(method, over, tuned=True), shorter, cell)
        block = replace(plain, race=race, points=points)
        for values in _blocks(method, fixed, part, whole=race is not None).values():
            yield block.at(values)
        # A row must not fall behind the method's default: where a part lacks that, a run adds it.
        if points and not all(method.parameters[name].default in part[name] for name in over):
            (values,) = _blocks(method, fixed, {}).values()
            yield plain.at(values)

    def _in_part(
        self, whole: Grids, shorter: Shorter, cell: Cell
    ) -> tuple[tuple[int, int] | None, Grids]:
        """Points that are kept of a grid and all of it, None if it is not cut; and that part."""
        kept, part = shorter.grid, {}
        for name, values in whole.items():
            strange = [str(value) for value in kept.get(name, ()) if value not in values]
            if strange:
                raise ConfigError(
                    f"config: shortened.grid.{name} has {', '.join(strange)}, which is not in the "
                    f"grid of {cell.row} in {self._target.name}; allowed are "
                    f"{', '.join(map(str, values))}."
                )
            part[name] = [value for value in values if value in kept.get(name, values)]
        return (None if part == whole else (_size(part), _size(whole))), part

    def _swept(self, dataset: str, pool: str) -> Iterator[Cell]:
        """Cells of a figure's curves or surfaces, one for each point of the grid."""
        over = self._target.over
        for key in self._target.swept:
            row, label = self._study.rows[key], self._study.label(key)
            method = self._methods[row.method or ""]
            cell = Cell(key, label, dataset, shuffled_pool(pool, _shuffled(row)), self._m)
            shorter = self._choices.shorter(cell)
            whole = self._grids(method, over, tuned=False)
            points, grids = self._in_part(whole, shorter, cell)
            block = Block(repeats=shorter.repeats, points=points)
            blocks = _blocks(method, row.parameters, grids)
            across = len(next(iter(blocks)))
            for values in itertools.product(*grids.values()):
                x = values[0] if len(values) == 1 else list(values)
                point = dict(zip(over, values, strict=True))
                run = _run(cell, method.name, block.at(blocks[values[:across]]))
                yield replace(cell, x=x, sources=(run,), point=point)

    def _grids(self, method: Method, over: list[str], *, tuned: bool) -> Grids:
        """Values of some parameters: the configuration's, or those of the method's paper."""
        grids = {}
        for name in over:
            values = self._choices.grid(name, tuned) or method.parameters[name].grid
            if not values:
                raise ConfigError(
                    f"{self._study.source}: {self._target.name} varies {name} of {method.name}, "
                    "which has no grid; give one by override.grid of the configuration."
                )
            for value in values:
                method.check_parameters("config", {name: value})
            grids[name] = list(values)
        return grids


def _shuffled(row: Row) -> int:
    """Per cent of the samples that a row has in random order."""
    return 100 if row.samples == "shuffled" else 0


def _run(cell: Cell, method: str, block: Block | str = "") -> Source:
    return Source(cell.pool, cell.dataset, cell.m, method, str(block))


# -- grids ----------------------------------------------------------------------------------------


def _size(grids: Grids) -> int:
    return math.prod(map(len, grids.values()))


def _blocks(
    method: Method, fixed: Mapping[str, Any], grids: Grids, *, whole: bool = False
) -> dict[tuple[Any, ...], dict[str, tuple[Any, ...]]]:
    """Values of the parameters that a run does not vary → those of its own that are no defaults.

    One run covers a small grid, or a `whole` one, as a race has to; others vary the last parameter.
    """
    across = 0 if whole or _size(grids) <= _SMALL_GRID else len(grids) - 1
    outside, inside = list(grids)[:across], list(grids)[across:]
    blocks = {}
    for outer in itertools.product(*(grids[name] for name in outside)):
        single = {**fixed, **dict(zip(outside, outer, strict=True))}
        values = {name: (value,) for name, value in single.items()}
        values |= {name: tuple(grids[name]) for name in inside}
        blocks[outer] = {
            name: choice
            for name, choice in values.items()
            if choice != (method.parameters[name].default,)
        }
    return blocks


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
