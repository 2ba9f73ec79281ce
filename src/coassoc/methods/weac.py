"""WEAC and GP-MGLA: combining multiple clusterings via crowd agreement and granularity links.

D. Huang, J.-H. Lai, C.-D. Wang, "Combining multiple clusterings via crowd agreement estimation and
multi-granularity link analysis", Neurocomputing 170, 2015. A base clustering is weighted by its
agreement with the crowd of the other base clusterings, the normalised crowd agreement index (NCAI):

    w_j = (CAI_j / max_l CAI_l)^β,   CAI_j = Σ_{l ≠ j} NMI(π_j, π_l) / (m − 1).

WEAC is linkage on the co-association matrix Σ_j w_j A_j / Σ_j w_j. GP-MGLA cuts a graph of samples
and clusters by the transfer cut. A sample is linked to its cluster in base clustering j with weight
α w_j, and two clusters are linked with the weight of their source-aware connected triples

    SACT(a, b) = Σ_k w_k min(J_ak, J_bk) / max,

summed over all clusters k, with w_k the weight of the base clustering of k, J the Jaccard
coefficients of clusters, and max the largest sum over all pairs, including each cluster with
itself.

If labels are missing, two base clusterings are compared on the samples that both label, and for a
pair of samples only the base clusterings that label both count.

What the paper leaves open
--------------------------
- α = 0.5 and β = 2, as in the authors' program. NMI is divided by the larger entropy, as in the
  program.
- The link of a cluster with itself is 1, as in the program.
- WEAC uses average linkage by default; the paper has complete and single linkage too.
- GP-MGLA's k-means uses the best of ten k-means++ starts. The program uses one start from the
  first sample and the samples farthest away. As in the program, clusters are part of the cut but
  not of k-means.
- Two base clusterings of one cluster each agree entirely. If no two base clusterings agree, all
  have the same weight.
"""

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, number
from coassoc.numerics.sparse import scaled_rows
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.partition.labels import labels_of_samples
from coassoc.partition.linkage import LINKAGES
from coassoc.partition.spectral import k_means, transfer_cut_embedding
from coassoc.similarity import CoAssociation, jaccard_of_clusters, shared_weight

#: Number of clusters whose triples are counted at a time.
_CLUSTERS = 8


class WEAC(ConsensusClusterer):
    """Weighted evidence accumulation: linkage by crowd agreement (Huang, Lai & Wang 2015).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    beta : float
        β ≥ 0, exponent of the crowd agreement in the weights w.
    linkage : {"average", "complete", "single"}
        Linkage criterion on 1 − `affinity_`.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The weighted co-association matrix.
    weights_ : (m,) array
        Weights w of the base clusterings.
    dendrogram_ : Dendrogram
        Merges of the linkage, see :func:`~coassoc.partition.linkage.cut_samples`.
    """

    title: ClassVar = "Weighted evidence accumulation by crowd agreement"
    paper: ClassVar = "Huang, Lai & Wang, Neurocomputing 2015"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=3, links_labels="any")
    takes_missing: ClassVar = True
    n_clusters_is: ClassVar = "optional"
    offers: ClassVar = ("affinity_", "dendrogram_", "weights_")
    linkage: str = choice("average", LINKAGES)
    beta: float = number(2.0, minimum=0)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.weights_ = crowd_agreement(ensemble) ** self.beta
        similarity = agreement_weighted_co_association(ensemble, self.weights_)
        return self._cut(similarity, self.linkage)


class GPMGLA(ConsensusClusterer):
    """Graph partitioning with multi-granularity links (Huang, Lai & Wang 2015).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    alpha : float
        α > 0, weight of the links between samples and clusters.
    beta : float
        β ≥ 0, exponent of the crowd agreement in the weights w.

    Attributes
    ----------
    weights_ : (m,) array
        Weights w of the base clusterings.
    """

    title: ClassVar = "Graph partitioning with multi-granularity link analysis"
    paper: ClassVar = "Huang, Lai & Wang, Neurocomputing 2015"
    cost: ClassVar = Cost(seconds=0.7, power=2, squares=0, cluster_squares=3)
    takes_missing: ClassVar = True
    offers: ClassVar = ("weights_",)
    alpha: float = number(0.5, above=0)
    beta: float = number(2.0, minimum=0)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        self.weights_ = crowd_agreement(ensemble) ** self.beta
        points = granularity_embedding(ensemble, self.weights_, self.alpha, self.n_clusters)
        labels = k_means(points, self.n_clusters, random_state, weights=micro.r)
        return labels_of_samples(labels, micro, self.n_clusters)


