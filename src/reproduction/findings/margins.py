"""Margin of a paper's own method: published, reproduced, by chance, and by setting.

Each column (a data set and a metric of a table that compares methods) contains the paper's own
method (the best of its rows) and its rivals. The margin is the score of the own method minus the
score of the best rival. Two rows are also tracked by themselves: the own row, and the rival with
the best *published* score. This rival was selected by noisy numbers, so its score tends to fall
when it is measured again (the winner's curse).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from reproduction.findings.cells import COLUMN, Reading, standard_errors
from reproduction.findings.intervals import table_of_intervals
from reproduction.findings.measures import Floats
from reproduction.findings.readings import OTHERS, chosen_numbers
from reproduction.study.paths import Source, stored_pool

#: Level of the intervals, number of draws of noise, and number of drawn readings of unstated
#: settings.
CONFIDENCE, DRAWS, READINGS = 0.95, 500, 10_000
#: Pools with the base clusterings of the papers' authors.
_PUBLIC = "published"


class PrintedColumn(NamedTuple):
    """One column, with the positions of the own rows and of the rivals among all cells."""

    paper: str
    dataset: str
    public: bool
    own: NDArray[np.intp]
    rivals: NDArray[np.intp]


def columns_of(cells: pd.DataFrame) -> list[PrintedColumn]:
    """Columns with an own row and two or more rivals; cells are numbered from 0."""
    columns = []
    main = cells[cells["main"]]
    for (paper, _, dataset, _), lines in main.groupby(COLUMN, sort=False):
        is_own = lines["own"].to_numpy(bool)
        if is_own.any() and (~is_own).sum() >= 2:
            pools = {stored_pool(Source.parse(run).pool) for run in lines["run"]}
            public = all(pool.startswith(_PUBLIC) for pool in pools)
            positions = lines.index.to_numpy()
            columns.append(
                PrintedColumn(paper, dataset, public, positions[is_own], positions[~is_own])
            )
    return columns


#: Keys that distinguish columns, and the quantities that :func:`track_margins` measures.
UNIT = ["paper", "dataset", "public"]
MARGIN_MEASURES = ["in print", "here", "change", "own", "best rival in print", "own less rival"]
MARGIN_MEASURES += ["all rivals"]
#: Measures that pages show under other names.
_NAMES = {"in print": "published", "here": "reproduced"}
_NAMES |= {"best rival in print": "best published rival"}


def track_margins(columns: Sequence[PrintedColumn], printed: Floats, reproduced: Floats) -> Floats:
    """Margins of each column, and the changes of the own row and of the best published rival.

    The numbers are those of all cells, or of all cells in each of several draws (draws × cells).
    The result (columns × measures × draws) contains the published margin, the reproduced margin and
    its change. It also contains the difference "reproduced minus published" of the own row, of the
    rival with the best published score, of the own row minus this rival, and its mean over all
    rivals.
    """
    moved = reproduced - printed
    measured = []
    for column in columns:
        rows = column.own, column.rivals
        best = [[x[..., part].max(axis=-1) for part in rows] for x in (printed, reproduced)]
        margins = [own - rival for own, rival in best]
        at = [printed[..., part].argmax(axis=-1, keepdims=True) for part in rows]
        own, rival = (
            np.take_along_axis(moved[..., part], k, axis=-1)[..., 0]
            for part, k in zip(rows, at, strict=True)
        )
        changes = [margins[1] - margins[0], own, rival, own - rival]
        measured.append([*margins, *changes, moved[..., column.rivals].mean(axis=-1)])
    return np.reshape(measured, (len(columns), len(MARGIN_MEASURES), *printed.shape[:-1]))


def lines_of_columns(columns: Sequence[PrintedColumn], measured: Floats) -> pd.DataFrame:
    """A line for each column, with :data:`UNIT` and the measures (columns × measures)."""
    about = pd.DataFrame([column[: len(UNIT)] for column in columns], columns=UNIT)
    return about.join(pd.DataFrame(measured, columns=MARGIN_MEASURES))


def simulate_chance(
    cells: pd.DataFrame, columns: Sequence[PrintedColumn], seed: int
) -> pd.DataFrame:
    """Margins of a perfect reproduction, with both sides drawn around the published numbers.

    The lines contain the measures of :func:`track_margins`, as means over the draws.
    """
    errors = standard_errors(cells)
    rng = np.random.default_rng(seed)
    drawn = rng.normal(cells["printed"].to_numpy(float), errors, (DRAWS, *errors.shape))
    measured = track_margins(columns, drawn[:, 0], drawn[:, 1])
    return lines_of_columns(columns, measured.mean(axis=-1))


# -- a hierarchical model: columns in data sets, data sets in papers ------------------------------


#: The group of papers that is shown. Only two papers have public base clusterings.
NOT_PUBLIC = "not public"


class Effect(NamedTuple):
    """A mean with its interval, the spread between its units, and their number."""

    value: float
    low: float
    high: float
    spread: float
    units: int


def random_effects(values: Floats, variances: Floats) -> Effect:
    """Mean of units with known variances and a spread between them (Hartung & Knapp 2001).

    The spread is the estimate of DerSimonian and Laird (1986). The interval is a Student t interval
    with the weighted scatter of the units. If the units lie closer together than their variances
    and the spread imply, the implied scatter is used instead (Röver, Knapp & Friede 2015). If all
    known variances are zero, the interval is the t interval of the plain mean. A single unit has no
    interval.
    """
    n = len(values)
    if n < 2:
        return Effect(float(values[0]) if n else np.nan, np.nan, np.nan, np.nan, n)
    positive = np.maximum(variances, 1e-12)

    def fitted(total: Floats) -> tuple[float, float, float]:
        """Mean, sum of the weights, and the weighted scatter for total variances."""
        weights = 1 / total
        mean = float(weights @ values / weights.sum())
        return mean, float(weights.sum()), float(weights @ (values - mean) ** 2)

    _, weight, scatter = fitted(positive)
    spread = max(0.0, (scatter - (n - 1)) / (weight - float((1 / positive**2).sum()) / weight))
    mean, weight, scatter = fitted(positive + spread)
    half = stdtrit(n - 1, (1 + CONFIDENCE) / 2) * np.sqrt(max(1.0, scatter / (n - 1)) / weight)
    return Effect(mean, float(mean - half), float(mean + half), float(np.sqrt(spread)), n)


def effects(lines: pd.DataFrame, variance: pd.Series, measure: str) -> dict[str, Effect]:
    """The measure of each paper, and of the group without public base clusterings.

    The estimate has two stages. Within a paper, the units are data sets, and their variances are
    the `variance` of the repeats by paper and data set. Within the group, the units are papers, and
    their variances are the squares of their standard errors. A data set belongs to the group if its
    base clusterings are not public and its paper has at least two such data sets.
    """
    units = lines.groupby(UNIT, sort=False)[measure].mean().rename("value").reset_index()
    keys = pd.MultiIndex.from_frame(units[["paper", "dataset"]])
    units["variance"] = variance.reindex(keys).fillna(0.0).to_numpy()

    def by_paper(part: pd.DataFrame) -> dict[str, Effect]:
        return {
            str(paper): random_effects(x["value"].to_numpy(), x["variance"].to_numpy())
            for paper, x in part.groupby("paper", sort=False)
        }

    closed = by_paper(units[~units["public"].astype(bool)]).values()
    several = [part for part in closed if part.units > 1]
    parts = pd.DataFrame(several, columns=Effect._fields, dtype=float)
    errors = (parts["high"] - parts["value"]) / stdtrit(parts["units"] - 1, (1 + CONFIDENCE) / 2)
    group = random_effects(parts["value"].to_numpy(), errors.to_numpy() ** 2)
    return by_paper(units) | {NOT_PUBLIC: group}


def margins_table(lines: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Table of lines with unit, measure, value, low and high as text, with a row for each unit."""
    table = table_of_intervals(lines, "unit", "measure", measures, "{:+z.3f}".format)
    return table.rename(columns=_NAMES)


