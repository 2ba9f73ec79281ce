"""Margin of a paper's own method: published, reproduced, and by chance.

Each column (a data set and a metric of a table that compares methods) contains the paper's own
method (the best of its rows) and its rivals. The margin is the score of the own method minus the
score of the best rival. Two rows are also tracked by themselves: the own row, and the rival with
the best *published* score. This rival was selected by noisy numbers, so its score tends to fall
when it is measured again (the winner's curse).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from reproduction.findings.cells import COLUMN, standard_errors
from reproduction.findings.intervals import table_of_intervals
from reproduction.findings.measures import Floats
from reproduction.study.paths import Source, stored_pool

#: Level of the intervals, and number of draws of noise.
CONFIDENCE, DRAWS = 0.95, 500
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
            at = lines.index.to_numpy()
            columns.append(PrintedColumn(paper, dataset, public, at[is_own], at[~is_own]))
    return columns


#: Keys that distinguish columns, and the quantities that :func:`track_margins` measures.
UNIT = ["paper", "dataset", "public"]
MARGIN_MEASURES = ["in print", "here", "change", "own", "best rival in print", "all rivals"]
#: Measures that pages show under other names.
_NAMES = {"in print": "published", "here": "reproduced"}
_NAMES |= {"best rival in print": "best published rival"}


def track_margins(columns: Sequence[PrintedColumn], printed: Floats, reproduced: Floats) -> Floats:
    """Margins of each column, and the changes of the own row and of the best published rival.

    The numbers are those of all cells, or of all cells in each of several draws (draws × cells).
    The result (columns × measures × draws) contains the published margin, the reproduced margin and
    its change. It also contains the difference "reproduced minus published" of the own row and of
    the rival with the best published score, and its mean over all rivals.
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
        others = moved[..., column.rivals].mean(axis=-1)
        measured.append([*margins, margins[1] - margins[0], own, rival, others])
    return np.reshape(measured, (len(columns), len(MARGIN_MEASURES), *printed.shape[:-1]))


def lines_of_columns(columns: Sequence[PrintedColumn], measured: Floats) -> pd.DataFrame:
    """A line for each column, with :data:`UNIT` and the measures (columns × measures)."""
    about = pd.DataFrame([column[: len(UNIT)] for column in columns], columns=UNIT)
    return about.join(pd.DataFrame(measured, columns=MARGIN_MEASURES))


def draw_chance(cells: pd.DataFrame, columns: Sequence[PrintedColumn], seed: int) -> Floats:
    """:func:`track_margins` of perfect reproductions: both sides vary about the published means."""
    errors = standard_errors(cells)
    rng = np.random.default_rng(seed)
    drawn = rng.normal(cells["printed"].to_numpy(float), errors, (DRAWS, *errors.shape))
    return track_margins(columns, drawn[:, 0], drawn[:, 1])


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
