"""Published against reproduced scores, one panel per paper."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from coassoc.figures.style import shared_legend

__all__ = ["plot_agreement"]

#: Colour and marker of the cells that agree, and of those that are above and below the paper's.
_LOOKS = {
    "reproduced": ("#0072B2", "o"),
    "differs, higher": ("#009E73", "^"),
    "differs, lower": ("#D55E00", "v"),
}


def plot_agreement(card: pd.DataFrame) -> Figure:
    """Scatter of all compared cells; on the diagonal the numbers are equal.

    Parameters
    ----------
    card : DataFrame
        From :func:`~coassoc.results.scorecard.scorecard`. Bars show one standard deviation, where
        the paper and the repeats have one.
    """
    compared = card[card["verdict"].isin(["reproduced", "differs"])]
    papers = list(dict.fromkeys(compared["paper"]))
    if not papers:
        return _nothing_to_show(card)
    width = 9.0 / 5 * max(len(papers), 2)
    figure, axes = plt.subplots(1, len(papers), figsize=(width, 2.6), squeeze=False)
    for axis, paper in zip(axes.flat, papers, strict=True):
        cells = compared[compared["paper"] == paper]
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, zorder=1)
        for look, (colour, marker) in _LOOKS.items():
            shown = cells[_looks(cells) == look]
            axis.errorbar(
                shown["mean"],
                shown["reproduced_mean"],
                xerr=shown["std"].fillna(0),
                yerr=shown["reproduced_std"].fillna(0),
                fmt=marker,
                markersize=3,
                markeredgewidth=0,
                elinewidth=0.4,
                color=colour,
                alpha=0.6,
                label=look,
            )
        total = int((card["paper"] == paper).sum())
        axis.set_title(f"{paper}: {len(cells)} of {total} cells")
        axis.set_aspect("equal")
        axis.set_xlim(-0.03, 1.03)
        axis.set_ylim(-0.03, 1.03)
        axis.set_xlabel("published")
    axes.flat[0].set_ylabel("reproduced")
    shared_legend(figure, axes.flat)
    return figure


def _looks(cells: pd.DataFrame) -> pd.Series:
    look = pd.Series("reproduced", index=cells.index)
    differs = cells["verdict"] == "differs"
    look[differs & (cells["z"] > 0)] = "differs, higher"
    look[differs & (cells["z"] < 0)] = "differs, lower"
    return look


def _nothing_to_show(card: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(4.5, 1.2))
    axis.axis("off")
    text = f"None of the {len(card)} published cells was compared;\nthe table says why."
    axis.text(0.5, 0.5, text, ha="center", va="center")
    return figure