# -- a multiverse: all combinations of the variants that protocols tried -------------------------


def shared_settings(
    cells: pd.DataFrame, columns: Iterable[PrintedColumn], protocols: Iterable[Sequence[Reading]]
) -> pd.DataFrame:
    """Margins under each variant of a setting that own rows and rivals share.

    Such a setting, for example the base clusterings, belongs to a protocol that has an own row and
    a rival in some column. Its margins use the rows that the protocol has in all variants, in the
    columns where these rows include an own row and a rival. The first variant is the setting of the
    tables. The columns of the result are paper, protocol, reading, datasets, columns, rows (a
    mean), margin, and "all rows" (the margin of the tables in the same columns).
    """
    reproduced = cells["here"].to_numpy(float)
    rows_found = []
    for ways in protocols:
        whole, made = [], []
        for column in columns:
            own, rivals = (x[np.isin(x, ways[0].place)] for x in (column.own, column.rivals))
            if len(own) and len(rivals):
                whole.append(column)
                made.append(column._replace(own=own, rivals=rivals))
        for way in ways if made else []:
            numbers = reproduced.copy()
            numbers[way.place] = way.lines["mean"]
            rows = np.mean([len(column.own) + len(column.rivals) for column in made])
            counts = len({column.dataset for column in made}), len(made), rows
            margins = (_margins(*x).mean() for x in ((made, numbers), (whole, reproduced)))
            rows_found.append((made[0].paper, way.protocol, way.variant, *counts, *margins))
    names = ["paper", "protocol", "reading", "datasets", "columns", "rows", "margin", "all rows"]
    return pd.DataFrame(rows_found, columns=names)


