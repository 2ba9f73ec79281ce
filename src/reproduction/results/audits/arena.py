"""The arena: a consensus against the clusterings that it combines.

A practitioner has three alternatives, the *rivals*: the median member, the picked member, which
disagrees least with the others, and the best member, which takes the classes to identify. Members
are grouped by algorithm, with the median over its settings. If ensembles are drawn from a pool, the
median is that of the pool, and the other two are means over the draws.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coassoc.bench.statistics import LEVEL, holm, signed_rank_p
from reproduction.plan.keys import Source
from reproduction.results.audits.evidence import Evidence
from reproduction.results.pages import render

MEDIAN, PICKED, BEST = RIVALS = ("median member", "picked member", "best member")
#: Rows of an entry that are rivals, by their ``base``.
_REFERENCES = {"ensemble-picked": PICKED, "ensemble-best": BEST}
#: What a line of the numbers is of.
METHOD, RIVAL, ALGORITHM = "method", "rival", "algorithm"
#: Scores that differ by no more are alike.
NEAR = 0.01
#: Plain methods that everybody has at hand.
PLAIN = ("EAC-AL", "CA-SC")
#: Parts of the data sets, from the lowest to the highest values.
_PARTS = 3


class Arena(NamedTuple):
    """Result of :func:`compare`."""

    #: One line for each row and data set, the columns label, role (a method, a rival or an
    #: algorithm), dataset, battery, problem (the data set, whatever its number of classes),
    #: diversity of the ensemble, a mean for each metric, and of methods repeats, reason (why there
    #: is no score) and run.
    methods: pd.DataFrame
    #: Name of the score that decides.
    metric: str

    @property
    def answer(self) -> str:
        """Three paragraphs for a practitioner."""
        return answer(self.methods, self.metric)

    @property
    def more(self) -> dict[str, pd.DataFrame]:
        """Further tables by their headings."""
        diverse, good = _diversity(self.methods), by_problem(self.methods, self.metric)[MEDIAN]
        return {
            "By how diverse the members are (1 − mean NMI of two)": _parts(self, diverse),
            f"By how good the members are ({self.metric} of the median member)": _parts(self, good),
            "The members, by algorithm": _algorithms(self),
        }


def compare(evidence: Evidence) -> Arena:
    """Scores of methods, rivals and algorithms on each data set, means over the repeats.

    Rows of the entry are the base clusterings that are picked and that are best.
    """
    metrics = evidence.spec["metrics"]
    runs = evidence.lines
    keys = ["label", "dataset", "reference"]
    failed = runs.loc[runs["status"] != "ok"].groupby(keys[:2])["status"].first()
    means = runs.groupby(keys, sort=False, dropna=False).agg(
        {**dict.fromkeys(metrics.values(), "mean"), "repeat": "size", "run": "first"}
    )
    means = means.rename(columns={old: new for new, old in metrics.items()} | {"repeat": "repeats"})
    means = means.reset_index().merge(failed.rename("reason"), "left", on=keys[:2])
    means[list(metrics)] = means[list(metrics)].where(means["reason"].isna())
    means["role"] = means["reference"].notna().map({True: RIVAL, False: METHOD})
    means["label"] = means["reference"].map(_REFERENCES).fillna(means["label"])
    pools = {cell["dataset"]: cell["pool"] for cell in evidence.cells}
    bases = {name: evidence.scores[str(Source(pool, name))] for name, pool in pools.items()}
    members = [_members(lines, metrics, name) for name, lines in bases.items()]
    place = pd.DataFrame({"dataset": list(pools)})
    place["battery"] = place["dataset"].str.partition("-")[0]
    place["problem"] = place["dataset"].str.replace(r"-K\d+$", "", regex=True)
    place["diversity"] = place["dataset"].map(runs.groupby("dataset")["diversity"].mean())
    lines = pd.concat([means.drop(columns="reference"), *members], ignore_index=True)
    return Arena(place.merge(lines, on="dataset"), evidence.metric)


def _members(base: pd.DataFrame, metrics: Mapping[str, str], dataset: str) -> pd.DataFrame:
    """The median of each algorithm, and the median over the algorithms."""
    scores = base[list(metrics.values())].set_axis(list(metrics), axis="columns")
    names = base.get("name", pd.Series("k-means", base.index)).str.partition("/")[0]
    algorithms = scores.groupby(names, sort=False).median()
    median = algorithms.median().rename(MEDIAN).to_frame().T
    both = pd.concat([algorithms.assign(role=ALGORITHM), median.assign(role=RIVAL)])
    return both.rename_axis("label").reset_index().assign(dataset=dataset)


# -- tests --------------------------------------------------------------------------------------


def by_problem(lines: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Score of each row (columns) on each data set; of one with several K the mean over them.

    Empty where a row lacks one of them.
    """
    wide = lines.pivot(index=["problem", "dataset"], columns="label", values=metric)
    whole = wide.notna().groupby("problem").all()
    return wide.groupby("problem").mean().where(whole)


