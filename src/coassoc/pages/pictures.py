"""Figures of a consensus without classes: matrix, clusters and base clusterings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from coassoc.confidence import (
    cluster_confidence,
    diversity,
    group_consensus,
    pairwise_agreement,
    sample_confidence,
)
from coassoc.display import count_of
from coassoc.ensemble import Ensemble
from coassoc.pages.style import COLOURS, blank, canvas, divide, name_rows, styled

if TYPE_CHECKING:
    from coassoc.methods.leaders import Agreement

#: Largest number of pixels along one side of a picture of a matrix.
_PIXELS = 400
#: Largest number of points in the outline of a cluster's confidence.
_OUTLINE = 200
#: Fraction of the height of a picture that a label takes.
_ROOM = 0.025
#: Colour of pairs never observed together in any base clustering.
_NEVER_TOGETHER = "#BBBBBB"


def consensus_order(labels: ArrayLike, confidence: ArrayLike) -> NDArray[np.intp]:
    """Order of the samples by cluster label, with the most confident samples of a cluster first.

    Returns
    -------
    (n,) integer array
    """
    return np.lexsort((-np.asarray(confidence), np.asarray(labels)))


def leaf_order(similarity: NDArray) -> NDArray[np.intp]:
    """Order of the leaves of average linkage, from left to right."""
    distances = 1 - np.nan_to_num(similarity)
    np.fill_diagonal(distances, 0.0)
    if len(distances) == 1:
        return np.zeros(1, dtype=np.intp)
    return leaves_list(linkage(squareform(distances, checks=False), "average"))


@styled
def plot_consensus_matrix(
    ensemble: Ensemble,
    labels: ArrayLike,
    confidence: NDArray[np.float64] | None = None,
    axis: Axes | None = None,
) -> Figure:
    """Co-association of the samples in the order of a consensus, with white lines between clusters.

    A bar next to the matrix shows the colour of each cluster, and its label if there is room. A
    pixel is the mean over several samples if there are more than 400 samples, so 50,000 samples
    take only seconds. Pairs that no base clustering labels together are grey.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n,) array
        The consensus.
    confidence : (n,) array, optional
        Its :func:`~coassoc.confidence.sample_confidence`, if it is already known.
    axis : Axes, optional
        Where to draw; by default on a new figure.
    """
    values = sample_confidence(ensemble, labels) if confidence is None else confidence
    order = consensus_order(labels, values)
    step = -(-len(order) // _PIXELS)
    pixel = np.empty(len(order), dtype=np.intp)
    pixel[order] = np.arange(len(order)) // step
    figure, axis = canvas(4.6, 3.6, axis)
    _heat_map(axis, group_consensus(ensemble, pixel), "co-association")
    names, cluster = np.unique(labels, return_inverse=True)
    changes = np.flatnonzero(np.diff(cluster[order])) + 1
    divide(axis, changes / step, "white", 0.6 if len(changes) < 15 else 0.2)
    blank(axis)
    bar = axis.inset_axes((-0.055, 0, 0.04, 1), sharey=axis)
    _label_blocks(bar, names, cluster[order], changes, step)
    clusters = f"{len(changes) + 1} clusters" if len(changes) else "one cluster"
    axis.set_title(f"{count_of(len(order), 'sample')} in {clusters}")
    return figure


@styled
def plot_agreement(names: ArrayLike, agreement: Agreement) -> Figure:
    """Bar of each cluster, with its samples by the number of top-ranked methods that agree.

    Parameters
    ----------
    names : (n,) array
        Name of each sample's cluster.
    agreement : Agreement
    """
    clusters, place = np.unique(np.asarray(names), return_inverse=True)
    count = len(agreement.ari)
    agreeing = np.rint(agreement.samples * count).astype(np.intp)
    samples = np.zeros((len(clusters), count + 1), dtype=np.intp)
    np.add.at(samples, (place, agreeing), 1)
    figure, axis = canvas(4.6, 1.3 + 0.24 * len(clusters))
    left = np.zeros(len(clusters))
    for k in range(count, -1, -1):
        colour = colormaps["viridis"](k / count)
        axis.barh(np.arange(len(clusters)), samples[:, k], left=left, color=colour, label=str(k))
        left += samples[:, k]
    name_rows(axis, clusters.tolist())
    axis.set_xlabel("samples")
    axis.set_ylabel("cluster")
    figure.legend(
        title=f"number of {count} methods that agree", ncols=count + 1, loc="outside upper center"
    )
    return figure


def _label_blocks(
    axis: Axes, names: NDArray, cluster: NDArray[np.intp], changes: NDArray[np.intp], step: int
) -> None:
    """A bar of the clusters' colours next to a matrix, with labels of clusters that have room.

    The (n,) cluster of each sample is in the order of the matrix, a pixel of `step` samples.
    """
    ends = np.concatenate(([0], changes, [len(cluster)]))
    colours = colormaps["tab20"]
    least, above = _ROOM * len(cluster), -np.inf
    for first, last in pairwise(ends):
        name = cluster[first]
        axis.axhspan(
            first / step - 0.5, last / step - 0.5, color=colours(int(name) % colours.N), linewidth=0
        )
        middle = (first + last) / 2
        if middle - above >= least:
            axis.text(-0.3, middle / step - 0.5, names[name], ha="right", va="center", fontsize=6)
            above = middle
    axis.set_axis_off()
    axis.text(-0.3, -0.03, "cluster", transform=axis.transAxes, ha="center", va="top", fontsize=6)


def _heat_map(axis: Axes, values: NDArray, name: str) -> None:
    colours = colormaps["viridis"].with_extremes(bad=_NEVER_TOGETHER)
    image = axis.imshow(values, vmin=0, vmax=1, cmap=colours)
    axis.grid(False)
    axis.figure.colorbar(image, ax=axis, label=name, shrink=0.8)


@styled
def plot_confidence(
    ensemble: Ensemble, labels: ArrayLike, confidence: NDArray[np.float64] | None = None
) -> Figure:
    """Sorted confidence of the samples in each cluster, with a summary of the cluster.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n,) array
        The consensus.
    confidence : (n,) array, optional
        Its :func:`~coassoc.confidence.sample_confidence`, if it is already known.
    """
    names, cluster = np.unique(labels, return_inverse=True)
    confidence = sample_confidence(ensemble, cluster) if confidence is None else confidence
    clusters = cluster_confidence(ensemble, cluster)
    figure, axis = canvas(6.0, 0.8 + 0.42 * len(names))
    for k, size in enumerate(clusters.sizes):
        shares = np.linspace(1, 0, min(_OUTLINE, max(size, 2)))
        outline = np.quantile(confidence[cluster == k], shares)
        height = np.linspace(k - 0.4, k + 0.4, len(outline))
        for part, colour in ((np.maximum, "blue"), (np.minimum, "red")):
            axis.fill_betweenx(height, 0, part(outline, 0), color=COLOURS[colour], linewidth=0)
        tightness = clusters.tightness[k]
        tight = "–" if np.isnan(tightness) else f"{tightness:.2f}"
        stability = clusters.stability[k]
        stable = "" if np.isnan(stability) else f", stability {stability:.2f}"
        axis.annotate(
            f"{count_of(size, 'sample')}, tightness {tight}{stable}",
            (1.02, k),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=7,
        )
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.set_xlim(min(-0.05, float(confidence.min())), 1.0)
    name_rows(axis, [f"cluster {name}" for name in names])
    axis.set_xlabel("confidence: own cluster − nearest other cluster")
    below = f"{int((confidence < 0).sum())} of {count_of(len(confidence), 'sample')}"
    axis.set_title(f"mean confidence {confidence.mean():.2f}; below 0: {below}")
    return figure


@styled
def plot_diversity(ensemble: Ensemble, names: Sequence[str] | None = None) -> Figure:
    """Agreement between the base clusterings, with similar clusterings next to each other.

    Parameters
    ----------
    ensemble : Ensemble
    names : sequence of str, optional
        Names of the base clusterings; their numbers by default.
    """
    agreement = pairwise_agreement(ensemble)
    order = leaf_order(agreement)
    side = min(2.0 + 0.13 * len(agreement), 7.0)
    figure, axis = canvas(side + 0.9, side)
    _heat_map(axis, agreement[np.ix_(order, order)], "NMI")
    axis.set_title(f"diversity (1 − mean NMI) {diversity(agreement):.2f}")
    if len(agreement) <= 40:
        shown = [names[j] if names else str(j) for j in order]
        axis.set_xticks(range(len(order)), shown, rotation=90, fontsize=6)
        axis.set_yticks(range(len(order)), shown, fontsize=6)
    axis.set_xlabel("base clustering")
    return figure
