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
from coassoc.pages.report import Section, describe_input, write_report
from coassoc.pages.style import COLOURS, canvas, short_name, styled
from coassoc.selection import Resolutions

#: Largest number of clusters of a resolution that are labelled in the picture.
_NAMED = 30
_CHANCE = (
    "“null” is the mean stability on null data sets that were clustered in the same way, and "
    "“null_high” is the 95 % quantile of the stability on null data sets. In the columns “null”, "
    "“null_high” and “p”, a run with one cluster counts as different from all other runs. “p” is "
    "the probability that a null data set has, at one or more resolutions, a stability that is at "
    "least as many standard deviations above “null” as the “stability” in the row."
)
_NO_CHANCE = (
    "Labels alone cannot show whether stability is due to chance, because clusterings of data "
    "without clusters can be stable too. If you have the measurements of the cells, use "
    "coassoc.cells.resolutions to compare the clusterings with clusterings of null data."
)
_P_OF_CLUSTERS = (
    "“p” is the probability that a null data set has, at one or more resolutions, a cluster that "
    "is at least as stable. To make resolutions comparable, the stability of a cluster is "
    "standardised by the mean and standard deviation of the largest stability at its resolution "
    "over the null data sets. “p” is 1 for a cluster with one sample or with all "
    "samples. "
)


