"""SDGCA: similarity and dissimilarity guided co-association.

X. Zhang, Y. Jia, M. Song, R. Wang, "Similarity and dissimilarity guided co-association matrix
construction for ensemble clustering", IEEE TKDE 2025 (arXiv:2411.00904). With A the co-association
matrix and m base clusterings:

*NWCA.* A cluster of a base clustering with K clusters has the reliability exp(−U / (λ m log₂ K)),
where U is the sum of its entropies over all base clusterings, as in LWEA. W is the locally weighted
co-association matrix with these reliabilities, divided by its largest entry, and 1 on its diagonal.

*Similar pairs.* M is W where A ≥ θ, and 0 elsewhere. Its positive entries are then scaled linearly
to the range from 0.8 to 1, and the smallest of them finally become 0.

*Dissimilar pairs.* Q is 1 − ECA where this is at least 0.8, and 0 elsewhere. ECA is the enhanced
co-association matrix of ECPCS. Pairs in Q are not in M.

*Propagation.* With the Laplacian L of the entries of A that are at least η,

    min_{S,D}  tr(S L Sᵀ) + tr(D L Dᵀ) + ⟨S, Dᵀ⟩
    s.t.       S, D symmetric with entries in [0, 1],  S = M where M > 0,  D = Q where Q > 0,

is solved by alternating directions. The final similarity is

    1 − (1 − S + D)(1 − W)  where S ≥ D,   (1 + S − D) W  elsewhere,

entry by entry, and the partition is its average linkage.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- λ = 0.09, η = 0.75 and θ = 0.65, as in the program's demonstration. The authors tune all three
  for each data set, and their list of values exchanges η and θ of the demonstration's data set.
- With η > 1 no pair is left for L, and the similarity is W.
- The penalty starts at 1, is multiplied by 1.1 in each iteration and never passes 1e6. The
  iteration ends when S and D change by less than 1e-3 and differ by less than 1e-3 from their
  symmetric copies (Frobenius norm), or after 300 iterations.
- The diagonals of M and Q follow from the formulas like their other entries: M is 1 there, and Q
  is 0.
- The cluster of a base clustering with only one cluster has reliability 0 unless no base
  clustering splits it. If all reliabilities are 0, W is the identity.
- If all entries of W are equal, M is 1 wherever A ≥ θ.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.rank_constraint import graph_components
from coassoc.partition.linkage import linkage_labels
from coassoc.similarity import (
    cluster_uncertainty,
    co_association,
    enhanced_co_association,
    weighted_co_association,
)

#: Smallest 1 − ECA of a dissimilar pair, and the value that replaces the smallest entry of a
#: similar pair.
_DISSIMILAR, _SIMILAR = 0.8, 0.8
#: Entries of M that exceed the smallest entry by at most this equal it up to rounding.
_ROUNDING = 1e-12
#: Growth of the penalties, their largest value, and the changes and residuals at which the
#: iteration stops.
_GROWTH, _LARGEST_PENALTY, _TOLERANCE = 1.1, 1e6, 1e-3
#: Microclusters of components of links that are inverted, and multiplied by, as one.
_TOGETHER = 64


class SDGCA(ConsensusClusterer):
    """Similarity and dissimilarity guided co-association (Zhang et al. 2025).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam : float
        λ > 0, parameter of the reliability of clusters.
    eta : float
        η ≥ 0, smallest co-association along which relations are propagated. Above 1, no relation is
        propagated.
    theta : float
        θ ≥ 0, smallest co-association of a similar pair.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The final similarity.
    """

    title: ClassVar = "Similarity and dissimilarity guided co-association"
    paper: ClassVar = "Zhang, Jia, Song & Wang, IEEE TKDE 2025"
    cost: ClassVar = Cost(seconds=35, power=3, squares=18, cluster_squares=7)
    offers: ClassVar = ("affinity_",)
    lam: float = number(0.09, above=0)
    eta: float = number(0.75, minimum=0, maximum=1)
    theta: float = number(0.65, minimum=0)
    max_iter: int = integer(300, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        A = co_association(ensemble)
        W = normalized_co_association(ensemble, self.lam)
        Q = dissimilar_pairs(ensemble)
        M = similar_pairs(W, A, Q, self.theta)
        links = A.map(lambda a: np.where(a >= self.eta, a, 0.0))
        L = InvariantMatrix.from_diagonal(links.row_sums(), A.microclusters) - links
        S, D = learn_relations(L, M, Q, self)
        self.affinity_ = guided_similarity(S, D, W)
        return linkage_labels(self.affinity_, self.n_clusters, "average")


def normalized_co_association(ensemble: Ensemble, lam: float) -> InvariantMatrix:
    """W, the normalised weighted co-association matrix, with λ as in :class:`SDGCA`."""
    counts = ensemble.n_clusters_per_clustering[ensemble.clustering_of_cluster]
    U, unit = cluster_uncertainty(ensemble), np.log2(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.where(U > 0, U / unit, 0.0)
    reliability = np.exp(-entropy / (lam * ensemble.n_clusterings))
    S = weighted_co_association(ensemble, reliability)
    largest = S.max()
    if largest > 0:
        S /= largest
    return InvariantMatrix.with_diagonal(S, 1.0, ensemble.microclusters)


def dissimilar_pairs(ensemble: Ensemble) -> InvariantMatrix:
    """Q, the dissimilarity of the clusters of two samples if it is large."""
    unlike = enhanced_co_association(ensemble).map(lambda alike: 1 - alike)
    return unlike.map(lambda q: np.where(q >= _DISSIMILAR, q, 0.0))


def similar_pairs(
    W: InvariantMatrix, A: InvariantMatrix, Q: InvariantMatrix, theta: float
) -> InvariantMatrix:
    """M, weighted co-associations from 0.8 to 1 of pairs that many base clusterings join.

    Parameters
    ----------
    W : InvariantMatrix
        The normalised weighted co-association matrix.
    A : InvariantMatrix
        The co-association matrix.
    Q : InvariantMatrix
        The dissimilar pairs, which are left out.
    theta : float
        θ.
    """
    M = W.map(lambda w, a: np.where((a >= theta) & (a > 0), w, 0.0), A)
    lowest = min(M.S.min(), M.diagonal().min())
    rise = 1 - lowest  # the largest entry is the 1 on the diagonal

    def scaled(m: Array, q: Array) -> Array:
        level = (m - lowest) / rise if rise > 0 else np.ones_like(m)
        return np.where((level > _ROUNDING) & (q == 0), _SIMILAR + (1 - _SIMILAR) * level, 0.0)

    return M.map(scaled, Q)


def learn_relations(
    L: InvariantMatrix, M: InvariantMatrix, Q: InvariantMatrix, method: SDGCA
) -> tuple[InvariantMatrix, InvariantMatrix]:
    """Propagate similarities and dissimilarities along the links; see :class:`SDGCA`.

    Parameters
    ----------
    L : InvariantMatrix
        Laplacian of the links.
    M, Q : InvariantMatrix
        Similar and dissimilar pairs.

    Returns
    -------
    S, D : InvariantMatrix
        Propagated similarity and dissimilarity, before they are clipped and made symmetric.
    """
    zero = M * 0.0
    S = D = copy_S = copy_D = Y_S = Y_D = zero
    groups = _linked_groups(L)
    mu = 1.0
    for _ in method._rounds():
        resolve = _resolvent(L, mu, groups)
        before_S, before_D = S, D
        S = resolve(2 * mu * copy_S - D.T - Y_S)
        copy_S = _feasible(S + Y_S / (2 * mu), M)
        D = resolve(2 * mu * copy_D - S.T - Y_D)
        copy_D = _feasible(D + Y_D / (2 * mu), Q)
        Y_S, Y_D = Y_S + mu * (S - copy_S), Y_D + mu * (D - copy_D)
        mu = min(_GROWTH * mu, _LARGEST_PENALTY)
        differences = (S - before_S, D - before_D, S - copy_S, D - copy_D)
        method.converged_ = max(difference.norm() for difference in differences) < _TOLERANCE
    return S, D


def _linked_groups(L: InvariantMatrix) -> list[Labels]:
    """Groups of microclusters from whole components of the links, large enough for products."""
    _, component = graph_components(-L.S)
    order = np.argsort(component, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(component[order])) + 1, len(order))
    cuts, start = [], 0
    for end in ends[:-1]:
        if end - start >= _TOGETHER:
            cuts.append(end)
            start = end
    return np.split(order, cuts)


def _resolvent(
    L: InvariantMatrix, mu: float, groups: list[Labels]
) -> Callable[[InvariantMatrix], InvariantMatrix]:
    """The function X ↦ X (2L + 2μI)⁻¹; entries of the inverse between components are 0."""
    K = 2 * L + 2 * mu * InvariantMatrix.identity(L.microclusters)
    alone = L.microclusters.sizes == 1
    e = np.where(alone, 0.0, 1 / np.where(alone, 1.0, K.e))
    parts = []
    for group in groups:
        equations = K.S[np.ix_(group, group)] * L.r[group] + np.diag(K.e[group])
        parts.append((scipy.linalg.inv(equations) - np.diag(e[group])) / L.r[group])

    def resolve(X: InvariantMatrix) -> InvariantMatrix:
        """The product with the inverse, by the rule for products of invariant matrices."""
        S = X.S * e
        for group, part in zip(groups, parts, strict=True):
            S[:, group] += (X.S[:, group] * X.r[group]) @ part
            S[np.ix_(group, group)] += X.e[group, None] * part
        return InvariantMatrix(S, X.e * e, X.microclusters)

    return resolve


def _feasible(X: InvariantMatrix, known: InvariantMatrix) -> InvariantMatrix:
    """The known entries, and those of X between 0 and 1 elsewhere, made symmetric."""
    return X.map(lambda x, k: np.where(k > 0, k, np.clip(x, 0.0, 1.0)), known).symmetrized()


def guided_similarity(
    S: InvariantMatrix, D: InvariantMatrix, W: InvariantMatrix
) -> InvariantMatrix:
    """W, increased where S is above D, and decreased where it is below.

    Parameters
    ----------
    S, D : InvariantMatrix
        Results of :func:`learn_relations`.
    W : InvariantMatrix
        The normalised weighted co-association matrix.
    """
    S, D = (X.map(lambda x: np.clip(x, 0.0, 1.0)).symmetrized() for X in (S, D))

    def guided(w: Array, s: Array, d: Array) -> Array:
        excess = s - d
        return np.where(excess >= 0, 1 - (1 - excess) * (1 - w), (1 + excess) * w)

    return W.map(guided, S, D).map(lambda x: np.clip(x, 0.0, 1.0))
