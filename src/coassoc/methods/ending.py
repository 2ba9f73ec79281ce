"""The k-means at the end of a method, with a choice of its starts."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np

from coassoc.ensemble import Microclusters
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import choice, integer
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import k_means

_PARAMETERS = "Parameters\n----------\n"
_STARTS = """init : {"k-means++", "random"}
    What a start of k-means draws: centroids far from each other, or samples, each with the same
    chance.
n_init : int
    Starts of k-means, of which the best counts.
"""


class KMeansEnding(ConsensusClusterer):
    """Base of methods that end with k-means of some points, one for each microcluster."""

    init: str = choice("k-means++", ("k-means++", "random"))
    n_init: int = integer(10, minimum=1)

    def __init_subclass__(cls, **keywords: Any) -> None:
        text = inspect.cleandoc(cls.__doc__ or "")
        head, _, rest = text.partition("\n\nAttributes\n")
        own = head if _PARAMETERS in head else f"{head}\n\n{_PARAMETERS}"
        cls.__doc__ = f"{own.rstrip()}\n{_STARTS}" + (f"\nAttributes\n{rest}" if rest else "")
        super().__init_subclass__(**keywords)

    def _cluster(self, points: Array, micro: Microclusters, random_state: RandomState) -> Labels:
        clustered = k_means_from_samples if self.init == "random" else k_means
        found = clustered(points, self.n_clusters, random_state, micro.r, self.n_init)
        return split_to(micro.expand(found), self.n_clusters)


def k_means_from_samples(
    points: Array, n_clusters: int, random_state: RandomState, weights: Array, n_init: int
) -> Labels:
    """k-means of the rows as :func:`~coassoc.partition.spectral.k_means`, from c drawn samples.

    Samples of one row leave clusters empty, which then take over the rows furthest from their
    centroids, as they do in the programs of the field (D. Cai, "litekmeans", 2011).
    """
    from sklearn.cluster import KMeans

    if n_clusters >= len(points):
        return np.arange(len(points))
    start = partial(_samples, np.cumsum(weights))
    model = KMeans(n_clusters, init=start, n_init=n_init, random_state=random_state)
    return model.fit(points, sample_weight=weights).labels_.astype(np.intp)


def _samples(ends: Array, points: Array, n_clusters: int, random_state: RandomState) -> Array:
    """Rows of drawn samples; those of a row are numbered up to before its entry of `ends`."""
    drawn = random_state.choice(int(ends[-1]), n_clusters, replace=False)
    return points[np.searchsorted(ends, drawn, side="right")]
