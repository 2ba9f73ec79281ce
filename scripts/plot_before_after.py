"""Scores of the base clusterings of the first draw, before and after refinement by a fit."""

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.metrics import score_partition
from coassoc.pages.style import styled
from reproduction.figures.inputs import FittedCell, fit_cells
from reproduction.figures.layout import label_scores, panel_each, shared_legend, write_figure
from reproduction.figures.style import curve_style
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence

#: Row of base clusterings before refinement.
GIVEN = "given"


def scores_of_refinements(
    fits: Iterable[FittedCell], metric: str, score: str
) -> Iterator[dict[str, Any]]:
    """Scores of base clusterings (x is their number) before and after refinement by each fit."""
    for fit in fits:
        place = {"dataset": fit.dataset, "refined_by": fit.label, "metric": metric, "repeats": 1}
        fitted = fit.estimator
        for row, labels in ((GIVEN, fitted.initial_labels_), (fit.label, fitted.refined_labels_)):
            for number, column in enumerate(labels.T, 1):
                mean = score_partition(fit.pool.classes, column)[score]
                yield {**place, "row": row, "x": number, "mean": mean}


@styled
def draw_before_after(lines: pd.DataFrame, metric: str) -> Figure:
    """Two bars for each base clustering; one panel per data set and method that refines them."""
    figure, drawn = panel_each(lines, ["dataset", "refined_by"])
    for axis, of_panel in drawn:
        dataset, method = of_panel[["dataset", "refined_by"]].iloc[0]
        is_given, colour = of_panel["row"] == GIVEN, curve_style(method)["color"]
        before, after = of_panel[is_given], of_panel[~is_given]
        number = before["x"].to_numpy()
        axis.bar(number - 0.21, before["mean"], 0.42, color="#999999", label="given")
        axis.bar(number + 0.21, after["mean"], 0.42, color=colour, label=f"refined by {method}")
        axis.set_title(dataset)  # the legend names the method
        axis.set_xlabel("base clustering")
        axis.set_xticks(number if len(number) <= 10 else number[:: -(-len(number) // 10)])
        axis.grid(False, axis="x")
    label_scores(figure, metric)
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        ((metric, score),) = evidence.spec["metrics"].items()
        lines = pd.DataFrame(
            scores_of_refinements(fit_cells(evidence, snakemake.params.fits), metric, score)
        )
        write_figure(snakemake.output, draw_before_after(lines, metric), lines)
