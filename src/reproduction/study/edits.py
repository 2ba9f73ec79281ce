"""Edits of the studies' cells by a configuration (the key ``edits``, a list).

Each entry selects cells by patterns for their columns, and changes the selected cells:

========  =========================================================================================
of        {column: pattern, list of patterns, or for n and m a bound such as ">1000"}
keep      {column: patterns}; the other selected cells are removed
datasets  data sets that replace those of the target, at most as many as the target has
pool      pool that replaces the pool of the cells
repeats   number of repeats, starting from the first repeat of the pool
race      true to search grids by successive halving
grid      {parameter: values of the grid to keep}
skip      reason why the cells are not run
========  =========================================================================================

If several entries set repeats, a grid or skip for one cell, the first of them applies. Entries do
not shorten measurements that are separate from runs.
"""

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import pandas as pd

from coassoc.bench.storage.configuration import Count, Model, NonEmptyDict, NonEmptyList, Text
from coassoc.errors import ConfigError, check_known
from reproduction.study.kinds import WHOLE
from reproduction.study.paths import percent_shuffled, shuffled_pool

_Patterns = str | int | NonEmptyList[str | int]
#: Columns of cells to which patterns apply.
COLUMNS = (
    "target", "kind", "label", "method", "dataset", "n", "pool", "m", "x", "variant", "reference",
    "tune",
)  # fmt: skip


class Edit(Model):
    """One entry of the key ``edits``."""

    of: NonEmptyDict[str, _Patterns]
    keep: NonEmptyDict[str, _Patterns] | None = None
    datasets: NonEmptyList[Text] | None = None
    pool: Text | None = None
    repeats: Count | None = None
    race: bool | None = None
    grid: NonEmptyDict[str, NonEmptyList[Any]] | None = None
    skip: Text | None = None


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
        for column, names in names_of.items():
            for pattern in _texts(edit.of.get(column, "*")):
                if not any(_fits(name, pattern) for name in names):
                    check_known(place, column, [pattern], names)
        patterns = _texts(edit.of.get("target", "*"))
        if _fitting(present, patterns):
            cells = _edited(cells, edit, place, whole=len(present) == len(names_of["target"]))
    return cells


def edited_together(
    paths: Iterable[str], edits: Iterable[Edit], targets: Collection[str]
) -> set[str]:
    """Some targets, and those that entries name together with them or with one of the others."""
    groups = [_fitting(targets, _texts(edit.of["target"])) for edit in edits if "target" in edit.of]
    found, together = {*paths}, set[str]()
    while found > together:
        together = found
        found = together.union(*(group for group in groups if group & together))
    return together


def _edited(cells: pd.DataFrame, edit: Edit, place: str, whole: bool) -> pd.DataFrame:
    on = chosen(cells, edit.of, place)
    if not on.any() and (whole or "target" in edit.of):
        of = ", ".join(f"{column} {patterns}" for column, patterns in edit.of.items())
        raise ConfigError(
            f"{place}: no cell matches {of}. Change the entry's key 'of', or delete the entry."
        )
    if edit.keep:
        on_kept = on & chosen(cells, edit.keep, place)
        cells, on = cells[~on | on_kept], on[~on | on_kept]
    if edit.datasets:
        cells, on = _with_datasets(cells, on, edit.datasets)
    fits = on & ~cells["reads"].isin(WHOLE)
    changes: dict[str, tuple[pd.Series, Any]] = {}
    if edit.pool:
        percent = cells["pool"].map(percent_shuffled)
        changes["pool"] = on, percent.map(lambda x: shuffled_pool(edit.pool, x))
    if edit.repeats:
        changes["repeats"] = fits & cells["repeats"].eq(0), edit.repeats
    if edit.race:
        changes["race"] = fits, True
    if edit.skip:
        changes["not_run"] = on & cells["not_run"].eq(""), edit.skip
    if edit.grid:
        grids = cells["grid"][fits & cells["grid"].map(bool)]
        for name, values in edit.grid.items() if len(grids) else ():
            check_known(f"{place}: grid", "parameters", [name], {*chain(*grids)})
            known = [value for grid in grids for value in grid.get(name, [])]
            check_known(f"{place}: grid", f"values of {name}", values, dict.fromkeys(known))
        changes["part"] = fits, cells["part"].map(lambda part: part or edit.grid)
    return cells.assign(**{k: cells[k].mask(where, value) for k, (where, value) in changes.items()})


def _with_datasets(
    cells: pd.DataFrame, on: pd.Series, names: list[str]
) -> tuple[pd.DataFrame, pd.Series]:
    """Replace the data sets of the selected cells, and return the cells and the new selection."""
    frames = []
    for _, of_target in cells.assign(on=on).groupby("target", sort=False):
        hit = of_target[of_target["on"]]
        first = hit[hit["dataset"].eq(hit["dataset"].iloc[0])] if len(hit) else hit
        others = names[: hit["dataset"].nunique()]
        frames += [
            of_target[~of_target["on"]],
            *(first.assign(dataset=x, instead=True) for x in others),
        ]
    joined = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    return joined.drop(columns="on"), joined["on"].astype(bool)


def chosen(cells: pd.DataFrame, of: Mapping[str, Any], place: str) -> pd.Series:
    """Select the cells whose value matches one of the patterns in every named column."""
    check_known(place, "columns", of, COLUMNS)
    hit = pd.Series(True, cells.index)
    for column, patterns in of.items():
        values, texts = cells.loc[hit, column].map(str), _texts(patterns)
        hit &= values.isin(_fitting(values.unique(), texts)).reindex(hit.index, fill_value=False)
    return hit


def _texts(patterns: Any) -> list[str]:
    return [str(x) for x in (patterns if isinstance(patterns, list) else [patterns])]


def _fitting(values: Iterable[str], patterns: Iterable[str]) -> set[str]:
    return {x for x in values if any(_fits(x, pattern) for pattern in patterns)}


def _fits(value: str, pattern: str) -> bool:
    if pattern[:1] == ">":
        return float(value) > float(pattern[1:])
    return value == pattern or fnmatchcase(value, pattern)
