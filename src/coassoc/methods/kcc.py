"""KCC: k-means-based consensus clustering with the utilities U_c and U_H.

J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen, "K-means-based consensus clustering: a unified view", IEEE
TKDE 27(1), 2015. k-means on the samples' rows of Z finds the consensus partition with the largest
mean utility with the base clusterings. The centre of consensus cluster k has, for each base
clustering v, the distribution p_kv of its samples over the clusters of v. The distance of a sample
in the clusters l_v from the centre is

    U_c (category utility):  Σ_v ‖e_{l_v} − p_kv‖² = Σ_v 1 − 2 p_kv(l_v) + ‖p_kv‖²,
    U_H (entropy):           Σ_v KL(e_{l_v} ‖ p_kv) = −Σ_v log p_kv(l_v).

If labels are missing, p_kv uses the samples that v labels, and distances sum over the base
clusterings that label the sample, as in the paper's section on incomplete base clusterings.

What the paper leaves open
--------------------------
- All base clusterings have the same weight, and utilities are not normalised.
- The best of ten starts by the sum of distances is used. Each start draws c samples as in
  k-means++ from the rows of Z, and assigns each sample to the nearest of them in the sense of
  U_c, because for U_H all samples except equal ones are infinitely far from a single sample.
- The order of the base clusterings acts like a seed, because starts are drawn in this order.
- For U_H a sample cannot join a consensus cluster if some base clustering has no sample of the
  same label in this cluster, because −log 0 is infinite.
- A consensus cluster that loses all samples takes over the microcluster that adds most to the
  sum.
- The iteration stops when no sample moves, after two rounds at least.
- The survey of 2026 contains lower scores for KCC. One start instead of ten explains part of the
  difference.
"""

from abc import abstractmethod
from functools import partial
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, integer
from coassoc.numerics.sparse import with_short_indices
from coassoc.numerics.threads import openmp_on_one_thread
from coassoc.partition.labels import labels_of_samples, take_over

#: Number of starts, of which the best is kept.
_STARTS = 10


class KMeansClusterer(ConsensusClusterer):
    """Base class of methods that run k-means on the samples' labels with a particular distance.

    `random_state` is the seed of the starts.

    Parameters
    ----------
    max_iter : int
        Maximum number of rounds per start.
    """

    takes_missing: ClassVar = True
    max_iter: int = integer(100, minimum=1)

    @abstractmethod
    def _distances(self, ensemble: Ensemble, labels: Labels, n_clusters: int) -> Array:
        """(n', c) distances of samples from consensus clusters, which have these (n',) labels."""

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        """The best of ten starts by the sum of distances."""
        fit = partial(k_means_consensus, ensemble, self)
        labels, _ = self._best(repeat(random_state, _STARTS), fit)
        return labels_of_samples(labels, ensemble.microclusters, self.n_clusters)


class KCC(KMeansClusterer):
    """k-means-based consensus clustering (Wu et al. 2015).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    utility : {"Uc", "UH"}
        Utility function: category utility ("Uc") or entropy ("UH").
    """

    paper: ClassVar = "Wu, Liu, Xiong, Cao & Chen, IEEE TKDE 2015"
    cost: ClassVar = Cost(seconds=1, power=2, squares=0)
    utility: str = choice("Uc", ("Uc", "UH"))

    def _distances(self, ensemble: Ensemble, labels: Labels, n_clusters: int) -> Array:
        distances = category_distances if self.utility == "Uc" else entropy_distances
        return distances(ensemble, labels, n_clusters)


def k_means_consensus(
    ensemble: Ensemble, method: KMeansClusterer, random_state: RandomState
) -> tuple[Labels, float]:
    """k-means of the rows of Z in a distance, from one start; see :class:`KCC`.

    Returns
    -------
    labels : (n',) integer array
        Consensus cluster of each microcluster.
    objective : float
        Sum of the distances.
    """
    from sklearn.cluster import kmeans_plusplus

    Z, r = ensemble.microcluster_membership, ensemble.microclusters.r
    n_clusters = min(method.n_clusters, len(r))
    with openmp_on_one_thread():
        _, seeds = kmeans_plusplus(
            with_short_indices(Z), n_clusters, sample_weight=r, random_state=random_state
        )
    # Squared distances of all rows from the seeds.
    size = np.diff(Z.indptr)
    far = size[seeds, None] + size - 2.0 * (Z[seeds] @ Z.T).toarray()
    # A sample chosen as a start belongs to itself, even if an equally near start comes first.
    far[np.arange(n_clusters), seeds] = -1.0
    labels = far.argmin(axis=0)
    for t in method._rounds():
        far = method._distances(ensemble, labels, n_clusters)
        moved = _nearest(far, labels, r)
        method.converged_ = t > 1 and bool((moved == labels).all())
        labels = moved
    return labels, float(r @ far[np.arange(len(r)), labels])


def category_distances(ensemble: Ensemble, labels: Labels, n_clusters: int) -> Array:
    """Distances of U_c.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n',) integer array
        Consensus cluster of each microcluster.
    n_clusters : int
        c.

    Returns
    -------
    (n', c) array
    """
    p = distributions(ensemble, label_counts(ensemble, labels, n_clusters))
    seen = (ensemble.distinct_labels >= 0).astype(np.float64)
    squares = np.add.reduceat(p**2, ensemble.offsets[:-1], axis=0)
    return np.asarray(seen.sum(axis=1)[:, None] - 2 * (ensemble.microcluster_membership @ p)) + (
        seen @ squares
    )


def entropy_distances(ensemble: Ensemble, labels: Labels, n_clusters: int) -> Array:
    """Distances of U_H, like :func:`category_distances`; infinite if some p_kv(l_v) is 0."""
    p = distributions(ensemble, label_counts(ensemble, labels, n_clusters))
    with np.errstate(divide="ignore"):
        return np.asarray(ensemble.microcluster_membership @ -np.log(p))


def label_counts(ensemble: Ensemble, labels: Labels, n_clusters: int) -> Array:
    """(L, c) number of samples of each consensus cluster with each label."""
    indicators = np.eye(n_clusters)[labels] * ensemble.microclusters.r[:, None]
    return np.asarray(ensemble.microcluster_membership.T @ indicators)


def distributions(ensemble: Ensemble, counts: Array) -> Array:
    """(L, c) array p_kv: column k has one distribution for each base clustering.

    It is zero if `counts`, the result of :func:`label_counts`, has no sample with a label.
    """
    totals = np.add.reduceat(counts, ensemble.offsets[:-1], axis=0)
    totals = totals[ensemble.clustering_of_cluster]
    return np.asarray(counts / np.where(totals > 0, totals, 1.0))


def _nearest(distances: Array, labels: Labels, r: Array) -> Labels:
    """Nearest consensus cluster, the present one among equals; none is left without samples."""
    items = np.arange(len(labels))
    present = distances[items, labels]
    nearest = distances.argmin(axis=1)
    moved = np.where(distances[items, nearest] < present, nearest, labels)
    c = distances.shape[1]
    take_over(moved, c, c, lambda k: r * distances[items, moved])
    return moved
