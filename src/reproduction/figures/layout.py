"""Panels of the studies' figures, their curves, names and legends."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.pages.style import panels, save
from reproduction.figures.style import curve_style
from reproduction.pages import write_numbers

#: Smallest span of an axis of scores.
LEAST_SPAN = 0.05


def write_figure(paths: Any, figure: Figure, lines: pd.DataFrame) -> None:
    """Write a figure to a rule's outputs "pdf" and "png", and its numbers to "csv"."""
    write_numbers(paths.csv, lines, index=lines.index.name is not None)
    save(figure, {"pdf": paths.pdf, "png": paths.png})


def panel_each(
    lines: pd.DataFrame, by: str | list[str] = "dataset", **options: Any
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """A panel (see :func:`panels`) for each value of `by`, titled by the value, and its lines."""
    groups = list(lines.groupby(by, sort=False))
    figure, axes = panels(len(groups), **options)
    for axis, (name, _) in zip(axes, groups, strict=True):
        axis.set_title(str(name))
    return figure, [(axis, here) for axis, (_, here) in zip(axes, groups, strict=True)]


def curve(axis: Axes, name: str, x: pd.Series, lines: pd.DataFrame, **look: Any) -> None:
    """Draw a method's means over x, with a band of one standard deviation around the means."""
    style, mean, std = curve_style(name) | look, lines["mean"], lines["std"].fillna(0)
    axis.fill_between(x, mean - std, mean + std, color=style["color"], alpha=0.15, linewidth=0)
    axis.plot(x, mean, label=name, **style)


def least_span(axis: Axes) -> None:
    """Give the vertical axis a minimum span, so that tiny differences look small."""
    low, high = axis.get_ylim()
    short = LEAST_SPAN - (high - low)
    if short > 0:
        axis.set_ylim(low - short / 2, high + short / 2)


def label_scores(figure: Figure, text: str) -> None:
    """Label the vertical axis of the first panel in each row."""
    for axis in figure.axes:
        place = axis.get_subplotspec()
        if place is not None and place.is_first_col():
            axis.set_ylabel(text)


def shared_legend(figure: Figure, columns: int = 6) -> None:
    """Draw one legend below all panels, with each label once, in at most `columns` columns."""
    entries: dict[str, Any] = {}
    for axis in figure.axes:
        handles, labels = axis.get_legend_handles_labels()
        entries.update(dict(zip(labels, handles, strict=True)))
    # Width of a column in inches: a symbol, the gaps around it, and the letters of the longest
    # label.
    longest = 0.5 + 0.06 * max(map(len, entries), default=0)
    room = int(figure.get_figwidth() / longest)
    n = max(1, min(columns, len(entries), room))
    place: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
    figure.legend(entries.values(), entries.keys(), ncols=n, **place)
