"""The table of the agreement measures, by paper and for all papers, as lines and as a page."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.findings.intervals import DRAWS, Resampling, intervals, percent, with_interval
from reproduction.findings.measures import Measures, stand_in
from reproduction.pages import render

#: Method whose published numbers may be failures. The page also shows the results without this
#: method.
WITHOUT = "HGPA"
#: The method whose published numbers replace those of all other methods. Most papers compare with
#: it.
_STAND_IN = "LWEA"
_ALL = "all"
#: Rows of the page: measure, and its name on the page.
_ROWS = {
    "within 2 se": "within 2 se, %",
    "chance-corrected 2 se": "**chance-corrected**, %",
    "equivalent": "equivalent within 0.02, %",
    "different": "different by over 0.02, %",
    "between laboratories": "spread between laboratories",
    "Kendall tau": "Kendall's τ of the methods",
    "same winner": "same winner, %",
    "pairs, same": "pairs with the same sign, %",
    "pairs, opposite": "pairs with opposite signs, %",
    "slope": "slope on published numbers",
    "slope, reversed": "slope on reproduced numbers",
    "margin in print": "published margin",
    "margin here": "reproduced margin",
    "margin, change": "change of the margin",
}
_BESIDE = {"wrong": "· chance baseline", "perfect": "· ceiling"}


def measure_papers(cells: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Every measure of each paper and of all papers, with and without HGPA.

    The columns are HGPA ("with" or "without"), paper, cells, measure, value, low, high, wrong
    (chance baseline) and perfect (ceiling). The last two are empty for measures without them.
    """
    sides = {"with": cells, "without": cells[cells["method"] != WITHOUT]}
    # Papers without this method have the same cells on both sides.
    measured: dict[tuple[str, int], pd.DataFrame] = {}
    frames = []
    for side, part in sides.items():
        for paper in [*cells["paper"].unique(), _ALL]:
            of_paper = part[part["paper"].eq(paper) | (paper == _ALL)]
            key = (paper, len(of_paper))
            if key not in measured:
                measured[key] = _measured(of_paper, seed)
            frames.append(measured[key].assign(HGPA=side, paper=paper))
    columns = ["HGPA", "paper", "cells", "measure", "value", "low", "high", "wrong", "perfect"]
    return pd.concat(frames, ignore_index=True)[columns]


def _measured(cells: pd.DataFrame, seed: int) -> pd.DataFrame:
    cells = cells.reset_index(drop=True)
    agreement = Measures(cells)
    observed = agreement.observed()
    ends = intervals(agreement.measure, Resampling(cells), observed, seed)
    names = [name for name in observed if not name.endswith((", wrong", ", perfect"))]
    lines = ends.loc[names].rename_axis("measure").reset_index()
    beside = {part: [observed.get(f"{name}, {part}", np.nan) for name in names] for part in _BESIDE}
    value = [observed[name] for name in names]
    return lines.assign(value=value, cells=int((~cells["again"]).sum()), **beside)


def page(
    measured: pd.DataFrame, cells: pd.DataFrame, yardsticks: Mapping[str, Mapping[str, Any]]
) -> str:
    """The page: a table with HGPA, a table without HGPA, and the result of the lenient measure."""
    sides = measured if cells["method"].eq(WITHOUT).any() else measured[measured["HGPA"] == "with"]
    tables = {side: _table(lines) for side, lines in sides.groupby("HGPA", sort=False)}
    share, number = stand_in(cells, _STAND_IN)
    present = [paper for paper in yardsticks if (cells["paper"] == paper).any()]
    return render(
        "agreement.md",
        n_cells=len(cells),
        tables=tables,
        lenient=lenient_share(measured),
        stand_in={"method": _STAND_IN, "share": share, "cells": number},
        repeats={paper: yardsticks[paper]["repeats"] for paper in present},
        assumed=[paper for paper in present if not yardsticks[paper]["stated"]],
        draws=DRAWS,
        without=WITHOUT,
    )


def lenient_share(measured: pd.DataFrame) -> Any:
    """Values of the lenient measure (two standard deviations) over all papers; None if none."""
    every = measured[(measured["HGPA"] == "with") & (measured["paper"] == _ALL)]
    return next(every[every["measure"] == "within 2 sd"].itertuples(), None)


def leading_table(measured: pd.DataFrame) -> pd.DataFrame:
    """The table of all methods, without the margins, which have a separate table by data set."""
    lines = measured[measured["HGPA"] == "with"]
    return _table(lines[~lines["measure"].str.startswith("margin")])


def _table(lines: pd.DataFrame) -> pd.DataFrame:
    if lines["paper"].nunique() == 2:  # one paper, which is all papers
        lines = lines[lines["paper"] != _ALL]
    cells = lines.drop_duplicates("paper").set_index("paper")["cells"]
    rows = [("cells", cells.map(str))]
    for name, title in _ROWS.items():
        digits = lambda value: f"{value:.3f}".replace("0.", ".", 1)
        form = percent if title.endswith("%") else digits
        of_measure = lines[lines["measure"] == name].set_index("paper")
        if len(of_measure):
            rows.append((title, of_measure.apply(with_interval, axis=1, form=form)))
        for part, beside in _BESIDE.items():
            if of_measure[part].notna().any() and not name.startswith("margin"):
                rows.append((beside, of_measure[part].map(form, na_action="ignore")))
    table = pd.DataFrame([texts.reindex(cells.index) for _, texts in rows]).reset_index(drop=True)
    table.insert(0, "measure", [title for title, _ in rows])
    return table
