"""Figures of the audits: variants, protocols, critical differences, the arena, growth with n."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from coassoc.bench.statistics import LEVEL
from coassoc.pages.style import COLOURS, name_rows, styled
from reproduction.figures.layout import curve, panel_each, shared_legend
from reproduction.figures.style import curve_style
from reproduction.plan.kinds import KINDS, imported
from reproduction.results.audits.arena import ALGORITHM, BEST, METHOD, PICKED, Arena
from reproduction.results.audits.null import rates
from reproduction.results.audits.order import readers
from reproduction.results.audits.protocol import fits
from reproduction.results.audits.scaling import SMALLEST_PEAK
from reproduction.results.audits.significance import Significance

#: Marker of each variant, and whether it is filled.
_VARIANTS = (("o", True), ("o", False), ("D", False), ("s", False), ("^", False))


@styled
def plot_audit(kind: str, result: Any, metric: str) -> Figure:
    """The figure of an audit's result, by its kind; the metric is the name of its score."""
    figure: Figure = imported(KINDS[kind].plot)(result, metric)
    return figure


def plot_comparison(scores: pd.DataFrame, metric: str) -> Figure:
    """One panel per data set; methods down, a marker per variant with one standard deviation."""
    methods, variants = list(scores["label"].unique()), list(scores["variant"].unique())
    number = scores["dataset"].nunique()
    columns = min(number, 4)
    height = (max(0.22 * len(methods), 0.8) + 0.6) * -(-number // columns) + 0.5
    figure, drawn = panel_each(scores, size=(1.2 + 1.75 * columns, height), sharey=True)
    for axis, here in drawn:
        for method, lines in here.groupby("label", sort=False):
            _variants(axis, lines, variants, methods.index(method))
        axis.set_xlabel(metric)
        # At least a tenth of the scale of scores, so that trifles look like trifles.
        low, high = axis.get_xlim()
        room = max(0.1 - (high - low), 0.0) / 2
        axis.set_xlim(low - room, high + room)
    name_rows(figure.axes[0], methods)
    handles = [
        Line2D([], [], linestyle="", label=variant, **_look("#333333", number))
        for number, variant in enumerate(variants)
    ]
    columns = min(2, len(handles))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _variants(axis: Axes, lines: pd.DataFrame, variants: Sequence[str], y: int) -> None:
    colour = curve_style(str(lines["label"].iloc[0]))["color"]
    axis.hlines(y, lines["mean"].min(), lines["mean"].max(), color=colour, linewidth=0.8, alpha=0.5)
    heights = np.linspace(y - 0.2, y + 0.2, len(variants))
    for variant, mean, std in lines[["variant", "mean", "std"]].itertuples(index=False):
        number = variants.index(variant)
        look = {"linestyle": "", "elinewidth": 0.6, "zorder": 3, **_look(colour, number)}
        axis.errorbar(mean, heights[number], xerr=np.nan_to_num(std), **look)


def _look(colour: str, number: int) -> dict[str, Any]:
    marker, filled = _VARIANTS[number % len(_VARIANTS)]
    face = colour if filled else "white"
    size = {"markeredgewidth": 0.9, "markersize": 4}
    return {"marker": marker, "color": colour, "markerfacecolor": face, **size}


def plot_order(scores: pd.DataFrame, metric: str) -> Figure:
    """One panel per data set: the score of each method against the percentage shuffled.

    Methods that read the order have their colours and a band of one standard deviation, the plain
    method that all must beat is black, the others are thin lines.
    """
    figure, drawn = panel_each(scores, height=2.1)
    coloured = readers(scores)
    plain = scores.loc[scores["gain"].abs().groupby(scores["label"]).transform("max") == 0, "label"]
    for axis, here in drawn:
        for label, lines in here.groupby("label", sort=False):
            x, y = lines["shuffled"], lines["mean"]
            if label in set(plain):
                axis.plot(x, y, color=COLOURS["black"], linewidth=1.8, zorder=3, label=label)
            elif label in coloured:
                curve(axis, str(label), x, lines, zorder=4)
            else:
                axis.plot(x, y, color="#BBBBBB", linewidth=0.6, label="the other methods")
        axis.set_xlabel("samples shuffled (%)")
        axis.set_xticks(sorted(scores["shuffled"].unique()))
    figure.axes[0].set_ylabel(metric)
    shared_legend(figure)
    return figure


def plot_protocol(cells: pd.DataFrame, metric: str) -> Figure:
    """One line per variant: the difference of each cell from print, and their mean."""
    y, variants = pd.factorize(cells["variant"])
    absolute = fits(cells)["absolute"].reindex(variants)
    figure = Figure(figsize=(6.5, 1.0 + 0.35 * len(variants)))
    axis = figure.subplots()
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.plot(cells["difference"], y, "o", color="#4477aa", alpha=0.5, markersize=4)
    means = cells["difference"].groupby(y).mean()
    axis.plot(means, means.index, "|", color="#333333", markersize=12)
    name_rows(axis, [f"{name}: {fit:.3f}" for name, fit in absolute.items()])
    axis.set_xlabel(
        "difference from print: a dot for each cell, a bar for their mean;\n"
        "beside the names, the mean absolute difference"
    )
    return figure


def plot_significance(tests: Significance, metric: str) -> Figure:
    """Critical-difference diagram: methods at their mean ranks, bars join those alike."""
    import scikit_posthocs

    ranks = tests.methods["rank"]
    figure = Figure(figsize=(6.5, 0.9 + 0.14 * len(ranks)))
    axis = figure.subplots()
    drawn = scikit_posthocs.critical_difference_diagram(
        ranks,
        tests.nemenyi,
        ax=axis,
        alpha=LEVEL,
        color_palette={name: curve_style(str(name))["color"] for name in ranks.index},
        label_fmt_left="{label}  {rank:.1f} ",
        label_fmt_right=" {rank:.1f}  {label}",
        label_props={"fontsize": 7.5, "va": "center"},
        text_h_margin=0.02 * (len(ranks) - 1),
        crossbar_props={"color": "#333333", "linewidth": 2, "marker": ""},
        elbow_props={"linewidth": 0.9},
        marker_props={"marker": "o", "s": 14},
    )
    for (bar,) in drawn["crossbars"]:
        # Drawn in the order of a set, which varies from run to run.
        bar.set_xdata(sorted(bar.get_xdata()))
    for text in drawn["labels"]:
        text.set_color("#111111")  # the methods' light colours are hard to read as text
    axis.grid(False)
    axis.set_title(
        f"Mean rank by {metric} over {tests.blocks} data sets (1 is best); "
        f"bars: no difference by Nemenyi at {LEVEL:g}",
        pad=18,
    )
    return figure


def plot_arena(arena: Arena, metric: str) -> Figure:
    """A panel for each battery, data sets down by the best member: grey members, blue methods.

    The thick part of a blue line is the middle half of the methods.
    """
    lines = arena.methods
    wide = lines.pivot(index="dataset", columns="label", values=metric)
    roles = lines.drop_duplicates("label").set_index("label")["role"]
    best = wide[BEST].sort_values(ascending=False)
    groups = [here for _, here in best.groupby(lines.groupby("dataset")["battery"].first())]
    figure = Figure(figsize=(7.2, 1.0 + 0.13 * len(best) + 0.4 * len(groups)))
    axes = figure.subplots(
        len(groups), 1, sharex=True, squeeze=False, height_ratios=[len(x) + 2 for x in groups]
    )[:, 0]
    for axis, here in zip(axes, groups, strict=True):
        of_role = {role: wide.loc[here.index, roles.index[roles == role]] for role in set(roles)}
        y = np.arange(len(here))
        methods = of_role[METHOD].quantile([0, 0.25, 0.75, 1], axis=1)
        for (low, high), width in (((0, 1), 1.0), ((0.25, 0.75), 3.5)):
            label = "all methods, and the middle half of them" if width > 1 else None
            look = {"color": COLOURS["sky"], "linewidth": width, "zorder": 2}
            axis.hlines(y, methods.loc[low], methods.loc[high], label=label, **look)
        members = of_role[ALGORITHM].stack()
        heights = members.index.get_level_values("dataset").map(here.index.get_loc)
        dots = {"linestyle": "", "marker": "o", "markersize": 2.2, "alpha": 0.6, "zorder": 3}
        axis.plot(members, heights, color=COLOURS["grey"], label="members, by algorithm", **dots)
        diamond = {"linestyle": "", "marker": "D", "markersize": 3, "zorder": 4}
        colour = COLOURS["red"]
        axis.plot(wide.loc[here.index, PICKED], y, color=colour, label=PICKED, **diamond)
        name_rows(axis, here.index, 0.8)
        axis.tick_params(axis="y", labelsize=5.5)
    axes[-1].set_xlabel(metric)
    shared_legend(figure)
    return figure


def plot_scaling(times: pd.DataFrame, metric: str) -> Figure:
    """Seconds and megabytes, one line per method with a dot for each n; exponents beside them.

    The methods that were measured on most samples come first, the faster ones before the slower.
    """
    largest = times.sort_values("n").groupby("label").last()
    largest = largest.sort_values(["n", "seconds"], ascending=[False, True])
    figure = Figure(figsize=(7.2, 1.0 + 0.16 * len(largest)))
    left, right = figure.subplots(1, 2, sharey=True)
    for axis, name, title, least in (
        (left, "seconds", "seconds per fit", 0.0),
        (right, "peak_mb", "peak memory (MB)", SMALLEST_PEAK),
    ):
        _ladders(axis, times[times[name] > least], name, list(largest.index))
        beside = {"transform": axis.get_yaxis_transform(), "va": "center", "fontsize": 7}
        for y, b in enumerate(largest[f"{name}_exponent"]):
            axis.text(1.02, y, f"{round(b, 1) + 0.0:.1f}" if np.isfinite(b) else "–", **beside)
        axis.text(1.02, -1.2, "b", style="italic", **beside)
        axis.set(xscale="log", xlabel=title)
    name_rows(left, largest.index, 0.6)
    shared_legend(figure)
    return figure


def _ladders(axis: Axes, times: pd.DataFrame, name: str, labels: list[str]) -> None:
    """A line for each method from its smallest value to its largest, dots darker with n."""
    ends = times.groupby("label")[name].agg(["min", "max"]).reindex(labels)
    axis.hlines(range(len(labels)), ends["min"], ends["max"], color="#BBBBBB", linewidth=0.8)
    sizes = sorted(times["n"].unique())
    shades = colormaps["viridis_r"](np.linspace(0.15, 1.0, len(sizes)))
    for n, shade in zip(sizes, shades, strict=True):
        here = times[times["n"] == n]
        dots = {"linestyle": "", "marker": "o", "markersize": 4, "color": shade}
        axis.plot(here[name], here["label"].map(labels.index), label=f"n = {n}", **dots)


def plot_n_clusters(choices: pd.DataFrame, metric: str) -> Figure:
    """One panel per method; criteria down, a point per data set at chosen c / classes."""
    number, criteria = choices["label"].nunique(), choices["criterion"].unique()
    size = (1.2 + 2.0 * number, 0.32 * len(criteria) + 0.9)
    figure, drawn = panel_each(choices, "label", most=number, size=size, sharey=True)
    for axis, here in drawn:
        medians = here.groupby(["criterion", "dataset"])[["chosen", "classes"]].median()
        look = {"linestyle": "", **_look(curve_style(axis.get_title())["color"], 1)}
        axis.axvline(1, color="#333333", linewidth=0.9)
        for y, criterion in enumerate(criteria):
            chosen = medians.loc[criterion]
            ratio = (chosen["chosen"] / chosen["classes"]).sort_values()
            axis.plot(ratio, y + _spread(ratio), **look)
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(lambda power, _: str(Fraction(power)))  # 1/4, 1, 4
        axis.set_xlabel("chosen c / number of classes")
    name_rows(figure.axes[0], criteria)
    return figure


def _spread(values: pd.Series) -> pd.Series:
    """Vertical offsets that separate equal values."""
    same = values.groupby(values)
    number = same.transform("size")
    return (same.cumcount() - (number - 1) / 2) * (0.7 / number).clip(upper=0.12)


def plot_null(tests: pd.DataFrame, metric: str) -> Figure:
    """How often both nulls are rejected on clouds and on groups, and z of each data set."""
    shares = rates(tests)
    clouds, sets = (shares[(shares["shape"] == "data set") == wanted] for wanted in (False, True))
    figure = Figure(figsize=(7.2, 1.2 + 0.17 * max(len(clouds), len(sets))))
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for name, (colour, filled) in {"features": ("blue", True), "labels": ("orange", False)}.items():
        face, size = (COLOURS[colour], 4) if filled else ("none", 7)
        look = {"linestyle": "", "marker": "o", "markersize": size, "markerfacecolor": face}
        y = np.arange(len(clouds))
        left.plot(clouds[name], y, color=COLOURS[colour], label=f"null from {name}", **look)
    left.axvline(LEVEL, color="#333333", linewidth=0.8)
    left.set(xlabel="share of clouds on which it is rejected", xlim=(-0.03, 1.03))
    name_rows(left, clouds["name"])
    right.plot(sets["z"], np.arange(len(sets)), "o", color=COLOURS["blue"])
    right.axvline(0, color="#333333", linewidth=0.8)
    right.set_xlabel("z of data sets (red: rejected)")
    rejected = (sets["features"] > 0).to_numpy()
    right.plot(sets["z"][rejected], np.flatnonzero(rejected), "o", color=COLOURS["red"])
    name_rows(right, sets["name"])
    shared_legend(figure)
    return figure
