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
undecided         the verdict changes if the cells that chance could turn are left out
tested            a property test of the library replaces the check
not compared      it is a claim on times, which depend on the machine
cannot be tested  the claim states the reason
================  =================================================================================

A verdict gives the number of cells that chance could turn
(:mod:`reproduction.findings.claims.checks`). Ties support a claim. Cells that were not run are left
out and counted. A verdict ends with the counts of the claim's additional checks (``also``), which
do not change it. A verdict of several sentences ends with a full stop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from reproduction.findings.claims.catalogue import CONDITIONS, Claim
from reproduction.findings.claims.checks import CELL, decide

#: Kinds of verdicts by their first words, from good to unknown.
KINDS_OF_VERDICTS = (
    *("holds", "tested", "holds in part", "depends", "undecided"),
    *("does not hold", "not tested", "not compared", "cannot be tested"),
)
#: Smallest fraction of supporting cells for the verdict "holds in part".
_HALF = 0.5


class Tally(NamedTuple):
    """Number of cells that support a claim, out of n."""

    k: int
    n: int
    #: Numbers of supporting and of other cells that chance could turn.
    turnable: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        return f"{self.k} of {self.n}" if self.n else ""

    @property
    def cells(self) -> str:
        """The numbers with their unit."""
        return f"{self} {'cell' if self.n == 1 else 'cells'}" if self.n else "no cell"


def count(cells: pd.DataFrame, side: str = "here") -> Tally:
    """Number of cells that support the claim, among those with numbers on a side."""
    decided = cells.dropna(subset=side)
    holds = decided[f"{side} holds"]
    turnable = decided["could turn"] & (side == "here")
    numbers = int((holds & turnable).sum()), int((~holds & turnable).sum())
    return Tally(int(holds.sum()), len(decided), numbers)


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

    def datasets(self, run_only: bool = False) -> list[str]:
        """Data sets of all cells, or only of the cells that were run."""
        names = self.cells.dropna(subset="here" if run_only else "dataset")["dataset"]
        return list(dict.fromkeys(name for joined in names for name in joined.split(", ")))


def kind_of_verdict(verdict: str) -> str:
    """One of :data:`KINDS_OF_VERDICTS`."""
    return max((kind for kind in KINDS_OF_VERDICTS if verdict.startswith(kind)), key=len)


def judge(claim: Claim, lines: pd.DataFrame) -> Judgement:
    """The verdict on one claim; the lines are from ``read_lines`` of the checks."""
    if isinstance(claim.decided_by, str):
        return Judgement(claim, claim.decided_by)
    decided = {what: decide(check, lines) for what, check in claim.checks.items()}
    cells = decided.pop("")
    verdict = verdict_by(claim, cells, [decided[what] for what in claim.depends])
    if claim.also:
        counts = "; ".join(f"{what}, {count(decided[what]).cells}" for what in claim.also)
        verdict = f"{verdict}. Further comparisons: {counts}"
    verdict += "." * (". " in verdict)
    return Judgement(claim, verdict, cells, decided)


def verdict_by(claim: Claim, cells: pd.DataFrame, depends: Sequence[pd.DataFrame]) -> str:
    """The verdict, by the cells of a claim's check and of the checks of its conditions.

    A condition that was run only on some data sets is compared with the check on the same data
    sets.
    """
    cells = cells.dropna(subset="here")
    if cells.empty:
        return "not tested: no cell has a reproduced number"
    verdict = _by_count(claim.needs, count(cells))
    for what, other in zip(claim.depends, depends, strict=True):
        other = other.dropna(subset="here")
        common = [x for x in dict.fromkeys(cells["dataset"]) if x in {*other["dataset"]}]
        tallies = [count(side[side["dataset"].isin(common)]) for side in (cells, other)]
        kinds = {kind_of_verdict(_by_count(claim.needs, tally)) for tally in tallies}
        if common and len(kinds - {"undecided"}) > 1:
            here, there = CONDITIONS[what]
            text = f"It holds in {tallies[0].cells} {here} and in {tallies[1].cells} {there}"
            if tallies[0].n < len(cells):
                text += (
                    f", on the data sets run under both conditions ({', '.join(common)}). On all "
                    f"data sets, it holds in {count(cells).cells} {here}"
                )
            return f"depends on {what}. {text}"
    return verdict


def _by_count(needs: str | int, tally: Tally) -> str:
    """The verdict of one check; a claim needs "all" cells, "most" of them, or a number."""
    kind = _kind(needs, tally, tally.k, tally.n)
    if kind != _kind(needs, tally, tally.k - tally.turnable[0], tally.n - sum(tally.turnable)):
        kind = "undecided"
    if any(tally.turnable):
        return f"{kind} ({tally.cells}; chance could turn {sum(tally.turnable)})"
    return kind if tally.k == tally.n else f"{kind} ({tally.cells})"


def _kind(needs: str | int, tally: Tally, k: int, n: int) -> str:
    """The verdict if k of n cells support the claim, which needs the same fraction as of all."""
    if not n:
        return "undecided"
    least = {"all": n, "most": n // 2 + 1}.get(str(needs))
    if k >= (min(int(needs) * n / tally.n, n) if least is None else least):
        return "holds"
    return "holds in part" if k >= _HALF * n else "does not hold"
