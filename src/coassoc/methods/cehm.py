"""CEHM: k-hyperedge medoids for clustering ensemble.

F. Li, J. Wang, L. Zhang, Y. Qian, S. Jin, T. Yan, L. Du, "k-HyperEdge medoids for clustering
ensemble", AAAI 2025. The clusters of all base clusterings are hyperedges over the samples. The c
medoids of the hyperedges by the Jaccard distance are the first consensus clusters, which then grow.
A consensus cluster k with the samples M_k supports sample i by

    U_ik = Σ_{a ∋ i} |a ∩ M_k| / |a|,

over the clusters a that contain i. Samples in more than one medoid are unassigned at first. In each
step, a growing number of samples, those with the largest margin between their two best supports,
are reassigned to the cluster that supports them most. Finally, all samples join the cluster that
supports them most, until no sample moves.

If labels are missing, a sample has support from the clusters that contain it, as above, and no
support from base clusterings that do not label it.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- Each step adds 1/c of the samples that belong to no medoid, and at least ⌊√n⌋ samples.
- Samples with the same support as the last sample of a step are added in the same step. The
  program adds those that come first in the file.
- The medoids are those of PAM (Kaufman & Rousseeuw 1990): chosen one by one so that the summed
  distance is smallest, and then exchanged as long as an exchange lowers it. Among equally good
  choices, the first is used. The program uses a library, which starts from random medoids.
- If there are fewer base clusters than requested clusters, the remaining consensus clusters are
  empty at first. A cluster that no sample prefers takes over the microcluster that supports it most
  relative to its largest support; ``n_clusters_found_`` is the number of preferred clusters.
- The last part runs for at least two and at most 100 rounds. The program has no limit.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer
from coassoc.similarity import jaccard_of_clusters

#: Sums of distances that differ by less are equal up to rounding.
_SMALLEST_GAIN = 1e-10


class CEHM(ConsensusClusterer):
    """k-hyperedge medoids (Li et al. 2025).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    max_iter : int
        Maximum number of rounds of the last step, in which each sample joins the cluster that
        supports it most.
    """

    title: ClassVar = "k-hyperedge medoids"
    paper: ClassVar = "Li, Wang, Zhang, Qian, Jin, Yan & Du, AAAI 2025"
    cost: ClassVar = Cost(seconds=0.5, power=2, squares=0, cluster_squares=3)
    takes_missing: ClassVar = True
    max_iter: int = integer(100, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        n_labels = min(self.n_clusters, ensemble.microclusters.count)
        medoids = hyperedge_medoids(ensemble, n_labels)
        labels = spread(ensemble, medoids, n_labels)
        for t in self._rounds():
            U = support(ensemble, labels, n_labels)
            moved = U.argmax(axis=1)
            self.converged_ = t > 1 and bool((moved == labels).all())
            labels = moved
        return self._labels_of_membership(U)


def hyperedge_medoids(ensemble: Ensemble, n_medoids: int) -> Labels:
    """Medoids: clusters with a small sum of Jaccard distances of all clusters to the nearest one.

    Parameters
    ----------
    ensemble : Ensemble
    n_medoids : int
        c. There are at most as many medoids as clusters.

    Returns
    -------
    (min(c, L),) integer array
        Numbers of the medoids, such that no exchange of one of them lowers the sum.
    """
    distance = 1 - jaccard_of_clusters(ensemble)
    L = len(distance)
    medoids: list[int] = []
    nearest = np.full(L, np.inf)
    for _ in range(min(n_medoids, L)):
        total = np.minimum(nearest, distance).sum(axis=1)
        total[medoids] = np.inf
        medoids.append(int(total.argmin()))
        nearest = np.minimum(nearest, distance[medoids[-1]])
    least = float(nearest.sum())
    while True:
        exchanges = [_best_exchange(distance, medoids, k) for k in range(len(medoids))]
        total, k, candidate = min(
            (total, k, candidate) for k, (total, candidate) in enumerate(exchanges)
        )
        if total >= least - _SMALLEST_GAIN:
            return np.array(medoids)
        least, medoids[k] = total, candidate


def _best_exchange(distance: Array, medoids: list[int], k: int) -> tuple[float, int]:
    """Smallest sum of distances with another cluster as the k-th medoid, and this cluster."""
    others = medoids[:k] + medoids[k + 1 :]
    nearest = distance[others].min(axis=0, initial=np.inf)
    total = np.minimum(nearest, distance).sum(axis=1)
    total[medoids] = np.inf
    candidate = int(total.argmin())
    return float(total[candidate]), candidate


def spread(ensemble: Ensemble, medoids: Labels, n_labels: int) -> Labels:
    """Grow consensus clusters from medoids, beginning with the most clearly supported samples.

    Parameters
    ----------
    ensemble : Ensemble
    medoids : (q,) integer array
        Numbers of the initial clusters.
    n_labels : int
        c ≥ q.

    Returns
    -------
    (n',) integer array
        Consensus cluster of each microcluster.
    """
    r, n = ensemble.microclusters.r, ensemble.n_samples
    members = ensemble.microcluster_membership.tocsc()[:, medoids].toarray()
    alone = members.sum(axis=1) == 1
    labels = np.where(alone, members.argmax(axis=1), -1)
    n_assigned = float(r @ alone)
    step = max(int(np.sqrt(n)), int(np.ceil((n - n_assigned) / n_labels)))
    while n_assigned < n:
        U = support(ensemble, labels, n_labels)
        ranked = np.sort(np.column_stack((U, np.zeros(len(U)))), axis=1)
        # Equal margins must stay equal, whatever the order of the sums.
        margin = np.round(ranked[:, -1] - ranked[:, -2], 10)
        order = np.argsort(-margin, kind="stable")
        n_assigned = min(n_assigned + step, n)
        last = margin[order[np.searchsorted(np.cumsum(r[order]), n_assigned)]]
        labels = np.where(margin >= last, U.argmax(axis=1), -1)
    return labels


def support(ensemble: Ensemble, labels: Labels, n_labels: int) -> Array:
    """U, the support of each consensus cluster for the samples of each microcluster.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n',) integer array
        Consensus cluster of each microcluster, −1 for none.
    n_labels : int
        c.

    Returns
    -------
    (n', c) array
    """
    Z, r = ensemble.microcluster_membership, ensemble.microclusters.r
    M = (labels[:, None] == np.arange(n_labels)) * r[:, None]
    shares = (Z.T @ M) / ensemble.cluster_sizes[:, None]
    return np.asarray(Z @ shares)
