"""Figures of a consensus without classes: the matrix and the confidence of clusters."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from coassoc.confidence import group_consensus, sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.io.display import count_of
from coassoc.numerics.distinct import first_places, places_among_distinct
from coassoc.pages.style import COLOURS, blank, canvas, divide, name_rows, styled

#: Largest number of pixels along one side of a picture of a matrix.
_PIXELS = 400
#: Largest number of points in the outline of a cluster's confidence.
_OUTLINE = 200
#: Largest number of clusters whose confidence is drawn, or that lines divide in a matrix.
_MOST = 60
#: Smallest fraction of the height for a name.
_ROOM = 0.025
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
    names, cluster, sizes = _clusters(np.asarray(labels))
    order = np.lexsort((-values, cluster))
    step = -(-len(order) // _PIXELS)
    pixel = np.empty(len(order), dtype=np.intp)
    pixel[order] = np.arange(len(order)) // step
    figure, axis = canvas(4.6, 3.6, axis)
    colours = colormaps["viridis"].with_extremes(bad=_NEVER_TOGETHER)
    image = axis.imshow(group_consensus(ensemble, pixel), vmin=0, vmax=1, cmap=colours)
    figure.colorbar(image, ax=axis, label="co-association", shrink=0.8)
    ends = np.cumsum(sizes)
    if len(sizes) <= _MOST:
        divide(axis, ends[:-1] / step, "white", 0.6 if len(sizes) < 16 else 0.2)
    blank(axis)
    shown = sizes >= _ROOM * len(order)
    axis.set_yticks(((ends - sizes / 2) / step - 0.5)[shown], names[shown], fontsize=6)
    axis.set_ylabel("cluster")
    axis.set_title(count_of(len(sizes), "cluster"))
    return figure


@styled
def plot_confidence(labels: ArrayLike, confidence: NDArray[np.float64]) -> Figure:
    """Sorted confidence of the samples in each cluster, or in the 60 largest clusters.

    Parameters
    ----------
    labels : (n,) array
        The consensus.
    confidence : (n,) array
        Its :func:`~coassoc.confidence.sample_confidence`.
    """
    names, cluster, sizes = _clusters(np.asarray(labels))
    drawn = np.sort(np.argsort(-sizes, kind="stable")[:_MOST])
    figure, axis = canvas(5.0, 0.8 + 0.3 * len(drawn))
    for row, k in enumerate(drawn):
        outline = np.quantile(confidence[cluster == k], np.linspace(1, 0, _OUTLINE))
        height = np.linspace(row - 0.4, row + 0.4, _OUTLINE)
        axis.fill_betweenx(height, 0, outline, color=COLOURS["blue"], linewidth=0)
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.set_xlim(min(-0.05, float(confidence.min())), 1.0)
    name_rows(axis, names[drawn].tolist())
    axis.set_xlabel("confidence: own cluster − nearest other cluster")
    axis.set_ylabel("cluster")
    below = f"{np.count_nonzero(confidence < 0)} of {count_of(len(confidence), 'sample')}"
    only = f"; the {_MOST} largest of {len(names):,} clusters" if len(names) > _MOST else ""
    axis.set_title(f"mean confidence {confidence.mean():.2f}; below 0: {below}{only}")
    return figure


def _clusters(labels: NDArray) -> tuple[NDArray, NDArray[np.intp], NDArray[np.intp]]:
    """Names of clusters in increasing order, the cluster of each sample, and numbers of samples."""
    cluster = places_among_distinct(labels)
    return labels[first_places(cluster)], cluster, np.bincount(cluster)