def multiverse(
    cells: pd.DataFrame,
    columns: Sequence[PrintedColumn],
    protocols: Sequence[Sequence[Reading]],
    seed: int,
) -> pd.DataFrame:
    """Mean margins of each paper under combinations of settings of single rows.

    A combination takes one variant of each setting, see :func:`_settings`. At most
    :data:`READINGS` combinations are drawn.

    For each paper, the first line combines all settings. The second line leaves out the data set
    without which the range is narrowest, if there are several. Each further line varies one
    setting. The columns are paper, setting ("all", or the name of its protocol), without (a data
    set, or empty), combinations, evaluated, cells (the number of cells that the settings change in
    the columns), published, chosen (the margin of the tables), "other data sets" (the margin if
    each data set uses the variants that ``readings.OTHERS`` chooses), lowest and highest.
    """
    shared = shared_settings(cells, columns, protocols)
    apart = {*zip(shared["paper"], shared["protocol"], strict=True)}
    printed, reproduced = (cells[key].to_numpy(float) for key in ("printed", "here"))
    lines = []
    for paper in dict.fromkeys(column.paper for column in columns):
        of_paper = [column for column in columns if column.paper == paper]
        tried = [
            ways
            for ways in protocols
            if cells["paper"][ways[0].place[0]] == paper and (paper, ways[0].protocol) not in apart
        ]
        settings = _settings(of_paper, tried)
        elsewhere = chosen_numbers(cells, settings, OTHERS)["here"].to_numpy(float)
        known = pd.DataFrame(
            {
                "published": _margins(of_paper, printed),
                "chosen": _margins(of_paper, reproduced),
                "other data sets": _margins(of_paper, elsewhere),
            }
        )
        margins = _margins_under(of_paper, reproduced, settings, seed)
        datasets = np.array([column.dataset for column in of_paper])
        for name in dict.fromkeys(["", _most_influential(margins, datasets)]):
            line = {"paper": paper, "setting": "all", "without": name} | _size(of_paper, settings)
            line |= {"evaluated": len(margins)} | known[datasets != name].mean().to_dict()
            lines.append(line | _range(margins[:, datasets != name]))
        for ways in settings:
            margins = _margins_under(of_paper, reproduced, [ways], seed)
            line = {"paper": paper, "setting": ways[0].protocol, "without": ""}
            line |= _size(of_paper, [ways]) | {"evaluated": len(margins)}
            lines.append(line | _range(margins))
    return pd.DataFrame(lines)


