"""From studies to their cells, and from cells to the runs behind them."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from math import prod
from typing import Any

import pandas as pd

from coassoc.errors import ConfigError, check_known
from coassoc.methods.registry import Method, endings_of_one_refinement
from coassoc.metrics import METRICS
from reproduction.study.kinds import MEASURED, READ_POOLS
from reproduction.study.paths import (
    Source,
    block_of,
    dataset_file,
    measured_file,
    place_of_pool,
)
from reproduction.study.words import Target

#: Largest number of points of a grid for one run. More points are spread over several runs.
_SMALL = 8


def table_of(targets: Mapping[str, Target], methods: Mapping[str, Method]) -> pd.DataFrame:
    """The cells of some targets, given by their paths.

    Columns are target, kind, reads, those of :mod:`reproduction.study.words` (label, dataset,
    pool, m, x, variant, reference, method, fixed, tune, columns, not_run), and

    =========  =====================================================================================
    grid       parameters that vary, with their values
    point      the point of the grid that the cell shows; None for the best point
    part       values of the grid that are kept
    race       whether the grid is searched by successive halving
    repeats    number of repeats; 0 for all repeats of the pool
    instead    whether the data set replaces a data set of the study
    =========  =====================================================================================
    """
    lines: list[dict[str, Any]] = []
    for path, target in targets.items():
        of_target = {"target": path, "kind": target.kind, "reads": target.reads}
        rows = [x | of_target for cell in target.cells() for x in _points(path, cell, methods)]
        datasets = dict.fromkeys(x["dataset"] for x in rows)
        place = {name: k for k, name in enumerate(datasets)}
        rows.sort(key=lambda x: place[x["dataset"]])
        lines += rows
    return pd.DataFrame(lines, dtype=object)


def _points(
    path: str, cell: Mapping[str, Any], methods: Mapping[str, Method]
) -> Iterator[dict[str, Any]]:
    """A cell with its grid, or one cell for each point of a curve or surface."""
    cell = {**cell, "part": {}, "race": False, "repeats": 0, "instead": False}
    over, grid, fixed = cell.pop("over"), cell.pop("among"), cell["fixed"]
    if not cell["tune"] and not over:
        yield {**cell, "grid": grid, "point": fixed if grid else None}
        return
    place = f"{path}: {cell['label']}"
    check_known(place, "method", [cell["method"]], methods)
    method = methods[cell["method"]]
    free = [k for k, parameter in method.parameters.items() if parameter.grid and k not in fixed]
    check_known(place, "parameters that vary", over, free)
    if not free:
        raise ConfigError(
            f"{place}: {method.name} has no free parameter with a grid. Choose another method, or "
            "set fewer parameters."
        )
    grid = {name: list(method.parameters[name].grid) for name in over or free}
    if cell["tune"]:
        yield {**cell, "grid": grid, "point": None}
        return
    for values in product(*grid.values()):
        x = values[0] if len(values) == 1 else list(values)
        yield {**cell, "grid": grid, "point": dict(zip(grid, values, strict=True)), "x": x}


# -- runs -----------------------------------------------------------------------------------------


def with_runs(cells: pd.DataFrame, methods: Mapping[str, Method]) -> pd.DataFrame:
    """A line for each cell and each source of its numbers, such as a run, with their files.

    The additional columns are source (of the lines of scores), run_file, pool_file, features_file
    and measured_file. Points of a curve that are left out have no line, whereas cells that are not
    run have one line.
    """
    listed = cells.assign(source=[_sources(cell, methods) for cell in cells.itertuples()])
    listed = listed.explode("source", ignore_index=True)
    listed = listed[listed["source"].notna()].reset_index(drop=True)
    sources = {text: Source.parse(text) for text in listed["source"].unique() if text}
    endings = endings_of_one_refinement(methods)
    together = {name: "+".join(names) for names in endings for name in names}
    runs = {text: x for text, x in sources.items() if x.block}
    seeing = {text: x for text, x in runs.items() if methods[x.method].uses_features}
    columns = {
        "run_file": {
            text: x.run_file(together.get(x.method, x.method)) for text, x in runs.items()
        },
        "features_file": {text: dataset_file(x.dataset) for text, x in seeing.items()},
    }
    for column, named in columns.items():
        listed[column] = listed["source"].map(named).astype(object).fillna("")
    is_run, pool_file = listed["not_run"].eq(""), cache(lambda *place: Source(*place).pool_file)
    places = zip(listed["pool"], listed["dataset"], is_run, strict=True)
    listed["pool_file"] = [pool_file(*place) if run else "" for *place, run in places]
    measured = listed[is_run & listed["reads"].isin(MEASURED)]
    files = [
        measured_file(x.reads, x.source or place_of_pool(x.pool, x.m, x.dataset))
        for x in measured.itertuples()
    ]
    files_of = pd.Series(files, measured.index, dtype=object)
    return listed.assign(measured_file=files_of.reindex(listed.index, fill_value=""))


def without_long_runs(
    cells: pd.DataFrame,
    methods: Mapping[str, Method],
    minutes: Callable[[Source], float],
    most: float,
) -> pd.DataFrame:
    """The cells; those with a run of more than `most` minutes are marked as not run."""

    def is_long(cell: Any) -> bool:
        runs = map(Source.parse, filter(None, _sources(cell, methods)))
        return any(minutes(run) > most for run in runs if run.block)

    fitted = cells["reads"].eq("scores")
    long = [on and is_long(cell) for on, cell in zip(fitted, cells.itertuples(), strict=True)]
    reason = f"a run takes more than {most:g} processor minutes"
    return cells.assign(not_run=cells["not_run"].mask(pd.Series(long, cells.index), reason))


def _sources(cell: Any, methods: Mapping[str, Method]) -> list[str]:
    """Sources of a cell: none for a point that is left out, "" for a pool by itself."""
    if cell.not_run or not (cell.reference or cell.method):
        return [""]
    base = Source(cell.pool, cell.dataset)
    if cell.reference in ("mean", "best"):
        sources = [base]
    elif cell.reference:
        sources = [base._replace(m=cell.m, method="reference")]
    else:
        run = base._replace(m=cell.m, method=cell.method)
        sources = [run._replace(block=x) for x in _blocks(cell, methods[cell.method])]
    if sources and cell.kind in READ_POOLS:
        sources.append(base)
    return list(map(str, sources))


def _blocks(cell: Any, method: Method) -> Iterator[str]:
    """Names of the parameters of a cell's runs.

    One run covers a whole grid if the grid is small or is searched by successive halving. Otherwise
    each run varies only the last parameter and has one value of every other parameter.
    """
    fixed, point, repeats = cell.fixed, cell.point, cell.repeats
    declared, whole = method.parameters, cell.grid
    part = {k: [x for x in v if x in cell.part.get(k, v)] for k, v in whole.items()}
    size = prod(map(len, part.values()))
    points = (size, prod(map(len, whole.values()))) if part != whole else None
    if points and point and any(point[k] not in values for k, values in part.items()):
        return
    # The stability of a repeat depends on other repeats, and ANMI is used if classes are unknown.
    race = cell.tune if cell.race and cell.tune in METRICS else ""
    outside = [] if race or size <= _SMALL else [*part][:-1]
    inside = {k: values for k, values in part.items() if k not in outside}
    for values in product(*(part[name] for name in outside)):
        single = {**fixed, **dict(zip(outside, values, strict=True))}
        if point is None or all(point.get(k, x) == x for k, x in single.items()):
            block = {**{k: [x] for k, x in single.items()}, **inside}
            yield block_of(block, declared, race=race, repeats=repeats, points=points)
    # A row must not score below the default of the method. If a part of the grid lacks the default,
    # a run adds it.
    if points and cell.tune and not all(declared[k].default in v for k, v in part.items()):
        yield block_of({k: [x] for k, x in fixed.items()}, declared, repeats=repeats)