def crowd_agreement(ensemble: Ensemble) -> Array:
    """NCAI of the base clusterings.

    Returns
    -------
    (m,) array
        Mean NMI with the others, divided by the largest of these means; 1 if all are 0.
    """
    Z, starts = ensemble.microcluster_membership, ensemble.offsets[:-1]
    clusters, weighted = Z.T.tocsr(), scaled_rows(Z, ensemble.microclusters.r)
    total = np.zeros(ensemble.n_clusterings)
    for j, ends in enumerate(pairwise(ensemble.offsets)):
        # Counts of the samples that clusterings j and l both label, for all l.
        shared = (clusters[slice(*ends)] @ weighted).toarray()
        of_j, of_l = np.add.reduceat(shared, starts, axis=1), shared.sum(axis=0)
        n = np.maximum(of_j.sum(axis=0), 1.0)
        negative_H_j = xlogy(of_j / n, of_j / n).sum(axis=0)
        p_l, p_joint = (x / np.repeat(n, np.diff(ensemble.offsets)) for x in (of_l, shared))
        negative_H_l = np.add.reduceat(xlogy(p_l, p_l), starts)
        negative_joint = np.add.reduceat(xlogy(p_joint, p_joint).sum(axis=0), starts)
        largest = -np.minimum(negative_H_j, negative_H_l)
        information = negative_joint - negative_H_j - negative_H_l
        nmi = np.divide(information, largest, out=np.ones_like(n), where=largest > 0)
        nmi[of_j.sum(axis=0) == 0] = 0.0
        nmi[j] = 0.0
        total[j] = np.clip(nmi, 0.0, 1.0).sum()
    return total / total.max() if total.max() > 0 else np.ones_like(total)


def agreement_weighted_co_association(ensemble: Ensemble, weights: Array) -> CoAssociation:
    """Σ_j w_j A_j / Σ_j w_j, with sums over the base clusterings that label both samples.

    Parameters
    ----------
    ensemble : Ensemble
    weights : (m,) array
        Non-negative weights w.
    """
    of_clusters = weights[ensemble.clustering_of_cluster]
    return CoAssociation(ensemble, of_clusters, weights, _mean_agreement)


def _mean_agreement(ensemble: Ensemble, weights: Array) -> Array:
    """(n', n') entries from the weights of the clusters."""
    S = shared_weight(ensemble, weights)
    seen = (ensemble.distinct_labels >= 0).astype(np.float64)
    total = (seen * weights[ensemble.offsets[:-1]]) @ seen.T
    S /= np.where(total > 0, total, 1.0)
    return S


def connected_triples(ensemble: Ensemble, weights: Array) -> Array:
    """SACT of all pairs of clusters.

    Parameters
    ----------
    ensemble : Ensemble
    weights : (m,) array
        w.

    Returns
    -------
    (L, L) array
        Symmetric, from 0 to 1, with 1 on the diagonal.
    """
    J = jaccard_of_clusters(ensemble)
    w = weights[ensemble.clustering_of_cluster]
    sums = np.empty_like(J)

    def count(clusters: slice) -> None:
        # Clusterings after a block are also in the rows of their own blocks.
        rows = np.minimum(J[clusters, None], J[clusters.start :]) @ w
        sums[clusters, clusters.start :] = rows
        sums[clusters.start :, clusters] = rows.T

    over_blocks(count, row_blocks(len(J), _CLUSTERS))
    largest = sums.max()
    sums /= largest if largest > 0 else 1.0
    np.fill_diagonal(sums, 1.0)
    return sums


def granularity_embedding(
    ensemble: Ensemble, weights: Array, alpha: float, n_components: int
) -> Array:
    """Transfer cut of the graph of samples and clusters, at the samples.

    Parameters
    ----------
    ensemble : Ensemble
    weights : (m,) array
        w.
    alpha : float
        α.
    n_components : int
        c, number of eigenvectors.

    Returns
    -------
    (n', n_components) array
        Rows of unit length.
    """
    micro = ensemble.microclusters
    links = ensemble.microcluster_membership.multiply(
        alpha * weights[ensemble.clustering_of_cluster]
    )
    between = connected_triples(ensemble, weights)
    B = sp.csr_array(sp.vstack([links, sp.csr_array(between)]))
    sizes = np.concatenate((micro.r, np.ones(len(between))))
    return transfer_cut_embedding(B, sizes, n_components)[: micro.count]
