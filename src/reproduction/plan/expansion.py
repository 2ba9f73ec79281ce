"""From the entry of a target in a study's file to its cells and their runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from coassoc.methods.registry import Method
from coassoc.pools.draws import named_size
from coassoc.storage.records import Cell
from reproduction.plan.choices import Choices
from reproduction.plan.grids import swept_cells, tuned_blocks
from reproduction.plan.keys import Source, block_of, shuffled_pool
from reproduction.plan.kinds import ChoiceAnalysis, SizeFigure, TableEntry, Variant
from reproduction.plan.studies import Row, Target, varied


def expand(target: Target, methods: Mapping[str, Method], choices: Choices) -> Target | None:
    """A target with its cells under a configuration; None where nothing of it is left.

    A parameter that is varied and has no grid, or a bad value in a grid, is a ConfigError.
    """
    choices = choices.on(target)
    cells = [_unless(choices.reason(cell), cell) for cell in _cells(target, methods, choices)]
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
        shown["mean"] = choices.datasets(target, study.datasets[entry.mean])
    return replace(target, cells=tuple(cells), shown={**target.shown, **shown})


def _unless(reason: str, cell: Cell) -> Cell:
    """The cell; if there is a reason not to run it, without sources."""
    return replace(cell, not_run=reason, sources=()) if reason else cell


def _cells(target: Target, methods: Mapping[str, Method], choices: Choices) -> Iterator[Cell]:
    """The cells of a target: rows on data sets, points of a grid, or pools alone."""
    entry, rows = target.entry, list(_rows(target, choices))
    m = named_size(entry.m or target.study.m)
    sizes = [m]
    if isinstance(entry, SizeFigure):
        sizes = choices.instead(target, "sizes") or entry.sizes
    for dataset in choices.datasets(target, target.datasets):
        pool = choices.pool_of(target, dataset)
        for key in target.swept:
            row = target.study.rows[key]
            cell = Cell(key, row.label or key, dataset, shuffled_pool(pool, _shuffled(row)), m)
            yield from swept_cells(target, cell, row, methods[row.method or ""], choices)
        for size in sizes:
            if isinstance(entry, ChoiceAnalysis):
                for label, own in entry.ensembles.items():
                    yield Cell(label, label, dataset, choices.pool(own), size)
            elif not target.rows and not target.swept:  # the pool alone is shown
                yield Cell(target.key, target.key, dataset, pool, size)
            for key, row, variant, percent in rows:
                x = size if entry.by_size else percent
                cell = Cell(key, row.label or key, dataset, pool, size, x)
                cell = _placed(cell, row, variant, percent, choices)
                yield _with_sources(target, cell, row, methods, choices)


def _rows(
    target: Target, choices: Choices
) -> Iterator[tuple[str, Row, Variant | None, int | None]]:
    """Rows that the configuration keeps, each once, in each variant, or so shuffled."""
    kept = choices.instead(target, "methods")
    for key in target.rows:
        row = target.study.rows[key]
        if row.method and kept and row.method not in kept:
            continue
        for percent in target.shuffled:
            yield key, row, None, percent
        for variant in target.variants:
            yield key, varied(row, variant), variant, None
        if not target.shuffled and not target.variants:
            yield key, row, None, None


def _placed(
    cell: Cell, row: Row, variant: Variant | None, percent: int | None, choices: Choices
) -> Cell:
    """A cell on the pool of its row or variant, as it is or shuffled, with its name."""
    pool = choices.pool(row.pool) if row.pool else cell.pool
    percent = _shuffled(row) if percent is None else percent
    cell = replace(cell, pool=shuffled_pool(pool, percent), reference=row.base or row.control)
    if not variant:
        return cell
    label, m = variant.label.format(pool=pool), variant.m or cell.m
    return replace(cell, variant=label, m=m, columns=variant.metrics)


def _with_sources(
    target: Target, cell: Cell, row: Row, methods: Mapping[str, Method], choices: Choices
) -> Cell:
    """A cell with what it is made from: a run, those over whose points it is tuned, or no run."""
    pool, dataset, m = cell.pool, cell.dataset, cell.m
    if cell.reference in ("mean", "best"):
        return replace(cell, sources=(str(Source(pool, dataset)),))
    if cell.reference:
        return replace(cell, sources=(str(Source(pool, dataset, m, "reference")),))
    method = methods[row.method or ""]
    if row.tune:
        blocks = list(tuned_blocks(target, cell, row, method, choices))
        cell = replace(cell, tune=row.tune.score)
    else:
        values = {name: [value] for name, value in row.parameters.items()} | row.among
        repeats = choices.shortened(cell, "repeats")
        blocks = [block_of(values, method.parameters, repeats=repeats)]
        cell = replace(cell, point=dict(row.parameters)) if row.among else cell
    runs = (Source(pool, dataset, m, method.name, block) for block in blocks)
    return replace(cell, sources=tuple(map(str, runs)))


def _shuffled(row: Row) -> int:
    """Per cent of the samples that a row has in random order."""
    return 100 if row.samples == "shuffled" else 0


# -- captions -------------------------------------------------------------------------------------


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
        points = [points for text in cell.sources[:1] if (points := Source.parse(text).points)]
        for fitted, whole in points:
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
