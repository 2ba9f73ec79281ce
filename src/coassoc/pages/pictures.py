"""Figures of a consensus without classes: matrix, clusters and base clusterings."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from coassoc.confidence import diversity, group_consensus, pairwise_agreement, sample_confidence
from coassoc.display import count_of
from coassoc.ensemble import Ensemble
from coassoc.pages.style import COLOURS, blank, canvas, divide, name_rows, short_name, styled

#: Largest number of pixels along one side of a picture of a matrix.
_PIXELS = 400
#: Largest number of points in the outline of a cluster's confidence.
_OUTLINE = 200
#: Largest number of rows that are named, and smallest fraction of the height for a name.
_NAMED, _ROOM = 40, 0.025
#: Colour of pairs never observed together in any base clustering.
_NEVER_TOGETHER = "#BBBBBB"


@styled
def plot_consensus_matrix(
    ensemble: Ensemble,
    labels: ArrayLike,
    confidence: NDArray[np.float64] | None = None,
    axis: Axes | None = None,
) -> Figure:
    """Co-association of the samples in the order of a consensus, with white lines between clusters.

    The samples of a cluster are ordered by decreasing confidence. A pixel is the mean over several
    samples if there are more than 400 samples, so 50,000 samples take only seconds. Pairs that no
    base clustering labels together are grey.

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
    names, cluster, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.lexsort((-values, cluster))
    step = -(-len(order) // _PIXELS)
    pixel = np.empty(len(order), dtype=np.intp)
    pixel[order] = np.arange(len(order)) // step
    figure, axis = canvas(4.6, 3.6, axis)
    _heat_map(axis, group_consensus(ensemble, pixel), "co-association")
    ends = np.cumsum(sizes)
    divide(axis, ends[:-1] / step, "white", 0.6 if len(sizes) < 16 else 0.2)
    blank(axis)
    shown = sizes >= _ROOM * len(order)
    axis.set_yticks(((ends - sizes / 2) / step - 0.5)[shown], names[shown], fontsize=6)
    axis.set_ylabel("cluster")
    axis.set_title(count_of(len(sizes), "cluster"))
    return figure


def _heat_map(axis: Axes, values: NDArray, name: str) -> None:
    colours = colormaps["viridis"].with_extremes(bad=_NEVER_TOGETHER)
    image = axis.imshow(values, vmin=0, vmax=1, cmap=colours)
    axis.grid(False)
    axis.figure.colorbar(image, ax=axis, label=name, shrink=0.8)


@styled
def plot_confidence(labels: ArrayLike, confidence: NDArray[np.float64]) -> Figure:
    """Sorted confidence of the samples in each cluster.

    Parameters
    ----------
    labels : (n,) array
        The consensus.
    confidence : (n,) array
        Its :func:`~coassoc.confidence.sample_confidence`.
    """
    names, cluster = np.unique(labels, return_inverse=True)
    figure, axis = canvas(5.0, 0.8 + 0.3 * len(names))
    for k in range(len(names)):
        outline = np.quantile(confidence[cluster == k], np.linspace(1, 0, _OUTLINE))
        height = np.linspace(k - 0.4, k + 0.4, _OUTLINE)
        axis.fill_betweenx(height, 0, outline, color=COLOURS["blue"], linewidth=0)
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.set_xlim(min(-0.05, float(confidence.min())), 1.0)
    name_rows(axis, names.tolist())
    axis.set_xlabel("confidence: own cluster − nearest other cluster")
    axis.set_ylabel("cluster")
    below = f"{np.count_nonzero(confidence < 0)} of {count_of(len(confidence), 'sample')}"
    axis.set_title(f"mean confidence {confidence.mean():.2f}; below 0: {below}")
    return figure


@styled
def plot_diversity(ensemble: Ensemble) -> Figure:
    """Agreement between the base clusterings, with similar clusterings next to each other."""
    agreement = pairwise_agreement(ensemble)
    order = np.arange(len(agreement))
    if len(order) > 1:
        distances = squareform(1 - np.nan_to_num(agreement), checks=False)
        order = leaves_list(linkage(distances, "average"))
    side = min(2.0 + 0.13 * len(agreement), 7.0)
    figure, axis = canvas(side + 0.9, side)
    _heat_map(axis, agreement[np.ix_(order, order)], "NMI")
    axis.set_title(f"diversity (1 − mean NMI) {diversity(agreement):.2f}")
    if len(agreement) <= _NAMED:
        names = [short_name(str(ensemble.clusterings[j])) for j in order]
        axis.set_xticks(range(len(order)), names, rotation=90, fontsize=6)
        axis.set_yticks(range(len(order)), names, fontsize=6)
    axis.set_xlabel("base clustering")
    return figure
