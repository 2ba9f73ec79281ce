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

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.statistics import LEVEL
from reproduction.findings.families import drawn_times, family, tested_over_families
from reproduction.pages import render

MEDIAN, PICKED, BEST = RIVALS = ("median member", "picked member", "best member")
#: Columns that identify a line.
METHOD, RIVAL, ALGORITHM = "method", "rival", "algorithm"
#: Scores that differ by at most this count as equal.
ALIKE = 0.01
#: Parts of the data sets, from the lowest to the highest values.
_PARTS = 3


def by_problem(lines: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Score of each row (columns) on each data set, averaged over its numbers of classes.

    The score is empty if a row lacks the score for one of these numbers.
    """
    wide = lines.pivot(index=["problem", "dataset"], columns="label", values=metric)
    whole = wide.notna().groupby("problem").all()
    return wide.groupby("problem").mean().where(whole)


def duels(lines: pd.DataFrame, metric: str, rivals: Sequence[str] = RIVALS) -> pd.DataFrame:
    """Compare each method with each rival, or with the rows given as `rivals`.

    For each label and rival, the columns are the numbers of data sets with wins, ties (differences
    of at most :data:`ALIKE`) and losses; the mean difference; p (signed ranks over families of data
    sets, Holm-corrected over the methods); and the verdict, 1 or −1 if the difference is
    significant, otherwise 0.
    """
    scores = by_problem(lines, metric)
    methods = lines.loc[lines["role"] == METHOD, "label"].unique()
    tables = {}
    for rival in rivals:
        changes = scores[methods].sub(scores[rival], axis=0)
        verdicts = {
            "wins": (changes > ALIKE).sum(),
            "ties": (changes.abs() <= ALIKE).sum(),
            "losses": (changes < -ALIKE).sum(),
        }
        duel = pd.DataFrame({**verdicts, "difference": changes.mean()})
        p, sign = tested_over_families(changes), np.sign(changes.groupby(family).mean().mean())
        tables[rival] = duel.assign(p=p, verdict=sign * (p < LEVEL))
    return pd.concat(tables, names=["rival", "label"]).swaplevel()


def fragility(lines: pd.DataFrame, metric: str) -> dict[str, int]:
    """Numbers of methods significantly better than the picked member, under four conditions.

    The conditions are "least" and "most" (the smallest and the largest number if one family of data
    sets is left out), "jointly" (Holm's correction over all methods and all three rivals at once),
    and "drawn" (a mean difference above 0 in at least 97.5 % of the draws of families).
    """
    scores = by_problem(lines, metric)
    methods = lines.loc[lines["role"] == METHOD, "label"].unique()
    changes = {rival: scores[methods].sub(scores[rival], axis=0) for rival in RIVALS}
    picked = changes[PICKED]

    def better(p: pd.Series, some: pd.DataFrame) -> int:
        return int(((p < LEVEL) & (some.groupby(family).mean().mean() > 0)).sum())

    families = picked.index.map(family)
    parts = [picked[families != name] for name in families.unique()]
    counts = [better(tested_over_families(part), part) for part in parts]
    jointly = tested_over_families(pd.concat(changes, axis=1))
    groups = picked.groupby(families)
    sums, sizes = (table.to_numpy() for table in (groups.sum(), groups.count()))
    drawn = drawn_times(len(sums), 0)
    above = (drawn @ sums > 0) & (drawn @ sizes > 0)
    return {
        "least": min(counts),
        "most": max(counts),
        "jointly": better(jointly[PICKED], picked),
        "drawn": int((above.mean(axis=0) >= 1 - LEVEL / 2).sum()),
    }


def counts_of_tests(lines: pd.DataFrame, metric: str, fragile: Mapping[str, int]) -> pd.DataFrame:
    """Numbers of methods that are significantly better and worse than each rival.

    Further lines give the numbers of methods that are better than the picked member under the
    conditions of :func:`fragility`.
    """
    verdicts = duels(lines, metric)["verdict"].unstack("rival")[list(RIVALS)]
    counts = pd.DataFrame({"better": (verdicts > 0).sum(), "worse": (verdicts < 0).sum()})
    conditions = pd.Series(fragile, name="better").rename_axis("condition")
    further = conditions.reset_index().assign(rival=PICKED)
    table = pd.concat([counts.rename_axis("rival").reset_index(), further], ignore_index=True)
    return table[["rival", "condition", "better", "worse"]]


def leading(lines: pd.DataFrame, metric: str) -> tuple[str, list[str]]:
    """The method with the best mean rank, and the methods that do not differ significantly from it.

    The test uses signed ranks with Holm's correction. Methods that lack a score on a data set are
    left out.
    """
    methods = lines.loc[lines["role"] == METHOD, "label"].unique()
    scores = by_problem(lines, metric)[methods].dropna(axis="columns")
    first = str(scores.round(6).rank(axis=1, ascending=False).mean().idxmin())
    changes = scores.drop(columns=first).sub(scores[first], axis=0)
    p = tested_over_families(changes)
    return first, list(p.index[p >= LEVEL])


def answer(lines: pd.DataFrame, metric: str, fragile: Mapping[str, int]) -> str:
    """Three paragraphs for a practitioner, with the counts of :func:`fragility`."""
    scores = by_problem(lines, metric)
    algorithms = lines.loc[lines["role"] == ALGORITHM, "label"].unique()
    single = str(scores[algorithms].mean(skipna=False).idxmax())
    outcomes = duels(lines, metric, (*RIVALS, single))
    verdicts = outcomes["verdict"].unstack("rival")
    first, near = leading(lines, metric)
    parts = split_by_values(diversity_of(lines))
    text = render(
        "arena_answer.md",
        metric=metric,
        level=LEVEL,
        n_methods=len(verdicts),
        n_datasets=len(scores),
        first=first,
        n_near=len(near),
        single=single,
        better=(verdicts > 0).sum(),
        worse=(verdicts < 0).sum(),
        means=scores.mean(),
        fragile=fragile,
        alike=scores.loc[parts[0]].mean(),
        diverse=scores.loc[parts[-1]].mean(),
    )
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def summarize_arena(lines: pd.DataFrame, metric: str) -> dict[str, Any]:
    """Summary of a benchmark: means of the rivals and best methods, and counts of the tests."""
    scores, verdicts = by_problem(lines, metric), duels(lines, metric)["verdict"].unstack("rival")
    means = scores.mean(skipna=False)
    first, highest = leading(lines, metric)[0], means[verdicts.index].idxmax()
    better, worse = (verdicts > 0).sum(), (verdicts < 0).sum()
    counts = {
        f"better, worse than the {rival}": f"{better[rival]}, {worse[rival]}" for rival in RIVALS
    }
    return {
        "data sets": len(scores),
        "methods": len(verdicts),
        **means[list(RIVALS)].map("{:.3f}".format),
        "best mean rank": f"{first} {means[first]:.3f}",
        "highest mean": f"{highest} {means[highest]:.3f}",
        **counts,
    }


def mean_gains(lines: pd.DataFrame, other: pd.DataFrame, metric: str) -> pd.Series:
    """Differences of the means of methods and rivals from the means in another benchmark.

    The means are over the data sets of both benchmarks. Rows that lack a score are left out.
    """
    names = set(lines["dataset"]) & set(other["dataset"])
    own_scores, other_scores = (
        by_problem(frame[frame["dataset"].isin(names) & (frame["role"] != ALGORITHM)], metric).mean(
            skipna=False
        )
        for frame in (lines, other)
    )
    return (own_scores - other_scores).dropna()


def diversity_of(lines: pd.DataFrame) -> pd.Series:
    """Diversity of the members on each data set, 1 − mean NMI of two members."""
    return lines.groupby("problem")["diversity"].mean()


def split_by_values(values: pd.Series) -> list[pd.Index]:
    """Names of the data sets, divided into equal parts from the lowest to the highest values."""
    if len(values) < _PARTS:
        return [pd.Index([name]) for name in values.sort_values().index]
    parts = pd.qcut(values.rank(method="first"), _PARTS, labels=False)
    return [names.index for _, names in values.groupby(parts)]
