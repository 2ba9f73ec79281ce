"""What audits take as evidence: the level of their tests, the fewest repeats, Holm's correction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

__all__ = ["FEWEST_REPEATS", "LEVEL", "Cells", "Scores", "holm", "signed_rank_p"]

#: Probability of an error that the tests allow.
LEVEL = 0.05
#: Repeats below which a test within a data set cannot find anything.
FEWEST_REPEATS = 6

Scores = Mapping[str, pd.DataFrame]
Cells = Iterable[Mapping[str, Any]]


def holm(p: pd.Series) -> pd.Series:
    """Holm's correction of the p-values of several tests; missing ones stay missing."""
    from statsmodels.stats.multitest import multipletests

    given = p.dropna()
    if given.empty:
        return p
    return pd.Series(multipletests(given, method="holm")[1], index=given.index).reindex(p.index)


def signed_rank_p(change: pd.Series) -> float:
    """Exact p-value of Wilcoxon's signed ranks, two-sided, also where changes are equal.

    Equal changes share their mean rank and zeros are left out. The normal approximation, which
    :func:`scipy.stats.wilcoxon` takes for ties, has no p below 8.8e-5 with 20 repeats; the exact
    one goes down to 1.9e-6, which outlives a correction over thousands of comparisons.

    Parameters
    ----------
    change : Series of n numbers
        Differences of pairs.
    """
    moved = change[change.abs() > 1e-12].round(12)
    twice = np.rint(2 * rankdata(moved.abs())).astype(int)
    share = np.ones(1)  # of the 2ⁿ choices of signs, by the sum of twice the positive ranks
    for rank in twice:
        share = (np.pad(share, (0, rank)) + np.pad(share, (rank, 0))) / 2
    found = twice[moved.to_numpy() > 0].sum()
    return float(min(1.0, 2 * min(share[: found + 1].sum(), share[found:].sum())))
