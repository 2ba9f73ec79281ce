"""Scores over a grid of two parameters, as heat maps with the numbers in the cells."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.figures.inputs import Inputs
from coassoc.figures.style import SYMBOLS, styled

__all__ = ["draw_surface"]


@styled
def draw_surface(inputs: Inputs) -> Figure:
    """Mean score at each pair of values of the two parameters that the entry has ``over``.

    One row of panels per data set, one column per score.
    """
    summary = inputs.summary
    datasets, metrics = summary["dataset"].unique(), summary["metric"].unique()
    down, across = (SYMBOLS.get(name, name) for name in inputs.spec["over"])
    figure = Figure((3.6 * len(metrics), 2.9 * len(datasets)))
    grid = figure.subplots(len(datasets), len(metrics), squeeze=False)
    for axis, (dataset, metric) in zip(grid.flat, product(datasets, metrics), strict=True):
        lines = summary[(summary["dataset"] == dataset) & (summary["metric"] == metric)]
        _heat_map(axis, lines)
        axis.set_title(f"{dataset}: {metric}, {_repeats(lines)}")
        axis.set(ylabel=down, xlabel=across)
    return figure


def _repeats(lines: pd.DataFrame) -> str:
    number = int(lines["repeats"].max())
    if number == 1:
        return "one repeat"
    return f"mean over {number} repeats (each ±{lines['std'].mean():.2f})"


def _heat_map(axis: Axes, lines: pd.DataFrame) -> None:
    pairs = pd.DataFrame(lines["x"].tolist(), columns=["down", "across"], index=lines.index)
    image = pairs.assign(mean=lines["mean"]).pivot(index="down", columns="across", values="mean")
    middle = (np.nanmin(image) + np.nanmax(image)) / 2
    # At least a tenth of the scale of scores, so that trifles do not look like cliffs.
    reach = max((np.nanmax(image) - np.nanmin(image)) / 2, 0.05)
    limits = {"vmin": middle - reach, "vmax": middle + reach}
    shown = axis.imshow(image, origin="lower", cmap="viridis", aspect="auto", **limits)
    axis.set_xticks(range(image.shape[1]), [f"{v:g}" for v in image.columns], rotation=45)
    axis.set_yticks(range(image.shape[0]), [f"{v:g}" for v in image.index])
    axis.grid(False)
    for (row, column), value in np.ndenumerate(image.to_numpy()):
        colour = "white" if value < middle else "black"
        axis.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=5)
    axis.figure.colorbar(shown, ax=axis, shrink=0.9)
