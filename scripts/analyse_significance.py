"""Comparison of methods with one method over all data sets: ranks, differences and p-values."""

import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.statistics import LEVEL, family, smallest_p, tested_over_families
from coassoc.errors import DataError
from coassoc.pages.style import COLOURS, canvas, name_rows, styled
from reproduction.analyses import make_analysis
from reproduction.scores.evidence import Evidence
from reproduction.scores.families import half_width


def analyse(evidence: Evidence) -> pd.DataFrame:
    """Compare each row with the reference row, on the data sets on which all rows have a score.

    A line for each row, sorted by rank (mean over the data sets): rank, mean, the mean difference
    from the reference with half_width (of its 95 % interval over families of data sets), p (of
    :func:`~coassoc.bench.statistics.tested_over_families`), and the numbers of data sets and of
    families.
    """
    values = evidence.values
    unknown = values.groupby("dataset")["value"].count() == 0
    if unknown.any():
        raise DataError(
            f"The data set {unknown.idxmax()} has no {evidence.spec['metrics'][evidence.metric]} "
            "to compare, because its classes are unknown. Leave out this data set."
        )
    means = values.pivot_table("value", "dataset", "label", sort=False).dropna()
    changes = means.drop(columns=evidence.reference).sub(means[evidence.reference], axis=0)
    families = means.index.map(family).to_series(means.index)
    result = pd.DataFrame({"rank": means.round(6).rank(axis=1, ascending=False).mean()})
    result = result.assign(
        mean=means.mean(),
        difference=changes.mean(),
        half_width=half_width(changes, families),
        p=tested_over_families(changes),
        datasets=len(means),
        families=families.nunique(),
    )
    return result.sort_values("rank", kind="stable").rename_axis("method")


def table(result: pd.DataFrame) -> pd.DataFrame:
    """The comparison as text, with methods sorted by mean rank."""
    columns = {
        "mean rank": result["rank"].map("{:.2f}".format),
        "mean": result["mean"].map("{:.3f}".format),
        "difference": result["difference"].map("{:+.3f}".format)
        + result["half_width"].map(" ± {:.3f}".format),
        "p": result["p"].map(lambda p: "< 0.001" if p < 0.001 else f"{p:.3f}"),
    }
    shown = pd.DataFrame(columns)
    shown.loc[result["difference"].isna(), ["difference", "p"]] = ""
    return shown


def remark(result: pd.DataFrame, evidence: Evidence) -> str:
    """The test, the numbers of data sets and families, and the smallest possible p-value."""
    datasets, n = result[["datasets", "families"]].iloc[0]
    comparisons, families = len(result) - 1, "family" if n == 1 else "families"
    return (
        f"There are {datasets} data sets in {n} {families}. Versions of one data set, such as Tr11 "
        "and Tr12, form a family. Differences and p-values compare each method with "
        f"{evidence.reference}. The p-values come from Wilcoxon's signed-rank test over families, "
        f"with Holm's correction. With {n} {families} and {comparisons} comparisons, the smallest "
        f"possible p-value is {min(1, smallest_p(n, comparisons)):.2g}."
    )


# -- figure --------------------------------------------------------------------------------------


@styled
def plot(result: pd.DataFrame, metric: str) -> Figure:
    """The mean difference of each method from the reference, with its interval."""
    figure, axis = canvas(5.0, 0.9 + 0.17 * len(result))
    for y, (_, line) in enumerate(result.iterrows()):
        colour = COLOURS["blue" if line["p"] < LEVEL else "grey"]
        axis.errorbar(line["difference"], y, xerr=line["half_width"], color=colour, marker="o")
    axis.axvline(0, color="#333333", linewidth=0.8)
    name_rows(axis, list(result.index))
    axis.set_xlabel(f"difference in mean {metric} (blue: significant at {LEVEL:g})")
    return figure


if __name__ == "__main__":
    make_analysis(snakemake, analyse, table, remark, plot)
