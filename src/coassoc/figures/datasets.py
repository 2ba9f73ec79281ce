"""Pictures of data sets and their pools: a page for each data set, and one over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.figures.style import shared_legend

__all__ = ["plot_dataset", "plot_overview"]

#: Colours of up to ten classes that colour-blind readers can tell apart.
_CLASS_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#8C6D00",
    "#000000",
    "#999999",
    "#7B3FA0",
)
#: Colour of each pool, the same in every picture; of other pools it is grey.
_POOL_COLOURS = {
    "kmeans-sqrt": "#E69F00",
    "kmeans-c": "#D55E00",
    "kmeans-c-unit": "#CC79A7",
    "kmeans-c-200": "#66A61E",
    "kmeans-small": "#8C6D00",
    "published": "#0072B2",
    "published-c": "#56B4E9",
    "published-c100": "#009E73",
    "published-c-standardised": "#000000",
    "published-ecfg": "#7B3FA0",
}
_POOL_MARKERS = {"generated": "o", "published": "s"}


def plot_dataset(summary: Mapping[str, Any]) -> Figure:
    """The page of a data set: class sizes, a projection to the plane, and its pools.

    Parameters
    ----------
    summary : dict
        From :func:`coassoc.results.dataset_report.summarize_dataset`.
    """
    figure, axes = plt.subplots(2, 3, figsize=(7.6, 4.8))
    pools = summary["pools"]
    figure.suptitle(_heading(summary), fontsize=9)
    _plot_class_sizes(axes[0, 0], summary)
    _plot_projection(axes[0, 1], summary)
    _plot_cluster_numbers(axes[0, 2], pools)
    _plot_scores(axes[1, 0], pools, "ari", "ARI with the classes")
    _plot_scores(axes[1, 1], pools, "nmi", "NMI with the classes")
    _plot_microclusters(axes[1, 2], pools)
    shared_legend(figure, axes.flat, columns=3)
    return figure


def plot_overview(summaries: Sequence[Mapping[str, Any]]) -> Figure:
    """All data sets on one page: agreement of base clusterings with the classes, and n'/n.

    Parameters
    ----------
    summaries : sequence of dict
        From :func:`coassoc.results.dataset_report.summarize_dataset`.
    """
    height = 1.3 + 0.19 * len(summaries)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.6, height), sharey=True)
    for row, summary in enumerate(summaries):
        pools = summary["pools"]
        offsets = np.linspace(-0.25, 0.25, len(pools)) if len(pools) > 1 else [0.0]
        for offset, (name, style) in zip(offsets, _pool_styles(pools).items(), strict=True):
            pool, place = pools[name], row + offset
            spread = {"markersize": 3, "linewidth": 0.9, "linestyle": "none", **style}
            for axis, values in ((left, pool.get("ari")), (middle, pool.get("nmi"))):
                if values:
                    axis.errorbar(np.mean(values), place, xerr=np.std(values), label=name, **spread)
            shares = pool["microclusters"].get("10")
            if shares:
                right.plot(np.mean(shares), place, label=name, **spread)
    left.set_yticks(range(len(summaries)), [summary["name"] for summary in summaries])
    left.set_ylim(len(summaries) - 0.4, -0.6)
    left.set_xlabel("ARI, mean ± std")
    middle.set_xlabel("NMI, mean ± std")
    right.set_xlabel("n'/n of ensembles with m = 10")
    right.set_xlim(0, 1.02)
    figure.suptitle("Base clusterings of every pool against the classes", fontsize=9)
    shared_legend(figure, (left, middle, right), columns=3)
    return figure


def _heading(summary: Mapping[str, Any]) -> str:
    numbers = [
        f"{value} {what}"
        for value, what in (
            (summary["n"], "samples"),
            (summary["d"], "features"),
            (summary["classes"], "classes"),
        )
        if value is not None
    ]
    return f"{summary['name']}: {summary['title'] or 'your data'}\n{', '.join(numbers)}"


def _class_colours(n_classes: int) -> NDArray:
    if n_classes <= len(_CLASS_COLOURS):
        return np.array(_CLASS_COLOURS[:n_classes])
    return plt.get_cmap("viridis")(np.linspace(0, 1, n_classes))


def _pool_styles(pools: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "color": _POOL_COLOURS.get(name, "#777777"),
            "marker": _POOL_MARKERS[pool["kind"]],
        }
        for name, pool in pools.items()
    }


def _plot_class_sizes(axis: Axes, summary: Mapping[str, Any]) -> None:
    sizes = summary["class_sizes"]
    axis.set_title("class sizes")
    if not sizes:
        _say(axis, "classes are unknown")
        return
    axis.bar(range(len(sizes)), sizes, color=_class_colours(len(sizes)), width=0.85)
    axis.set_xlabel("class, in order of first appearance")
    axis.set_ylabel("samples")
    axis.grid(axis="x", visible=False)
    if len(sizes) <= 12:
        axis.set_xticks(range(len(sizes)))


def _plot_projection(axis: Axes, summary: Mapping[str, Any]) -> None:
    axis.set_title("projection, coloured by class")
    projection = summary.get("projection", {})
    points = np.array(projection.get("points", []))
    if not len(points):
        _say(axis, "features are not public")
        return
    classes = np.array(projection["classes"], dtype=int)
    colours = _class_colours(summary["classes"])[classes] if len(classes) else "#777777"
    # drawn in a fixed random order, so that no class covers the others
    order = np.random.default_rng(0).permutation(len(points))
    shades = colours[order] if len(classes) else colours
    x, y = points[order].T
    axis.scatter(x, y, c=shades, s=4, linewidths=0, alpha=0.7, rasterized=True)
    first, second = projection["share"]
    axis.set_xlabel(f"first component ({first:.0%})")
    axis.set_ylabel(f"second component ({second:.0%})")
    axis.tick_params(labelbottom=False, labelleft=False)


def _only_number_of_clusters(pools: Mapping[str, Any]) -> int | None:
    """k, if all base clusterings of all pools have the same."""
    found = {k for pool in pools.values() for k in pool["k"]}
    return found.pop() if len(found) == 1 else None


def _plot_cluster_numbers(axis: Axes, pools: Mapping[str, Any]) -> None:
    axis.set_title("clusters of the base clusterings")
    only = _only_number_of_clusters(pools)
    if only is not None:
        _say(axis, f"k = {only} in all of them")
        return
    axis.set_xlabel("k")
    axis.set_ylabel("share with at most k")
    for name, style in _pool_styles(pools).items():
        _plot_distribution(axis, pools[name]["k"], style["color"])
    axis.set_ylim(0, 1.02)


def _plot_scores(axis: Axes, pools: Mapping[str, Any], score: str, title: str) -> None:
    """Score against k; where all k are equal, the distribution of the score."""
    axis.set_title(f"base clusterings: {title}")
    scored = {name: pool for name, pool in pools.items() if pool.get(score)}
    if not scored:
        _say(axis, "classes are unknown")
        return
    alike = _only_number_of_clusters(pools) is not None
    for name, style in _pool_styles(scored).items():
        values = scored[name][score]
        if alike:
            _plot_distribution(axis, values, style["color"])
        else:
            axis.plot(scored[name]["k"], values, ls="none", markersize=2.5, alpha=0.6, **style)
            axis.axhline(np.mean(values), color=style["color"], linewidth=0.8, linestyle="--")
    axis.set_xlabel(score.upper() if alike else "k")
    axis.set_ylabel("share with at most this" if alike else score.upper())


def _plot_distribution(axis: Axes, values: Sequence[float], colour: str) -> None:
    ordered = np.sort(values)
    axis.step(ordered, np.arange(1, len(ordered) + 1) / len(ordered), where="post", color=colour)


def _plot_microclusters(axis: Axes, pools: Mapping[str, Any]) -> None:
    axis.set_title("microclusters of an ensemble")
    axis.set_xlabel("m")
    axis.set_ylabel("n'/n")
    for name, style in _pool_styles(pools).items():
        shares = pools[name]["microclusters"]
        sizes = [int(m) for m in shares]
        means = [np.mean(values) for values in shares.values()]
        spread = [np.std(values) for values in shares.values()]
        axis.errorbar(sizes, means, yerr=spread, label=name, lw=0.9, markersize=4, **style)
    axis.set_xticks(sorted({int(m) for pool in pools.values() for m in pool["microclusters"]}))
    axis.margins(x=0.25)
    axis.set_ylim(0, 1.02)


def _say(axis: Axes, text: str) -> None:
    axis.text(0.5, 0.5, text, ha="center", va="center", transform=axis.transAxes)
    axis.set_xticks([])
    axis.set_yticks([])