def duels(lines: pd.DataFrame, metric: str, rivals: Sequence[str] = RIVALS) -> pd.DataFrame:
    """Each method against each rival, or other rows in their place.

    By label and rival there are numbers of data sets, wins, ties (differences within :data:`NEAR`)
    and losses; the mean difference; p of the signed ranks, corrected over the methods (Holm); and
    the verdict, 1 or −1 where the test tells the method from the rival, else 0.
    """
    scores = by_problem(lines, metric)
    methods = lines.loc[lines["role"] == METHOD, "label"].unique()
    tables = {}
    for rival in rivals:
        changes = scores[methods].sub(scores[rival], axis=0)
        p = pd.Series({name: signed_rank_p(change.dropna()) for name, change in changes.items()})
        told = {
            "wins": (changes > NEAR).sum(),
            "ties": (changes.abs() <= NEAR).sum(),
            "losses": (changes < -NEAR).sum(),
        }
        duel = pd.DataFrame({**told, "difference": changes.mean(), "p": holm(p)})
        tables[rival] = duel.assign(verdict=np.sign(duel["difference"]) * (duel["p"] < LEVEL))
    return pd.concat(tables, names=["rival", "label"]).swaplevel()


def leading(lines: pd.DataFrame, metric: str) -> tuple[str, list[str]]:
    """The method of the best mean rank, and those that signed ranks cannot tell from it (Holm).

    Methods that lack a score on some data set are left out.
    """
    methods = lines.loc[lines["role"] == METHOD, "label"].unique()
    scores = by_problem(lines, metric)[methods].dropna(axis="columns")
    first = str(scores.round(6).rank(axis=1, ascending=False).mean().idxmin())
    changes = scores.drop(columns=first).sub(scores[first], axis=0)
    p = holm(pd.Series({name: signed_rank_p(change) for name, change in changes.items()}))
    return first, list(p.index[p >= LEVEL])


def answer(lines: pd.DataFrame, metric: str) -> str:
    """Three paragraphs for a practitioner, from lines as :class:`Arena` has them."""
    scores = by_problem(lines, metric)
    algorithms = lines.loc[lines["role"] == ALGORITHM, "label"].unique()
    single = str(scores[algorithms].mean(skipna=False).idxmax())
    outcomes = duels(lines, metric, (*RIVALS, single))
    verdicts = outcomes["verdict"].unstack("rival")
    first, near = leading(lines, metric)
    alike, *_, diverse = (scores.loc[names] for names in _split(_diversity(lines)))
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
        alike=alike.mean(),
        diverse=diverse.mean(),
    )
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def summary(lines: pd.DataFrame, metric: str) -> dict[str, Any]:
    """An arena in one line: means of the rivals and of the best method, and what the tests tell."""
    scores, told = by_problem(lines, metric), duels(lines, metric)["verdict"].unstack("rival")
    means = scores.mean(skipna=False)
    first, highest = leading(lines, metric)[0], means[told.index].idxmax()
    counts = {
        f"above, below the {rival}": f"{(told[rival] > 0).sum()}, {(told[rival] < 0).sum()}"
        for rival in RIVALS
    }
    return {
        "data sets": len(scores),
        "methods": len(told),
        **means[list(RIVALS)].map("{:.3f}".format),
        "best mean rank": f"{first} {means[first]:.3f}",
        "highest mean": f"{highest} {means[highest]:.3f}",
        **counts,
    }


def gain(lines: pd.DataFrame, other: pd.DataFrame, metric: str) -> pd.Series:
    """How much higher the means of methods and rivals are than in another arena.

    The means are over the data sets that are whole in both; rows that lack one are left out.
    """
    names = set(lines["dataset"]) & set(other["dataset"])
    here, there = (
        by_problem(frame[frame["dataset"].isin(names) & (frame["role"] != ALGORITHM)], metric).mean(
            skipna=False
        )
        for frame in (lines, other)
    )
    return (here - there).dropna()


