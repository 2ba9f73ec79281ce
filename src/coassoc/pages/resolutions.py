"""The page and the figures of ``coassoc resolutions``."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from coassoc.pages.consensus_csv import sample_names
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, file_name, write_report
from coassoc.pages.style import COLOURS, canvas, short_name, styled
from coassoc.selection import Resolutions
from coassoc.selection.resolutions import LEVEL

RESOLUTIONS = (
    "“clusters” is the number of clusters in the most typical run, and “fewest” and “most” refer "
    "to all runs. “stability” is the mean similarity of two runs, and “error” its jackknife "
    "standard error. “next” is the mean similarity to runs at the next resolution. The similarity "
    "is element-centric (Gates et al. 2019). A level is the most stable of several similar "
    "neighbouring resolutions, with a stability of at least 0.9."
)
TESTED = (
    "“null” and “null_high” are the mean and the 95 % quantile of the stability on null data sets. "
    "“p” is the probability that null data have, at one or more resolutions, a standardised "
    "stability that is at least as high, and “smallest_p” is the smallest that is possible. A run "
    "with one cluster counts as different from all other runs."
)
_UNTESTED = "To compare the stability with clusterings of null data, use coassoc.cells.resolutions."
_PICTURE = (
    "Each row shows the most typical run at a resolution. The area of a circle is the fraction of "
    "the samples. The darker a line, the larger the fraction of the lower cluster that comes from "
    "the upper cluster."
)
_CLUSTERS = (
    "“stability” is the mean similarity between runs for the samples of a cluster. The parent is "
    "the cluster at the previous resolution that contains most of its samples, and “from_parent” "
    "is their fraction."
)
_TESTED_CLUSTERS = (
    " “p” compares the stability with the most stable cluster of null data at any resolution. In "
    "the figure, a black ring marks a significant p."
)


def files_of_resolutions(stem: str | Path) -> list[Path]:
    """The page, the resolutions, their clusters, and the clusters of the samples."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_clusters.csv", "_samples.csv")]


def write_resolutions(stem: str | Path, result: Resolutions, about: str) -> list[Path]:
    """Write :func:`files_of_resolutions`; `about` describes the data, for the title."""
    page, table, clusters, samples = paths = files_of_resolutions(stem)
    lines = {"sample": sample_names(result.ensemble)}
    for k, value in enumerate(result.table.index):
        names = np.array([*result.names[k], None], dtype=object)
        lines[f"{value:g}"] = names[result.labels[:, k]]
        lines[f"{value:g} consistency"] = result.consistency[:, k]
    write_lines(table, result.table, index=True)
    write_lines(clusters, result.clusters)
    write_lines(samples, pd.DataFrame(lines))
    sections = [
        Section(
            f"{about}.\n{result.verdict}",
            result.table.reset_index(),
            {"Stability of each resolution": plot_stability(result.table)},
            caption=f"{RESOLUTIONS} {TESTED if result.tested else _UNTESTED}",
        ),
        Section(
            heading="The clusters",
            figures={
                "Clusters at each resolution and how they divide": plot_clusters(
                    result.clusters, result.flows
                )
            },
            caption=_PICTURE,
        ),
        Section(
            table=result.clusters, caption=_CLUSTERS + (_TESTED_CLUSTERS if result.tested else "")
        ),
    ]
    write_report(page, f"Resolutions: {file_name(about)}", sections)
    return paths


@styled
def plot_stability(table: pd.DataFrame, axis: Axes | None = None) -> Figure:
    """Stability of each resolution (± two standard errors), compared with null data.

    `table` is that of :class:`Resolutions`. Without `axis`, the plot is on a new figure.
    """
    figure, axis = canvas(6.2, 2.9, axis)
    x, stability, blue = np.arange(len(table)), table["stability"], COLOURS["blue"]
    if table["p"].notna().any():
        axis.plot(x, table["null"], ":", color=COLOURS["grey"], label="null data, mean")
        axis.plot(x, table["null_high"], "--", color=COLOURS["grey"], label="null data, 95 %")
    axis.plot(x + 0.5, table["next"], ".", color=COLOURS["orange"], label="to next resolution")
    axis.errorbar(x, stability, 2 * table["error"], color=blue, capsize=2, label="stability")
    axis.plot(
        x, stability.where(table["level"]), "o", color=blue, markersize=8, label="level", zorder=3
    )
    axis.set_xticks(x, [f"{value:g}\n{c}" for value, c in table["clusters"].items()])
    axis.set(xlabel="resolution and number of clusters of the most typical run", ylim=(-0.03, 1.06))
    axis.set_ylabel("mean similarity of two runs")
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=5, frameon=False)
    return figure


@styled
def plot_clusters(clusters: pd.DataFrame, flows: pd.DataFrame, axis: Axes | None = None) -> Figure:
    """Clusters of each resolution, from coarse to fine, and the flow of samples between them.

    The darker a line, the larger the fraction of the lower cluster that comes from the upper
    cluster. A black ring marks a cluster with p ≤ 0.05. The tables are those of
    :class:`Resolutions`.
    """
    place = _places(clusters, flows)
    at = np.array([*place.values()])
    values = clusters["resolution"].unique()
    figure, axis = canvas(6.2, 1.2 + 0.55 * len(values), axis)
    upper = zip(flows["resolution"], flows["cluster"], strict=True)
    lower = zip(flows["next_resolution"], flows["next_cluster"], strict=True)
    lines = [(place[one], place[other]) for one, other in zip(upper, lower, strict=True)]
    colours = [(0, 0, 0, share) for share in flows["of_next"]]
    axis.add_collection(LineCollection(lines, colors=colours, linewidths=1, zorder=1))
    area = 12 + 500 * clusters["size"] / clusters.groupby("resolution")["size"].transform("sum")
    points = axis.scatter(
        *(*at.T, area, clusters["stability"]),
        vmin=0,
        vmax=1,
        edgecolors=np.where(clusters["p"] <= LEVEL, "black", "white").tolist(),
        zorder=2,
    )
    figure.colorbar(points, ax=axis, label="stability of the cluster")
    look: dict[str, Any] = {"textcoords": "offset points", "fontsize": 5, "ha": "center"}
    for name, middle, up in zip(clusters["cluster"], at, np.sqrt(area) / 2, strict=True):
        axis.annotate(short_name(str(name)), middle, (0, up + 2), **look)
    axis.set_yticks(range(len(values)), [f"{value:g}" for value in values])
    axis.set(xlim=(0, 1), ylim=(len(values) - 0.5, -0.6), xticks=[], ylabel="resolution")
    axis.grid(False)
    return figure


def _places(
    clusters: pd.DataFrame, flows: pd.DataFrame
) -> dict[tuple[float, Any], tuple[float, int]]:
    """Place of each resolution and cluster; clusters are in the order of their parents."""
    place: dict[tuple[float, Any], tuple[float, int]] = {}
    for row, (value, names) in enumerate(clusters.groupby("resolution")["cluster"]):
        into = flows[flows["next_resolution"] == value]
        above = zip(into["resolution"], into["cluster"], strict=True)
        mean = (into["of_next"] * [place[key][0] for key in above]).groupby(into["next_cluster"])
        order = mean.sum().reindex(names, fill_value=0.0).rank(method="first") - 0.5
        x = order / len(names)
        place |= {(value, name): (x[name], row) for name in names}
    return place
