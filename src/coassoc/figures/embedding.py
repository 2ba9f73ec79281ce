"""Maps of the samples before and after a method filtered their features (ACMK Fig. 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.manifold import TSNE

from coassoc.numerics.distances import distance_coordinates

__all__ = ["map_samples", "plot_embedding"]

#: Neighbours that a sample has in the map, roughly; t-SNE's usual choice.
_PERPLEXITY = 30.0


def map_samples(X: Any, seed: int = 0) -> NDArray:
    """Place samples in the plane by t-SNE (van der Maaten & Hinton 2008).

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Features; only distances between rows matter.
    seed : int
        Seed of the search; it starts from the principal components.

    Returns
    -------
    (n, 2) array
    """
    points = distance_coordinates(X)
    n = len(points)
    if min(points.shape) < 2 or n < 4:  # no neighbourhoods to speak of
        return np.pad(points, ((0, 0), (0, 2)))[:, :2]
    search = TSNE(perplexity=min(_PERPLEXITY, (n - 1) / 3), init="pca", random_state=seed)
    return search.fit_transform(points)


def plot_embedding(
    maps: Mapping[str, Mapping[str, NDArray]], classes: Mapping[str, NDArray]
) -> Figure:
    """One row of maps per data set; a point is a sample, its colour the class.

    Parameters
    ----------
    maps : mapping
        Data set → title → (n, 2) places of its samples.
    classes : mapping
        Data set → (n,) integer array.
    """
    n_columns = max(len(row) for row in maps.values())
    figure, grid = plt.subplots(
        len(maps), n_columns, figsize=(1.7 * n_columns, 1.95 * len(maps) + 0.25), squeeze=False
    )
    for axes, (dataset, row) in zip(grid, maps.items(), strict=True):
        axes[0].set_ylabel(dataset)
        for axis, (title, places) in zip(axes, row.items(), strict=False):
            _scatter(axis, places, classes[dataset])
            axis.set_title(title)
        for spare in axes[len(row) :]:
            spare.set_visible(False)
    figure.supxlabel("t-SNE; one point per sample, colours are classes", fontsize=8)
    return figure


def _scatter(axis: Axes, places: NDArray, classes: NDArray) -> None:
    count = int(classes.max()) + 1
    colours = plt.get_cmap("tab10" if count <= 10 else "tab20")
    size = float(np.clip(1500 / len(places), 0.5, 9.0))
    # In random order, so that no class lies on top of the others.
    order = np.random.default_rng(0).permutation(len(places))
    axis.scatter(
        places[order, 0],
        places[order, 1],
        c=[colours(int(j) % colours.N) for j in classes[order]],
        s=size,
        linewidths=0,
        rasterized=len(places) > 2000,
    )
    axis.set_xticks([])
    axis.set_yticks([])
    axis.grid(False)
    for side in ("top", "right"):
        axis.spines[side].set_visible(True)
    axis.margins(0.05)
