"""How often another draw of the repeats would give a verdict of the same kind.

The repeats of our numbers are resampled with replacement, rows on the same ensembles together, and
the claim is judged again. A verdict is undecided if its share of the draws is below
:data:`DECIDED`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.seeds import seed_sequence
from reproduction.claims.checks import decide_here
from reproduction.claims.judging import Judgement, check_of, count, kind_of_verdict, verdict_by
from reproduction.plan.judgements import CHECKS
from reproduction.plan.keys import Source, stored_pool

#: Number of draws, and the share of them from which on a verdict is decided.
DRAWS, DECIDED = 200, 0.95
#: After so many draws without another verdict, the share is above that one (p < 0.05).
_ENOUGH = 60


def with_stability(judgement: Judgement, lines: pd.DataFrame, seed: int) -> Judgement:
    """The judgement with its stability, and "undecided" before a verdict that is not stable."""
    claim = judgement.claim
    checks = [
        check for check in (claim, claim.get("depends")) if check and set(CHECKS) & check.keys()
    ]
    lines = lines[
        lines["target"].isin({name for check in checks for name in check_of(check)[1]["in"]})
    ]
    if not count(judgement.cells).n or not any(map(_of_repeats, lines["by_repeat"])):
        return judgement
    kind = kind_of_verdict(judgement.verdict)
    rng = np.random.default_rng(seed_sequence(seed, "claims", judgement.name))
    same: list[bool] = []
    for drawn in _draws(lines, rng):
        same.append(kind_of_verdict(_verdict(claim, checks, drawn)) == kind)
        if len(same) == _ENOUGH and all(same):
            break
    share = float(np.mean(same))
    told = f"undecided ({share:.0%} of draws): " if share < DECIDED else ""
    return replace(judgement, verdict=told + judgement.verdict, stability=share)


def _verdict(claim: Mapping[str, Any], checks: list[Any], lines: pd.DataFrame) -> str:
    cells = [decide_here(kind, lines, spec) for kind, spec in map(check_of, checks)]
    return verdict_by(claim, cells[0], cells[1:])


def _of_repeats(values: Any) -> bool:
    return isinstance(values, np.ndarray)


def _draws(lines: pd.DataFrame, rng: np.random.Generator) -> Iterator[pd.DataFrame]:
    """The lines with the numbers of resampled repeats, again and again."""
    together: dict[str, list[int]] = {}
    for k, (run, values) in enumerate(zip(lines["run"], lines["by_repeat"], strict=True)):
        if _of_repeats(values):
            together.setdefault(_ensembles(str(run)), []).append(k)
    for _ in range(DRAWS):
        columns = {name: lines[name].to_list() for name in ("mean", "std", "by_repeat")}
        for members in together.values():
            values = [lines["by_repeat"].iat[k] for k in members]
            drawn = _resampled({len(each) for each in values}, rng)
            for k, each in zip(members, values, strict=True):
                new = each[drawn[: len(each)]]
                finite = new[np.isfinite(new)]
                columns["by_repeat"][k] = new
                columns["mean"][k] = finite.mean() if len(finite) else np.nan
                columns["std"][k] = finite.std(ddof=1) if len(finite) > 1 else np.nan
        yield lines.assign(**columns)


def _ensembles(run: str) -> str:
    """Names of the ensembles of a run; shuffling their samples makes no others of them."""
    source = Source.parse(run)
    return f"{stored_pool(source.pool)}/{source.dataset}/{source.m}"


def _resampled(lengths: set[int], rng: np.random.Generator) -> NDArray[np.intp]:
    """Positions of repeats for rows of several lengths: a longer row begins as a shorter one.

    Each part that only longer rows have is resampled in itself, so that two rows have the repeats
    in common that they had.
    """
    ends = [0, *sorted(lengths)]
    parts = [rng.integers(a, b, size=b - a) for a, b in pairwise(ends)]
    return np.concatenate(parts)
