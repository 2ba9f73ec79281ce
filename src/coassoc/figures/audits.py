"""Figures of the audits: variants side by side, protocols, critical differences, growth with n."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from coassoc.figures.style import curve_style, panels, shared_legend
from coassoc.results.audits import LEVEL, Audit, Significance
from coassoc.results.audits.order import readers
from coassoc.results.audits.scaling import SMALLEST_PEAK

__all__ = [
    "plot_audit",
    "plot_finds",
    "plot_growth",
    "plot_orders",
    "plot_protocol",
    "plot_significance",
    "plot_variants",
]

#: Marker of each variant, and whether it is filled.
_VARIANTS = (("o", True), ("o", False), ("D", False), ("s", False), ("^", False))


def plot_audit(result: Audit) -> Figure:
    """The figure of an audit, by its kind."""
    if result.kind == "scaling":
        return plot_growth(result.found)
    if result.kind == "n_clusters":
        return plot_finds(result.found)
    if result.kind == "significance":
        return plot_significance(result.found, result.metric)
    if result.kind == "protocol":
        return plot_protocol(result.found)
    if result.kind == "order":
        return plot_orders(result.found, result.metric)
    return plot_variants(result.found, result.metric)


def plot_variants(found: pd.DataFrame, metric: str) -> Figure:
    """One panel per data set; methods down, a marker per variant with one standard deviation.

    Parameters
    ----------
    found : DataFrame
        From :func:`coassoc.results.audits.variants.compare_variants`.
    metric : str
        Name of the score.
    """
    methods = list(dict.fromkeys(found["label"]))
    variants = list(dict.fromkeys(found["variant"]))
    datasets = list(dict.fromkeys(found["dataset"]))
    columns = min(len(datasets), 4)
    rows = -(-len(datasets) // columns)
    size = (1.2 + 1.75 * columns, (max(0.22 * len(methods), 0.8) + 0.6) * rows + 0.5)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for axis, dataset in zip(grid.flat, datasets, strict=False):
        here = found[found["dataset"] == dataset]
        for y, method in enumerate(methods):
            _variants(axis, here[here["label"] == method].set_index("variant"), variants, y)
        axis.set_title(dataset)
        axis.set_xlabel(metric)
        _widen(axis)
    for axis in list(grid.flat)[len(datasets) :]:
        axis.set_visible(False)
    grid[0, 0].set_yticks(range(len(methods)), methods)
    grid[0, 0].set_ylim(len(methods) - 0.5, -0.5)
    handles = [
        Line2D([], [], linestyle="", label=variant, **_look("#333333", number))
        for number, variant in enumerate(variants)
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=min(2, len(handles)), frameon=False
    )
    return figure


def _widen(axis: Axes, least: float = 0.1) -> None:
    """Show at least a tenth of the scale of scores, so that trifles look like trifles."""
    low, high = axis.get_xlim()
    room = max(least - (high - low), 0.0) / 2
    axis.set_xlim(low - room, high + room)


def _variants(axis: Axes, lines: pd.DataFrame, variants: list[str], y: int) -> None:
    """The variants of one method on one data set, joined by a line."""
    if lines.empty:
        return
    colour = curve_style(str(lines["label"].iloc[0]))["color"]
    shifts = np.linspace(-0.2, 0.2, len(variants))
    axis.hlines(y, lines["mean"].min(), lines["mean"].max(), color=colour, linewidth=0.8, alpha=0.5)
    for number, variant in enumerate(variants):
        if variant in lines.index:
            line = lines.loc[variant]
            axis.errorbar(
                line["mean"],
                y + shifts[number],
                xerr=np.nan_to_num(line["std"]),
                elinewidth=0.6,
                linestyle="",
                zorder=3,
                **_look(colour, number),
            )


def _look(colour: str, number: int) -> dict[str, Any]:
    marker, filled = _VARIANTS[number % len(_VARIANTS)]
    return {
        "marker": marker,
        "color": colour,
        "markerfacecolor": colour if filled else "white",
        "markeredgewidth": 0.9,
        "markersize": 4,
    }


def plot_orders(found: pd.DataFrame, metric: str) -> Figure:
    """One panel per data set: the score of each method against the percentage shuffled.

    Methods that read the order have their colours and a band of one standard deviation, the plain
    method that all must beat is black, the others are thin lines.

    Parameters
    ----------
    found : DataFrame
        From :func:`coassoc.results.audits.order.compare_orders`.
    metric : str
        Name of the score.
    """
    figure, axes = panels(found["dataset"].nunique(), height=2.1)
    coloured = readers(found)
    plain = found.loc[found["gain"].abs().groupby(found["label"]).transform("max") == 0, "label"]
    for axis, (dataset, here) in zip(axes, found.groupby("dataset", sort=False), strict=True):
        for label, lines in here.groupby("label", sort=False):
            x, y, std = lines["shuffled"], lines["mean"], lines["std"].fillna(0)
            if label in set(plain):
                axis.plot(x, y, color="#000000", linewidth=1.8, zorder=3, label=str(label))
            elif label in coloured:
                style = curve_style(str(label))
                axis.plot(x, y, label=str(label), zorder=4, **style)
                band = {"color": style["color"], "alpha": 0.15, "linewidth": 0}
                axis.fill_between(x, y - std, y + std, **band)
            else:
                axis.plot(x, y, color="#BBBBBB", linewidth=0.6, label="the other methods")
        axis.set_title(str(dataset))
        axis.set_xticks(sorted(found["shuffled"].unique()))
        axis.set_xlabel("samples shuffled (%)")
    axes[0].set_ylabel(metric)
    shared_legend(figure, axes)
    return figure


def plot_protocol(found: pd.DataFrame) -> Figure:
    """One line per variant: the difference of each cell from print, and their mean.

    Parameters
    ----------
    found : DataFrame
        From :func:`coassoc.results.audits.protocols.compare_protocols`.
    """
    variants = list(dict.fromkeys(found["variant"]))
    figure, axis = plt.subplots(figsize=(6.5, 0.8 + 0.35 * len(variants)))
    axis.axvline(0, color="#333333", linewidth=0.8)
    for y, variant in enumerate(variants):
        differences = found.loc[found["variant"] == variant, "difference"]
        axis.plot(
            differences, np.full(len(differences), y), "o", color="#4477aa", alpha=0.5, markersize=4
        )
        axis.plot(differences.mean(), y, "|", color="#333333", markersize=12)
    axis.set_yticks(range(len(variants)), variants)
    axis.set_ylim(len(variants) - 0.5, -0.5)
    axis.set_xlabel("difference from print: a dot for each cell, a bar for their mean")
    return figure


def plot_significance(found: Significance, metric: str) -> Figure:
    """Critical-difference diagram: methods at their mean ranks, bars join those alike.

    Parameters
    ----------
    found : Significance
        From :func:`coassoc.results.audits.significance.compare_methods`.
    metric : str
        Name of the score.
    """
    import scikit_posthocs

    figure, axis = plt.subplots(figsize=(6.5, 0.9 + 0.14 * len(found.ranks)))
    colours = {name: curve_style(str(name))["color"] for name in found.ranks.index}
    drawn = scikit_posthocs.critical_difference_diagram(
        found.ranks,
        found.nemenyi,
        ax=axis,
        alpha=LEVEL,
        color_palette=colours,
        label_fmt_left="{label}  {rank:.1f} ",
        label_fmt_right=" {rank:.1f}  {label}",
        label_props={"fontsize": 7.5, "va": "center"},
        text_h_margin=0.02 * (len(found.ranks) - 1),
        crossbar_props={"color": "#333333", "linewidth": 2, "marker": ""},
        elbow_props={"linewidth": 0.9},
        marker_props={"marker": "o", "s": 14},
    )
    for text in drawn["labels"]:
        text.set_color("#111111")  # the methods' light colours are hard to read as text
    axis.grid(False)
    axis.set_title(
        f"Mean rank by {metric} over {found.blocks} data sets (1 is best); "
        f"bars: no difference by Nemenyi at {LEVEL:g}",
        pad=18,
    )
    return figure


def plot_growth(found: pd.DataFrame) -> Figure:
    """Seconds and megabytes, one line per method with a dot for each n; exponents beside them.

    The methods that were measured on most samples come first, the faster ones before the slower.

    Parameters
    ----------
    found : DataFrame
        From :func:`coassoc.results.audits.scaling.fit_growth`.
    """
    largest = found.sort_values("n").groupby("label").last()
    labels = list(largest.sort_values(["n", "seconds"], ascending=[False, True]).index)
    size = (7.2, 1.0 + 0.16 * len(labels))
    figure, axes = plt.subplots(1, 2, figsize=size, sharey=True)
    quantities = (
        ("seconds", "seconds per fit", 0.0),
        ("peak_mb", "peak memory (MB)", SMALLEST_PEAK),
    )
    for axis, (name, title, least) in zip(axes, quantities, strict=True):
        _ladders(axis, found[found[name] > least], name, labels)
        _exponents(axis, largest.loc[labels, f"{name}_exponent"])
        axis.set_xscale("log")
        axis.set_xlabel(title)
    axes[0].set_yticks(range(len(labels)), labels)
    axes[0].set_ylim(len(labels) - 0.4, -0.6)
    shared_legend(figure, axes)
    return figure


def _exponents(axis: Axes, exponents: pd.Series) -> None:
    """A column of exponents beside the lines."""
    beside: dict[str, Any] = {
        "transform": axis.get_yaxis_transform(),
        "va": "center",
        "fontsize": 7,
    }
    for y, b in enumerate(exponents):
        axis.text(1.02, y, f"{round(b, 1) + 0.0:.1f}" if np.isfinite(b) else "–", **beside)
    axis.text(1.02, -1.2, "b", style="italic", **beside)


def _ladders(axis: Axes, found: pd.DataFrame, name: str, labels: list[str]) -> None:
    """A line for each method from its smallest value to its largest, dots darker with n."""
    values = found.groupby("label")[name]
    y = found["label"].map(labels.index)
    ends = values.agg(["min", "max"]).reindex(labels)
    axis.hlines(range(len(labels)), ends["min"], ends["max"], color="#BBBBBB", linewidth=0.8)
    sizes = sorted(found["n"].unique())
    shades = plt.get_cmap("viridis_r")(np.linspace(0.15, 1.0, len(sizes)))
    for n, shade in zip(sizes, shades, strict=True):
        here = found["n"] == n
        axis.plot(
            found.loc[here, name],
            y[here],
            linestyle="",
            marker="o",
            markersize=4,
            color=shade,
            label=f"n = {n}",
        )


def plot_finds(found: pd.DataFrame) -> Figure:
    """One panel per method; criteria down, a point per data set at chosen c / classes.

    Parameters
    ----------
    found : DataFrame
        From :func:`coassoc.results.audits.n_clusters.count_finds`; points are medians over the
        repeats.
    """
    methods = list(dict.fromkeys(found["label"]))
    criteria = list(dict.fromkeys(found["criterion"]))
    size = (1.2 + 2.0 * len(methods), 0.32 * len(criteria) + 0.9)
    figure, axes = plt.subplots(1, len(methods), figsize=size, sharey=True, squeeze=False)
    for axis, method in zip(axes.flat, methods, strict=True):
        here = found[found["label"] == method]
        medians = here.groupby(["criterion", "dataset"])[["chosen", "classes"]].median()
        axis.axvline(1, color="#333333", linewidth=0.9)
        for y, criterion in enumerate(criteria):
            ratio = np.sort(medians.loc[criterion, "chosen"] / medians.loc[criterion, "classes"])
            axis.plot(
                ratio, y + _spread(ratio), linestyle="", **_look(curve_style(method)["color"], 1)
            )
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(lambda power, _: str(Fraction(power)))  # 1/4, 1, 4
        axis.set_title(method)
        axis.set_xlabel("chosen c / number of classes")
    axes[0, 0].set_yticks(range(len(criteria)), criteria)
    axes[0, 0].set_ylim(len(criteria) - 0.5, -0.5)
    return figure


def _spread(sorted_values: NDArray) -> NDArray:
    """Shifts that put equal values beside each other."""
    shifts = np.zeros(len(sorted_values))
    for value in np.unique(sorted_values):
        same = np.flatnonzero(sorted_values == value)
        shifts[same] = (np.arange(len(same)) - (len(same) - 1) / 2) * min(0.12, 0.7 / len(same))
    return shifts
