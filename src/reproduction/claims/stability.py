"""How often another draw of the repeats would give a verdict of the same kind.

The repeats of our numbers are resampled with replacement, rows on the same ensembles together, and
the claim is judged again. A verdict is undecided if its share of the draws is below
:data:`DECIDED`.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.seeds import seed_sequence
from reproduction.claims.checks import Check, Held, decide_on_draws
from reproduction.claims.judging import Judgement, count, kind_of_verdict, verdict_by
from reproduction.claims.words import Claim
from reproduction.study.paths import Source, stored_pool

#: Number of draws, and the share of them from which on a verdict is decided.
DRAWS, DECIDED = 2000, 0.95
#: Distance from that share (two standard errors) within which other draws could decide differently.
_BARELY = 2 * (DECIDED * (1 - DECIDED) / DRAWS) ** 0.5


def with_stability(judgement: Judgement, lines: pd.DataFrame, seed: int) -> Judgement:
    """The judgement with its stability, and "undecided" before a verdict that is not stable."""
    claim, verdict = judgement.claim, judgement.verdict
    decisive = [claim.decided_by, *claim.depends.values()]
    checks = [check for check in decisive if isinstance(check, Check)]
    lines = lines[lines["target"].isin({name for check in checks for name in check.targets})]
    of_repeats = [isinstance(values, np.ndarray) for values in lines["by_repeat"]]
    if not count(judgement.cells).n or not any(of_repeats):
        return judgement
    lines = _with_draws(lines, seed)
    sides = [decide_on_draws(check, lines, DRAWS) for check in checks]
    share = float(np.mean(_of_kind(kind_of_verdict(verdict), claim, sides)))
    barely = abs(share - DECIDED) <= _BARELY
    if share < DECIDED:
        verdict = f"undecided ({share:.0%} of draws{', barely' * barely}): {verdict}"
    elif barely:
        verdict = f"{verdict} (barely decided: {share:.0%} of draws)"
    return replace(judgement, verdict=verdict, stability=share, draws=DRAWS)


def _of_kind(kind: str, claim: Claim, sides: list[Held]) -> list[bool]:
    """Whether the verdict is of a kind, on each draw."""
    verdicts = (
        verdict_by(claim, [Held(s.datasets, s.known[:, k], s.holds[:, k]) for s in sides])
        for k in range(DRAWS)
    )
    return [kind_of_verdict(verdict) == kind for verdict in verdicts]


def _with_draws(lines: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The lines with the draws of their repeats, the same for all rows on the same ensembles."""
    draws: dict[str, _Draws] = {}
    names = [
        _ensembles(str(run)) if isinstance(values, np.ndarray) else ""
        for run, values in zip(lines["run"], lines["by_repeat"], strict=True)
    ]
    return lines.assign(draws=[draws.setdefault(name, _Draws(seed, name)) for name in names])


class _Draws(dict[int, NDArray[np.intp]]):
    """Positions of drawn repeats (draws × repeats), by the number of repeats that rows share.

    Two rows of twenty repeats are drawn from these twenty, and either of them with one of five
    repeats from the five that both have: a row of few repeats takes nothing from the others.
    """

    def __init__(self, seed: int, ensembles: str) -> None:
        super().__init__()
        self._names = (seed, "claims", ensembles)

    def __missing__(self, n: int) -> NDArray[np.intp]:
        rng = np.random.default_rng(seed_sequence(*self._names, n))
        self[n] = rng.integers(n, size=(DRAWS, n))
        return self[n]


def _ensembles(run: str) -> str:
    """Names of the ensembles of a run; shuffling their samples makes no others of them."""
    source = Source.parse(run)
    return f"{stored_pool(source.pool)}/{source.dataset}/{source.m}"
