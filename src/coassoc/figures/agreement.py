"""Published against reproduced scores, one panel per paper."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from coassoc.figures.style import panels, shared_legend

__all__ = ["plot_agreement"]

_COLOURS = {"reproduced": "#0072B2", "better": "#009E73", "worse": "#D55E00"}
_MARKERS = {"reproduced": "o", "better": "^", "worse": "v"}


def plot_agreement(card: pd.DataFrame) -> Figure:
    """Scatter of all compared cells; on the diagonal the numbers are equal.

    Parameters
    ----------
    card : DataFrame
        From :func:`coassoc.scorecard.scorecard`.
    """
    compared = card[card["verdict"].isin(list(_COLOURS))]
    papers = list(dict.fromkeys(compared["paper"])) or ["no cell was compared"]
    figure, axes = panels(len(papers), width=9.0, height=2.6)
    for axis, paper in zip(axes, papers, strict=True):
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
        for verdict, colour in _COLOURS.items():
            cells = compared[(compared["paper"] == paper) & (compared["verdict"] == verdict)]
            axis.scatter(
                cells["mean"],
                cells["reproduced_mean"],
                s=9,
                marker=_MARKERS[verdict],
                color=colour,
                alpha=0.7,
                linewidths=0,
                label=verdict,
            )
        axis.set_title(paper)
        axis.set_aspect("equal")
        axis.set_xlabel("published")
    axes[0].set_ylabel("reproduced")
    shared_legend(figure, axes)
    return figure
