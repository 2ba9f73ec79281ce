"""Means and ranks over families of data sets: draws, intervals and the best column."""

import numpy as np
import pandas as pd
import scipy  # scipy.special is loaded when it is used
from numpy.typing import NDArray

from coassoc.bench.statistics import tested_over_families

#: Number of draws of data sets, or of families of data sets, behind an interval.
DRAWS = 20_000


def drawn_times(n: int, seed: int) -> NDArray[np.int64]:
    """How often each of n families is drawn with replacement, as a (20,000, n) array."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=DRAWS)


def compared_with_first(scores: pd.DataFrame) -> tuple[str, pd.Series]:
    """The column with the best mean rank, and the p-values of the other columns' differences."""
    first = str(scores.round(6).rank(axis=1, ascending=False).mean().idxmin())
    return first, tested_over_families(scores.drop(columns=first).sub(scores[first], axis=0))


def standard_error(values: pd.DataFrame, groups: pd.Series, weights: pd.Series) -> pd.Series:
    """Standard error of weighted means of grouped values (Liang & Zeger 1986).

    The weights sum to 1.
    """
    means = values.mul(weights, axis=0).sum()
    sums = values.sub(means).mul(weights, axis=0).groupby(groups).sum()
    return np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1))


def half_width(values: pd.DataFrame, groups: pd.Series) -> pd.Series:
    """Half-width of the 95 % t intervals of means of grouped values; missing for one group."""
    weights = pd.Series(1 / len(values), values.index)
    with np.errstate(invalid="ignore"):
        error = standard_error(values, groups, weights)
    return scipy.special.stdtrit(groups.nunique() - 1, 0.975) * error
