"""Benchmark of a consensus against the clusterings that it combines, on many data sets."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from coassoc.bench.statistics import LEVEL
from reproduction.analyses import make_analysis
from reproduction.pages import note
from reproduction.scores.evidence import Evidence
from reproduction.study.paths import Source
from reproduction.survey import arena

#: Reference rows that are rivals, by their ``reference``.
_REFERENCES = {"ensemble-picked": arena.PICKED, "ensemble-best": arena.BEST}
#: Plain methods that are widely available.
_PLAIN = ("EAC-AL", "CA-SC")


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Mean scores of methods, rivals and algorithms on each data set, over the repeats.

    The lines have the form that :mod:`reproduction.survey.arena` describes. All lines
    have the commit of their scores; those of methods also repeats, reason (why there is no score)
    and run.
    """
    metrics, runs = evidence.spec["metrics"], evidence.lines
    keys = ["label", "dataset", "reference"]
    columns = {name: (column, "mean") for name, column in metrics.items()}
    columns |= {"repeats": ("repeat", "size")}
    columns |= {name: (name, "first") for name in ("run", "commit")}
    means = runs.groupby(keys, sort=False, dropna=False).agg(**columns).reset_index()
    failed = runs.loc[runs["status"] != "ok"].groupby(keys[:2])["status"].first()
    means = means.merge(failed.rename("reason"), "left", on=keys[:2])
    means[list(metrics)] = means[list(metrics)].where(means["reason"].isna())
    means["role"] = means["reference"].notna().map({True: arena.RIVAL, False: arena.METHOD})
    means["label"] = means["reference"].map(_REFERENCES).fillna(means["label"])
    pools = {cell.dataset: cell.pool for cell in evidence.cells}
    bases = {name: evidence.scores[str(Source(pool, name))] for name, pool in pools.items()}
    members = [_members(base, metrics, name) for name, base in bases.items()]
    place = pd.DataFrame({"dataset": list(pools)})
    place["battery"] = place["dataset"].str.partition("-")[0]
    place["problem"] = place["dataset"].str.replace(r"-K\d+$", "", regex=True)
    place["diversity"] = place["dataset"].map(runs.groupby("dataset")["diversity"].mean())
    lines = pd.concat([means.drop(columns="reference"), *members], ignore_index=True)
    return place.merge(lines, on="dataset")


def _members(base: pd.DataFrame, metrics: Mapping[str, str], dataset: str) -> pd.DataFrame:
    """The median score of each algorithm, and the median over the algorithms."""
    scores = base[list(metrics.values())].set_axis(list(metrics), axis="columns")
    names = base.get("name", pd.Series("k-means", base.index)).str.partition("/")[0]
    algorithms = scores.groupby(names, sort=False).median()
    median = algorithms.median().rename(arena.MEDIAN).to_frame().T
    both = pd.concat([algorithms.assign(role=arena.ALGORITHM), median.assign(role=arena.RIVAL)])
    about = {"dataset": dataset, "commit": base["commit"].iloc[0]}
    return both.rename_axis("label").reset_index().assign(**about)


def table(lines: pd.DataFrame) -> pd.DataFrame:
    """Rivals and methods, sorted by their means, with a mean for each battery."""
    scored = arena.Arena(lines[lines["role"] != arena.ALGORITHM])
    scores, battery = scored.scores, lines.groupby("problem")["battery"].first()
    means = scores.groupby(battery).mean().T
    means.columns = [f"{name} ({(battery == name).sum()})" for name in means]
    means.insert(0, "all", scores.mean(skipna=False))
    texts = means.map("{:.3f}".format).replace("nan", "")
    for rival in arena.RIVALS:
        texts[f"against the {rival}"] = scored.duels.loc[rival].apply(_duel_text, axis=1)
    missing = scores.isna().sum()
    texts["missing"] = missing.where(missing > 0, "")
    order = scores.mean(skipna=False).sort_values(ascending=False).index
    return texts.fillna("").loc[order].rename_axis(f"mean {scored.metric}")


def _duel_text(duel: Mapping[str, Any]) -> str:
    mark = {1: " ↑", 0: "", -1: " ↓"}[duel["verdict"]]
    return f"{duel['wins']:.0f} / {duel['ties']:.0f} / {duel['losses']:.0f}{mark}"


def answer(lines: pd.DataFrame) -> str:
    """The answer of the benchmark in words."""
    return arena.answer(arena.Arena(lines))


def further_tables(lines: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Further tables by their headings."""
    scored = arena.Arena(lines)
    diversity = "By diversity of the members (1 − mean NMI over all pairs of members)"
    quality = f"By quality of the members ({scored.metric} of the median member)"
    return {
        diversity: _parts(scored, scored.diversity),
        quality: _parts(scored, scored.scores[arena.MEDIAN]),
        "Members by algorithm": _algorithms(lines, scored.metric),
    }


def _parts(scored: arena.Arena, values: pd.Series) -> pd.DataFrame:
    """Means and comparisons in three equal parts of the data sets, divided by their values."""
    rows = dict.fromkeys((*arena.RIVALS, *_PLAIN, scored.leading[0]))
    shown = [name for name in rows if name in scored.scores]
    columns = {}
    for names in arena.split_by_values(values):
        part = arena.Arena(scored.lines[scored.lines["problem"].isin(names)])
        means = part.scores[shown].mean().map("{:.3f}".format)
        column = {"data sets": str(len(names)), **means}
        for rival in arena.RIVALS:
            change = part.changes(rival).mean()
            better, worse = (change > arena.ALIKE).sum(), (change < -arena.ALIKE).sum()
            column[f"methods above / near / below the {rival} on average"] = (
                f"{better} / {len(change) - better - worse} / {worse}"
            )
        columns[f"{values[names].min():.2f} to {values[names].max():.2f}"] = column
    return pd.DataFrame(columns).rename_axis(f"mean {scored.metric}")


def _algorithms(lines: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean scores of the algorithms on data sets with results, and how often each is the best."""
    lines = lines[lines["role"] == arena.ALGORITHM]
    wide = lines.pivot(index="dataset", columns="label", values=metric)
    texts = pd.DataFrame(
        {
            f"mean {metric}": wide.mean().map("{:.3f}".format),
            "results": wide.notna().sum(),
            "the best of all": wide.eq(wide.max(axis=1), axis=0).sum(),
        }
    )
    return texts.loc[wide.mean().sort_values(ascending=False).index].rename_axis("algorithm")


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """The counts and tests, and the missing results."""
    lines = result[result["role"] == arena.METHOD]
    lost = lines[lines[evidence.metric].isna()]
    gone = [*lost.groupby("label", sort=False)]
    return note("arena.md", lines=lines, gone=gone, alike=arena.ALIKE, level=LEVEL)


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, answer=answer, more=further_tables)
