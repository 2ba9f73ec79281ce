"""CVote: cumulative voting, and a consensus by the agglomerative information bottleneck.

H. G. Ayad, M. S. Kamel, "Cumulative voting consensus method for partitions with variable number of
clusters", IEEE TPAMI 30(1), 2008, and "On voting-based consensus of cluster ensembles", Pattern
Recognition 43(5), 2010. The base clustering with the largest entropy is the reference U₀, an n × k₀
matrix of memberships. In decreasing order of entropy, each further base clustering U_i is mapped
onto the clusters of the reference: a cluster divides its vote among these in proportion to its
samples,

    W = diag(U_iᵀ1)⁻¹ U_iᵀ U₀,    U₀ ← (i − 1)/i U₀ + 1/i U_i W,

so that U₀ remains the mean of all mapped clusterings. Let p(x, k) = U₀(x, k)/n be the joint
distribution of samples and clusters. Clusters are then merged until c are left. Each step merges
the clusters a and b with the smallest loss of information on the samples,

    (p(a) + p(b)) JS(p(x|a), p(x|b)),

where JS is the Jensen-Shannon divergence with weights proportional to p(a) and p(b). A sample
belongs to the cluster with the largest p(x, k).

If labels are missing, W counts the samples that U_i labels and that already have votes, entropies
use the samples with a label, and each sample's row of U₀ is the mean over its own votes. The row of
a sample without votes has the relative sizes of the clusters.

How it is solved
----------------
Samples with equal labels have equal rows of U₀, so the computation runs on the microclusters,
weighted by their sizes.

What the paper leaves open
--------------------------
- The papers describe a fixed reference (URCV, RCV), and a reference to which each base clustering
  is added before the next one is mapped (ACV). coassoc uses ACV with unnormalised weights, in
  decreasing order of entropy, as in the paper of 2010.
- Among base clusterings with equal entropies, the one that agrees most with all others comes
  first (by Σ n_ab² over its clusters a and all clusters b). If these sums are equal too, the
  first one comes first.
- If the reference has fewer than c clusters, it is crossed with the next base clusterings until it
  has at least c.
- A consensus cluster that no sample prefers takes over the microcluster in which its membership is
  largest relative to the largest membership. ``n_clusters_found_`` is the number of preferred
  clusters.
- The papers map complete clusterings. If labels are missing, a cluster divides its vote in the
  same way as those of its samples that already have votes, and a sample's row is the mean of the
  votes that it received.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.numerics.distinct import distinct_rows


class CumulativeVote(ConsensusClusterer):
    """Cumulative voting, adaptive (Ayad & Kamel 2008, 2010).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Attributes
    ----------
    membership_ : (n, c') array
        Votes for the consensus clusters, which sum to 1 for each sample. c' is the smaller of c and
        the number of microclusters.
    """

    title: ClassVar = "Cumulative voting and the information bottleneck"
    paper: ClassVar = "Ayad & Kamel, IEEE TPAMI 2008"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=0)
    takes_missing = True
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
        Least number of clusters of the reference, at most n'.

    Returns
    -------
    (n', k₀) array
        Rows sum to 1.
    """
    Z, r = ensemble.microcluster_membership.tocsc(), ensemble.microclusters.r
    order = _order_by_entropy(ensemble)
    U = _reference(ensemble.distinct_labels[:, order], least)
    n_votes = U.any(axis=1).astype(np.float64)
    for j in order[1:]:
        U_j = Z[:, ensemble.offsets[j] : ensemble.offsets[j + 1]]
        voters = U_j.T @ (r * (n_votes > 0))
        votes = U_j.T @ (r[:, None] * U) / np.where(voters > 0, voters, 1.0)[:, None]
        voting = U_j @ (voters > 0)
        n_votes += voting
        U += (U_j @ votes - voting[:, None] * U) / np.maximum(n_votes, 1.0)[:, None]
    U[n_votes == 0] = r @ U / (r @ (n_votes > 0))
    return U


def _order_by_entropy(ensemble: Ensemble) -> Labels:
    """Base clusterings in falling order of entropy; among equals first the most in agreement."""
    sizes = np.split(ensemble.cluster_sizes, ensemble.offsets[1:-1])
    # Sorted sizes make equal entropies equal to the last bit.
    ordered = [np.sort(block) for block in sizes]
    entropy = [np.log(x.sum()) - float(np.sum(xlogy(x, x))) / x.sum() for x in ordered]
    shared = np.concatenate([rows.power(2).sum(axis=1) for _, rows in ensemble.intersections()])
    agreement = np.add.reduceat(shared, ensemble.offsets[:-1])
    return np.lexsort(np.array([-agreement, -np.array(entropy)]))


def _reference(labels: NDArray[np.int32], least: int) -> Array:
    """Memberships in the first of some clusterings; it is crossed with others if it has too few.

    Rows without a label in those that are used are 0.
    """
    for used in range(1, labels.shape[1] + 1):
        labelled = (labels[:, :used] >= 0).any(axis=1)
        groups = distinct_rows(labels[labelled, :used])
        if groups.max() + 1 >= least:
            break
    U = np.zeros((len(labels), groups.max() + 1))
    U[labelled, groups] = 1.0
    return U


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

    surplus_of = surplus(U)
    loss = np.full((U.shape[1],) * 2, np.inf)
    for a in range(U.shape[1] - 1):
        loss[a, a + 1 :] = (
            surplus_of[a] + surplus_of[a + 1 :] - surplus(U[:, a, None] + U[:, a + 1 :])
        )
    left = np.ones(U.shape[1], dtype=bool)
    while left.sum() > n_clusters:
        a, b = divmod(int(loss.argmin()), len(loss))
        U[:, a] += U[:, b]
        left[b] = False
        loss[b], loss[:, b] = np.inf, np.inf
        surplus_of[a] = surplus(U[:, a])
        others = np.flatnonzero(left & (np.arange(len(left)) != a))
        again = surplus_of[a] + surplus_of[others] - surplus(U[:, a, None] + U[:, others])
        loss[np.minimum(a, others), np.maximum(a, others)] = again
    return U[:, left]
