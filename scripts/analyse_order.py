"""How much of a method's gain remains if a growing fraction of the samples is shuffled."""

import pandas as pd

from coassoc.bench.statistics import FEWEST_REPEATS, LEVEL, holm, signed_rank_p, smallest_p
from reproduction.analyses import make_analysis, numbers_of
from reproduction.pages import note
from reproduction.scores.evidence import Evidence

_CELL = ["label", "dataset", "shuffled"]


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Mean scores of each method at each percentage of shuffled samples, the ``x`` of a cell.

    Columns are label, dataset, shuffled, pool, m, parameters, run, repeats, mean, std, gain (over
    the reference at the same percentage), difference (from the stored order), p (Wilcoxon's signed
    ranks for a difference of zero, Holm-corrected over all lines) and tested (whether there are
    enough repeats for a significant result). All lines use the same draws, so gains and differences
    are means over common repeats. The reference comes first, and percentages increase.
    """
    values = evidence.values.rename(columns={"x": "shuffled"})
    reference = evidence.spec["relative_to"]
    values = values.assign(other=values["label"] != reference)
    values = values.sort_values(["other", "shuffled"], kind="stable")
    result = numbers_of(values, _CELL)
    repeats = values.pivot(index=_CELL, columns="repeat", values="value").reindex(result.index)
    plain = repeats.xs(reference).reindex(result.index.droplevel("label"))
    stored = repeats.groupby(_CELL[:2]).head(1).droplevel("shuffled")
    stored = stored.reindex(result.index.droplevel("shuffled"))
    change = (repeats - stored.set_axis(repeats.index))[repeats.index.isin(range(1, 101), level=2)]
    enough = change[change.count(axis=1) >= FEWEST_REPEATS]
    p = {place: signed_rank_p(line.dropna()) for place, line in enough.iterrows()}
    result["gain"] = (repeats - plain.set_axis(repeats.index)).mean(axis=1)
    result["difference"] = change.mean(axis=1)
    result["p"] = holm(pd.Series(p, dtype=float)).reindex(result.index)
    repeats_of = change.count(axis=1).reindex(result.index, fill_value=0)
    result["tested"] = result["p"].notna() & (smallest_p(repeats_of, len(p)) < LEVEL)
    return result.reset_index()


def readers(result: pd.DataFrame) -> list[str]:
    """Methods that score significantly lower on a data set if all samples are shuffled."""
    worse = (result["shuffled"] == 100) & (result["difference"] < 0) & (result["p"] < LEVEL)
    return list(result.loc[worse, "label"].unique())


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Table of methods: mean gains over data sets with all percentages, and the tests."""
    wide = result.pivot(index=["label", "dataset"], columns="shuffled", values="gain").dropna()
    order = result["label"].unique()
    means = wide.groupby("label").mean().reindex(order)
    texts = means.map("{:+.3f}".format, na_action="ignore").fillna("")
    texts.columns = [f"{percent} % shuffled" for percent in means]
    counts = wide.groupby("label").size().reindex(order, fill_value=0)
    texts.insert(0, "data sets", counts.astype(str))
    lost, last = readers(result), result[(result["shuffled"] == 100) & result["mean"].notna()]
    tests = last.groupby("label")["tested"].agg(["size", "sum"]).reindex(order, fill_value=0)
    texts["tested"] = tests["sum"].astype(str) + " of " + tests["size"].astype(str)
    found = tests["sum"].gt(0).map({True: "not found", False: "not tested"})
    texts["dependence on order"] = found.mask(found.index.isin(lost), "found")
    return texts.rename_axis("method")


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """Definitions of gain and of dependence on sample order, and the reference's scores."""
    reference = evidence.spec["relative_to"]
    return note(
        "order.md",
        metric=evidence.metric,
        reference=reference,
        plain=result[result["label"] == reference].groupby("shuffled")["mean"].mean(),
        level=LEVEL,
        sizes=result["m"].unique(),
        repeats=result["repeats"].agg(["min", "max"]).unique(),
    )


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
