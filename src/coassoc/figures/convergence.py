"""What iterative methods record: one curve for each repeat against the iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coassoc.figures.style import curve_style, panels, shared_legend

__all__ = ["plot_convergence"]


def plot_convergence(traces: Mapping[str, Mapping[str, Sequence[NDArray]]], name: str) -> Figure:
    """Traces of a quantity, thin for each repeat; one panel per data set.

    Parameters
    ----------
    traces : mapping
        Data set → method → one array per repeat.
    name : str
        What the axis calls the quantity. Positive quantities that fall by more than a factor of a
        hundred get a logarithmic axis.
    """
    figure, axes = panels(len(traces))
    for axis, (dataset, methods) in zip(axes, traces.items(), strict=True):
        axis.set_title(dataset)
        smallest, largest = np.inf, -np.inf
        for method, repeats in methods.items():
            style = {**curve_style(method), "marker": "", "linewidth": 0.7}
            for number, trace in enumerate(repeats):
                label = method if number == 0 else None
                axis.plot(np.arange(1, len(trace) + 1), trace, label=label, alpha=0.6, **style)
                finite = trace[np.isfinite(trace)]
                smallest, largest = min(smallest, finite.min()), max(largest, finite.max())
        if smallest > 0 and largest > 100 * smallest:
            axis.set_yscale("log")
        axis.set_xlabel("iteration")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes[0].set_ylabel(name)
    shared_legend(figure, axes)
    return figure
