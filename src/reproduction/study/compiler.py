"""From the targets of studies and a configuration to the lines of results/cells.parquet.

A target returns its cells (:mod:`reproduction.study.words`). The key ``edits`` of the configuration
changes them. Each cell then has a line for each source of its numbers, such as a run, with the
source's files. Paths of runs contain their parameters, so a table and a figure can share a run.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.storage.records import hash_of
from coassoc.errors import CoassocError, ConfigError, check_known
from coassoc.methods.registry import Method, endings_of_one_refinement
from coassoc.metrics import METRICS
from reproduction.study import paths
from reproduction.study.configuration import Edit
from reproduction.study.kinds import KINDS, MEASURED, WHOLE
from reproduction.study.paths import BATCH, Source, name_of
from reproduction.study.words import Target

#: Columns of cells to which the patterns of edits apply.
COLUMNS = (
    "target", "kind", "label", "method", "dataset", "n", "pool", "m", "x", "variant", "reference",
    "tune",
)  # fmt: skip
#: Largest number of points of a grid for one run. More points are spread over several runs.
_SMALL = 8
#: Largest number of samples of a data set whose fits share a job.
_FEW_SAMPLES = 2_000


# -- cells ----------------------------------------------------------------------------------------


def cells_of(targets: Mapping[str, Target], methods: Mapping[str, Method]) -> pd.DataFrame:
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
    cells: list[dict[str, Any]] = []
    for path, target in targets.items():
        about = {"target": path, "kind": target.kind, "reads": target.reads}
        own = [x | about for cell in _own_cells(path, target) for x in _points(path, cell, methods)]
        datasets = {name: k for k, name in enumerate(dict.fromkeys(x["dataset"] for x in own))}
        cells += sorted(own, key=lambda x: datasets[x["dataset"]])
    return pd.DataFrame(cells, dtype=object)


def _own_cells(path: str, target: Target) -> list[dict[str, Any]]:
    """The cells that the function of a target returns."""
    try:
        cells = target.cells()
    except CoassocError:
        raise
    except Exception as error:
        raise ConfigError(f"{path}: the function raises {error!r}. Correct the study.") from error
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise ConfigError(
            f"{path}: the function returns {type(cells).__name__} instead of cells. End it with "
            "'return cross(...)' or another list of cells."
        )
    return cells


def _points(
    path: str, cell: Mapping[str, Any], methods: Mapping[str, Method]
) -> Iterator[dict[str, Any]]:
    """A cell with its grid, or one cell for each point of a curve or surface."""
    cell = {**cell, "part": {}, "race": False, "repeats": 0, "instead": False, "point": None}
    over, grid, fixed = cell.pop("over"), cell.pop("among"), cell["fixed"]
    if not cell["tune"] and not over:
        yield {**cell, "grid": grid, "point": fixed if grid else None}
        return
    place = f"{path}: {cell['label']}"
    check_known(place, "method", [cell["method"]], methods)
    method = methods[cell["method"]]
    free = [k for k, parameter in method.parameters.items() if parameter.grid and k not in fixed]
    check_known(place, "parameter to vary", over, free)
    if not free:
        raise ConfigError(
            f"{place}: {method.name} has no free parameter with a grid. Choose another method, or "
            "set fewer parameters."
        )
    cell["grid"] = {name: list(method.parameters[name].grid) for name in over or free}
    if cell["tune"]:
        yield cell
        return
    for values in product(*cell["grid"].values()):
        x = values[0] if len(values) == 1 else list(values)
        yield {**cell, "point": dict(zip(cell["grid"], values, strict=True)), "x": x}


# -- edits ----------------------------------------------------------------------------------------


def edited(
    cells: pd.DataFrame, edits: Iterable[Edit], names_of: Mapping[str, Collection[str]]
) -> pd.DataFrame:
    """Cells of some targets, as a configuration edits them.

    `names_of` maps the columns target, dataset and method to all of their names. An entry with an
    unknown name, or an entry that names targets but selects none of their cells, raises a
    ConfigError.
    """
    present = [*cells["target"].unique()]
    for number, edit in enumerate(edits, start=1):
        place = f"config: edits, entry {number}"
        for where, (column, names) in product((edit.of, edit.keep or {}), names_of.items()):
            for pattern in _texts(where.get(column, "*")):
                if not _fitting(names, [pattern]):
                    check_known(place, column, [pattern], names)
        if not _fitting(present, _texts(edit.of.get("target", "*"))):
            continue
        on = _chosen(cells, edit.of, place)
        is_whole = "target" in edit.of or len(present) == len(names_of["target"])
        if is_whole and not on.any():
            raise ConfigError(
                f"{place}: no cell matches {_listed(edit.of)}. Change the entry's key 'of', or "
                "delete the entry."
            )
        if edit.keep:
            kept = on & _chosen(cells, edit.keep, place)
            # An entry may leave out some targets of a pattern, but not all, and none that it names.
            named = {x for x in _texts(edit.of.get("target", "")) if "*" not in x}
            emptied = {*cells["target"][on]} - {*cells["target"][kept]}
            lost = [f"target {x}" for x in sorted(emptied) if named & {x, name_of(x)}]
            if lost or (is_whole and not kept.any()):
                raise ConfigError(
                    f"{place}: none of the cells of {[*lost, _listed(edit.of)][0]} matches "
                    f"{_listed(edit.keep)}. Change the entry's key 'keep'."
                )
            cells, on = cells[~on | kept], on[~on | kept]
        if edit.datasets:
            cells, on = _with_datasets(cells, on, edit.datasets)
        cells = cells.assign(**_changes(cells, on, edit, place))
    return cells


def _changes(cells: pd.DataFrame, on: pd.Series, edit: Edit, place: str) -> dict[str, pd.Series]:
    """Columns that an entry changes. The first entry on a cell sets repeats, its grid and skip."""
    fits, changes = on & ~cells["reads"].isin(WHOLE), {}
    if edit.pool:
        pools = cells["pool"].map(
            lambda x: paths.shuffled_pool(edit.pool, paths.percent_shuffled(x))
        )
        changes["pool"] = cells["pool"].mask(on, pools)
    if edit.repeats:
        changes["repeats"] = cells["repeats"].mask(fits & cells["repeats"].eq(0), edit.repeats)
    if edit.race:
        changes["race"] = cells["race"].mask(fits, True)
    if edit.skip:
        changes["not_run"] = cells["not_run"].mask(on & cells["not_run"].eq(""), edit.skip)
    if edit.grid:
        grids = cells["grid"][fits & cells["grid"].map(bool)]
        for name, values in edit.grid.items() if len(grids) else ():
            check_known(f"{place}: grid", "parameter", [name], {*chain(*grids)})
            known = dict.fromkeys(value for grid in grids for value in grid.get(name, []))
            check_known(f"{place}: grid", f"value of {name}", values, known)
        changes["part"] = cells["part"].mask(fits, cells["part"].map(lambda x: x or edit.grid))
    return changes


def _with_datasets(
    cells: pd.DataFrame, on: pd.Series, names: list[str]
) -> tuple[pd.DataFrame, pd.Series]:
    """Replace the data sets of the selected cells, and return the cells and the new selection."""
    frames = []
    for _, own in cells.assign(on=on).groupby("target", sort=False):
        hit = own[own["on"]]
        first = hit[hit["dataset"].eq(hit["dataset"].iloc[0])] if len(hit) else hit
        others = names[: hit["dataset"].nunique()]
        frames += [own[~own["on"]], *(first.assign(dataset=x, instead=True) for x in others)]
    joined = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    return joined.drop(columns="on"), joined["on"].astype(bool)


def _chosen(cells: pd.DataFrame, of: Mapping[str, Any], place: str) -> pd.Series:
    """Select the cells whose value matches one of the patterns in every named column."""
    check_known(place, "column", of, COLUMNS)
    hit = pd.Series(True, cells.index)
    for column, patterns in of.items():
        values = cells.loc[hit, column].map(str)
        fitting = values.isin(_fitting(values.unique(), _texts(patterns)))
        hit &= fitting.reindex(hit.index, fill_value=False)
    return hit


def _listed(of: Mapping[str, Any]) -> str:
    return ", ".join(f"{column} {patterns}" for column, patterns in of.items())


def _texts(patterns: Any) -> list[str]:
    return [str(x) for x in (patterns if isinstance(patterns, list) else [patterns])]


def _fitting(values: Iterable[str], patterns: Iterable[str]) -> set[str]:
    """Values that match a pattern: a name, a name with wildcards, or a bound such as ">1000".

    A target matches by its path and by its name, such as eccms/table4 and eccms_table4.
    """
    return {
        x
        for x in values
        for p in patterns
        if (
            float(x) > float(p[1:])
            if p[:1] == ">"
            else p in (x, name_of(x)) or any(map(fnmatchcase, (x, name_of(x)), (p, p)))
        )
    }


# -- sources --------------------------------------------------------------------------------------


def lines_of(cells: pd.DataFrame, methods: Mapping[str, Method]) -> pd.DataFrame:
    """A line for each cell and each source of its numbers, with the source's files.

    The additional columns are cell (a number), source, run_file, features_file, pool_file and
    measured_file. Points of a curve that are left out have no line, whereas cells that are not run
    have one line.
    """
    lines = cells.assign(cell=np.arange(len(cells)))
    lines["source"] = [sources_of(cell, methods) for cell in cells.itertuples()]
    lines = lines.explode("source").dropna(subset="source").reset_index(drop=True)
    sources = {text: Source.parse(text) for text in lines["source"].unique() if text}
    runs = {text: x for text, x in sources.items() if x.block}
    used = {name: methods[name] for name in {x.method for x in runs.values()}}
    places = {method.location for method in used.values()}  # without imports of other classes
    related = {name: method for name, method in methods.items() if method.location in places}
    endings = endings_of_one_refinement(related)
    together = {name: "+".join(names) for names in endings for name in names}
    files = {text: x.run_file(together.get(x.method, x.method)) for text, x in runs.items()}
    seen = {
        k: paths.dataset_file(x.dataset) for k, x in runs.items() if used[x.method].uses_features
    }
    pool_file = cache(lambda *place: Source(*place).pool_file)
    pools = map(pool_file, lines["pool"], lines["dataset"])
    return lines.assign(
        run_file=lines["source"].map(files).astype(object).fillna(""),
        features_file=lines["source"].map(seen).astype(object).fillna(""),
        pool_file=pd.Series(pools, lines.index, dtype=object).where(lines["not_run"].eq(""), ""),
        measured_file=[
            paths.measured_file(x.reads, x.source or paths.place_of_pool(x.pool, x.m, x.dataset))
            if x.reads in MEASURED and not x.not_run
            else ""
            for x in lines.itertuples()
        ],
    )


def sources_of(cell: Any, methods: Mapping[str, Method]) -> list[str]:
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
    return list(map(str, [*sources, *[base] * (bool(sources) and KINDS[cell.kind].whole_pools)]))


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
            yield paths.block_of(block, declared, race=race, repeats=repeats, points=points)
    # A row must not score below the default of the method. If a part of the grid lacks the default,
    # a run adds it.
    if points and cell.tune and not all(declared[k].default in v for k, v in part.items()):
        yield paths.block_of({k: [x] for k, x in fixed.items()}, declared, repeats=repeats)


def without_long_runs(
    cells: pd.DataFrame,
    methods: Mapping[str, Method],
    minutes: Callable[[Source], float],
    most: float,
) -> pd.DataFrame:
    """The cells; those with a run of more than `most` minutes are marked as not run."""

    def is_long(cell: Any) -> bool:
        runs = map(Source.parse, filter(None, sources_of(cell, methods)))
        return cell.reads == "scores" and any(x.block and minutes(x) > most for x in runs)

    long = pd.Series(list(map(is_long, cells.itertuples())), cells.index, dtype=bool)
    reason = f"a run takes more than {most:g} processor minutes"
    return cells.assign(not_run=cells["not_run"].mask(long, reason))


def batches_of(lines: pd.DataFrame, methods: Mapping[str, Method]) -> pd.Series:
    """The file of the batch that computes the run of each line, or "".

    A job takes a second to start, whereas many fits take only a moment. On data sets of few
    samples, one job therefore computes all runs of one point of methods that work on distinct rows
    of labels, each run in its own file. The name of a batch depends on its runs, so a different
    selection of methods is a different batch, whose job reuses the existing runs.
    """
    wanted = lines["n"].le(_FEW_SAMPLES) & lines["run_file"].ne("") & lines["archive"].eq("")
    wanted &= lines["reads"].eq("scores") & lines["not_run"].eq("")
    # A target that reads the runs themselves requests their files.
    wanted &= ~lines["run_file"].isin(lines["run_file"][lines["reads"].ne("scores")])
    sources = lines["source"][wanted].map(Source.parse)
    sources = sources[[x.size == 1 and not methods[x.method].works_on_samples for x in sources]]
    place = sources.map(lambda source: source._replace(method="", block="runs"))
    names = sources.map(str).groupby(place.map(str))
    batch = names.transform(lambda names: BATCH + hash_of(sorted({*names}))[:8])
    files = pd.Series(map(Source.run_file, place, batch), sources.index, dtype=object)
    return files.reindex(lines.index, fill_value="")
