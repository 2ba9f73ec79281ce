"""Compare every published cell with the reproduced tables: a verdict on each, and counts."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coassoc.io.atomic import write_text
from coassoc.pages.style import COLOURS, panels, styled
from reproduction.figures.layout import shared_legend, write_figure
from reproduction.findings import scorecard
from reproduction.findings.agreement import measure_papers, page
from reproduction.findings.cells import cells_of, with_repeats
from reproduction.pages import render, write_numbers, write_sortable_page
from reproduction.running.scripting import job
from reproduction.scores.files import minutes_of, read_scores

_TABLE = ["paper", "table"]
#: Columns of the scorecard on its page, with the verdict near the beginning, and their names there.
_ON_PAGE = {name: name for name in (*_TABLE, "dataset", "method", "metric", "verdict")}
_ON_PAGE |= {"dataset": "data set", "mean": "published", "std": "published std"}
_ON_PAGE |= {"reproduced_mean": "reproduced", "reproduced_std": "reproduced std"}
_ON_PAGE |= {name: name for name in ("difference", "z", "within 2 se", "repeats", "shortened")}
_ON_PAGE |= {"reason": "reason", "repeats_cell": "also published in"}
#: Largest difference from a published number that the figure shows to scale.
_MOST = 0.3
#: The bound that colours the figure, because numbers of other methods often pass the lenient one;
#: colour and marker of cells within it, and of cells above and below the published numbers.
_BOUND = "within 2 se"
_LOOKS = {
    _BOUND: (COLOURS["blue"], "o"),
    "beyond 2 se, higher": (COLOURS["green"], "^"),
    "beyond 2 se, lower": (COLOURS["red"], "v"),
}


def summary_page(card: pd.DataFrame, titles: Mapping[str, str], agreement: str = "") -> str:
    """One page of Markdown: verdicts by table, reasons, largest differences.

    The page begins with the page of the agreement measures (`agreement`), if there is one.
    """
    compared = card[card["verdict"].isin(scorecard.COMPARED)]
    passed = compared[[*scorecard.YARDSTICKS]].astype(int)
    passed.insert(0, "compared", 1)
    yardsticks = passed.groupby(compared["paper"], sort=False).sum()
    yardsticks.loc["all"] = yardsticks.sum()
    if compared["fitted"].any():
        yardsticks.loc["all cells with stated settings"] = passed[~compared["fitted"]].sum()
    largest = compared["z"].abs().sort_values(ascending=False).index[:10]
    gaps = compared.loc[largest, [*scorecard.KEYS, "mean", "reproduced_mean", "z"]]
    return render(
        "scorecard.md",
        agreement=agreement.removeprefix("# ").partition("\n"),
        card=card,
        titles=titles,
        compared=compared,
        once=compared[compared["repeats_cell"] == ""],
        largest_z=f"{scorecard.LARGEST_Z:g}",
        within=scorecard.WITHIN,
        least=f"{scorecard.LARGEST_Z * scorecard.SMALLEST_SPREAD:g}",
        yardsticks=yardsticks.rename_axis("paper").reset_index(),
        shortened=compared["shortened"].replace("", None).value_counts().sort_index(),
        tables=_count_by_table(card),
        remaining=what_remains(card),
        largest=gaps.rename(columns={"mean": "published", "reproduced_mean": "reproduced"}),
    )


def what_remains(card: pd.DataFrame) -> pd.DataFrame:
    """The cells that differ, grouped by paper and cause; the most frequent causes come first.

    Columns are paper, methods, data sets, cells, mean difference and why.
    """
    differ = card[card["verdict"] == scorecard.BEYOND]
    paper = pd.Categorical(differ["paper"], differ["paper"].unique())
    causes = differ.assign(paper=paper, why=differ["reason"].replace("", "not explained"))
    groups = causes.groupby(["paper", "why"], sort=False, observed=True)
    columns = {
        "methods": groups["method"].unique().map(", ".join),
        "data sets": groups["dataset"].unique().map(", ".join),
        "cells": groups.size(),
        "mean difference": groups["difference"].mean(),
    }
    table = pd.DataFrame(columns).reset_index()
    table = table.sort_values(["paper", "cells"], ascending=[True, False], kind="stable")
    return table[["paper", *columns, "why"]]


def _count_by_table(card: pd.DataFrame) -> pd.DataFrame:
    counts = scorecard.verdict_counts(card, _TABLE)
    for name, sign in (("higher", 1), ("lower", -1)):
        beyond = (card["verdict"] == scorecard.BEYOND) & (np.sign(card["z"]) == sign)
        counts[name] = beyond.groupby([card[key] for key in _TABLE]).sum()
    counts.loc[("all", ""), :] = counts.sum()
    return counts.astype(int).reset_index()


@styled
def plot_differences(card: pd.DataFrame, limits: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """Differences from the published numbers against the mean of both, with limits of agreement.

    Differences larger than :data:`_MOST` are drawn at the edge. Bands show the intervals of the
    limits. A panel has the part of its paper's title before the colon, or the name of its study.
    """
    scores = scorecard.scores_compared(card)
    papers = scores["paper"].unique()
    n = max(len(papers), 1)
    figure, axes = panels(n, most=n, size=(9.0 / 5 * max(n, 2), 2.9), sharey=True)
    side = scores["difference"].gt(0).map({True: "higher", False: "lower"})
    looks = ("beyond 2 se, " + side).mask(scores[_BOUND].eq(True), _BOUND)
    middle = (scores["mean"] + scores["reproduced_mean"]) / 2
    shown = scores["difference"].clip(-_MOST, _MOST)
    for axis, paper in zip(axes, papers, strict=False):
        for look, (colour, marker) in _LOOKS.items():
            is_shown = (scores["paper"] == paper) & (looks == look)
            (dots,) = axis.plot(middle[is_shown], shown[is_shown], marker, label=look, color=colour)
            dots.set(markersize=2.5 if look == _BOUND else 3.5, markeredgewidth=0)
            dots.set(alpha=0.6 if look == _BOUND else 0.9)
        of_measure = limits[limits["paper"] == paper].set_index("measure")
        for measure, line in of_measure.iterrows():
            dash = "-" if measure == "mean difference" else "--"
            axis.axhspan(line["low"], line["high"], color="#333333", alpha=0.15, linewidth=0)
            axis.axhline(line["value"], color="#333333", linewidth=0.8, linestyle=dash)
        low, high = (of_measure.loc[f"{side} limit", "value"] for side in ("lower", "upper"))
        name, colon, _ = titles.get(paper, "").partition(":")
        ends = f"{low:+.2f} to {high:+.2f}".replace("-", "−")
        axis.set_title(f"{name if colon else paper}, {of_measure['cells'].iloc[0]} scores\n{ends}")
        room = 0.05 * _MOST
        axis.set(xlim=(-0.05, 1.03), ylim=(-_MOST - room, _MOST + room))
        axis.set_xlabel("mean of both numbers")
    axes[0].set_ylabel("reproduced minus published")
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        files, output, given = snakemake.input, snakemake.output, snakemake.params.given
        card = scorecard.compare_tables(given, files.tables)
        scores = read_scores(*files.scores)
        card["run minutes"] = card["run"].map(minutes_of(scores))
        cells = cells_of(card, given["own"], given["yardsticks"])
        cells = with_repeats(cells, scores, given["metrics"])
        write_numbers(output.agreement, measure_papers(cells, snakemake.params.seed))
        # The file is read back, because rounding twice could change the last digits.
        agreement = page(pd.read_csv(output.agreement), cells, given["yardsticks"])
        write_text(output.agreement_md, agreement)
        agreement *= bool(given["yardsticks"])
        write_text(output.md, summary_page(card, given["titles"], agreement))
        write_sortable_page(
            output.html,
            card.round(4)[[*_ON_PAGE]].rename(columns=_ON_PAGE).set_index("paper"),
            title="Scorecard",
            caption="The table lists every published number with the reproduced number.",
            note="z is the difference divided by the combined standard deviation of published and "
            "reproduced repeats.",
        )
        limits = scorecard.limits_of_agreement(card)
        write_numbers(output.limits, limits)
        write_figure(output, plot_differences(card, limits, given["titles"]), card)
