"""Each method in several settings (variants), compared with the first variant.

Variants differ in parameters (defaults or tuned) or in base clusterings (pools).
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, spearmanr

from coassoc.bench.statistics import FEWEST_REPEATS, LEVEL, holm, signed_rank_p
from reproduction.analyses import make_analysis, numbers_of
from reproduction.pages import note
from reproduction.scores.evidence import Evidence
from reproduction.study.paths import stored_pool

_CELL = ["label", "dataset", "variant"]


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Mean scores of each method, data set and variant, compared with the method's first variant.

    Columns are label, dataset, variant, pool, m, parameters, run, repeats, mean, std, difference
    (from the first variant), difference_std, p (Holm-corrected over all lines). Variants with the
    same draws are compared by repeat (Wilcoxon's signed ranks), other variants as two samples (Mann
    & Whitney). With fewer than six repeats there is no test.
    """
    values = evidence.values
    changes: dict[tuple[Any, ...], tuple[float, float, float]] = {}
    for place, of_row in values.groupby(_CELL[:2], sort=False):
        (_, first), *others = of_row.groupby("variant", sort=False)
        changes |= {(*place, variant): _change(first, lines) for variant, lines in others}
    columns = ["difference", "difference_std", "p"]
    result = numbers_of(values, _CELL)
    result[columns] = pd.DataFrame(changes, index=columns, dtype=float).T.reindex(result.index)
    return result.assign(p=holm(result["p"])).reset_index()


def _change(first: pd.DataFrame, lines: pd.DataFrame) -> tuple[float, float, float]:
    """Difference from the first variant, its standard deviation, and its p-value."""
    start, values = (frame.set_index("repeat")["value"].dropna() for frame in (first, lines))
    draws = [stored_pool(frame["pool"].iloc[0]) for frame in (first, lines)]
    if draws[0] == draws[1]:
        change = (values - start).dropna()
        p = signed_rank_p(change) if len(change) >= FEWEST_REPEATS else np.nan
        return change.mean(), change.std(), p
    enough = min(len(start), len(values)) >= FEWEST_REPEATS
    p = mannwhitneyu(start, values).pvalue if enough else np.nan
    return values.mean() - start.mean(), float(np.hypot(values.std(), start.std())), p


def table(result: pd.DataFrame) -> pd.DataFrame:
    """Table of data sets and methods by variant; a star marks significant differences."""
    datasets, labels, variants = (result[name].unique() for name in ("dataset", *_CELL[::2]))
    result = result.assign(text=result.apply(_text, axis=1, most=result["repeats"].max()))
    wide = result.pivot(index=["dataset", "label"], columns="variant", values="text")
    every = pd.MultiIndex.from_product([datasets, labels])
    wide = wide.reindex(every[every.isin(wide.index)])[variants].fillna("")
    wide = wide.set_axis(wide.index.map(", ".join))
    return wide.rename_axis("data set, method").rename_axis(None, axis="columns")


def _text(line: pd.Series, most: int) -> str:
    """Score and difference from the first variant, with the number of repeats if it is reduced.

    A star marks significant differences, and a question mark marks differences without a test.
    """
    text = f"{line['mean']:.3f}±{line['std']:.3f}" if np.isfinite(line["mean"]) else "no score"
    if np.isfinite(line["difference"]):
        star = "*" if line["p"] < LEVEL else "?" if np.isnan(line["p"]) else ""
        text += f" ({line['difference']:+.3f}{star})"
    return text if line["repeats"] == most else f"{text}, r = {line['repeats']}"


def order_kept(result: pd.DataFrame) -> pd.Series:
    """Rank correlation of the methods' means between the first variant and each other variant.

    The value is the mean of Spearman's coefficient over the data sets with at least three methods.
    Data sets on which all methods are equal are left out, because their order is undefined.
    """
    coefficients: dict[str, list[float]] = {}
    for _, of_dataset in result.groupby("dataset", sort=False):
        means = of_dataset.pivot(index="label", columns="variant", values="mean")
        first, *others = of_dataset["variant"].unique()
        for other in others:
            both = means[[first, other]].dropna()
            if len(both) >= 3 and (both.nunique() > 1).all():
                coefficient = spearmanr(both[first], both[other]).statistic
                coefficients.setdefault(other, []).append(coefficient)
    return pd.Series({name: np.mean(values) for name, values in coefficients.items()})


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """Meaning of the numbers and stars, and the change of the order on other base clusterings."""
    several = result["pool"].map(stored_pool).nunique() > 1
    return note(
        "comparison.md",
        metric=evidence.metric,
        result=result,
        repeats=result["repeats"].max(),
        level=LEVEL,
        fewest=FEWEST_REPEATS,
        untested=(result["difference"].notna() & result["p"].isna()).any(),
        kept=order_kept(result) if several else {},
    )


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark)
