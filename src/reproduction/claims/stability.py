"""How often another draw of the repeats would give a verdict of the same kind.

The repeats of our numbers are resampled with replacement, rows on the same ensembles together, and
the claim is judged again. A verdict is undecided if its share of the draws is below
:data:`DECIDED`.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.seeds import seed_sequence
from reproduction.study.paths import Source, stored_pool

#: Number of draws, and the share of them from which on a verdict is decided.
DRAWS, DECIDED = 2000, 0.95
#: Distance from that share (two standard errors) within which other draws could decide differently.
_BARELY = 2 * (DECIDED * (1 - DECIDED) / DRAWS) ** 0.5


def with_share(verdict: str, share: float) -> str:
    """A verdict of a share of the draws, with "undecided" before it where it is not stable."""
    barely, percent = abs(share - DECIDED) <= _BARELY, f"{100 * share:.0f} %"
    if share < DECIDED:
        return f"undecided ({percent} of resamples{', barely' * barely}): {verdict}"
    return f"{verdict} (barely decided: {percent} of resamples)" if barely else verdict


def with_draws(lines: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The lines with the draws of their repeats, the same for all rows on the same ensembles."""
    draws: dict[str, _Draws] = {}
    names = [
        _ensembles(str(run)) if isinstance(values, np.ndarray) else ""
        for run, values in zip(lines["run"], lines["by_repeat"], strict=True)
    ]
    return lines.assign(draws=[draws.setdefault(name, _Draws(seed, name)) for name in names])


class _Draws(dict[int, NDArray[np.intp]]):
    """Positions of all repeats and of drawn ones, by the number of repeats that rows share.

    Two rows of twenty repeats are drawn from these twenty, and either of them with one of five
    repeats from the five that both have: a row of few repeats takes nothing from the others.
    """

    def __init__(self, seed: int, ensembles: str) -> None:
        super().__init__()
        self._names = (seed, "claims", ensembles)

    def __missing__(self, n: int) -> NDArray[np.intp]:
        rng = np.random.default_rng(seed_sequence(*self._names, n))
        self[n] = np.vstack((np.arange(n), rng.integers(n, size=(DRAWS, n))))
        return self[n]


def _ensembles(run: str) -> str:
    """Names of the ensembles of a run; shuffling their samples makes no others of them."""
    source = Source.parse(run)
    return f"{stored_pool(source.pool)}/{source.dataset}/{source.m}"
