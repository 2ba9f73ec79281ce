"""The page and the figures of ``coassoc tree``."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.io.display import cluster_numbers
from coassoc.pages.consensus_csv import sample_names
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, file_name, write_report
from coassoc.pages.style import canvas, cluster_colour, styled
from coassoc.selection import ConsensusTree

#: Smallest fraction of the width for a name.
_WIDE = 0.035
_TREE = (
    "The rows go from one cluster (top) to the finest clusters (bottom). The width of a cluster is "
    "its fraction of the samples. Coloured clusters are kept."
)
_SPLITS = (
    "“n_clusters” is the number of clusters after the split, and “height” is 1 − the mean "
    "co-association of the two sides. “p” is the probability that independent base clusterings "
    "agree within the cluster at least as much, and “p_tree” is corrected for the number of "
    "splits. Splits below a non-significant split are not tested. “stability” is the mean Jaccard "
    "coefficient with which random halves of the base clusterings recover the less stable side. A "
    "split is kept if it and all splits above it are significant and have a stability of at least "
    "0.75."
)
_ONLY_AGREEMENT = (
    "A small p means that the base clusterings agree, not that the data have clusters. To test "
    "whether the data have clusters, pass the features to coassoc.selection.structure_test."
)


def files_of_tree(stem: str | Path) -> list[Path]:
    """The page, the splits and the clusters of the samples."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_clusters.csv")]


def write_tree(stem: str | Path, tree: ConsensusTree, about: str) -> list[Path]:
    """Write :func:`files_of_tree`; `about` describes the data, as in "labels.csv: 150 samples"."""
    page, splits, clusters = paths = files_of_tree(stem)
    lines = {
        "sample": sample_names(tree.ensemble),
        "cluster": cluster_numbers(tree.labels),
        "finest cluster": np.array(tree.names)[tree.leaves],
    }
    write_lines(splits, tree.splits, index=True)
    write_lines(clusters, pd.DataFrame(lines))
    shown = tree.splits.drop(columns=["left", "right", "size", "agreement"]).reset_index()
    agreements = tree.agreements
    clusterings = pd.DataFrame(
        {
            "base clustering": tree.ensemble.clusterings,
            "clusters": tree.ensemble.n_clusters_per_clustering,
            "c of largest ARI": agreements.argmax(axis=1) + 1,
            "largest ARI": agreements.max(axis=1),
        }
    ).sort_values("clusters", kind="stable")
    sections = [
        Section(
            f"{about}.\n{tree.verdict}",
            figures={"The tree of clusters": plot_tree(tree)},
            caption=_TREE,
        ),
        Section(_ONLY_AGREEMENT, shown, heading="Splits", caption=_SPLITS),
        Section(
            "The table gives the number of clusters c at which the tree agrees most with a base "
            "clustering.",
            clusterings,
            heading="Resolution of each base clustering",
        ),
    ]
    write_report(page, f"Clusters at all resolutions: {file_name(about)}", sections)
    return paths


@styled
def plot_tree(tree: ConsensusTree) -> Figure:
    """Clusters from one (top) to the finest (bottom), with widths by their numbers of samples.

    Kept clusters are coloured, and their parts are paler.
    """
    c = tree.largest
    figure, axis = canvas(6.2, 1.0 + np.clip(0.3 * c, 0.8, 7.5))
    sizes = np.bincount(tree.leaves, tree.ensemble.microclusters.weights)
    starts = np.concatenate(([0.0], np.cumsum(sizes))) / tree.ensemble.n_samples
    last = tree.splits["n_clusters"].to_dict()
    kept = tree.splits.index[tree.splits["kept"]]
    number = tree.of_splits(kept)
    for name in ["1", *tree.splits["left"], *tree.splits["right"]]:
        inside = [i for i, leaf in enumerate(tree.names) if f"{leaf}.".startswith(f"{name}.")]
        left, right = starts[inside[0]], starts[inside[-1] + 1]
        parent = name.rpartition(".")[0]
        top, bottom = last.get(parent, 1) - 0.5, last.get(name, c + 1) - 0.5
        axis.bar(
            *(left, bottom - top, right - left, top),
            align="edge",
            facecolor="#CCCCCC" if name in kept else cluster_colour(number[inside[0]]),
            alpha=0.9 if not parent or parent in kept else 0.35,
            edgecolor="white",
            linewidth=0.8,
        )
        if right - left > _WIDE + 0.012 * len(name):
            axis.text((left + right) / 2, top + 0.5, name, ha="center", va="center", fontsize=6.5)
    axis.set(xlim=(0, 1), ylim=(c + 0.5, 0.5), xlabel="fraction of the samples")
    axis.set_ylabel("number of clusters c")
    axis.yaxis.set_major_locator(MaxNLocator(12, integer=True))
    axis.grid(False)
    return figure
