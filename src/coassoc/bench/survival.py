"""Which published margins would survive on a new pool of base clusterings.

A mean over R ensembles of m base clusterings, all drawn from one pool of M, has the variance
σ²/R + τ² about the score that new pools would give on average: σ² is the variance between draws
from the pool, and τ² the variance between pools, which no repeat on the same pool reduces. The mean
over all draws from a pool is a U-statistic of degree m, so by Hoeffding's inequality
τ² ≤ (m / M) (σ² + τ²), which gives τ² ≤ σ² m / (M − m). A margin between two methods on the same
draws is such a score, too.

W. Hoeffding, "A class of statistics with asymptotically normal distribution", Annals of
Mathematical Statistics 19(3), 1948.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from coassoc.errors import ConfigError

#: Level of the intervals.
_LEVEL = 0.95


def pool_variance_ratio(m: int, M: int) -> float:
    """Upper bound of τ²/σ², the variance between pools over that between draws from one pool.

    Parameters
    ----------
    m : int
        Base clusterings in an ensemble.
    M : int
        Base clusterings in the pool. If each ensemble has base clusterings of its own, set M to
        0: draws are then new pools, and the ratio is 0.

    Raises
    ------
    ConfigError
        If an ensemble is not smaller than its pool: draws then do not vary, and the published
        standard deviation says nothing about pools.
    """
    if M and M <= m:
        raise ConfigError(
            f"M is {M}, but an ensemble has m = {m} base clusterings. "
            "Set M to a larger pool, or to 0 for ensembles without common base clusterings."
        )
    return m / (M - m) if M else 0.0


def score_variances(scores: ArrayLike) -> dict[str, float]:
    """Variances of a score between recipes, between pools of one recipe, and between draws.

    Parameters
    ----------
    scores : (recipes, pools, draws) array
        A score, or a difference of two methods' scores, of each draw from each pool.

    Returns
    -------
    dict of str to float
        ``recipe``, ``pool`` and ``draw``, from the mean squares of the nested design; these equal
        the REML estimates if none is negative, and a negative estimate is 0. A variance of which
        there is only one recipe or draw is missing. With one draw from each pool, ``draw`` is the
        variance between ensembles.
    """
    cube = np.asarray(scores, float)
    recipes, pools, draws = cube.shape
    of_pools = cube.mean(axis=2).var(axis=1, ddof=1).mean()
    of_draws = cube.var(axis=2, ddof=1).mean() if draws > 1 else of_pools
    of_recipes = cube.mean(axis=(1, 2)).var(ddof=1) if recipes > 1 else np.nan
    return {
        "recipe": float(np.maximum(0, of_recipes - of_pools / pools)),
        "pool": float(max(0, of_pools - of_draws / draws)) if draws > 1 else np.nan,
        "draw": float(of_draws),
    }


def survives(
    means: Mapping[str, float],
    sds: Mapping[str, float],
    repeats: int,
    m: int,
    M: int,
    *,
    own: str,
    correlation: float = 0.0,
) -> pd.DataFrame:
    """Published margins of a method over its rivals, and whether they would survive a new pool.

    Parameters
    ----------
    means, sds : mapping of str to float
        Published mean and standard deviation (of single repeats) of each method on one data set.
    repeats : int
        R, the number of draws behind a mean, at least 2.
    m, M : int
        Sizes of an ensemble and of the pool; see :func:`pool_variance_ratio`.
    own : str
        The method whose margins are computed.
    correlation : float
        Correlation of two methods' scores over the draws they share, in [−1, 1). Papers do not
        publish it; 0 gives the widest intervals for methods that rise and fall together.

    Returns
    -------
    DataFrame
        A line for each rival: its ``margin``; ``low`` and ``high``, the ends of the 95 % t
        interval for the mean over draws from this pool; ``pool_low`` and ``pool_high``, those
        for the mean over new pools, which use the bound of τ²; and ``keeps_sign``, the
        probability that a mean over as many draws from a new pool has the margin's sign, given
        these numbers alone, by the bound of τ² and without regard to how the methods were chosen
        (missing if the margin is zero or has no spread).

    Raises
    ------
    ConfigError
        If a number is missing or impossible.
    """
    if own not in means:
        raise ConfigError(f"own is {own!r}, which has no mean. Choose one of {', '.join(means)}.")
    if repeats < 2:
        raise ConfigError(f"repeats is {repeats}. A spread takes at least 2 repeats.")
    if not -1 <= correlation < 1:
        raise ConfigError(f"correlation is {correlation}. It must be at least −1 and below 1.")
    if unknown := [name for name in means if not sds.get(name, -1) >= 0]:
        raise ConfigError(f"sds has no standard deviation of {unknown[0]!r}. Give one, 0 or more.")
    ratio = pool_variance_ratio(m, M)
    quantile = stdtrit(repeats - 1, (1 + _LEVEL) / 2)
    lines = []
    for rival in means:
        if rival == own:
            continue
        margin, both = means[own] - means[rival], sds[own] * sds[rival]
        variance = sds[own] ** 2 + sds[rival] ** 2 - 2 * correlation * both
        here, new = (np.sqrt(variance * (1 / repeats + r)) for r in (0.0, ratio))
        # Both the published mean and the new one have an error of this size.
        spread = np.sqrt(2) * new
        sign = stdtr(repeats - 1, abs(margin) / spread) if spread and margin else np.nan
        lines.append(
            {
                "rival": rival,
                "margin": margin,
                "low": margin - quantile * here,
                "high": margin + quantile * here,
                "pool_low": margin - quantile * new,
                "pool_high": margin + quantile * new,
                "keeps_sign": sign,
            }
        )
    return pd.DataFrame(lines)
