"""What iterative methods record: one curve for each repeat against the iteration."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.pages.style import panels, styled
from reproduction.figures.inputs import Inputs
from reproduction.figures.layout import shared_legend
from reproduction.figures.style import curve_style


@styled
def draw_convergence(inputs: Inputs) -> Figure:
    """Traces of a recorded quantity, a thin line for each repeat; one panel per data set.

    Positive quantities that fall by more than a factor of a hundred get a logarithmic axis.
    """
    quantity = inputs.spec["quantity"]
    traces: dict[str, dict[str, list]] = {}
    for cell, run in zip(inputs.cells, inputs.runs, strict=True):
        made = [result.history[quantity] for result in run.results[0] if result.status == "ok"]
        traces.setdefault(cell["dataset"], {})[cell["label"]] = made
    figure, axes = panels(len(traces))
    for axis, (dataset, methods) in zip(axes, traces.items(), strict=True):
        axis.set_title(dataset)
        for method, repeats in methods.items():
            style = {**curve_style(method), "marker": "", "linewidth": 0.7}
            for number, trace in enumerate(repeats):
                label = method if number == 0 else None
                axis.plot(np.arange(1, len(trace) + 1), trace, label=label, alpha=0.6, **style)
        values = np.concatenate([[], *(line.get_ydata() for line in axis.lines)])
        values = values[np.isfinite(values)]
        if values.size and values.min() > 0 and values.max() > 100 * values.min():
            axis.set_yscale("log")
        axis.set_xlabel("iteration")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes[0].set_ylabel(inputs.spec.get("axis", quantity))
    shared_legend(figure)
    return figure