def files_of_resolutions(stem: str | Path) -> list[Path]:
    """The page, the resolutions, their clusters, and the clusters of the samples."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_clusters.csv", "_samples.csv")]


def write_resolutions(
    stem: str | Path, result: Resolutions, about: str, unlabelled: int = 0
) -> list[Path]:
    """Write :func:`files_of_resolutions`.

    `about` describes the data (:func:`coassoc.pages.report.describe_input`). The page gives the
    number of `unlabelled` samples.
    """
    page, table, clusters, samples = paths = files_of_resolutions(stem)
    title, described = describe_input(about, result.ensemble, unlabelled)
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
            f"{described}\n{result.verdict}",
            figures={"Stability of each resolution": plot_stability(result.table)},
            caption=_table_caption(result),
        ),
        Section(table=result.table.reset_index().dropna(axis="columns", how="all")),
        Section(
            heading="The clusters",
            figures={
                "Clusters at each resolution and how they divide": plot_clusters(
                    result.clusters, result.flows, result.level
                )
            },
            caption=(
                "Each row shows the most typical run at a resolution, that is, the run that is "
                "most similar to the other runs at this resolution. The area of a circle is the "
                "fraction of the samples. The darker a line, the larger the fraction of the lower "
                "cluster that comes from the upper cluster."
            )
            + (f" A black ring marks p ≤ {result.level}." if result.tested else ""),
        ),
        Section(
            table=result.clusters.dropna(axis="columns", how="all"),
            caption="Stability is the mean similarity between runs for the samples of a cluster. "
            + (_P_OF_CLUSTERS if result.tested else "")
            + (
                "The parent of a cluster is the cluster at the previous resolution that contains "
                "most of its samples, and the column “from_parent” is the fraction of its samples "
                "that the parent contains."
            ),
        ),
    ]
    write_report(page, f"Resolutions: {title}", sections)
    return paths


def _table_caption(result: Resolutions) -> str:
    least = f" and p ≤ {result.level}" if result.tested else ""
    return (
        "“clusters” is the number of clusters in the most typical run, and “fewest” and “most” are "
        "the smallest and largest numbers of clusters over all runs. “stability” is the mean "
        "similarity of two runs at this resolution with different seeds, and 1 if all runs are the "
        "same. “error” is its jackknife standard error. “next” is the mean similarity between runs "
        "at this resolution and runs at the next resolution. The similarity is element-centric "
        "(Gates et al. 2019): for each sample, the number of samples that its two clusters share, "
        f"divided by the size of the larger cluster. {_CHANCE if result.tested else _NO_CHANCE} A "
        "level is the most stable of several similar neighbouring resolutions. Its stability is at "
        f"least 0.9{least} and no lower than at the adjacent resolutions."
    )


@styled
def plot_stability(table: pd.DataFrame, axis: Axes | None = None) -> Figure:
    """Stability of each resolution (± two standard errors), compared with null data.

    `table` is that of :class:`Resolutions`. Without `axis`, the plot is on a new figure.
    """
    figure, axis = canvas(6.2, 2.9, axis)
    x = np.arange(len(table))
    if table["p"].notna().any():
        axis.plot(x, table["null"], ":", color=COLOURS["grey"], label="null data, mean")
        axis.plot(x, table["null_high"], "--", color=COLOURS["grey"], label="null data, 95 %")
    between, orange = table["next"].to_numpy()[:-1], COLOURS["orange"]
    axis.plot(x[:-1] + 0.5, between, ".", color=orange, label="to next resolution")
    error = 2 * table["error"]
    axis.errorbar(x, table["stability"], error, color=COLOURS["blue"], capsize=2, label="stability")
    level = table["level"].to_numpy()
    if level.any():
        look: dict[str, Any] = {"color": COLOURS["blue"], "markersize": 8, "label": "level"}
        axis.plot(x[level], table["stability"][level], "o", **look)
    axis.set_xticks(x, [f"{value:g}\n{c}" for value, c in table["clusters"].items()])
    axis.set(xlabel="resolution and number of clusters of the most typical run", ylim=(-0.03, 1.06))
    axis.set_ylabel("mean similarity of two runs")
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=5, frameon=False)
    return figure


@styled
def plot_clusters(
    clusters: pd.DataFrame, flows: pd.DataFrame, level: float = 0.05, axis: Axes | None = None
) -> Figure:
    """Clusters of each resolution, from coarse to fine, and the flow of samples between them.

    The darker a line, the larger the fraction of the lower cluster that comes from the upper
    cluster. A black ring marks a cluster with p ≤ `level`. The tables are those of
    :class:`Resolutions`.
    """
    row = {value: k for k, value in enumerate(clusters["resolution"].unique())}
    x = _places(clusters, flows)
    figure, axis = canvas(6.2, 1.2 + 0.55 * len(row), axis)
    ends = ("resolution", "cluster"), ("next_resolution", "next_cluster")
    sides = [[(x[key], row[key[0]]) for key in _keys(flows, *names)] for names in ends]
    lines = [*zip(*sides, strict=True)]
    shares = flows["of_next"].to_numpy()
    axis.add_collection(
        LineCollection(lines, colors=[(0, 0, 0, share) for share in shares], linewidths=1, zorder=1)
    )
    at = np.array([(x[key], row[key[0]]) for key in _keys(clusters)])
    area = 12 + 500 * clusters["size"] / clusters.groupby("resolution")["size"].transform("sum")
    look: dict[str, Any] = {"s": area, "c": clusters["stability"], "vmin": 0, "vmax": 1}
    rings = ["black" if p <= level else "white" for p in clusters["p"]]
    points = axis.scatter(*at.T, zorder=2, edgecolors=rings, **look)
    figure.colorbar(points, ax=axis, label="stability of the cluster")
    few = clusters.groupby("resolution")["cluster"].transform("size") <= _NAMED
    look = {"textcoords": "offset points", "fontsize": 5, "ha": "center"}
    for place, up, name in zip(
        at[few], np.sqrt(area[few]) / 2, clusters["cluster"][few], strict=True
    ):
        axis.annotate(short_name(str(name)), place, (0, up + 2), **look)
    axis.set_yticks(range(len(row)), [f"{value:g}" for value in row])
    axis.set(xlim=(0, 1), ylim=(len(row) - 0.5, -0.6), xticks=[], ylabel="resolution")
    axis.grid(False)
    return figure


def _keys(
    table: pd.DataFrame, value: str = "resolution", cluster: str = "cluster"
) -> list[tuple[float, Any]]:
    return [*zip(table[value], table[cluster], strict=True)]


def _places(clusters: pd.DataFrame, flows: pd.DataFrame) -> dict[tuple[float, Any], float]:
    """Positions of the clusters of each resolution, ordered by the positions of their parents."""
    place: dict[tuple[float, Any], float] = {}
    for value, part in clusters.groupby("resolution"):
        into = flows[flows["next_resolution"] == value]
        came = into["of_next"] * [place[key] for key in _keys(into)]
        mean = came.groupby(into["next_cluster"]).sum()
        names = sorted(part["cluster"], key=lambda name: mean.get(name, 0.0))
        place |= {(value, name): (i + 0.5) / len(names) for i, name in enumerate(names)}
    return place
