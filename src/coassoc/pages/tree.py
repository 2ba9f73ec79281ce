"""The page and the figures of ``coassoc tree``."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.pages.consensus_csv import sample_names
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, describe_input, write_report
from coassoc.pages.style import COLOURS, canvas, cluster_colour, short_name, styled
from coassoc.selection import ConsensusTree
from coassoc.selection.tree import written_p

#: Smallest fraction of the width for a name, and smallest fraction of the height for the numbers of
#: a split.
_WIDE, _HIGH = 0.035, 0.03
#: Largest number of base clusterings that are labelled by name.
_NAMED = 40
_TREE = (
    "The rows go from one cluster (top) to the finest clusters (bottom). The width of a cluster is "
    "its fraction of the samples. Coloured clusters are kept. From one row to the next, one "
    "cluster divides, and the other clusters do not change."
)
_SHOWN = [
    *("n_clusters", "cluster", "left_size", "right_size", "height", "p_tree", "stability", "kept"),
    *("confidence", "between", "ARI"),
]
_COLUMNS = (
    "“n_clusters” is the number of clusters after the split, and “height” is 1 − the mean "
    "co-association of the two sides. “p_tree” is a p-value, corrected for the number of splits in "
    "the tree. The uncorrected p-value is the probability that independent base clusterings agree "
    "within the cluster at least as much as the given base clusterings. Splits below a "
    "non-significant split are not tested. “stability” is the mean Jaccard coefficient with which "
    "random halves of the base clusterings recover the less stable side. A split is stable if its "
    "stability is at least 0.75. A split is kept if it and all splits above it are significant and "
    "stable. “confidence” measures how much closer a sample is to its own cluster than to the "
    "nearest other cluster, averaged over all samples. “between” is the fraction of samples that "
    "are closer to another cluster. “ARI” is the mean ARI with the base clusterings."
)
_ONLY_AGREEMENT = (
    "A small p means that the base clusterings agree, not that the data have clusters. Clusterings "
    "of data without clusters agree too, because they share the geometry of the data. To test "
    "whether the data have clusters, pass the features to coassoc.selection.structure_test."
)


def files_of_tree(stem: str | Path) -> list[Path]:
    """The page, the splits and the clusters of the samples."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_clusters.csv")]


def write_tree(
    stem: str | Path, tree: ConsensusTree, about: str, unlabelled: int = 0
) -> list[Path]:
    """Write :func:`files_of_tree`.

    `about` describes the data (:func:`coassoc.pages.report.describe_input`). The page gives the
    number of `unlabelled` samples, which are not part of the ensemble.
    """
    page, splits, clusters = paths = files_of_tree(stem)
    title, described = describe_input(about, tree.ensemble, unlabelled)
    finest = np.array(tree.names)[tree.leaves]
    lines = {
        "sample": sample_names(tree.ensemble),
        "cluster": tree.labels,
        "finest cluster": finest,
    }
    write_lines(splits, tree.splits, index=True)
    write_lines(clusters, pd.DataFrame(lines))
    shown = tree.splits.join(tree.levels.set_index("split")).reset_index()[_SHOWN]
    sections = [
        Section(
            f"{described}\n{tree.verdict}",
            figures={"The tree of clusters": plot_tree(tree)},
            caption=_TREE,
        ),
        Section(
            "" if len(shown) else "No cluster can be split into two parts that are large enough.",
            shown if len(shown) else None,
            heading="Splits",
            caption=_COLUMNS,
        ),
        Section(caption=_ONLY_AGREEMENT),
        Section(
            heading="Resolution of each base clustering",
            figures={
                "Agreement of the base clusterings with each number of clusters": plot_resolutions(
                    tree
                )
            },
            caption=(
                "A dot marks the number of clusters at which the tree agrees most with a base "
                "clustering. The number after the name of a base clustering is the number of its "
                "clusters. Dots of coarse clusterings are on the left."
            ),
        ),
        Section(table=_clusterings(tree)),
    ]
    write_report(page, f"Clusters at all resolutions: {title}", sections)
    return paths


def _clusterings(tree: ConsensusTree) -> pd.DataFrame:
    """The number of clusters at which the tree agrees most with each base clustering."""
    agreements = tree.agreements
    return pd.DataFrame(
        {
            "base clustering": tree.ensemble.clusterings,
            "clusters": tree.ensemble.n_clusters_per_clustering,
            "c of largest ARI": agreements.argmax(axis=1) + 1,
            "largest ARI": agreements.max(axis=1),
        }
    ).sort_values("clusters", kind="stable")


