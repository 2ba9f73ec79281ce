"""Criteria for the number of clusters in one figure."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.figures.style import panels
from coassoc.selection import CRITERIA, Selection

__all__ = ["plot_selection"]


def plot_selection(selection: Selection) -> Figure:
    """CDF of the consensus index at each c, and each criterion against c with its choice marked.

    Above stands the sentence that says where the criteria disagree.

    Parameters
    ----------
    selection : Selection
        From :func:`coassoc.selection.select_n_clusters`.
    """
    figure, axes = panels(1 + len(CRITERIA), height=1.7)
    _cumulative(figure, axes[0], selection)
    numbers = selection.criteria.index
    for axis, name in zip(axes[1:], CRITERIA, strict=True):
        values = selection.criteria[name]
        c = selection.chosen[name]
        axis.plot(numbers, values, marker="o", color="#0072B2")
        axis.plot(c, values[c], marker="o", markersize=8, color="#D55E00", fillstyle="none")
        axis.set_title(f"{name}: {c}")
        axis.set_xlabel("number of clusters c")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    figure.suptitle("\n".join(textwrap.wrap(selection.verdict, 110)), fontsize=8)
    return figure


def _cumulative(figure: Figure, axis: Axes, selection: Selection) -> None:
    """The CDF curves, darker with more clusters."""
    numbers = list(selection.distributions)
    colours = plt.get_cmap("viridis_r")
    for place, c in zip(np.linspace(0.05, 1, len(numbers)), numbers, strict=True):
        found = selection.distributions[c]
        x = np.concatenate(([0.0], found.values, [1.0]))
        y = np.concatenate(([0.0], found.cumulative, [1.0]))
        axis.step(x, y, where="post", color=colours(place), linewidth=0.8)
    scale = plt.Normalize(numbers[0], numbers[-1])
    mappable = plt.cm.ScalarMappable(scale, colours)
    figure.colorbar(mappable, ax=axis, label="c")
    axis.set_title("CDF")
    axis.set_xlabel("consensus index")
    axis.set_ylim(0, 1.02)
