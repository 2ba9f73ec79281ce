"""Criteria for the number of clusters in one figure."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.pages.layout import panels
from coassoc.pages.style import COLOURS, styled
from coassoc.selection import CRITERIA, Selection


@styled
def plot_selection(selection: Selection) -> Figure:
    """CDF of the consensus index at each c, and each criterion against c with its choice marked."""
    figure, axes = panels(1 + len(CRITERIA), height=1.7)
    _cumulative(axes[0], selection)
    numbers = selection.criteria.index
    for axis, name in zip(axes[1:], CRITERIA, strict=True):
        values = selection.criteria[name]
        c = selection.chosen[name]
        axis.plot(numbers, values, marker="o", color=COLOURS["blue"])
        axis.plot(c, values[c], marker="o", markersize=8, color=COLOURS["red"], fillstyle="none")
        axis.set(title=f"{name}: {c}", xlabel="number of clusters c")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    return figure


def _cumulative(axis: Axes, selection: Selection) -> None:
    """The CDF curves, darker with more clusters."""
    numbers = list(selection.distributions)
    colours = colormaps["viridis_r"]
    for place, c in zip(np.linspace(0.05, 1, len(numbers)), numbers, strict=True):
        distribution = selection.distributions[c]
        x = np.concatenate(([0.0], distribution.values, [1.0]))
        y = np.concatenate(([0.0], distribution.cumulative, [1.0]))
        axis.step(x, y, where="post", color=colours(place), linewidth=0.8)
    scale = ScalarMappable(Normalize(numbers[0], numbers[-1]), colours)
    bar = axis.figure.colorbar(scale, ax=axis, fraction=0.06, pad=0.03)
    bar.ax.set_title("c", fontsize=7)
    bar.ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set(title="CDF", xlabel="consensus index", ylim=(0, 1.02))
