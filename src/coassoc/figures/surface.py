"""Scores over a grid of two parameters, as heat maps with the numbers in the cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.figures.style import SYMBOLS

__all__ = ["plot_surface"]


def plot_surface(summary: pd.DataFrame, spec: Mapping[str, Any]) -> Figure:
    """Mean score at each pair of values; one row of panels per data set, one column per score.

    Parameters
    ----------
    summary : DataFrame
        From :func:`coassoc.results.summaries.summarize`, with x the pair of values.
    spec : mapping
        The figure's entry in the paper's file: ``over``, the two parameters.
    """
    datasets, metrics = list(summary["dataset"].unique()), list(summary["metric"].unique())
    figure, grid = plt.subplots(
        len(datasets),
        len(metrics),
        figsize=(3.6 * len(metrics), 2.9 * len(datasets)),
        squeeze=False,
    )
    for axes, dataset in zip(grid, datasets, strict=True):
        for axis, metric in zip(axes, metrics, strict=True):
            here = (summary["dataset"] == dataset) & (summary["metric"] == metric)
            _heat_map(figure, axis, summary[here])
            axis.set_title(f"{dataset}: {metric}, {_repeats(summary[here])}")
            axis.set_ylabel(SYMBOLS.get(spec["over"][0], spec["over"][0]))
            axis.set_xlabel(SYMBOLS.get(spec["over"][1], spec["over"][1]))
    return figure


def _repeats(lines: pd.DataFrame) -> str:
    number = int(lines["repeats"].max())
    if number == 1:
        return "one repeat"
    return f"mean over {number} repeats (each ±{lines['std'].mean():.2f})"


def _heat_map(figure: Figure, axis: Axes, lines: pd.DataFrame) -> None:
    pairs = pd.DataFrame(lines["x"].tolist(), columns=["down", "across"], index=lines.index)
    image = pairs.assign(mean=lines["mean"]).pivot(index="down", columns="across", values="mean")
    middle = (np.nanmin(image) + np.nanmax(image)) / 2
    # At least a tenth of the scale of scores, so that trifles do not look like cliffs.
    reach = max((np.nanmax(image) - np.nanmin(image)) / 2, 0.05)
    shown = axis.imshow(
        image,
        origin="lower",
        cmap="viridis",
        aspect="auto",
        vmin=middle - reach,
        vmax=middle + reach,
    )
    axis.set_xticks(range(image.shape[1]), [f"{v:g}" for v in image.columns], rotation=45)
    axis.set_yticks(range(image.shape[0]), [f"{v:g}" for v in image.index])
    axis.grid(False)
    for (row, column), value in np.ndenumerate(image.to_numpy()):
        colour = "white" if value < middle else "black"
        axis.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=5)
    figure.colorbar(shown, ax=axis, shrink=0.9)
