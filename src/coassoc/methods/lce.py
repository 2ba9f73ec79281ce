"""LCE: link-based cluster ensembles with the similarities CTS, SRS and ASRS.

N. Iam-On, T. Boongoen, S. Garrett, "Refining pairwise similarity matrix for cluster ensemble
problem with cluster relations", Discovery Science 2008; N. Iam-On, S. Garrett, "LinkCluE: a MATLAB
package for link-based cluster ensembles", Journal of Statistical Software 36(9), 2010. Samples of
different clusters are similar if their clusters are similar. J are the Jaccard coefficients of
different clusters, d is a decay factor, N_i are the clusters that contain sample i, and G(a,
a) = 1.

*CTS*, connected triples. For two clusters of one base clustering,

    G(a, b) = d w(a, b) / max w,   w(a, b) = Σ_k min(J_ak, J_bk),

with the sum over all clusters k and the maximum over all such pairs. S is the mean, over the base
clusterings, of G for the clusters of the two samples.

*ASRS*, approximate SimRank. For any two clusters

    G(a, b) = d w(a, b) / max w,   w(a, b) = Σ_k J_ak J_bk / (|N_a| |N_b|),

N_a the clusters that overlap a; S(i, j) = Σ_{a ∈ N_i, b ∈ N_j} G(a, b) / (|N_i| |N_j|).

*SRS*, SimRank of the graph that links samples and clusters, from S = I and C = I at once

    S(i, j) ← d Σ_{a ∈ N_i, b ∈ N_j} C(a, b) / (|N_i| |N_j|),   S(i, i) = 1,
    C(a, b) ← d Σ_{i ∈ a, j ∈ b} S(i, j) / (|a| |b|),            C(a, a) = 1.

The partition is the result of a linkage on 1 − S.

If labels are missing, CTS is the mean over the base clusterings that label both samples, and N_i
are the known clusters of sample i.

How it is solved
----------------
Samples with equal labels are equally similar to other samples, and S of SRS is d X C Xᵀ off its
diagonal, where X is the membership Z with rows divided by |N_i|. A round on the clusters needs only
the diagonal of S and ZᵀX, that is, n' numbers and L × L arrays. S is computed once, at the end.

What the paper leaves open
--------------------------
- d = 0.8, and R = 5 rounds of SimRank including the start, as in the package's examples. Average
  linkage is the default. The package also has complete and single linkage.
- In ASRS the pair of clusters with the largest w has the similarity d, as the formula says. The
  package gives it 1, because its program treats any similarity of 1 as the similarity of equal
  clusters.
- Two samples with the same labels have S < 1 by ASRS and SRS, as the formulas say.
- If no two clusters of one base clustering overlap a common third cluster, G is 0 between
  different clusters.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, integer, number
from coassoc.partition.linkage import LINKAGES, linkage_labels
from coassoc.similarity import jaccard_of_clusters


class _LinkBased(ConsensusClusterer):
    """Linkage on 1 − S; a subclass defines S.

    The method is deterministic and ignores `random_state`.

    Parameters
    ----------
    decay : float
        Decay factor d from 0 to 1 for the similarity of different clusters.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The similarity S.
    """

    paper: ClassVar = "Iam-On, Boongoen & Garrett, Discovery Science 2008"
    cost: ClassVar = Cost(seconds=0.2, power=2, squares=2, cluster_squares=3)
    takes_missing: ClassVar = True
    offers: ClassVar = ("affinity_",)
    decay: float = number(0.8, minimum=0, maximum=1)
    linkage: str = choice("average", LINKAGES)

    @abstractmethod
    def _similarity(self, ensemble: Ensemble) -> InvariantMatrix: ...

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.affinity_ = self._similarity(ensemble)
        return linkage_labels(self.affinity_, self.n_clusters, self.linkage)


class LCECTS(_LinkBased):
    """Link-based cluster ensemble by connected triples (Iam-On, Boongoen & Garrett 2008).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    linkage : {"average", "complete", "single"}
        Linkage criterion on 1 − `affinity_`.
    """

    title: ClassVar = "Link-based cluster ensemble, connected triples, average linkage"

    def _similarity(self, ensemble: Ensemble) -> InvariantMatrix:
        return connected_triple_similarity(ensemble, self.decay)


class LCEASRS(_LinkBased):
    """Link-based cluster ensemble by approximate SimRank (Iam-On, Boongoen & Garrett 2008).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    linkage : {"average", "complete", "single"}
        Linkage criterion on 1 − `affinity_`.
    """

    title: ClassVar = "Link-based cluster ensemble, approximate SimRank, average linkage"

    def _similarity(self, ensemble: Ensemble) -> InvariantMatrix:
        return approximate_simrank(ensemble, self.decay)


class LCESRS(_LinkBased):
    """Link-based cluster ensemble by SimRank (Iam-On, Boongoen & Garrett 2008).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    decay : float
        Decay factor d from 0 to 1 for the similarity of different samples and of different
        clusters.
    n_rounds : int
        R ≥ 2, number of rounds of SimRank, including the initial one.
    linkage : {"average", "complete", "single"}
        Linkage criterion on 1 − `affinity_`.
    """

    title: ClassVar = "Link-based cluster ensemble, SimRank, average linkage"
    n_rounds: int = integer(5, minimum=2)

    def _similarity(self, ensemble: Ensemble) -> InvariantMatrix:
        return simrank(ensemble, self.decay, self.n_rounds)


def connected_triple_similarity(ensemble: Ensemble, decay: float) -> InvariantMatrix:
    """S of CTS for the decay d."""
    J = _overlaps(ensemble)
    clustering = ensemble.clustering_of_cluster
    w = np.zeros_like(J)
    for j in range(ensemble.n_clusterings):
        clusters_of_j = np.flatnonzero(clustering == j)
        for a in clusters_of_j:
            w[a, clusters_of_j] = np.minimum(J[a], J[clusters_of_j]).sum(axis=1)
    Z = ensemble.microcluster_membership
    S = _between_samples(Z, _decayed(w, decay))
    S /= np.maximum(ensemble.n_common, 1) if ensemble.has_missing else ensemble.n_clusterings
    return InvariantMatrix(S, 0.0, ensemble.microclusters)


def approximate_simrank(ensemble: Ensemble, decay: float) -> InvariantMatrix:
    """S of ASRS for the decay d."""
    J = _overlaps(ensemble)
    neighbours = np.maximum(np.count_nonzero(J, axis=1), 1)
    w = J @ J.T / neighbours / neighbours[:, None]
    S = _between_samples(_shares(ensemble), _decayed(w, decay))
    return InvariantMatrix.with_diagonal(S, 1.0, ensemble.microclusters)


def simrank(ensemble: Ensemble, decay: float, n_rounds: int) -> InvariantMatrix:
    """S of SRS for the decay d after R rounds; see :class:`LCESRS`."""
    r, Z, X = ensemble.microclusters.r, ensemble.microcluster_membership, _shares(ensemble)
    meetings = (Z.T @ X.multiply(r[:, None])).toarray()
    sizes = ensemble.cluster_sizes
    # Clusters as they enter the next S, and the clusters behind the present S (at first none).
    C = np.eye(len(sizes))
    maker = np.zeros_like(C)
    for _ in range(n_rounds - 1):
        # Sums of the present S over the samples of two clusters.
        inside = 1 - decay * np.asarray(X.multiply(X @ maker).sum(axis=1)).ravel()
        sums = decay * meetings @ maker @ meetings.T
        sums += (Z.T @ Z.multiply((r * inside)[:, None])).toarray()
        maker, C = C, decay * sums / (sizes * sizes[:, None])
        np.fill_diagonal(C, 1.0)
    S = _between_samples(X, decay * maker)
    return InvariantMatrix.with_diagonal(S, 1.0, ensemble.microclusters)


def _overlaps(ensemble: Ensemble) -> Array:
    """J with zeros on its diagonal."""
    J = jaccard_of_clusters(ensemble)
    np.fill_diagonal(J, 0.0)
    return J


def _decayed(w: Array, decay: float) -> Array:
    """G, 1 on its diagonal and elsewhere w relative to its largest entry, times the decay."""
    np.fill_diagonal(w, 0.0)
    largest = w.max()
    G = w * (decay / largest if largest > 0 else 0.0)
    np.fill_diagonal(G, 1.0)
    return G


def _shares(ensemble: Ensemble) -> sp.csr_array:
    """X, the membership of microclusters with rows of sum 1."""
    Z = ensemble.microcluster_membership
    return Z.multiply(1 / Z.sum(axis=1)[:, None]).tocsr()


def _between_samples(X: sp.csr_array, G: Array) -> Array:
    """X G Xᵀ for a symmetric G."""
    return np.asarray(X @ np.asarray(X @ G).T)
