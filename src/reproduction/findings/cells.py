"""Compared cells: published and reproduced numbers, their spreads, and scores of the repeats."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.findings.scorecard import COMPARED, SMALLEST_SPREAD, read_scorecard
from reproduction.scores.files import read_scores

#: Columns that distinguish the columns of the papers' tables.
COLUMN = ["paper", "table", "dataset", "metric"]


def cells_of(
    card: pd.DataFrame,
    own: Mapping[str, Sequence[str]],
    yardsticks: Mapping[str, Mapping[str, Any]],
) -> pd.DataFrame:
    """The compared cells of these papers on the scorecard, without distances, for the measures.

    To the columns of the scorecard are added printed and here (the published and the reproduced
    mean), each also with _sd and _n (number of repeats); error and freedom of the difference of the
    means; own (whether the method is the paper's own); main (whether the row is a consensus method
    in a table that compares methods); and again (whether the paper prints the same number elsewhere
    too).

    If only one standard deviation is known, it is used for both means. Joint standard deviations
    are at least :data:`~reproduction.findings.scorecard.SMALLEST_SPREAD`, because papers print
    three digits.
    """
    compared = card["verdict"].isin(COMPARED) & card["paper"].isin(yardsticks)
    cells = card[compared & ~card["distance"].eq(True)].reset_index(drop=True)
    cells = cells.assign(
        printed=cells["mean"].astype(float),
        here=cells["reproduced_mean"].astype(float),
        printed_n=cells["paper"].map(_each(yardsticks, "repeats")).astype(float),
        here_n=cells["repeats"].astype(float).clip(lower=1),
        own=_in_pairs(cells, ["paper", "method"], own),
        main=_in_pairs(cells, ["paper", "table"], _each(yardsticks, "tables"))
        & ~_in_pairs(cells, ["paper", "method"], _each(yardsticks, "single"))
        & cells["reference"].isna(),
        again=cells["repeats_cell"].astype(object).fillna("") != "",
    )
    # A published average over base clusterings has as many base clusterings as the reproduced
    # average. This number differs from the number of repeats of the methods.
    cells["printed_n"] = cells["printed_n"].where(cells["reference"].isna(), cells["here_n"])
    spreads = {"printed": cells["std"].astype(float), "here": cells["reproduced_std"].astype(float)}
    known_here = spreads["here"].where(cells["here_n"] > 1)
    least = SMALLEST_SPREAD / np.sqrt(2)
    cells["printed_sd"] = spreads["printed"].fillna(known_here).fillna(0.0).clip(lower=least)
    cells["here_sd"] = known_here.fillna(spreads["printed"]).fillna(0.0).clip(lower=least)
    cells["error"], cells["freedom"] = difference_error(
        cells["here_sd"], cells["here_n"], cells["printed_sd"], cells["printed_n"]
    )
    return cells


def read_cells(
    card: str | Path, scores: Iterable[str | Path], given: Mapping[str, Any]
) -> tuple[pd.DataFrame, list[np.ndarray]]:
    """Read the cells of a scorecard's CSV file, and their repeats from files of scores.

    `given` is what :meth:`reproduction.study.cards.Cards.scorecard` says of the papers.
    """
    cells = cells_of(read_scorecard(card), given["own"], given["yardsticks"])
    return cells, read_repeats(cells, scores, given["metrics"])


def _each(yardsticks: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    return {paper: values[key] for paper, values in yardsticks.items()}


def _in_pairs(
    cells: pd.DataFrame, columns: list[str], named: Mapping[str, Sequence[str]]
) -> np.ndarray:
    pairs = {(paper, name) for paper, names in named.items() for name in names}
    return pd.MultiIndex.from_frame(cells[columns]).isin(pairs)


def difference_error(first_sd: Any, first_n: Any, second_sd: Any, second_n: Any) -> Any:
    """Standard error of the difference of two means, and its degrees of freedom (Welch)."""
    first, second = first_sd**2 / first_n, second_sd**2 / second_n
    freedom = (first + second) ** 2 / (
        first**2 / np.maximum(first_n - 1, 1) + second**2 / np.maximum(second_n - 1, 1)
    )
    return np.sqrt(first + second), freedom


def standard_errors(cells: pd.DataFrame) -> np.ndarray:
    """Standard errors of the published and of the reproduced means (2 × cells)."""
    return np.array([cells[f"{x}_sd"] / np.sqrt(cells[f"{x}_n"]) for x in ("printed", "here")])


def read_repeats(
    cells: pd.DataFrame, scores: Iterable[str | Path], metrics: Mapping[str, Mapping[str, str]]
) -> list[np.ndarray]:
    """Scores of the repeats of each cell, in order; empty if the mean is not a mean over repeats.

    `scores` are files of scores, and `metrics` maps the metrics of each paper to their columns.
    """
    by_source: dict[str, pd.DataFrame] = {}
    for path in scores:
        by_source |= read_scores(path)
    repeats = []
    for cell in cells.itertuples(index=False):
        lines = by_source.get(cell.run, pd.DataFrame())
        for column in ("reference", "parameters"):
            if column in lines:
                lines = lines[lines[column] == getattr(cell, column)]
        lines = lines.sort_values("repeat") if "repeat" in lines else lines
        score = metrics.get(cell.paper, {}).get(cell.metric)
        values = lines[score].dropna().to_numpy() if score in lines else np.empty(0)
        # The best base clustering is not a mean.
        same = values.size and abs(values.mean() - cell.here) < 1e-4
        repeats.append(values if same else np.empty(0))
    return repeats
