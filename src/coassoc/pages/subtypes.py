"""The page, the figures and the tables of ``coassoc subtypes``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.alignment import align
from coassoc.display import count_of
from coassoc.numerics.pairs import label_planes, pair_counts
from coassoc.pages.consensus_csv import sample_names
from coassoc.pages.n_clusters import plot_criteria
from coassoc.pages.pictures import leaf_order
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import COLOURS, blank, canvas, cluster_colour, divide, panels, styled
from coassoc.selection import CRITERIA
from coassoc.selection.numbers import with_stars
from coassoc.subtyping import Subtypes

#: Largest number of samples in the picture of a matrix. If these are all samples, they are in the
#: order of a tree.
_IN_TREE = 2048
#: Largest number of pixels along one side of a picture of a matrix.
_PIXELS = 500
_NO_EVIDENCE = (
    "A clean consensus matrix is not evidence of groups, because data without groups can give "
    "clean matrices too (Şenbabaoğlu et al. 2014)"
)


def consensus_image(draws: NDArray, step: int) -> NDArray[np.float64]:
    """The consensus matrix of (n, B) labels, averaged over `step` samples per pixel."""
    pixel = np.arange(len(draws)) // step
    members = np.equal.outer(pixel, np.arange(pixel[-1] + 1)).astype(np.float64)
    sums = np.zeros((members.shape[1],) * 2)
    for rows, together, common in pair_counts(label_planes(draws)):
        sums += members[rows].T @ (together / np.maximum(common, 1) @ members)
    sizes = members.sum(axis=0)
    return sums / np.outer(sizes, sizes)


def files_of_subtypes(folder: str | Path, numbers: Sequence[int]) -> list[Path]:
    """The page, the clusters, the criteria, and tables in the format of ConsensusClusterPlus."""
    ends = [".html", ".csv", "_criteria.csv", ".summary.cluster.consensus.csv"]
    ends += [".summary.item.consensus.csv", *(f".k={k}.consensusClass.csv" for k in numbers)]
    return [Path(folder) / f"subtypes{end}" for end in ends]


def write_subtypes(
    folder: str | Path, result: Subtypes, about: str, steps: Sequence[str] = ()
) -> list[Path]:
    """Write :func:`files_of_subtypes`.

    Parameters
    ----------
    folder : path
    result : Subtypes
    about : str
        Description of the samples, for the title.
    steps : sequence of str
        Descriptions of the preprocessing steps.
    """
    page, clusters, criteria, of_clusters, of_items, *classes = paths = files_of_subtypes(
        folder, [*result.labels]
    )
    names = sample_names(result)
    columns: dict[str, Any] = {"sample": names}
    for k, labels in result.labels.items():
        columns |= {f"k={k}": labels, f"k={k} confidence": result.confidence(k)}
        for block in result.model.blocks if len(result.model.blocks) > 1 else ():
            columns[f"k={k} confidence {block.name}"] = result.confidence(k, block.name)
    write_lines(clusters, pd.DataFrame(columns))
    write_lines(criteria, criteria_table(result), index=True)
    write_lines(of_clusters, lines_of_clusters(result))
    write_lines(of_items, lines_of_items(result, names))
    for path, labels in zip(classes, result.labels.values(), strict=True):
        lines = pd.DataFrame({"sample": names, "class": _number_from_one(labels)})
        write_lines(path, lines, header=False)
    write_report(page, f"Groups of samples: {about}", _sections(result, steps))
    return paths


def _sections(result: Subtypes, steps: Sequence[str]) -> Iterator[Section]:
    yield Section("\n".join([result.verdict, _about_draws(result, steps), *_alignments(result)]))
    yield Section(_about_clouds(result), heading="Are there groups at all?")
    explained = "; ".join(f"{name}: {CRITERIA[name]}" for name in result.chosen)
    yield Section(
        table=with_stars(criteria_table(result), result.chosen).rename_axis("k").reset_index(),
        figures={"CDF, criteria and null data": plot_subtype_criteria(result)},
        heading="How many groups are there?",
        caption=(
            f"Stars mark the numbers of clusters that the criteria choose. {explained}. The "
            "silhouette uses the distance 1 − consensus. On data sets with known classes, none of "
            "these criteria recovers the number of classes reliably."
        ),
    )
    some = "; the figure shows only some of the samples" if result.n_samples > _IN_TREE else ""
    yield Section(
        figures={"Consensus matrices": plot_matrices(result)},
        heading="Consensus matrices",
        caption=(
            "The colour of a pair of samples is the fraction of resamples that co-cluster them, "
            f"among the resamples that contain both, from white (none) to dark blue (all){some}. "
            "Lines separate clusters."
        ),
    )
    yield Section(table=_sizes(result))
    yield Section(
        figures={"Tracking plot": plot_tracking(result, tree_order(result))},
        heading="Samples across numbers of clusters",
    )
    yield Section(
        figures={"Item consensus at each number of clusters": plot_items(result)},
        heading="Item consensus",
        caption=(
            "The coloured area shows the mean consensus of a sample with the other samples of "
            "its cluster. Dots show the mean consensus with the nearest other cluster. A sample "
            "lies between two clusters if its dot reaches the top of the area."
        ),
    )


def _about_draws(result: Subtypes, steps: Sequence[str]) -> str:
    protocol = result.model.protocol
    samples = count_of(result.n_samples, "sample")
    sentences = [f"Input: {'; '.join(steps)}." if steps else f"{samples}."]
    for block in result.model.blocks:
        name, of = (
            (f"{block.name}: ", f" of {count_of(len(block.places), 'sample')}")
            if block.name
            else ("", "")
        )
        features = count_of(block.data.X.shape[1], "feature")
        sentences.append(f"{name}{block.protocol.n_draws:,} resamples, {features}{of}.")
    sentences.append(
        f"A resample contains {100 * protocol.items:.0f} % of the samples and "
        f"{100 * protocol.features:.0f} % of the features. Resamples are clustered by "
        f"{protocol.algorithm} and combined by {result.model.method}, with seed {protocol.seed}."
    )
    return " ".join(sentences)


def _alignments(result: Subtypes) -> list[str]:
    return [
        f"{k} clusters, compared with the earlier result: "
        f"{' '.join(alignment.summary.splitlines())}"
        for k, alignment in result.alignments.items()
    ]


def _about_clouds(result: Subtypes) -> str:
    if not result.clouds:
        return f"The data were not tested for groups. {_NO_EVIDENCE}."
    n_clouds = next(iter(result.clouds.values())).null.shape[1]
    some = " (of 1,000 samples)" if result.n_samples > 1000 else ""
    return (
        f"{_NO_EVIDENCE}. The test compares the data with {n_clouds} Gaussian and {n_clouds} "
        f"uniform null data sets that have the mean and covariance of the data{some}. The "
        "statistic at k clusters is the within-cluster sum of squares of k-means in the k − 1 "
        "leading principal components, divided by the total sum of squares. It does not depend on "
        "the algorithm. The table gives the larger of the two p-values (Gaussian and uniform). The "
        "p-value of the verdict is corrected for the choice of the number of clusters."
    )


def write_matrices(folder: str | Path, result: Subtypes) -> list[Path]:
    """Write the consensus matrices, with a row and a column for each sample."""
    names, paths = sample_names(result), []
    for k in result.labels:
        paths.append(Path(folder) / f"subtypes.k={k}.consensusMatrix.csv")
        lines = pd.DataFrame(result.matrices[k], names, names).rename_axis("sample")
        write_lines(paths[-1], lines, index=True)
    return paths


def _number_from_one(labels: NDArray) -> NDArray:
    """Clusters 1, 2, … in increasing order of their labels."""
    return np.unique(labels, return_inverse=True)[1] + 1


def lines_of_clusters(result: Subtypes) -> pd.DataFrame:
    """A row for each number of clusters and cluster, in the format of ConsensusClusterPlus."""
    return pd.concat(
        pd.DataFrame({"k": k, "cluster": range(1, len(means) + 1), "clusterConsensus": means})
        for k, means in ((k, consensus.clusters) for k, consensus in result.consensus.items())
    )


def lines_of_items(result: Subtypes, names: Any) -> pd.DataFrame:
    """A row for each number of clusters, cluster and sample, as in ConsensusClusterPlus."""
    lines = []
    for k, consensus in result.consensus.items():
        n, c = consensus.items.shape
        lines.append(
            pd.DataFrame(
                {
                    "k": k,
                    "cluster": np.repeat(np.arange(1, c + 1), n),
                    "item": np.tile(np.asarray(names), c),
                    "itemConsensus": consensus.items.T.ravel(),
                }
            )
        )
    return pd.concat(lines)


def criteria_table(result: Subtypes) -> pd.DataFrame:
    """The criteria, with p of the test for groups at each number of clusters if it was run."""
    p = {f"p {name}".strip(): test.p for name, test in result.clouds.items()}
    return result.criteria.assign(**p)


def _sizes(result: Subtypes) -> pd.DataFrame:
    """A line for each number of clusters: sizes and consensus of the clusters."""
    lines = []
    for k, labels in result.labels.items():
        names, sizes = np.unique(labels, return_counts=True)
        means = result.consensus[k].clusters
        lines.append(
            {
                "k": k,
                "clusters: samples (cluster consensus)": ", ".join(
                    f"{name}: {size} ({mean:.2f})" if size > 1 else f"{name}: {size}"
                    for name, size, mean in zip(names, sizes, means, strict=True)
                ),
            }
        )
    return pd.DataFrame(lines)


def tree_order(result: Subtypes) -> NDArray[np.intp]:
    """Order of the samples by the clusters of the largest k, and then by those of smaller k."""
    keys = [_number_from_one(labels) for labels in result.labels.values()]
    return np.lexsort((-result.confidence([*result.labels][-1]), *keys[::-1]))


@styled
def plot_subtype_criteria(result: Subtypes) -> Figure:
    """Plot the CDF, the criteria, and the splits of the data and the null data sets."""
    figure, axes = panels(5 + len(result.clouds), 5.4, 1.9, most=2)
    distributions = {k: consensus.distribution for k, consensus in result.consensus.items()}
    plot_criteria(axes[:5], distributions, result.criteria, result.chosen)
    for axis, (name, clouds) in zip(axes[5:], result.clouds.items(), strict=True):
        axis.plot(
            clouds.numbers,
            np.concatenate(clouds.null).T,
            color=COLOURS["grey"],
            linewidth=0.3,
            alpha=0.5,
        )
        axis.plot(clouds.numbers, clouds.observed, marker="o", color=COLOURS["red"])
        axis.set(
            title=f"{name + ': ' if name else ''}split (null data sets in grey)",
            xticks=clouds.numbers,
        )
        axis.set_xlabel("number of clusters")
    return figure


@styled
def plot_matrices(result: Subtypes) -> Figure:
    """Plot consensus matrices, with samples in the order of a tree and lines between clusters."""
    figure, axes = panels(len(result.labels), 5.4, 2.8, most=2)
    for axis, k in zip(axes, result.labels, strict=True):
        codes = _number_from_one(result.labels[k])
        order = matrix_order(result, k)
        step = -(-len(order) // _PIXELS)
        means = consensus_image(result.draws[k][order], step)
        axis.imshow(means, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
        divide(axis, (np.flatnonzero(np.diff(codes[order])) + 1) / step, "black", 0.4)
        axis.set_title(f"k = {k}")
        blank(axis)
    return figure


def matrix_order(result: Subtypes, k: int) -> NDArray[np.intp]:
    """Order of the samples by the tree of the consensus matrix at k, or by their clusters."""
    codes = _number_from_one(result.labels[k])
    order = np.lexsort((-result.confidence(k), codes))
    if result.n_samples <= _IN_TREE:
        place = np.argsort(leaf_order(result.matrices[k]))
        first = np.array([place[codes == code].min() for code in range(1, codes.max() + 1)])
        # Order clusters, and the samples inside them, as in the tree.
        order = np.lexsort((place, first[codes - 1]))
    return order[:: -(-len(order) // _IN_TREE)]


def _tracked(result: Subtypes) -> NDArray[np.intp]:
    """(K, n) colour of each sample's cluster, kept from each number of clusters to the next."""
    rows = [_number_from_one(next(iter(result.labels.values()))) - 1]
    for labels in [*result.labels.values()][1:]:
        rows.append(np.asarray(align(_number_from_one(labels), to=rows[-1]).labels))
    return np.array(rows)


