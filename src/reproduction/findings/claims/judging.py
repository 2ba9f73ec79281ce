"""Verdicts on the papers' claims, from cells of tables and points of curves.

A check finds the cells that decide a claim and says whether each cell supports the claim, once by
the published and once by the reproduced numbers. The verdict depends on the number of cells that
support the claim:

================  =================================================================================
verdict           when
================  =================================================================================
holds             the claim holds in as many cells as it needs: all, most, or a given number
holds in part     it holds in fewer cells, but in at least half of them
does not hold     it holds in less than half of the cells, or fails for the reason that it states
depends on …      its check and the check of a condition (``depends``) have verdicts of different
                  kinds on the data sets on which both were run
not tested        none of its cells has a reproduced number
undecided …       other samples of the repeats would often change the verdict that follows
tested            a property test of the library replaces the check
not compared      it is a claim on times, which depend on the machine
cannot be tested  the claim states the reason
================  =================================================================================

:mod:`reproduction.findings.claims.stability` explains undecided verdicts. Ties support a claim.
Cells that were not run are left out and counted. A verdict ends with the counts of the claim's
additional checks (``also``), which do not change it. A verdict of several sentences ends with a
full stop.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from reproduction.findings.claims.checks import CELL, Cells, decide
from reproduction.findings.claims.stability import DRAWS, with_share
from reproduction.findings.claims.words import CONDITIONS, Claim

#: Kinds of verdicts by their first words, from good to unknown.
KINDS_OF_VERDICTS = (
    "holds",
    "tested",
    "holds in part",
    "depends",
    "undecided",
    "does not hold",
    "not tested",
    "not compared",
    "cannot be tested",
)
#: Smallest fraction of supporting cells for the verdict "holds in part".
_HALF = 0.5


class Tally(NamedTuple):
    """Number of cells that support a claim, out of n."""

    k: int
    n: int

    def __str__(self) -> str:
        return f"{self.k} of {self.n}" if self.n else ""

    @property
    def cells(self) -> str:
        """The numbers with their unit."""
        return f"{self} {'cell' if self.n == 1 else 'cells'}" if self.n else "no cell"


def count(cells: pd.DataFrame, side: str = "here") -> Tally:
    """Number of cells that support the claim, among those with numbers on a side."""
    decided = cells.dropna(subset=side)
    return Tally(int(decided[f"{side} holds"].sum()), len(decided))


@dataclass(frozen=True)
class Judgement:
    """A claim with its verdict."""

    claim: Claim
    verdict: str
    #: Cells from :func:`~reproduction.findings.claims.checks.decide`, empty for a claim without a
    #: check.
    cells: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=CELL))
    #: Subject of an additional check → its cells.
    others: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    #: Fraction of bootstrap samples with a verdict of this kind. None if the verdict uses no
    #: repeats.
    stability: float | None = None

    def datasets(self, run_only: bool = False) -> list[str]:
        """Data sets of all cells, or only of the cells that were run."""
        names = self.cells.dropna(subset="here" if run_only else "dataset")["dataset"]
        return list(dict.fromkeys(name for joined in names for name in joined.split(", ")))


def kind_of_verdict(verdict: str) -> str:
    """One of :data:`KINDS_OF_VERDICTS`."""
    return max((kind for kind in KINDS_OF_VERDICTS if verdict.startswith(kind)), key=len)


def judge(claim: Claim, lines: pd.DataFrame) -> Judgement:
    """The verdict on one claim; the lines are from ``read_lines`` of the checks.

    If the lines have draws (:func:`~reproduction.findings.claims.stability.with_draws`), the
    judgement has a stability, and "undecided" precedes a verdict that is not stable.
    """
    if isinstance(claim.decided_by, str):
        return Judgement(claim, claim.decided_by)
    checks = [claim.decided_by, *claim.depends.values()]
    n_draws = DRAWS + 1 if "draws" in lines else 1
    sides = [decide(check, lines, n_draws) for check in checks]
    cells, *depends = (side.table for side in sides)
    plain = lines.drop(columns="draws", errors="ignore")
    also = {what: decide(check, plain).table for what, check in claim.also.items()}
    verdict, share = verdict_by(claim, sides), None
    targets = {name for check in checks for name in check.targets}
    of_repeats = lines["by_repeat"][lines["target"].isin(targets)].notna()
    if n_draws > 1 and count(cells).n and of_repeats.any():
        kinds = [kind_of_verdict(verdict_by(claim, sides, k)) for k in range(n_draws)]
        share = kinds[1:].count(kinds[0]) / DRAWS
        verdict = with_share(verdict, share)
    if also:
        counts = "; ".join(f"{what}, {count(outcomes).cells}" for what, outcomes in also.items())
        verdict = f"{verdict}. Further comparisons: {counts}"
    verdict += "." * (". " in verdict)
    others = dict(zip(claim.depends, depends, strict=True)) | also
    return Judgement(claim, verdict, cells, others, share)


def verdict_by(claim: Claim, sides: Sequence[Cells], draw: int = 0) -> str:
    """The verdict in one draw, by the cells of a claim's check and of the checks of its conditions.

    A condition that was run only on some data sets is compared with the check on the same data
    sets.
    """
    cells, *depends = sides
    tally = _count_on(cells, set(cells.table["dataset"]), draw)
    if tally.n == 0:
        return "not tested: no cell has a reproduced number"
    verdict = _by_count(claim.needs, tally)
    for what, other in zip(claim.depends, depends, strict=True):
        run = [dict.fromkeys(x.table["dataset"][x.known[:, draw]]) for x in (cells, other)]
        common = [name for name in run[0] if name in run[1]]
        counts = [_count_on(side, common, draw) for side in (cells, other)]
        first, second = (kind_of_verdict(_by_count(claim.needs, side)) for side in counts)
        if common and first != second:
            here, there = CONDITIONS[what]
            text = f"It holds in {counts[0].cells} {here} and in {counts[1].cells} {there}"
            if counts[0].n < tally.n:
                text += (
                    f", on the data sets run under both conditions ({', '.join(common)}). On all "
                    f"data sets, it holds in {tally.cells} {here}"
                )
            return f"depends on {what}. {text}"
    return verdict


def _count_on(cells: Cells, datasets: Collection[str], draw: int) -> Tally:
    """Number of supporting cells on these data sets. A cell of a mean has several data sets."""
    on = np.array([name in datasets for name in cells.table["dataset"]], dtype=bool)
    on &= cells.known[:, draw]
    return Tally(int((on & cells.holds[:, draw]).sum()), int(on.sum()))


def _by_count(needs: str | int, tally: Tally) -> str:
    """The verdict of one check; a claim needs "all" cells, "most" of them, or a number."""
    least = {"all": tally.n, "most": tally.n // 2 + 1}.get(str(needs))
    if tally.k < (min(int(needs), tally.n) if least is None else least):
        kind = "holds in part" if tally.k >= _HALF * tally.n else "does not hold"
        return f"{kind} ({tally.cells})"
    return "holds" if tally.k == tally.n else f"holds ({tally.cells})"