def _diversity(lines: pd.DataFrame) -> pd.Series:
    return lines.groupby("problem")["diversity"].mean()


def _split(values: pd.Series) -> list[pd.Index]:
    """Names of the data sets in equal parts, from the lowest values to the highest."""
    parts = pd.qcut(values.rank(method="first"), _PARTS, labels=False)
    return [names.index for _, names in values.groupby(parts)]


# -- tables ---------------------------------------------------------------------------------------


def table(result: Arena) -> pd.DataFrame:
    """Rivals and methods by their means; below each battery the mean over its data sets."""
    lines = result.methods[result.methods["role"] != ALGORITHM]
    scores = by_problem(lines, result.metric)
    battery = lines.groupby("problem")["battery"].first()
    means = scores.groupby(battery).mean().T
    means.columns = [f"{name} ({(battery == name).sum()})" for name in means]
    means.insert(0, "all", scores.mean(skipna=False))
    texts = means.map("{:.3f}".format).replace("nan", "")
    outcomes = duels(lines, result.metric)
    for rival in RIVALS:
        texts[f"against the {rival}"] = outcomes.xs(rival, level="rival").apply(_duel_text, axis=1)
    missing = scores.isna().sum()
    texts["missing"] = missing.where(missing > 0, "")
    order = scores.mean(skipna=False).sort_values(ascending=False).index
    return texts.fillna("").loc[order].rename_axis(f"mean {result.metric}")


def _duel_text(duel: Mapping[str, Any]) -> str:
    mark = {1: " ↑", 0: "", -1: " ↓"}[duel["verdict"]]
    return f"{duel['wins']:.0f} / {duel['ties']:.0f} / {duel['losses']:.0f}{mark}"


def _parts(result: Arena, values: pd.Series) -> pd.DataFrame:
    """Means and duels in three equal parts of the data sets by some values of theirs."""
    first, _ = leading(result.methods, result.metric)
    rows = set(result.methods["label"])
    shown = [name for name in dict.fromkeys((*RIVALS, *PLAIN, first)) if name in rows]
    columns = {}
    for names in _split(values):
        lines = result.methods[result.methods["problem"].isin(names)]
        means = by_problem(lines, result.metric)[shown].mean().map("{:.3f}".format)
        differences = duels(lines, result.metric)["difference"].unstack("rival")
        better, worse = (differences > NEAR).sum(), (differences < -NEAR).sum()
        column = {"data sets": str(len(names)), **means}
        for rival in RIVALS:
            near = len(differences) - better[rival] - worse[rival]
            column[f"methods above / near / below the {rival} on average"] = (
                f"{better[rival]} / {near} / {worse[rival]}"
            )
        columns[f"{values[names].min():.2f} to {values[names].max():.2f}"] = column
    return pd.DataFrame(columns).rename_axis(f"mean {result.metric}")


def _algorithms(result: Arena) -> pd.DataFrame:
    """Mean scores of the algorithms where they have results, and how often one is the best."""
    lines = result.methods[result.methods["role"] == ALGORITHM]
    wide = lines.pivot(index="dataset", columns="label", values=result.metric)
    texts = pd.DataFrame(
        {
            f"mean {result.metric}": wide.mean().map("{:.3f}".format),
            "results": wide.notna().sum(),
            "the best of all": wide.eq(wide.max(axis=1), axis=0).sum(),
        }
    )
    return texts.loc[wide.mean().sort_values(ascending=False).index].rename_axis("algorithm")


def remark(result: Arena, evidence: Evidence) -> str:
    """What is counted and tested, and what is missing."""
    lines = result.methods[result.methods["role"] == METHOD]
    lost = lines[lines[result.metric].isna()]
    gone = [
        f"{label} on {', '.join(part['dataset'])} ({part['reason'].iloc[0]})"
        for label, part in lost.groupby("label", sort=False)
    ]
    missing = f" Without a score: {'; '.join(gone)}." if gone else ""
    cells, problems = lines["dataset"].nunique(), lines["problem"].nunique()
    return (
        f"{cells} cells, each a data set with a number of clusters, of {problems} "
        "data sets; means, counts and tests take one number of each data set, the mean over its "
        "numbers of clusters. Better / alike / worse counts data sets, alike within "
        f"{NEAR:g}; ↑ and ↓ where the signed ranks differ at {LEVEL:g} after Holm's "
        "correction over the methods. A score is the best over the reference labellings, noise "
        f"points left out.{missing}"
    )
