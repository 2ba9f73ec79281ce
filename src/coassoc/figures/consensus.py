"""Pictures of a consensus without classes: its matrix, its clusters, its base clusterings."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
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
from coassoc.ensemble import Ensemble

__all__ = ["consensus_order", "plot_confidence", "plot_consensus_matrix", "plot_diversity"]

#: Pixels of a picture of a matrix along one side, at most.
_PIXELS = 400
#: Points of the outline of a cluster's confidence, at most.
_OUTLINE = 200
#: Colour of pairs that no base clustering has both of.
_NEVER_MET = "#BBBBBB"


def consensus_order(ensemble: Ensemble, labels: ArrayLike) -> NDArray[np.intp]:
    """Samples by cluster, alike clusters side by side, and the surest samples of each first.

    Returns
    -------
    (n,) integer array
    """
    _, cluster = np.unique(labels, return_inverse=True)
    distances = 1 - np.nan_to_num(group_consensus(ensemble, cluster))
    np.fill_diagonal(distances, 0.0)
    place = np.zeros(len(distances), dtype=np.intp)
    if len(distances) > 1:
        place[leaves_list(linkage(squareform(distances), "average"))] = np.arange(len(distances))
    return np.lexsort((-sample_confidence(ensemble, cluster), place[cluster]))


def plot_consensus_matrix(ensemble: Ensemble, labels: ArrayLike) -> Figure:
    """Co-association of the samples in the order of a consensus, clusters between white lines.

    A pixel is the mean over as many samples as it takes for at most 400 pixels a side, so that
    50,000 samples are drawn in seconds. Pairs that no base clustering has both of are grey.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n,) array
        The consensus.
    """
    order = consensus_order(ensemble, labels)
    step = -(-len(order) // _PIXELS)
    pixel = np.empty(len(order), dtype=np.intp)
    pixel[order] = np.arange(len(order)) // step
    figure, axis = plt.subplots(figsize=(4.2, 3.6))
    shown = plt.get_cmap("viridis").with_extremes(bad=_NEVER_MET)
    image = axis.imshow(group_consensus(ensemble, pixel), vmin=0, vmax=1, cmap=shown)
    changes = np.flatnonzero(np.diff(np.unique(labels, return_inverse=True)[1][order])) + 1
    width = 0.6 if len(changes) < 15 else 0.2
    for border in changes / step - 0.5:
        axis.axhline(border, color="white", linewidth=width)
        axis.axvline(border, color="white", linewidth=width)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.grid(False)
    clusters = f"{len(changes) + 1} clusters" if len(changes) else "one cluster"
    axis.set_title(f"{len(order)} samples in {clusters}")
    figure.colorbar(image, ax=axis, label="co-association", shrink=0.8)
    return figure


def plot_confidence(ensemble: Ensemble, labels: ArrayLike) -> Figure:
    """Confidence of the samples of each cluster, sorted; beside it what the cluster is like.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n,) array
        The consensus.
    """
    names, cluster = np.unique(labels, return_inverse=True)
    confidence = sample_confidence(ensemble, cluster)
    found = cluster_confidence(ensemble, cluster)
    figure, axis = plt.subplots(figsize=(6.0, 0.8 + 0.42 * len(names)))
    for k, size in enumerate(found.sizes):
        shares = np.linspace(1, 0, min(_OUTLINE, max(size, 2)))
        outline = np.quantile(confidence[cluster == k], shares)
        height = np.linspace(k - 0.4, k + 0.4, len(outline))
        axis.fill_betweenx(height, 0, np.maximum(outline, 0), color="#0072B2", linewidth=0)
        axis.fill_betweenx(height, 0, np.minimum(outline, 0), color="#D55E00", linewidth=0)
        tightness = found.tightness[k]
        tight = "–" if np.isnan(tightness) else f"{tightness:.2f}"
        axis.annotate(
            f"{size} samples, tightness {tight}, stability {found.stability[k]:.2f}",
            (1.02, k),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=7,
        )
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.set_xlim(min(-0.05, float(confidence.min())), 1.0)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_yticks(range(len(names)), [f"cluster {name}" for name in names])
    axis.set_xlabel("confidence: own cluster − nearest other one")
    axis.set_title(f"mean confidence {confidence.mean():.2f}; below 0: {_share(confidence < 0)}")
    return figure


def _share(flags: NDArray[np.bool_]) -> str:
    return f"{int(flags.sum())} of {len(flags)} samples"


def plot_diversity(
    ensemble: Ensemble, names: Sequence[str] | None = None, score: str = "NMI"
) -> Figure:
    """Agreement of the base clusterings with each other, those that are alike side by side.

    Parameters
    ----------
    ensemble : Ensemble
    names : sequence of str, optional
        Names of the base clusterings; their numbers by default.
    score : {"NMI", "ARI"}
    """
    agreement = pairwise_agreement(ensemble, score)
    names = list(names or map(str, range(len(agreement))))
    order = np.arange(len(agreement))
    if len(agreement) > 1:
        distances = 1 - np.nan_to_num(agreement)
        np.fill_diagonal(distances, 0.0)
        order = leaves_list(linkage(squareform(distances, checks=False), "average"))
    side = min(2.0 + 0.13 * len(agreement), 7.0)
    figure, axis = plt.subplots(figsize=(side + 0.9, side))
    shown = plt.get_cmap("viridis").with_extremes(bad=_NEVER_MET)
    image = axis.imshow(agreement[np.ix_(order, order)], vmin=0, vmax=1, cmap=shown)
    axis.set_title(f"diversity (1 − mean {score}) {diversity(agreement):.2f}")
    axis.grid(False)
    if len(agreement) <= 40:
        axis.set_xticks(range(len(order)), [names[j] for j in order], rotation=90, fontsize=6)
        axis.set_yticks(range(len(order)), [names[j] for j in order], fontsize=6)
    axis.set_xlabel("base clustering")
    figure.colorbar(image, ax=axis, label=score, shrink=0.8)
    return figure
