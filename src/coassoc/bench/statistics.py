"""Whether a difference is real: signed ranks over families of data sets, and Holm's correction."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy  # scipy.stats takes a second to load, so only the functions that use it load it

#: Significance level of the tests.
LEVEL = 0.05
#: With fewer repeats a test within a data set cannot be significant.
FEWEST_REPEATS = 6


def holm(p: pd.Series) -> pd.Series:
    """Holm's correction of the p-values of several tests; missing p-values stay missing.

    Equivalent to ``statsmodels.stats.multitest.multipletests``, which runs the garbage collector on
    every call: a third of a second with the scores of a ranking in memory.
    """
    least = p.dropna().sort_values()
    corrected = (least * np.arange(len(least), 0, -1)).cummax().clip(upper=1)
    return corrected.reindex(p.index)


def signed_rank_p(change: pd.Series) -> float:
    """Exact two-sided p-value of Wilcoxon's signed-rank test, also with tied changes.

    Tied changes share their mean rank, and zeros are left out. For more than 13 changes with ties,
    :func:`scipy.stats.wilcoxon` uses the normal approximation, whose p is at least 8.8e-5 with 20
    repeats. The exact p can be as small as 1.9e-6, which stays significant after correction for
    thousands of comparisons. ``method="exact"`` of SciPy handles neither ties nor zeros.
    """
    moved = change[change.abs() > 1e-12].round(12)
    twice = np.rint(2 * scipy.stats.rankdata(moved.abs())).astype(int)
    # Fraction of the 2ⁿ choices of signs with each value of twice the positive rank sum.
    share = np.ones(1)
    for rank in twice:
        share = (np.pad(share, (0, rank)) + np.pad(share, (rank, 0))) / 2
    positive = twice[moved.to_numpy() > 0].sum()
    return float(min(1.0, 2 * min(share[: positive + 1].sum(), share[positive:].sum())))


def smallest_p(n: Any, comparisons: int = 1) -> Any:
    """The smallest p-value of :func:`signed_rank_p` for n changes, after Holm's correction."""
    return comparisons * 2.0 ** (1 - n)


def family(dataset: str) -> str:
    """The family of a data set, because versions of one data set are not independent.

    It is the name up to a number, a "_" or "-standardised": Tr11 and Tr12 belong to one family. So
    do sipu-a1 and sipu-a2, graves-ring and graves-ring_noisy, and Yale and Yale-standardised.
    """
    return re.split(r"(?<=[^\W\d_])-?K?\d|_|-standardised", dataset)[0]


def tested_over_families(
    changes: pd.DataFrame, grouped_by: Callable[[str], str] = family
) -> pd.Series:
    """The p-values of columns of changes, by signed ranks over families and Holm's correction.

    Each row is a data set. A family counts with the mean of its data sets, and families without a
    mean are left out.
    """
    means = changes.groupby(grouped_by).mean()
    return holm(
        pd.Series({name: signed_rank_p(of_method.dropna()) for name, of_method in means.items()})
    )
