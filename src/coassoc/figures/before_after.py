"""Scores of every base clustering before and after a method refined it (ACMK Fig. 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.figures.style import curve_style, panels, shared_legend
from coassoc.metrics import score_partition

__all__ = ["Refinement", "plot_before_after", "scores_of_refinement"]


class Refinement(NamedTuple):
    """Scores of m base clusterings, in the order in which the ensemble lists them.

    Attributes
    ----------
    before, after : (m,) array
        Of the base clusterings given, and of the refined ones.
    """

    before: NDArray
    after: NDArray


def scores_of_refinement(estimator: Any, classes: NDArray, score: str) -> Refinement:
    """Score the base clusterings that a fitted estimator got and those that it made of them.

    Parameters
    ----------
    estimator : fitted estimator
        With `initial_labels_` and `refined_labels_`, (n, m) integer arrays.
    classes : (n,) integer array
    score : str
        A key of :func:`coassoc.metrics.score_partition`.
    """
    before, after = (
        np.array([score_partition(classes, g)[score] for g in labels.T])
        for labels in (estimator.initial_labels_, estimator.refined_labels_)
    )
    return Refinement(before, after)


def plot_before_after(refinements: Mapping[str, Mapping[str, Refinement]], metric: str) -> Figure:
    """Two bars for each base clustering; one panel per data set and method.

    Parameters
    ----------
    refinements : mapping
        Data set → method → its scores.
    metric : str
        Name of the score, for the axis.
    """
    shown = [
        (dataset, method, scores)
        for dataset, methods in refinements.items()
        for method, scores in methods.items()
    ]
    several = max(len(methods) for methods in refinements.values()) > 1
    figure, axes = panels(len(shown))
    for axis, (dataset, method, scores) in zip(axes, shown, strict=True):
        number = np.arange(1, len(scores.before) + 1)
        colour = curve_style(method)["color"]
        axis.bar(number - 0.21, scores.before, 0.42, color="#999999", label="given")
        axis.bar(number + 0.21, scores.after, 0.42, color=colour, label=f"refined by {method}")
        axis.set_title(f"{dataset}, {method}" if several else dataset)
        axis.set_xlabel("base clustering")
        axis.set_xticks(number if len(number) <= 10 else number[:: -(-len(number) // 10)])
        axis.grid(False, axis="x")
        place = axis.get_subplotspec()
        if place is not None and place.is_first_col():
            axis.set_ylabel(metric)
    shared_legend(figure, axes)
    return figure
