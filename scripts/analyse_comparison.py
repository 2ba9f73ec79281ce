"""Each method in several settings (variants), compared with the first variant.

Variants differ in parameters (defaults or tuned) or in base clusterings (pools).
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.stats import mannwhitneyu, spearmanr

from coassoc.bench.statistics import FEWEST_REPEATS, LEVEL, holm, signed_rank_p
from coassoc.pages.style import name_rows, styled
from reproduction.analyses import make_analysis, numbers_of
from reproduction.figures.layout import panel_each
from reproduction.figures.style import curve_style
from reproduction.pages import note
from reproduction.scores.evidence import Evidence
from reproduction.study.paths import stored_pool

_CELL = ["label", "dataset", "variant"]
#: Marker of each variant, and whether it is filled.
_MARKERS = (("o", True), ("o", False), ("D", False), ("s", False), ("^", False))


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


# -- figure --------------------------------------------------------------------------------------


@styled
def plot(scores: pd.DataFrame, metric: str) -> Figure:
    """One panel per data set, with a row per method and a marker per variant (± one sd)."""
    methods, variants = list(scores["label"].unique()), list(scores["variant"].unique())
    number = scores["dataset"].nunique()
    columns = min(number, 4)
    height = (max(0.22 * len(methods), 0.8) + 0.6) * -(-number // columns) + 0.5
    figure, drawn = panel_each(scores, size=(1.2 + 1.75 * columns, height), sharey=True)
    for axis, of_panel in drawn:
        for method, lines in of_panel.groupby("label", sort=False):
            y, colour = methods.index(method), curve_style(str(method))["color"]
            ends = lines["mean"].min(), lines["mean"].max()
            axis.hlines(y, *ends, color=colour, linewidth=0.8, alpha=0.5)
            heights = dict(zip(variants, np.linspace(y - 0.2, y + 0.2, len(variants)), strict=True))
            for variant, mean, std in lines[["variant", "mean", "std"]].itertuples(index=False):
                look = {"elinewidth": 0.6, "zorder": 3, **_look(colour, variants.index(variant))}
                axis.errorbar(mean, heights[variant], xerr=np.nan_to_num(std), **look)
        axis.set_xlabel(metric)
        # The axis spans at least a tenth of the scale of scores, so that tiny differences look
        # small.
        low, high = axis.get_xlim()
        room = max(0.1 - (high - low), 0.0) / 2
        axis.set_xlim(low - room, high + room)
    name_rows(figure.axes[0], methods)
    handles = [Line2D([], [], label=x, **_look("#333333", k)) for k, x in enumerate(variants)]
    columns = min(2, len(handles))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _look(colour: str, number: int) -> dict[str, Any]:
    marker, filled = _MARKERS[number % len(_MARKERS)]
    face = colour if filled else "white"
    size = {"markeredgewidth": 0.9, "markersize": 4, "linestyle": ""}
    return {"marker": marker, "color": colour, "markerfacecolor": face, **size}


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, plot)