@styled
def plot_tracking(result: Subtypes, order: NDArray[np.intp]) -> Figure:
    """Plot the clusters of the samples, with a row for each number of clusters."""
    tracked = _tracked(result)[:, order]
    figure, axis = canvas(5.4, 0.4 + 0.28 * len(tracked))
    colours = ListedColormap([*map(cluster_colour, range(tracked.max() + 1))])
    axis.imshow(
        tracked, aspect="auto", interpolation="nearest", cmap=colours, vmin=0, vmax=tracked.max()
    )
    blank(axis)
    axis.set_yticks(range(len(tracked)), [f"k = {k}" for k in result.labels])
    axis.set_xlabel("samples; a cluster keeps its colour if most of its samples stay together")
    return figure


@styled
def plot_items(result: Subtypes) -> Figure:
    """Plot the consensus of each sample with its own cluster and with the nearest other one."""
    figure, axes = panels(len(result.labels), 5.4, 1.5, most=2)
    tracked = _tracked(result)
    for axis, (k, labels), shown in zip(axes, result.labels.items(), tracked, strict=True):
        _item_bars(axis, result.consensus[k].items, _number_from_one(labels) - 1, shown)
        axis.set(title=f"k = {k}", ylim=(0, 1), xticks=[])
    return figure


def _item_bars(
    axis: Axes, consensus: NDArray, codes: NDArray[np.intp], colour: NDArray[np.intp]
) -> None:
    own_consensus = consensus[np.arange(len(codes)), codes]
    others = consensus.copy()
    others[np.arange(len(codes)), codes] = 0
    order = np.lexsort((-own_consensus, codes))
    x = np.arange(len(codes))
    for code in range(codes.max() + 1):
        inside = codes[order] == code
        shade = cluster_colour(colour[codes == code][0])
        axis.fill_between(
            x[inside], own_consensus[order][inside], step="mid", color=shade, linewidth=0
        )
    axis.plot(x, others.max(axis=1)[order], ".", color=COLOURS["black"], markersize=1.2)
    axis.grid(False)
