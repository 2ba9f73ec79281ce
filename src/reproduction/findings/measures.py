"""Measures of agreement between published and reproduced means, as weighted means over cells.

Each measure comes with two references. The chance baseline ("wrong") is the value if the published
number of another method in the same column replaces the reproduced number. The ceiling ("perfect")
is the value of a reproduction that differs only by chance.
"""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from reproduction.findings.cells import COLUMN, standard_errors
from reproduction.findings.scorecard import CLOSE, LARGEST_Z, difference_error, two_errors

Floats = NDArray[np.float64]
#: Level of the tests of equivalence, of a larger difference, and of published pairs of methods.
LEVEL = 0.05
#: Allowance for the rounding of published numbers.
_SLACK = 1e-9
#: Number of simulated perfect reproductions for measures of orders and pairs.
_PERFECT_DRAWS = 200


def _pairs(cells: pd.DataFrame) -> NDArray[np.intp]:
    """Ordered pairs of different methods in the same column, as a (2, pairs) array of positions."""
    groups = cells.groupby(COLUMN, sort=False).indices.values()
    pairs = [np.array([*permutations(positions, 2)], int).reshape(-1, 2).T for positions in groups]
    return np.hstack([np.empty((2, 0), int), *pairs])


class Measures:
    """All measures of some cells, for observed or resampled numbers and weights.

    Parameters
    ----------
    cells : DataFrame
        From :func:`~reproduction.findings.cells.cells_of`. A number that a paper prints twice
        counts once in measures by cell, and in every column that it belongs to.
    """

    def __init__(self, cells: pd.DataFrame) -> None:
        self.cells = cells
        self._single = (~cells["again"]).to_numpy(float)
        self._pairs = _pairs(cells)
        self._main = cells["main"].to_numpy(bool)
        self._ordered = self._pairs[:, self._main[self._pairs].all(axis=0)]
        self._column = cells.groupby(COLUMN, sort=False).ngroup().to_numpy()
        self._n_columns = int(self._column.max(initial=-1)) + 1
        error, freedom = (cells[key].to_numpy(float) for key in ("error", "freedom"))
        self._error, self._margin = error, stdtrit(freedom, 1 - LEVEL) * error
        spread = np.hypot(cells["printed_sd"], cells["here_sd"]).to_numpy()
        self._limits = {"within 2 sd": LARGEST_Z * spread, "within 2 se": two_errors(error)}
        #: Probabilities that a perfect reproduction passes.
        self._chances = {name: 2 * ndtr(limit / error) - 1 for name, limit in self._limits.items()}
        room, beyond = (CLOSE - self._margin) / error, (CLOSE + self._margin) / error
        self._chances["equivalent"] = np.maximum(2 * ndtr(room) - 1, 0)
        self._chances["different"] = 2 * ndtr(-beyond)
        is_own = cells["own"].to_numpy(bool)
        self._sides = self._main & is_own, self._main & ~is_own
        self._shown = {side: self._least_significant(side) for side in ("printed", "here")}
        self._wrong_of = np.bincount(self._pairs[0], minlength=len(cells))

    # -- by cell ----------------------------------------------------------------------------------

    def by_cell(self, reproduced: Floats, printed: Floats, weights: Floats) -> dict[str, float]:
        """Fractions of cells, and the spread between laboratories that repeats do not explain."""
        weights, gap = weights * self._single, np.abs(reproduced - printed)
        values = {}
        for name, limit in self._limits.items():
            values[name] = _mean(gap <= limit + _SLACK, weights)
            values[f"{name}, wrong"] = self._wrong(printed, limit, weights)
        values["equivalent"] = _mean(gap + self._margin <= CLOSE + _SLACK, weights)
        values["different"] = _mean(gap - self._margin > CLOSE, weights)
        for name, chance in self._chances.items():
            values[f"{name}, perfect"] = _mean(chance, weights)
        excess = _mean(gap**2 - self._error**2, weights)
        values["between laboratories"] = float(np.sqrt(max(excess, 0.0)))
        # Rescaled so that the chance baseline is 0 and the ceiling is 1.
        share, wrong, perfect = (values[f"within 2 se{x}"] for x in ("", ", wrong", ", perfect"))
        corrected = (share - wrong) / (perfect - wrong) if perfect > wrong else np.nan
        return values | {"chance-corrected 2 se": corrected}

    def _wrong(self, printed: Floats, limit: Floats, weights: Floats) -> float:
        """Number of cells that another method's published number passes, averaged over methods."""
        i, j = self._pairs
        passed = np.abs(printed[i] - printed[j]) <= limit[i] + _SLACK
        share = np.bincount(i, passed, minlength=len(printed)) / np.maximum(self._wrong_of, 1)
        return _mean(share, weights * (self._wrong_of > 0))

    # -- by column of the tables that compare methods ---------------------------------------------

    def by_column(self, reproduced: Floats, printed: Floats, weights: Floats) -> dict[str, float]:
        """Orders of the methods, the best methods, and the margins of the papers' own methods."""
        i, j = self._ordered
        signs = np.sign(printed[i] - printed[j]), np.sign(reproduced[i] - reproduced[j])
        agree, untied, untied_here = (
            np.bincount(self._column[i], values, minlength=self._n_columns)
            for values in (signs[0] * signs[1], signs[0] ** 2, signs[1] ** 2)
        )
        methods = np.bincount(self._column[i], minlength=self._n_columns)
        # Three methods have six ordered pairs. A column without an order says nothing.
        ordered = (methods >= 6) & (untied > 0)
        each = np.zeros(self._n_columns)
        each[self._column] = weights
        with np.errstate(invalid="ignore"):  # columns without an order
            tau = np.nan_to_num(agree / np.sqrt(untied * untied_here))
        best = self._best(printed) & self._best(reproduced)
        same = np.bincount(self._column, best, minlength=self._n_columns) > 0
        in_print, here = self._margins(printed), self._margins(reproduced)
        has_margin = ordered & ~np.isnan(in_print)
        margins = {"margin in print": in_print, "margin here": here}
        margins["margin, change"] = here - in_print
        values = {"Kendall tau": _mean(tau, each * ordered)}
        values["same winner"] = _mean(same, each * ordered)
        return values | {k: _mean(np.nan_to_num(x), each * has_margin) for k, x in margins.items()}

    def _best(self, numbers: Floats) -> NDArray[np.bool_]:
        numbers = np.where(self._main, numbers, -np.inf)
        most = np.full(self._n_columns, -np.inf)
        np.maximum.at(most, self._column, numbers)
        return np.asarray(self._main & (numbers == most[self._column]))

    def _margins(self, numbers: Floats) -> Floats:
        """For each column, the best score of the own methods minus the best score of the others."""
        best = np.full((2, self._n_columns), np.nan)
        for side, those in zip(best, self._sides, strict=True):
            np.fmax.at(side, self._column[those], numbers[those])
        return np.asarray(best[0] - best[1])

    # -- by pair of methods -----------------------------------------------------------------------

    def by_pair(self, reproduced: Floats, printed: Floats, weights: Floats) -> dict[str, float]:
        """Measures for pairs of methods whose published means differ significantly."""
        i, j = self._ordered
        published_gap, reproduced_gap = printed[i] - printed[j], reproduced[i] - reproduced[j]
        shown = weights[i] * (np.abs(published_gap) > self._shown["printed"])
        again = np.abs(reproduced_gap) > self._shown["here"]
        same = np.sign(published_gap) == np.sign(reproduced_gap)
        product = weights[i] @ (published_gap * reproduced_gap)
        squares = (weights[i] @ gap**2 for gap in (published_gap, reproduced_gap))
        slopes = (float(product / square) if square else np.nan for square in squares)
        return {
            "pairs, same": _mean(again & same, shown),
            "pairs, opposite": _mean(again & ~same, shown),
            **dict(zip(("slope", "slope, reversed"), slopes, strict=True)),
        }

    def _least_significant(self, side: str) -> Floats:
        """Smallest difference between the means of each pair that is significant (Welch's test)."""
        i, j = self._ordered
        sd, n = (self.cells[f"{side}_{key}"].to_numpy(float) for key in ("sd", "n"))
        error, freedom = difference_error(sd[i], n[i], sd[j], n[j])
        return np.asarray(stdtrit(freedom, 1 - LEVEL / 2) * error)

    # -- all --------------------------------------------------------------------------------------

    def measure(self, reproduced: Floats, printed: Floats, weights: Floats) -> dict[str, float]:
        """Every measure for some numbers."""
        parts = (self.by_cell, self.by_column, self.by_pair)
        return {name: x for part in parts for name, x in part(reproduced, printed, weights).items()}

    def observed(self) -> dict[str, float]:
        """Every measure of the observed numbers, and the ceilings for orders and pairs."""
        reproduced, printed = (self.cells[key].to_numpy(float) for key in ("here", "printed"))
        weights, errors = np.ones(len(self.cells)), standard_errors(self.cells)
        # Both sides of a perfect reproduction are drawn around the published numbers.
        draws = np.random.default_rng(0).normal(printed, errors, (_PERFECT_DRAWS, *errors.shape))
        drawn = [self.by_column(y, x, weights) | self.by_pair(y, x, weights) for x, y in draws]
        ceilings = pd.DataFrame(drawn).mean().add_suffix(", perfect").to_dict()
        return self.measure(reproduced, printed, weights) | ceilings


def stand_in(cells: pd.DataFrame, method: str) -> tuple[float, int]:
    """Fraction of cells within two standard deviations of one published row, and their number.

    Only columns that contain this row are used. A number that a paper prints twice counts once.
    """
    row = cells[cells["method"] == method].set_index(COLUMN)["printed"]
    row = row[~row.index.duplicated()]
    others = cells[(cells["method"] != method) & ~cells["again"]]
    number = row.reindex(pd.MultiIndex.from_frame(others[COLUMN])).to_numpy()
    limit = LARGEST_Z * np.hypot(others["printed_sd"], others["here_sd"])
    has_number = ~np.isnan(number)
    passed = np.abs(number - others["printed"]) <= limit + _SLACK
    return float(passed[has_number].mean()) if has_number.any() else np.nan, int(has_number.sum())


def _mean(values: Iterable[Any], weights: Floats) -> float:
    total = weights.sum()
    return float(weights @ np.asarray(values, float) / total) if total else np.nan
