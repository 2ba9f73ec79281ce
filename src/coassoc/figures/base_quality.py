"""Score of each repeat against the base clusterings that it saw (LTA Fig. 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.figures.style import curve_style, panels, shared_legend
from coassoc.results.summaries import cell_scores
from coassoc.storage.hdf5 import read_draws
from coassoc.storage.records import Pool

__all__ = ["plot_base_quality", "repeats_against_base"]


def repeats_against_base(
    cells: list[Mapping[str, Any]],
    scores: Mapping[str, pd.DataFrame],
    base: Mapping[str, pd.DataFrame],
    pools: Mapping[str, Pool],
    column: str,
) -> pd.DataFrame:
    """One line per cell and repeat.

    Parameters
    ----------
    cells : list of mapping
        Cells of the figure.
    scores : mapping of str to DataFrame
        Score files by their stems.
    base, pools : mapping
        "pool/dataset" → scores of the base clusterings, and the pool, which knows the draws.
    column : str
        The score.

    Returns
    -------
    DataFrame
        Columns label, dataset, repeat, base (mean score of the ensemble's base clusterings), pool
        (mean score of all base clusterings), score.
    """
    lines = []
    for cell in cells:
        place = f"{cell['pool']}/{cell['dataset']}"
        frame, _ = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"]
        draws = read_draws(pools[place], cell["m"])
        of_each = base[place][column].to_numpy()
        means = of_each[draws].mean(axis=1)
        lines.append(
            pd.DataFrame(
                {
                    "label": cell["label"],
                    "dataset": cell["dataset"],
                    "repeat": good["repeat"],
                    "base": means[good["repeat"]],
                    "pool": of_each.mean(),
                    "score": good[column],
                }
            )
        )
    return pd.concat(lines, ignore_index=True)


def plot_base_quality(points: pd.DataFrame, metric: str) -> Figure:
    """One point per repeat; above the grey diagonal consensus is better than its base.

    A dotted line is at the mean score of the pool.

    Parameters
    ----------
    points : DataFrame
        From :func:`repeats_against_base`.
    metric : str
        Name of the score.
    """
    datasets = list(dict.fromkeys(points["dataset"]))
    figure, axes = panels(len(datasets), height=1.95)
    for axis, dataset in zip(axes, datasets, strict=True):
        here = points[points["dataset"] == dataset]
        for label, dots in here.groupby("label", sort=False):
            style = curve_style(str(label))
            axis.plot(
                dots["base"],
                dots["score"],
                linestyle="",
                marker=style["marker"],
                color=style["color"],
                markerfacecolor="white" if "shuffled" in str(label) else style["color"],
                markersize=3.2,
                markeredgewidth=0.7,
                alpha=0.8,
                label=label,
            )
        low, high = here["base"].min(), here["base"].max()
        room = 0.15 * max(high - low, 0.01)
        axis.set_xlim(low - room, high + room)
        axis.axline((low, low), slope=1, color="#999999", linewidth=0.8, zorder=1)
        axis.axhline(
            here["pool"].iloc[0], color="#444444", linewidth=0.8, linestyle=":", zorder=1,
            label="mean of the pool",
        )  # fmt: skip
        axis.set_ylim(min(low, here["score"].min()) - 0.05, min(1.02, here["score"].max() + 0.05))
        axis.set_title(dataset)
        axis.set_xlabel(f"mean {metric} of the base")
        place = axis.get_subplotspec()
        if place is not None and place.is_first_col():
            axis.set_ylabel(f"{metric} of consensus")
    shared_legend(figure, axes, columns=3)
    return figure