@styled
def plot_tree(tree: ConsensusTree) -> Figure:
    """Clusters from one (top) to the finest (bottom), with widths by their numbers of samples.

    Kept clusters are coloured, and their parts are paler. Splits are annotated with p and
    stability.
    """
    c = tree.largest
    figure, axis = canvas(6.2, 1.0 + np.clip(0.3 * c, 0.8, 7.5))
    share = np.bincount(tree.leaves, tree.weights) / tree.ensemble.n_samples
    starts = np.concatenate(([0.0], np.cumsum(share)))
    first = dict(zip(tree.splits.index, tree.splits["n_clusters"], strict=True))
    kept = tree.of_splits(tree.splits.index[tree.splits["kept"]])
    ends = {}
    for name in ["1", *tree.splits["left"], *tree.splits["right"]]:
        inside = [i for i, leaf in enumerate(tree.names) if f"{leaf}.".startswith(f"{name}.")]
        left, ends[name] = starts[inside[0]], starts[inside[-1] + 1]
        top = first.get(name.rpartition(".")[0], 1)
        colour, pale = _colour(tree, name, kept[inside])
        place = (left, ends[name] - left), (top - 0.5, first.get(name, c + 1) - top)
        _block(axis, name, place, colour, pale)
    for line in tree.splits.itertuples():
        _say(axis, ends[line.left], line, c)
    axis.set(xlim=(0, 1), ylim=(c + 0.5, 0.5), xlabel="fraction of the samples")
    axis.set_ylabel("number of clusters c")
    axis.yaxis.set_major_locator(MaxNLocator(12, integer=True))
    axis.grid(False)
    return figure


def _colour(tree: ConsensusTree, name: str, kept: Any) -> tuple[Any, float]:
    """Colour of a cluster and its opacity: grey above the kept clusters, pale below."""
    if len(set(kept)) > 1:
        return "#CCCCCC", 1.0
    parent = name.rpartition(".")[0]
    is_kept = not parent or bool(tree.splits.loc[parent, "kept"])
    return cluster_colour(int(kept[0])), 0.9 if is_kept else 0.35


def _block(axis: Axes, name: str, place: Any, colour: Any, opacity: float) -> None:
    (left, width), (top, height) = place
    look = {"facecolor": colour, "alpha": opacity, "edgecolor": "white", "linewidth": 0.8}
    axis.bar(left, height, width, top, align="edge", **look)
    if width > _WIDE + 0.012 * len(name):
        axis.text(left + width / 2, top + 0.5, name, ha="center", va="center", fontsize=6.5)


def _say(axis: Axes, x: float, line: Any, c: int) -> None:
    mark = "o" if line.kept else "."
    axis.plot(x, line.n_clusters - 0.5, mark, color=COLOURS["black"], markersize=4, clip_on=False)
    if 1 / c >= _HIGH and line.n_clusters <= 12:
        p = "" if np.isnan(line.p_tree) else f"p {written_p(line.p_tree)}, "
        text = f"{p}stability {line.stability:.2f}"
        box = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.8}
        side = "left" if x < 0.5 else "right"
        place = (x + (0.008 if x < 0.5 else -0.008), line.n_clusters - 0.5)
        axis.text(*place, text, ha=side, va="center", fontsize=5.5, bbox=box)


@styled
def plot_resolutions(tree: ConsensusTree) -> Figure:
    """ARI of each base clustering with each c, coarse clusterings first; dots mark maxima."""
    number = tree.ensemble.n_clusters_per_clustering
    order = np.argsort(number, kind="stable")
    values = tree.agreements[order]
    figure, axis = canvas(6.2, 1.0 + min(0.15 * len(order), 6.0))
    c = np.arange(1, tree.largest + 1)
    image = axis.pcolormesh(c, np.arange(len(order)), values, vmin=0, vmax=1, cmap="viridis")
    figure.colorbar(image, ax=axis, label="ARI")
    axis.plot(c[values.argmax(axis=1)], np.arange(len(order)), "o", color="white", markersize=3)
    axis.invert_yaxis()
    axis.grid(False)
    axis.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    axis.set_xlabel("number of clusters c of the tree")
    # short enough for a figure with two rows
    axis.set_title("base clusterings, coarse to fine", loc="left")
    names = tree.ensemble.clusterings
    if len(order) <= _NAMED:
        texts = [f"{short_name(str(names[j]))} ({number[j]})" for j in order]
        axis.set_yticks(range(len(order)), texts, fontsize=6)
    return figure
