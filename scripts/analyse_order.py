"""How much of a method's gain remains if a growing fraction of the samples is shuffled."""

import numpy as np
import pandas as pd

from coassoc.bench.statistics import FEWEST_REPEATS, LEVEL, holm, signed_rank_p, smallest_p
from reproduction.analyses import make_analysis, numbers_of
from reproduction.pages import note
from reproduction.scores.evidence import Evidence

#: Smallest gain that is not treated as zero.
_LEAST_GAIN = 0.01
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
    values = values.assign(other=values["label"] != evidence.reference)
    values = values.sort_values(["other", "shuffled"], kind="stable")
    result = numbers_of(values, _CELL)
    repeats = values.pivot(index=_CELL, columns="repeat", values="value").reindex(result.index)
    plain = repeats.xs(evidence.reference).reindex(result.index.droplevel("label"))
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
    """Table of methods: mean gains over data sets with all percentages, and the remaining gain."""
    wide = result.pivot(index=["label", "dataset"], columns="shuffled", values="gain").dropna()
    order = result["label"].unique()
    means = wide.groupby("label").mean().reindex(order)
    texts = means.map("{:+.3f}".format, na_action="ignore").fillna("")
    texts.columns = [f"{percent} % shuffled" for percent in means]
    counts = wide.groupby("label").size().reindex(order, fill_value=0)
    texts.insert(0, "data sets", counts.astype(str))
    lost, last = readers(result), result[(result["shuffled"] == 100) & result["mean"].notna()]
    tests = last.groupby("label")["tested"].agg(["size", "sum"]).reindex(order, fill_value=0)
    texts["result"] = [
        _describe_gain(gains, label in lost, *tests.loc[label]) for label, gains in means.iterrows()
    ]
    return texts.rename_axis("method")


def _describe_gain(gains: pd.Series, reads: bool, datasets: int, tested: int) -> str:
    """One or two sentences on a method, from its mean gains without and with all samples shuffled.

    If no test was possible, the sentence does not claim that there is no difference.
    """
    first, last = gains.get(0, np.nan), gains.get(100, np.nan)
    if not np.isfinite([first, last]).all():
        return "No data set has scores of this method at every percentage of shuffled samples."
    if reads:
        start = "The method depends on sample order."
        if min(first - _LEAST_GAIN, last) < 0:
            return f"{start} The mean gain falls from {first:.3f} to {last:+.3f}."
    elif first < _LEAST_GAIN:
        return "The method has no gain that shuffling could reduce."
    elif not tested:
        start = "No dependence on sample order was found (not tested)."
    else:
        start = (
            f"No dependence on sample order was found in tests on {tested} of {datasets} data sets."
        )
    return f"{start} {100 * last / first:.0f} % of the gain of {first:.3f} remains."


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """Definitions of gain and of dependence on sample order, and the reference's scores."""
    reference = evidence.reference
    return note(
        "order.md",
        metric=evidence.metric,
        reference=reference,
        plain=result[result["label"] == reference].groupby("shuffled")["mean"].mean(),
        level=LEVEL,
        least=_LEAST_GAIN,
        sizes=result["m"].unique(),
        repeats=result["repeats"].agg(["min", "max"]).unique(),
    )


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
