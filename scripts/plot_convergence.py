"""Recorded quantities of iterative methods: one curve for each repeat against the iteration."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coassoc.pages.style import panels, styled
from coassoc.storage.hdf5 import read_run
from coassoc.storage.records import Outcome, Run
from reproduction.figures.layout import shared_legend, write_figure
from reproduction.figures.style import curve_style
from reproduction.running.scripting import job
from reproduction.study.paths import Source, below_prefix
from reproduction.study.plan import Plan

#: Data set → method → recorded quantity of each repeat.
Traces = Mapping[str, Mapping[str, Sequence[NDArray]]]


def recorded(run: Run, quantity: str) -> list[NDArray]:
    """A recorded quantity of each repeat of a run with one point, without failed repeats."""
    (repeats,) = run.results
    return [repeat.history[quantity] for repeat in repeats if repeat.outcome is Outcome.OK]


@styled
def draw_convergence(traces: Traces, axis_label: str) -> Figure:
    """Draw a recorded quantity as a thin line for each repeat, with one panel per data set.

    Positive quantities that fall by more than a factor of a hundred get a logarithmic axis.
    """
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
    axes[0].set_ylabel(axis_label)
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        plan, target = Plan(snakemake.config), snakemake.wildcards.target
        spec, cells = plan.spec(target), plan.cells(target)
        quantity = spec["quantity"]
        traces: dict[str, dict[str, list[NDArray]]] = {}
        # Archived lines have no history, so every cell has a run.
        runs = snakemake.input.runs
        files = dict(zip((cell.sources[0] for cell in cells), runs, strict=True))
        for cell in cells:
            (run,) = cell.sources
            method = Source.parse(run).method
            content = read_run(below_prefix(files[run]), method, history=True)
            traces.setdefault(cell.dataset, {})[cell.label] = recorded(content, quantity)
        write_figure(snakemake.output, draw_convergence(traces, spec.get("axis", quantity)))
