"""Scores of every base clustering before and after a method refined it (ACMK Fig. 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.figures.inputs import Inputs
from coassoc.figures.layout import label_scores, panels, shared_legend
from coassoc.figures.style import curve_style, styled
from coassoc.metrics import score_partition

__all__ = ["draw_before_after", "scores_of_refinement"]


def scores_of_refinement(estimator: Any, classes: NDArray, score: str) -> tuple[NDArray, NDArray]:
    """Scores of m base clusterings and of what a method made of them, (m,) arrays.

    The fitted estimator has `initial_labels_` and `refined_labels_`, (n, m) integer arrays.
    """
    before, after = (
        np.array([score_partition(classes, g)[score] for g in labels.T])
        for labels in (estimator.initial_labels_, estimator.refined_labels_)
    )
    return before, after


@styled
def draw_before_after(inputs: Inputs) -> Figure:
    """Two bars for each base clustering; one panel per data set and method.

    The entry has one of ``metrics``; the methods are those that refine base clusterings.
    """
    ((metric, column),) = inputs.spec["metrics"].items()
    refined = [
        (fit.dataset, fit.label, scores_of_refinement(fit.estimator, fit.pool.classes, column))
        for fit in inputs.fits
    ]
    several = len(refined) > len({dataset for dataset, _, _ in refined})
    figure, axes = panels(len(refined))
    for axis, (dataset, method, (before, after)) in zip(axes, refined, strict=True):
        number = np.arange(1, len(before) + 1)
        colour = curve_style(method)["color"]
        axis.bar(number - 0.21, before, 0.42, color="#999999", label="given")
        axis.bar(number + 0.21, after, 0.42, color=colour, label=f"refined by {method}")
        axis.set_title(f"{dataset}, {method}" if several else dataset)
        axis.set_xlabel("base clustering")
        axis.set_xticks(number if len(number) <= 10 else number[:: -(-len(number) // 10)])
        axis.grid(False, axis="x")
    label_scores(axes, metric)
    shared_legend(figure)
    return figure
