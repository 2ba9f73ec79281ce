"""CVote: cumulative voting, and a consensus by the agglomerative information bottleneck.

H. G. Ayad, M. S. Kamel, "Cumulative voting consensus method for partitions with variable number of
clusters", IEEE TPAMI 30(1), 2008, and "On voting-based consensus of cluster ensembles", Pattern
Recognition 43(5), 2010. The base clustering with the largest entropy is the reference U₀, an n × k₀
matrix of memberships. In falling order of entropy the i-th one, U_i, is mapped onto its clusters,
each cluster sharing its vote among those of the reference as its samples are shared,

    W = diag(U_iᵀ1)⁻¹ U_iᵀ U₀,    U₀ ← (i − 1)/i U₀ + 1/i U_i W,

so that U₀ remains the mean of all that were mapped. With p(x, k) = U₀(x, k)/n the joint
distribution of samples and clusters, clusters are then merged until c are left, each time the two,
a and b, whose merging loses least of the information that clusters have on samples,

    (p(a) + p(b)) JS(p(x|a), p(x|b)),

JS the Jensen-Shannon divergence with weights in proportion to p(a) and p(b). A sample belongs to
the cluster with the largest p(x, k).

How it is solved
----------------
Samples with equal labels have equal rows of U₀: all of it runs on the microclusters, whose sizes
count.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.numerics.distinct import distinct_rows


class CumulativeVote(ConsensusClusterer):
    """Cumulative voting, adaptive (Ayad & Kamel 2008, 2010).

    Attributes
    ----------
    membership_ : (n, c') array
        Votes for the consensus clusters, which sum to 1 for each sample, with c' the smaller of c
        and the number of microclusters.
    """

    revision = 1
    seeds = ""
    offers = ("membership_",)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        c = min(self.n_clusters, micro.count)
        U = merge_least_informative(cumulative_votes(ensemble, c), micro.r, c)
        self.membership_ = micro.expand(U)
        return self._labels_of_membership(U)


def cumulative_votes(ensemble: Ensemble, least: int) -> Array:
    """U₀ after all base clusterings have voted.

    Parameters
    ----------
    ensemble : Ensemble
    least : int
        Clusters that the reference must have, at most n'.

    Returns
    -------
    (n', k₀) array
        Rows sum to 1.
    """
    Z, r = ensemble.microcluster_membership.tocsc(), ensemble.microclusters.r
    order = _by_entropy(ensemble)
    U = _reference(ensemble.distinct_labels[:, order], least)
    for rank, j in enumerate(order[1:], start=2):
        U_j = Z[:, ensemble.offsets[j] : ensemble.offsets[j + 1]]
        votes = U_j.T @ (r[:, None] * U) / (U_j.T @ r)[:, None]
        U += (U_j @ votes - U) / rank
    return U


def _by_entropy(ensemble: Ensemble) -> Labels:
    """Base clusterings in falling order of entropy; among equals first the most in agreement."""
    sizes = np.split(ensemble.cluster_sizes, ensemble.offsets[1:-1])
    # Sizes in order make equal entropies equal to the last bit.
    surplus = [float(np.sum(xlogy(np.sort(block), np.sort(block)))) for block in sizes]
    shared = np.concatenate([rows.power(2).sum(axis=1) for _, rows in ensemble.intersections()])
    agreement = np.add.reduceat(shared, ensemble.offsets[:-1])
    return np.lexsort(np.array([-agreement, surplus]))


def _reference(labels: NDArray[np.int32], least: int) -> Array:
    """Memberships in the first of some clusterings; it is crossed with others if it has too few."""
    for used in range(1, labels.shape[1] + 1):
        groups = distinct_rows(labels[:, :used])
        if groups.max() + 1 >= least:
            break
    return np.eye(groups.max() + 1)[groups]


def merge_least_informative(U: Array, r: Array, n_clusters: int) -> Array:
    """Merge clusters until `n_clusters` are left, each time with the least loss of information.

    Parameters
    ----------
    U : (n', k₀) array
        Memberships of the microclusters.
    r : (n',) array
        Samples in each microcluster.
    n_clusters : int
        At most k₀.

    Returns
    -------
    (n', c) array
    """
    U, n = U.copy(), r.sum()

    def surplus(columns: Array) -> Array:
        """Σ_x p(x, k) log p(x|k) of each column, up to p(k) log n, whose sum never changes."""
        shares = r @ columns / n
        return np.asarray(r @ xlogy(columns, columns) / n - xlogy(shares, shares))

    own = surplus(U)
    loss = np.full((U.shape[1],) * 2, np.inf)
    for a in range(U.shape[1] - 1):
        loss[a, a + 1 :] = own[a] + own[a + 1 :] - surplus(U[:, a, None] + U[:, a + 1 :])
    left = np.ones(U.shape[1], dtype=bool)
    while left.sum() > n_clusters:
        a, b = divmod(int(loss.argmin()), len(loss))
        U[:, a] += U[:, b]
        left[b] = False
        loss[b], loss[:, b] = np.inf, np.inf
        own[a] = surplus(U[:, a])
        others = np.flatnonzero(left & (np.arange(len(left)) != a))
        again = own[a] + own[others] - surplus(U[:, a, None] + U[:, others])
        loss[np.minimum(a, others), np.maximum(a, others)] = again
    return U[:, left]
