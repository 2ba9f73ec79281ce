"""Comparison of methods with one method over all data sets: ranks, tests and corrections."""

import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.significance import Significance, compare_methods
from coassoc.bench.statistics import FEWEST_REPEATS, LEVEL, power, smallest_p
from coassoc.errors import DataError
from coassoc.pages.style import COLOURS, canvas, styled
from reproduction.analyses import make_analysis
from reproduction.figures.style import curve_style
from reproduction.scores.evidence import Evidence


def analyse(evidence: Evidence) -> Significance:
    """Compare each row with the reference row of the analysis."""
    values = evidence.values
    unknown = values.groupby("dataset")["value"].count() == 0
    if unknown.any():
        raise DataError(
            f"The data set {unknown.idxmax()} has no {evidence.spec['metrics'][evidence.metric]} "
            "to compare, because its classes are unknown. Leave out this data set."
        )
    return compare_methods(values, evidence.reference, evidence.spec["rope"])


def table(result: Significance) -> pd.DataFrame:
    """The comparison as text, with methods sorted by mean rank."""
    lines = result.methods
    rope = f"probability better / within {result.rope:g} / worse"
    return pd.DataFrame(
        {
            "mean rank": lines["rank"].map("{:.2f}".format),
            "mean": lines["mean"].map("{:.3f}".format),
            "difference": lines["difference"].map("{:+.3f}".format),
            "better / alike / worse": _joined(lines[["wins", "ties", "losses"]], "{:.0f}")
            + lines["untested"].map(lambda n: f", {n:.0f} not tested" if n > 0 else ""),
            rope: _joined(lines[["better", "alike", "worse"]], "{:.2f}"),
            "p (Wilcoxon, Holm)": lines["p_wilcoxon"].map(_p_text),
            "p (Nemenyi)": lines["p_nemenyi"].map(_p_text),
        }
    ).rename_axis("method")


def _joined(numbers: pd.DataFrame, form: str) -> pd.Series:
    """The numbers of each row, separated by slashes; empty if one of them is missing."""
    texts = numbers.astype(float).map(form.format).agg(" / ".join, axis=1)
    return texts.where(numbers.notna().all(axis=1), "")


def remark(result: Significance, evidence: Evidence) -> str:
    """The tests, the number of data sets, and whether the methods differ significantly."""
    blocks, comparisons = result.blocks, len(result.methods) - 1
    least = smallest_p(blocks, comparisons)
    one, two = (100 * power(blocks, comparisons, effect) for effect in (1, 2))
    return (
        f"There are {blocks} data sets. The p-value of Friedman's test, whose null hypothesis is "
        f"that all methods are equal, is {_p_text(result.friedman) or 'not defined'}. Differences, "
        "counts of data sets and p-values compare each method with the reference, the row without "
        "a difference. A data set counts as better or worse if the repeats differ significantly at "
        f"{LEVEL:g} after Holm's correction. This test needs {FEWEST_REPEATS} repeats. With "
        f"{blocks} data sets and {comparisons} comparisons, the smallest possible p-value of "
        f"Wilcoxon's test after Holm's correction is {min(1, least):.2g}. In simulations with "
        f"normal differences, the test has a power of {one:.0f} % if the mean difference is one "
        f"standard deviation of the differences over data sets, and of {two:.0f} % if it is two "
        "standard deviations. The probabilities come from the Bayesian signed-rank test (Benavoli "
        "et al. 2017). It tests one method at a time and treats a mean difference within "
        f"{result.rope:g} as no difference."
    )


def _p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}".replace("nan", "")


# -- figure --------------------------------------------------------------------------------------


@styled
def plot(tests: Significance, metric: str) -> Figure:
    """Critical-difference diagram; bars join methods that do not differ significantly."""
    import scikit_posthocs

    ranks = tests.methods["rank"]
    # Related methods share a colour in other figures, but here they would look like one method.
    colours = [curve_style(str(name))["color"] for name in ranks.index]
    palette = {
        name: colour if colours.count(colour) == 1 else COLOURS["grey"]
        for name, colour in zip(ranks.index, colours, strict=True)
    }
    figure, axis = canvas(6.5, 0.9 + 0.14 * len(ranks))
    drawn = scikit_posthocs.critical_difference_diagram(
        ranks,
        tests.nemenyi,
        ax=axis,
        alpha=LEVEL,
        color_palette=palette,
        label_fmt_left="{label}  {rank:.1f} ",
        label_fmt_right=" {rank:.1f}  {label}",
        label_props={"fontsize": 7.5, "va": "center"},
        text_h_margin=0.02 * (len(ranks) - 1),
        crossbar_props={"color": "#333333", "linewidth": 2, "marker": ""},
        elbow_props={"linewidth": 0.9},
        marker_props={"marker": "o", "s": 14},
    )
    for (bar,) in drawn["crossbars"]:
        # The library draws bars in the order of a set, which varies from run to run.
        bar.set_xdata(sorted(bar.get_xdata()))
    for text in drawn["labels"]:
        text.set_color("#111111")  # the methods' light colours are hard to read as text
    axis.grid(False)
    axis.set_title(
        f"Mean rank by {metric} over {tests.blocks} data sets (1 is best). Bars join methods that "
        f"do not differ significantly by Nemenyi's test at {LEVEL:g}",
        pad=18,
    )
    return figure


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, plot)
