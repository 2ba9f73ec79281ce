"""KC: k-means on the rows of the co-association matrix.

A plain consensus that the papers compare with: every sample is described by its row of
Ã = Z Zᵀ / m, and the n rows are clustered by k-means.

Where labels are missing, Ã_ij is the share of the base clusterings that have both samples, and 0
where there is none.

How it is solved
----------------
Rows i and k of Ã are ‖(z_i − z_k) Zᵀ‖ / m apart, so the rows of Z K^{1/2} / m with K = ZᵀZ (L × L)
have the same distances: one point of at most L numbers for each microcluster, weighted by its size.
"""

from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import choice, integer
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import k_means
from coassoc.similarity import co_association


class KC(ConsensusClusterer):
    """k-means on the rows of the co-association matrix.

    Parameters
    ----------
    init : {"k-means++", "random"}
        What a start draws: centroids far from each other, or samples, each with the same chance.
    n_init : int
        Starts, of which the best counts.
    """

    seeds = "k-means"
    takes_missing: ClassVar = True
    tables: ClassVar = 2
    init: str = choice("k-means++", ("k-means++", "random"))
    n_init: int = integer(10, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        points = co_association_points(ensemble)
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


def co_association_points(ensemble: Ensemble) -> NDArray[np.float64]:
    """Points whose distances are those of the rows of the co-association matrix.

    Returns
    -------
    (n', d) array
        One point per microcluster, d ≤ min(n', L).
    """
    micro = ensemble.microclusters
    if micro.count <= ensemble.n_clusters_total or ensemble.has_missing:
        return co_association(ensemble).S * np.sqrt(micro.r)
    K = ensemble.cluster_intersections.toarray()
    eigenvalues, U = scipy.linalg.eigh(K, overwrite_a=True, check_finite=False)
    # Z has rank at most L − m + 1: its base clusterings all sum to 1.
    kept = eigenvalues > eigenvalues[-1] * len(K) * np.finfo(float).eps
    root = U[:, kept] * np.sqrt(eigenvalues[kept])
    return np.asarray(ensemble.microcluster_membership @ root) / ensemble.n_clusterings
