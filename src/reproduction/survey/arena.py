"""The benchmark: a consensus compared with the clusterings (members) that it combines.

A practitioner has three alternatives to a consensus, the *rivals*: the median member, the picked
member (which disagrees least with the others), and the best member (which only the classes can
identify). Members are grouped by algorithm, and an algorithm counts with the median over its
settings. If ensembles are drawn from a pool, the median member is the median of the pool, and the
other two rivals are means over the draws.

Functions take the numbers of one benchmark as the analysis writes them: a line for each row and
data set, with label, role (a method, a rival or an algorithm), dataset, battery, problem (the data
set, regardless of the number of classes), diversity of the ensemble, and a mean for each metric.
"""

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.statistics import LEVEL, family, tested_over_families
from coassoc.metrics import METRICS
from reproduction.pages import render
from reproduction.scores.families import compared_with_first

MEDIAN, PICKED, BEST = RIVALS = ("median member", "picked member", "best member")
#: Columns that identify a line.
METHOD, RIVAL, ALGORITHM = "method", "rival", "algorithm"
#: Scores that differ by at most this count as equal.
ALIKE = 0.01
#: Parts of the data sets, from the lowest to the highest values.
_PARTS = 3


class Arena:
    """The scores of one benchmark.

    Attributes
    ----------
    lines : DataFrame
        The numbers of the benchmark, with the deciding score before the other scores.
    metric : str
        Name of the deciding score.
    scores : DataFrame
        Score of each row (columns) on each data set, averaged over its numbers of classes. The
        score is empty if a row lacks the score for one of these numbers.
    """

    def __init__(self, lines: pd.DataFrame) -> None:
        self.lines = lines
        self.metric = next(name for name in lines if name in METRICS)
        wide = lines.pivot(index=["problem", "dataset"], columns="label", values=self.metric)
        whole = wide.notna().groupby("problem").all()
        self.scores = wide.groupby("problem").mean().where(whole)

    def rows(self, role: str) -> Any:
        """Labels of the rows with a role."""
        return self.lines.loc[self.lines["role"] == role, "label"].unique()

    def changes(self, rival: str) -> pd.DataFrame:
        """Score of each method minus the score of a rival, on each data set."""
        return self.scores[self.rows(METHOD)].sub(self.scores[rival], axis=0)

    @cached_property
    def duels(self) -> pd.DataFrame:
        """The comparisons of :func:`compare` with the three rivals."""
        return pd.concat({x: compare(self.changes(x)) for x in RIVALS}, names=["rival", "label"])

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Numbers of methods significantly better and worse than each rival."""
        verdicts = self.duels["verdict"].unstack("label").loc[list(RIVALS)]
        return pd.DataFrame(
            {"better": (verdicts > 0).sum(axis=1), "worse": (verdicts < 0).sum(axis=1)}
        )

    @cached_property
    def leading(self) -> tuple[str, list[str]]:
        """The method with the best mean rank, and those that do not differ significantly from it.

        The test uses signed ranks with Holm's correction. Methods that lack a score on a data set
        are left out.
        """
        first, p = compared_with_first(self.scores[self.rows(METHOD)].dropna(axis="columns"))
        return first, list(p.index[p >= LEVEL])

    @cached_property
    def diversity(self) -> pd.Series:
        """Diversity of the members on each data set, 1 − mean NMI of two members."""
        return self.lines.groupby("problem")["diversity"].mean()


def compare(changes: pd.DataFrame) -> pd.DataFrame:
    """Compare each method with a rival, by its changes on the data sets.

    The columns are the numbers of data sets with wins, ties (differences of at most :data:`ALIKE`)
    and losses; the mean difference; p (signed ranks over families of data sets, Holm-corrected over
    the methods); and the verdict, 1 or −1 if the difference is significant, otherwise 0.
    """
    p, means = tested_over_families(changes), changes.groupby(family).mean().mean()
    return pd.DataFrame(
        {
            "wins": (changes > ALIKE).sum(),
            "ties": (changes.abs() <= ALIKE).sum(),
            "losses": (changes < -ALIKE).sum(),
            "difference": changes.mean(),
            "p": p,
            "verdict": np.sign(means) * (p < LEVEL),
        }
    )


def answer(arena: Arena) -> str:
    """Three paragraphs for a practitioner."""
    scores = arena.scores
    single = str(scores[arena.rows(ALGORITHM)].mean(skipna=False).idxmax())
    verdicts = compare(arena.changes(single))["verdict"]
    counts = arena.counts.T.assign(**{single: [(verdicts > 0).sum(), (verdicts < 0).sum()]}).T
    first, near = arena.leading
    parts = split_by_values(arena.diversity)
    text = render(
        "arena_answer.md",
        metric=arena.metric,
        level=LEVEL,
        n_methods=len(verdicts),
        n_datasets=len(scores),
        first=first,
        n_near=len(near),
        single=single,
        better=counts["better"],
        worse=counts["worse"],
        means=scores.mean(),
        alike=scores.loc[parts[0]].mean(),
        diverse=scores.loc[parts[-1]].mean(),
    )
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def summarize_arena(arena: Arena) -> dict[str, Any]:
    """Summary of a benchmark: means of the rivals and best methods, and counts of the tests."""
    methods, means = arena.rows(METHOD), arena.scores.mean(skipna=False)
    first, highest = arena.leading[0], means[methods].idxmax()
    return {
        "data sets": len(arena.scores),
        "methods": len(methods),
        **{
            rival: f"{means[rival]:.3f} ({better}, {worse})"
            for rival, better, worse in arena.counts.itertuples()
        },
        "best mean rank": f"{first} {means[first]:.3f}",
        "highest mean": f"{highest} {means[highest]:.3f}",
    }


def mean_gains(lines: pd.DataFrame, other: pd.DataFrame) -> pd.Series:
    """Differences of the means of methods and rivals from the means in another benchmark.

    The means are over the data sets of both benchmarks. Rows that lack a score are left out.
    """
    names = set(lines["dataset"]) & set(other["dataset"])
    own, others = (
        Arena(x[x["dataset"].isin(names) & (x["role"] != ALGORITHM)]).scores.mean(skipna=False)
        for x in (lines, other)
    )
    return (own - others).dropna()


def split_by_values(values: pd.Series) -> list[pd.Index]:
    """Names of the data sets, divided into equal parts from the lowest to the highest values."""
    if len(values) < _PARTS:
        return [pd.Index([name]) for name in values.sort_values().index]
    parts = pd.qcut(values.rank(method="first"), _PARTS, labels=False)
    return [names.index for _, names in values.groupby(parts)]
