"""Curves and surfaces of scores against parameters or the ensemble size."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.pages.style import styled
from reproduction.figures import layout
from reproduction.figures.style import SYMBOLS, curve_style
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence
from reproduction.study.paths import Source

#: Number of methods in a panel above which bands would hide one another.
_MANY = 4


@styled
def draw_sensitivity(summary: pd.DataFrame, spec: Mapping[str, Any]) -> Figure:
    """Mean score, with a band of one standard deviation, against a parameter; a panel per data set.

    Cells without x are baselines, drawn as a horizontal line.
    """
    figure, drawn = layout.panel_each(summary)
    for axis, lines in drawn:
        axis.set_title(_title(lines))
        for name, points in _curves(lines[lines["x"].notna()]):
            layout.curve(axis, name, points["x"], points)
        for _, line in lines[lines["x"].isna()].iterrows():
            style = {**curve_style(line["label"]), "marker": "", "linestyle": "--"}
            axis.axhline(line["mean"], label=line["label"], **style)
            ends = line["mean"] - line["std"], line["mean"] + line["std"]
            axis.axhspan(*ends, color=style["color"], alpha=0.08, linewidth=0)
        if spec.get("scale") == "log":
            axis.set_xscale("log")
        axis.set_xlabel(SYMBOLS.get(spec["over"], spec["over"]))
        axis.margins(y=0.15)
        layout.least_span(axis)
    layout.label_scores(figure, spec["metric"])
    layout.shared_legend(figure)
    return figure


@styled
def draw_ensemble_size(summary: pd.DataFrame, spec: Mapping[str, Any]) -> Figure:
    """Mean score of each method against the number of base clusterings.

    With few methods, bands of one standard deviation surround the means.
    """
    crowded = summary["label"].nunique() > _MANY
    height, most = (2.6, 2) if crowded else (1.75, 4)
    figure, drawn = layout.panel_each(summary, height=height, most=most)
    for axis, lines in drawn:
        axis.set_title(_title(lines))
        for name, points in _curves(lines):
            layout.curve(axis, name, points["x"], points.assign(std=0.0) if crowded else points)
        layout.least_span(axis)
        axis.set(xticks=np.sort(lines["x"].astype(float).unique()), xlabel="ensemble size m")
    layout.label_scores(figure, spec["metric"])
    layout.shared_legend(figure)
    return figure


def _title(lines: pd.DataFrame) -> str:
    """The data set, and the number of repeats if its curves have fewer repeats than the pool."""
    shortened = lines[[Source.parse(run).repeats is not None for run in lines["run"]]]
    parts = []
    for repeats, some in shortened.groupby("repeats", sort=False):
        of = "" if set(some["label"]) == set(lines["label"]) else _names(some["label"].unique())
        parts.append(f"{of}{repeats} {'repeat' if repeats == 1 else 'repeats'}")
    return "\n".join([lines["dataset"].iloc[0], *parts])


def _names(labels: Sequence[str]) -> str:
    listed = ", ".join(label.split(" (")[0] for label in labels)
    return f"{listed if len(labels) < _MANY else f'{len(labels)} methods'}: "


def _curves(lines: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name of each method, without its settings, and its lines ordered by x.

    Shuffling of the samples is not a setting and stays in the name.
    """
    for label, points in lines.astype({"x": float}).groupby("label", sort=False):
        method, _, settings = str(label).partition(" (")
        name = f"{method} (shuffled)" if settings.startswith("shuffled") else method
        yield name, points.sort_values("x")


@styled
def draw_surface(summary: pd.DataFrame, spec: Mapping[str, Any]) -> Figure:
    """Mean score at each pair of values of two parameters; a row of panels per data set."""
    datasets, metrics = summary["dataset"].unique(), summary["metric"].unique()
    down, across = (SYMBOLS.get(name, name) for name in spec["over"])
    figure = Figure((3.6 * len(metrics), 2.9 * len(datasets)))
    grid = figure.subplots(len(datasets), len(metrics), squeeze=False)
    for axis, (dataset, metric) in zip(grid.flat, product(datasets, metrics), strict=True):
        lines = summary[(summary["dataset"] == dataset) & (summary["metric"] == metric)]
        _heat_map(axis, lines)
        axis.set_title(f"{dataset}: {metric}, {_number_of_repeats(lines)}")
        axis.set(ylabel=down, xlabel=across)
    return figure


def _number_of_repeats(lines: pd.DataFrame) -> str:
    number = int(lines["repeats"].max())
    if number == 1:
        return "one repeat"
    return f"mean over {number} repeats (each ±{lines['std'].mean():.2f})"


def _heat_map(axis: Axes, lines: pd.DataFrame) -> None:
    pairs = pd.DataFrame(lines["x"].tolist(), columns=["down", "across"], index=lines.index)
    image = pairs.assign(mean=lines["mean"]).pivot(index="down", columns="across", values="mean")
    middle = (np.nanmin(image) + np.nanmax(image)) / 2
    # The axis spans at least a tenth of the scale of scores, so that tiny differences look small.
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


#: Kind of figure → function that draws it, from the summary of its cells and its options.
DRAW = {
    "sensitivity": draw_sensitivity,
    "ensemble_size": draw_ensemble_size,
    "surface": draw_surface,
}


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        summary, spec = evidence.summary, evidence.spec
        layout.write_figure(snakemake.output, DRAW[spec["kind"]](summary, spec), summary)
