"""Recorded quantities of iterative methods: one curve for each repeat against the iteration."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.bench.storage.hdf5 import read_run
from coassoc.bench.storage.records import Outcome, Run
from coassoc.pages.style import styled
from reproduction.figures.layout import panel_each, shared_legend, write_figure
from reproduction.figures.style import curve_style
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence
from reproduction.study.paths import Source


def recorded(run: Run, quantity: str) -> pd.DataFrame:
    """A recorded quantity of a run with one point: a value of each iteration and repeat."""
    (repeats,) = run.results
    lines = [
        (repeat, iteration, value)
        for repeat, result in enumerate(repeats)
        if result.outcome is Outcome.OK
        for iteration, value in enumerate(result.history[quantity], 1)
    ]
    return pd.DataFrame(lines, columns=["repeat", "iteration", "value"])


@styled
def draw_convergence(lines: pd.DataFrame, axis_label: str) -> Figure:
    """Draw a recorded quantity as a thin line for each repeat, with one panel per data set.

    Positive quantities that fall by more than a factor of a hundred get a logarithmic axis.
    """
    figure, drawn = panel_each(lines)
    for axis, of_panel in drawn:
        for (method, _), trace in of_panel.groupby(["label", "repeat"], sort=False):
            style = {**curve_style(method), "marker": "", "linewidth": 0.7, "alpha": 0.6}
            axis.plot(trace["iteration"], trace["value"], label=method, **style)
        values = of_panel["value"][np.isfinite(of_panel["value"])]
        if len(values) and values.min() > 0 and values.max() > 100 * values.min():
            axis.set_yscale("log")
        axis.set_xlabel("iteration")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    figure.axes[0].set_ylabel(axis_label)
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        spec, frames = evidence.spec, []
        # Archived lines have no history, so every cell has a run.
        for cell, file in zip(evidence.cells, snakemake.input.runs, strict=True):
            run = read_run(file, Source.parse(cell.sources[0]).method, history=True)
            own = {"dataset": cell.dataset, "label": cell.label}
            frames.append(recorded(run, spec["quantity"]).assign(**own))
        lines = pd.concat(frames)
        figure = draw_convergence(lines, spec.get("axis", spec["quantity"]))
        write_figure(snakemake.output, figure, lines)