def _used(columns: Iterable[PrintedColumn]) -> set[int]:
    """Positions of all cells of the columns."""
    return {int(k) for column in columns for k in (*column.own, *column.rivals)}


def _changes_bases(ways: Sequence[Reading]) -> bool:
    """Whether the variants of a row have different base clusterings."""
    every = pd.concat([way.lines[["method", "dataset", "run"]] for way in ways])
    runs = map(Source.parse, every["run"])
    every["bases"] = [f"{run.pool} {run.m}" for run in runs]
    return bool(every.groupby(["method", "dataset"])["bases"].nunique().max() > 1)


def _settings(
    columns: Sequence[PrintedColumn], protocols: Iterable[Sequence[Reading]]
) -> list[Sequence[Reading]]:
    """The protocols whose variants are combined; each tries one setting.

    A protocol counts if it changes cells of the columns. If several change the same cell, they try
    the same setting, and the one on most cells counts. Settings that change the base clusterings
    are left out, because all rows of a column need the same ones; :func:`shared_settings` varies
    those of an own row and its rivals.
    """
    used = _used(columns)
    settings: list[Sequence[Reading]] = []
    for ways in sorted(protocols, key=lambda ways: -len(ways[0].place)):
        cells = used & {*ways[0].place}
        same = any(cells & {*known[0].place} for known in settings)
        if cells and not same and not _changes_bases(ways):
            settings.append(ways)
    return settings


def _size(
    columns: Sequence[PrintedColumn], settings: Sequence[Sequence[Reading]]
) -> dict[str, int]:
    changed = {int(k) for ways in settings for k in ways[0].place}
    return {
        "combinations": int(np.prod([len(ways) for ways in settings], dtype=float)),
        "cells": len(changed & _used(columns)),
    }


def _range(margins: Floats) -> dict[str, float]:
    """Smallest and largest mean over the columns (combinations × columns)."""
    means = margins.mean(axis=1)
    return {"lowest": means.min(), "highest": means.max()}


def _most_influential(margins: Floats, datasets: NDArray[np.str_]) -> str:
    """The data set without which the mean margins (combinations × columns) differ least.

    Empty if there is one data set, or if all combinations have the same margins.
    """
    names = dict.fromkeys(datasets)
    if len(names) < 2 or not np.ptp(margins, axis=0).any():
        return ""
    return min(names, key=lambda name: float(np.ptp(margins[:, datasets != name].mean(axis=1))))


def _readings(
    reproduced: Floats, protocols: Sequence[Sequence[Reading]], seed: int
) -> Iterator[Floats]:
    """Numbers under all combinations, or under drawn ones; the first variants come first."""
    sizes = [len(ways) for ways in protocols]
    total = int(np.prod(sizes, dtype=float))
    rng = np.random.default_rng(seed)
    chosen = range(total) if total <= READINGS else [0, *rng.integers(total, size=READINGS - 1)]
    for number in chosen:
        numbers = reproduced.copy()
        for ways, pick in zip(protocols, np.unravel_index(number, sizes or (1,)), strict=False):
            # Numbers that a protocol did not change in its first variant stay as in the tables.
            if pick:
                numbers[ways[pick].place] = ways[pick].lines["mean"]
        yield numbers


def _margins_under(
    columns: Sequence[PrintedColumn],
    reproduced: Floats,
    settings: Sequence[Sequence[Reading]],
    seed: int,
) -> Floats:
    """Margins of the columns under combinations (combinations × columns), first of the tables."""
    return np.array([_margins(columns, x) for x in _readings(reproduced, settings, seed)])


def _margins(columns: Iterable[PrintedColumn], numbers: Floats) -> Floats:
    return np.array([numbers[x.own].max() - numbers[x.rivals].max() for x in columns])
