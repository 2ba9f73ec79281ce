"""Pictures of data sets and their pools: a page for each data set, and one over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.figures.layout import name_rows, shared_legend
from coassoc.figures.style import COLOURS, styled

#: Colours of up to ten classes that colour-blind readers can tell apart.
_CLASS_COLOURS = (
    *(COLOURS[name] for name in ("blue", "orange", "green", "red", "sky", "pink")),
    *("#8C6D00", "#000000", "#999999", "#7B3FA0"),
)
#: Colour of each pool, the same in every picture; other pools are grey.
_POOL_COLOURS = {
    "kmeans-sqrt": COLOURS["orange"],
    "kmeans-c": COLOURS["red"],
    "kmeans-c-unit": COLOURS["pink"],
    "kmeans-c-200": "#66A61E",
    "kmeans-small": "#8C6D00",
    "published": COLOURS["blue"],
    "published-c": COLOURS["sky"],
    "published-c100": COLOURS["green"],
    "published-c-standardised": COLOURS["black"],
    "published-ecfg": "#7B3FA0",
}
_POOL_MARKERS = {"generated": "o", "published": "s", "results": "^", "labels": "D"}


@styled
def plot_dataset(summary: Mapping[str, Any]) -> Figure:
    """The page of a data set's summary: class sizes, a projection to the plane, and its pools."""
    figure = Figure(figsize=(7.6, 4.8))
    axes = figure.subplots(2, 3)
    pools = summary["pools"]
    figure.suptitle(_heading(summary), fontsize=9)
    _plot_class_sizes(axes[0, 0], summary)
    _plot_projection(axes[0, 1], summary)
    _plot_cluster_numbers(axes[0, 2], pools)
    _plot_scores(axes[1, 0], pools, "ari")
    _plot_scores(axes[1, 1], pools, "nmi")
    _plot_microclusters(axes[1, 2], pools)
    shared_legend(figure, columns=3)
    return figure


@styled
def plot_overview(summaries: Sequence[Mapping[str, Any]]) -> Figure:
    """All data sets on one page: agreement of base clusterings with the classes, and n'/n."""
    figure = Figure(figsize=(7.6, 1.3 + 0.19 * len(summaries)))
    left, middle, right = figure.subplots(1, 3, sharey=True)
    for row, summary in enumerate(summaries):
        pools = summary["pools"]
        offsets = np.linspace(-0.25, 0.25, len(pools)) if len(pools) > 1 else [0.0]
        for offset, (name, pool, style) in zip(offsets, _styled_pools(pools), strict=True):
            spread = {"markersize": 3, "linewidth": 0.9, "linestyle": "none", **style}
            for axis, score in ((left, "ari"), (middle, "nmi")):
                if values := pool.get(score):
                    error = {"xerr": np.std(values), "label": name}
                    axis.errorbar(np.mean(values), row + offset, **error, **spread)
            if shares := pool["microclusters"].get("10"):
                right.plot(np.mean(shares), row + offset, label=name, **spread)
    name_rows(left, [summary["name"] for summary in summaries], 0.6)
    left.set_xlabel("ARI, mean ± std")
    middle.set_xlabel("NMI, mean ± std")
    right.set(xlabel="n'/n of ensembles with m = 10", xlim=(0, 1.02))
    figure.suptitle("Base clusterings of every pool against the classes", fontsize=9)
    shared_legend(figure, columns=3)
    return figure


def _heading(summary: Mapping[str, Any]) -> str:
    numbers = {"samples": "n", "features": "d", "classes": "classes"}
    known = (f"{summary[key]} {what}" for what, key in numbers.items() if summary[key] is not None)
    return f"{summary['name']}: {summary['title'] or 'your data'}\n{', '.join(known)}"


def _class_colours(n_classes: int) -> NDArray:
    if n_classes <= len(_CLASS_COLOURS):
        return np.array(_CLASS_COLOURS[:n_classes])
    return colormaps["viridis"](np.linspace(0, 1, n_classes))


