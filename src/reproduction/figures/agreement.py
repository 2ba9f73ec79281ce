"""Published against reproduced scores, one panel per paper."""

import pandas as pd
from matplotlib.figure import Figure

from coassoc.pages.style import COLOURS, panels, styled
from reproduction.figures.layout import shared_legend

#: Colour and marker of the cells that agree, and of those that are above and below the paper's.
_LOOKS = {
    "reproduced": (COLOURS["blue"], "o"),
    "differs, higher": (COLOURS["green"], "^"),
    "differs, lower": (COLOURS["red"], "v"),
}


@styled
def plot_agreement(card: pd.DataFrame) -> Figure:
    """Scatter of the compared cells of a scorecard, with one standard deviation."""
    compared = card[card["verdict"].isin(["reproduced", "differs"])]
    papers = compared["paper"].unique()
    if not len(papers):
        figure = Figure(figsize=(4.5, 1.2))
        text = f"None of the {len(card)} published cells was compared;\nthe table says why."
        figure.text(0.5, 0.5, text, ha="center", va="center")
        return figure
    size = (9.0 / 5 * max(len(papers), 2), 2.6)
    figure, axes = panels(len(papers), most=len(papers), size=size)
    direction = compared["z"].gt(0).map({True: "differs, higher", False: "differs, lower"})
    looks = direction.where(compared["verdict"] == "differs", "reproduced")
    for axis, paper in zip(axes, papers, strict=True):
        cells = compared[compared["paper"] == paper]
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, zorder=1)
        for look, (colour, marker) in _LOOKS.items():
            shown = cells[looks[cells.index] == look]
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
        good = int((cells["verdict"] == "reproduced").sum())
        axis.set_title(f"{paper}\n{good} of {len(cells)} within 2 sd")
        axis.set(aspect="equal", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel="published")
    axes[0].set_ylabel("reproduced")
    shared_legend(figure)
    return figure
