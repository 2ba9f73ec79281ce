"""Score of each repeat against the base clusterings that it saw (LTA Fig. 2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.figures.inputs import Inputs
from coassoc.figures.layout import label_scores, panels, shared_legend
from coassoc.figures.style import curve_style, styled
from coassoc.results.summaries import cell_scores
from coassoc.storage.hdf5 import read_draws

__all__ = ["draw_base_quality", "repeats_against_base"]


def repeats_against_base(inputs: Inputs, column: str) -> pd.DataFrame:
    """One line per cell and repeat: label, dataset, repeat, base, pool, score.

    Base is the mean score (`column`) of the ensemble's base clusterings, pool that of all.
    """
    lines = []
    for cell in inputs.cells:
        frame, _ = cell_scores(cell, inputs.scores)
        good = frame[frame["status"] == "ok"]
        scores = inputs.scores[f"{cell['pool']}/{cell['dataset']}/base"][column].to_numpy()
        means = scores[read_draws(inputs.pool(cell), cell["m"])].mean(axis=1)
        columns = {
            "label": cell["label"],
            "dataset": cell["dataset"],
            "repeat": good["repeat"],
            "base": means[good["repeat"]],
            "pool": scores.mean(),
            "score": good[column],
        }
        lines.append(pd.DataFrame(columns))
    return pd.concat(lines, ignore_index=True)


@styled
def draw_base_quality(inputs: Inputs) -> Figure:
    """One point per repeat; above the grey diagonal consensus is better than its base.

    A dotted line is at the mean score of the pool. The first of the entry's ``metrics`` counts.
    """
    metric, column = next(iter(inputs.spec["metrics"].items()))
    points = repeats_against_base(inputs, column)
    figure, axes = panels(points["dataset"].nunique(), height=1.95)
    for axis, (dataset, here) in zip(axes, points.groupby("dataset", sort=False), strict=True):
        _scatter(axis, here)
        axis.set_title(str(dataset))
        axis.set_xlabel(f"mean {metric} of the base")
    label_scores(axes, f"{metric} of consensus")
    shared_legend(figure, columns=3)
    return figure


def _scatter(axis: Axes, points: pd.DataFrame) -> None:
    """The repeats on one data set."""
    for label, dots in points.groupby("label", sort=False):
        style = {**curve_style(str(label)), "linestyle": "", "alpha": 0.8}
        style |= {"markersize": 3.2, "markeredgewidth": 0.7}
        if "shuffled" in str(label):
            style["markerfacecolor"] = "white"
        axis.plot(dots["base"], dots["score"], label=label, **style)
    low, high = points["base"].min(), points["base"].max()
    room = 0.15 * max(high - low, 0.01)
    axis.set_xlim(low - room, high + room)
    axis.axline((low, low), slope=1, color="#999999", linewidth=0.8, zorder=1)
    line = axis.axhline(points["pool"].iloc[0], color="#444444", linewidth=0.8, zorder=1)
    line.set(linestyle=":", label="mean of the pool")
    score = points["score"]
    axis.set_ylim(min(low, score.min()) - 0.05, min(1.02, score.max() + 0.05))
