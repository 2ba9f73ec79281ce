"""Fraction of bootstrap samples of the repeats that give a verdict of the same kind.

The repeats of the reproduced numbers are resampled with replacement (rows on the same ensembles
together), and the claim is judged again. A verdict is undecided if the fraction is below
:data:`DECIDED`.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.numerics.seeds import seed_sequence
from reproduction.study.paths import Source, stored_pool

#: Number of bootstrap samples, and the smallest fraction for a decided verdict.
DRAWS, DECIDED = 2000, 0.95
#: Distance from this fraction (two standard errors) within which other samples could decide
#: differently.
_BARELY = 2 * (DECIDED * (1 - DECIDED) / DRAWS) ** 0.5


def with_share(verdict: str, share: float) -> str:
    """A verdict with its stability, and with "undecided" before a verdict that is not stable."""
    barely = abs(share - DECIDED) <= _BARELY
    percent = f"{100 * share:.{int(barely)}f} %"
    if share < DECIDED:
        below = f", just under the required {100 * DECIDED:g} %," * barely
        agreeing = f"{percent} of the resamples{below}"
        return f"undecided. The claim {verdict}. Only {agreeing} give the same kind of verdict"
    agreeing = f"Barely enough resamples ({percent}) give the same kind of verdict"
    return f"{verdict}. {agreeing}" if barely else verdict


def with_draws(lines: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The lines with bootstrap samples of their repeats; rows on one ensemble share samples."""
    names = [
        _ensembles(str(run)) if isinstance(values, np.ndarray) else ""
        for run, values in zip(lines["run"], lines["by_repeat"], strict=True)
    ]
    draws = {name: _draws(seed, name) for name in set(names)}
    return lines.assign(draws=[draws[name] for name in names])


def _draws(seed: int, ensembles: str) -> Callable[[int], NDArray[np.intp]]:
    """Positions of all repeats and of drawn repeats, by the number of repeats that rows share.

    Two rows with twenty repeats are resampled over the twenty. If one of them is compared with a
    row of five repeats, both are resampled over the common five. A row with few repeats therefore
    does not affect the comparisons of the other rows.
    """

    @cache
    def positions(n: int) -> NDArray[np.intp]:
        rng = np.random.default_rng(seed_sequence(seed, "claims", ensembles, n))
        return np.vstack((np.arange(n), rng.integers(n, size=(DRAWS, n))))

    return positions


def _ensembles(run: str) -> str:
    """Name of the ensembles of a run, which does not change if the samples are shuffled."""
    source = Source.parse(run)
    return f"{stored_pool(source.pool)}/{source.dataset}/{source.m}"