def _styled_pools(pools: Mapping[str, Any]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Name, summary, and colour and marker of each pool."""
    for name, pool in pools.items():
        colour = _POOL_COLOURS.get(name, COLOURS["grey"])
        yield name, pool, {"color": colour, "marker": _POOL_MARKERS[pool["kind"]]}


def _plot_class_sizes(axis: Axes, summary: Mapping[str, Any]) -> None:
    sizes = summary["class_sizes"]
    axis.set_title("class sizes")
    if not sizes:
        _say(axis, "classes are unknown")
        return
    axis.bar(range(len(sizes)), sizes, color=_class_colours(len(sizes)), width=0.85)
    axis.set(xlabel="class, in order of first appearance", ylabel="samples")
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
    # In a fixed random order, so that no class covers the others.
    order = np.random.default_rng(0).permutation(len(points))
    shades: Any = "#777777"
    if len(classes):  # noise points have -1, the last colour
        colours = to_rgba_array([*_class_colours(summary["classes"]), COLOURS["grey"]])
        shades = colours[classes[order]]
    x, y = points[order].T
    axis.scatter(x, y, c=shades, s=4, linewidths=0, alpha=0.7, rasterized=True)
    first, second = projection["share"]
    axis.set(xlabel=f"first component ({first:.0%})", ylabel=f"second component ({second:.0%})")
    axis.tick_params(labelbottom=False, labelleft=False)


def _only_number_of_clusters(pools: Mapping[str, Any]) -> int | None:
    """k, if all base clusterings of all pools have the same."""
    numbers = {k for pool in pools.values() for k in pool["k"]}
    return numbers.pop() if len(numbers) == 1 else None


def _plot_cluster_numbers(axis: Axes, pools: Mapping[str, Any]) -> None:
    axis.set_title("clusters of the base clusterings")
    only = _only_number_of_clusters(pools)
    if only is not None:
        _say(axis, f"k = {only} in all of them")
        return
    for _, pool, style in _styled_pools(pools):
        _plot_distribution(axis, pool["k"], style["color"])
    axis.set(xlabel="k", ylabel="share with at most k", ylim=(0, 1.02))


def _plot_scores(axis: Axes, pools: Mapping[str, Any], score: str) -> None:
    """Score against k; where all k are equal, the distribution of the score."""
    name = score.upper()
    axis.set_title(f"base clusterings: {name} with the classes")
    scored = {each: pool for each, pool in pools.items() if pool.get(score)}
    if not scored:
        _say(axis, "classes are unknown" if pools else "no base clusterings")
        return
    alike = _only_number_of_clusters(pools) is not None
    for _, pool, style in _styled_pools(scored):
        if alike:
            _plot_distribution(axis, pool[score], style["color"])
        else:
            axis.plot(pool["k"], pool[score], ls="none", markersize=2.5, alpha=0.6, **style)
            axis.axhline(np.mean(pool[score]), color=style["color"], linewidth=0.8, linestyle="--")
    axis.set_xlabel(name if alike else "k")
    axis.set_ylabel("share with at most this" if alike else name)


def _plot_distribution(axis: Axes, values: Sequence[float], colour: str) -> None:
    ordered = np.sort(values)
    axis.step(ordered, np.arange(1, len(ordered) + 1) / len(ordered), where="post", color=colour)


def _plot_microclusters(axis: Axes, pools: Mapping[str, Any]) -> None:
    axis.set_title("microclusters of an ensemble")
    sizes: set[int] = set()
    for name, pool, style in _styled_pools(pools):
        shares = {int(m): values for m, values in pool["microclusters"].items()}
        means, spread = ([f(values) for values in shares.values()] for f in (np.mean, np.std))
        axis.errorbar([*shares], means, yerr=spread, label=name, lw=0.9, markersize=4, **style)
        sizes |= shares.keys()
    axis.set(xlabel="m", ylabel="n'/n", xticks=sorted(sizes), ylim=(0, 1.02))
    axis.margins(x=0.25)


def _say(axis: Axes, text: str) -> None:
    axis.text(0.5, 0.5, text, ha="center", va="center", transform=axis.transAxes)
    axis.set(xticks=[], yticks=[])
