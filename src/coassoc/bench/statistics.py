"""Statistical tests: Holm's correction, signed ranks, power, Bayesian test."""

from typing import Any

import numpy as np
import pandas as pd
import scipy  # scipy.stats takes a second to load, so only the functions that use it load it
from numpy.typing import ArrayLike

from coassoc.numerics.seeds import seed_sequence

#: Significance level of the tests.
LEVEL = 0.05
#: With fewer repeats a test within a data set cannot be significant.
FEWEST_REPEATS = 6
#: Number of simulated experiments, enough to estimate the power to within 0.02.
_EXPERIMENTS = 1000
#: Weight of the Bayesian test's prior, one pseudo-observation of no difference.
_PRIOR = 0.5
#: Number of draws from the posterior, enough to estimate a probability to within 0.005.
_DRAWS = 10_000


def holm(p: pd.Series) -> pd.Series:
    """Holm's correction of the p-values of several tests; missing p-values stay missing.

    Equivalent to ``statsmodels.stats.multitest.multipletests``, which runs the garbage collector on
    every call: a third of a second with the scores of a ranking in memory.
    """
    least = p.dropna().sort_values()
    corrected = (least * np.arange(len(least), 0, -1)).cummax().clip(upper=1)
    return corrected.reindex(p.index)


def friedman_p(scores: pd.DataFrame) -> float:
    """p-value of Friedman's test that columns are equal; undefined for two columns or one row."""
    if min(len(scores), scores.shape[1] - 1) < 2 or (scores.nunique(axis=1) == 1).all():
        return float("nan")
    return float(scipy.stats.friedmanchisquare(*scores.to_numpy().T).pvalue)


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


def power(blocks: int, comparisons: int, effect: float) -> float:
    """Probability that Wilcoxon's test finds the only method that differs.

    There must be at least two data sets (`blocks`). The effect is the mean difference in standard
    deviations over the data sets. The simulated differences are normal.
    """
    if smallest_p(blocks, comparisons) >= LEVEL:
        return 0.0
    random = np.random.default_rng(seed_sequence(0, "power", blocks))
    differences = random.normal(effect, 1, (_EXPERIMENTS, blocks))
    # no ties: the p-value is exact, up to 50 differences
    p = scipy.stats.wilcoxon(differences, axis=1).pvalue
    return float(np.mean(comparisons * p < LEVEL))


def bayesian_signed_ranks(differences: ArrayLike, rope: float) -> dict[str, float]:
    """Posterior probabilities that a difference is negative, negligible or positive.

    They are called worse, alike and better, for one method compared with another.

    The weights w of the data sets have a Dirichlet posterior, in which a difference of zero has the
    prior weight s = 0.5 and each data set has weight 1. For each draw of w, Σ_ij w_i w_j is summed
    over the pairs of data sets whose mean difference is below −r, within ±r and above r. Each of
    the three outcomes has the probability that its sum is the largest.

    Parameters
    ----------
    differences : (N,) array
        One difference for each data set.
    rope : float
        r: a mean difference within ±r counts as no difference in practice.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon, "Time for a change", JMLR 18 (2017), Sec. 4.2.
    """
    z = np.append(0.0, np.asarray(differences, dtype=float))
    weights = np.random.default_rng(seed_sequence(0, "Bayesian signed ranks")).dirichlet(
        np.append(_PRIOR, np.ones(len(z) - 1)), _DRAWS
    )
    means = (z[:, None] + z) / 2
    regions = (means < -rope, np.abs(means) <= rope, means > rope)
    shares = [(weights @ region.astype(float) * weights).sum(axis=1) for region in regions]
    largest = np.bincount(np.argmax(shares, axis=0), minlength=3) / _DRAWS
    return dict(zip(("worse", "alike", "better"), largest.tolist(), strict=True))
