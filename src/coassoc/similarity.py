"""Similarities between samples, computed from an :class:`Ensemble` as :class:`InvariantMatrix`.

The functions use only the base clusterings, so all results are defined on microclusters.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, pairwise, repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.evidence import Evidence
from coassoc.invariant import InvariantMatrix
from coassoc.numerics.pairs import count_agreements
from coassoc.numerics.threads import over_blocks, row_blocks

Array = NDArray[np.float64]

#: Number of rows for which weights in common are summed together.
_ROWS = 64
#: Defaults of the authors' programs: θ of the clusters' index, and T of their random walks.
THETA, N_STEPS = 0.4, 20


class CoAssociation(InvariantMatrix):
    """Mean weight of the base clusters that two samples share, if both samples are labelled.

    S_ij = Σ_{l ∋ i,j} w_l / Σ_{k has i,j} v_k, and 0 if the divisor is 0. Entries are computed on
    first access, so methods that need no matrix never compute them.

    Parameters
    ----------
    ensemble : Ensemble
    weights : (L,) array
        w, non-negative weight of each cluster.
    divisors : (m,) array
        v, non-negative weight of each base clustering in the divisor.
    entries : callable
        Function that computes the (n', n') entries from the ensemble and the weights.
    diagonal : float, optional
        Entry of a sample with itself; by default the entry with another sample of its microcluster.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        weights: Array,
        divisors: Array,
        entries: Callable[[Ensemble, Array], Array],
        diagonal: float | None = None,
    ) -> None:
        self.microclusters = ensemble.microclusters
        self.ensemble, self.weights, self.divisors = ensemble, weights, divisors
        self._entries, self._diagonal = entries, diagonal

    @cached_property
    def _matrix(self) -> InvariantMatrix:
        S = self._entries(self.ensemble, self.weights)
        if self._diagonal is None:
            return InvariantMatrix(S, 0.0, self.microclusters)
        return InvariantMatrix.with_diagonal(S, self._diagonal, self.microclusters)

    @property
    def S(self) -> Array:  # type: ignore[override]
        """(n', n') value for each pair of microclusters."""
        return self._matrix.S

    @property
    def e(self) -> Array:  # type: ignore[override]
        """(n',) diagonal correction."""
        return self._matrix.e

    @property
    def ties_equal_rows(self) -> bool:
        """Whether samples with the same labels are always the most similar samples.

        If labels are missing, a sample can be more similar to a sample with fewer labels of larger
        weight, unless all clusters of a base clustering have the same weight.
        """
        same = self.divisors[self.ensemble.clustering_of_cluster]
        return not self.ensemble.has_missing or np.array_equal(self.weights, same)

    @property
    def total(self) -> float:
        """Divisor if no label is missing."""
        return float(self.divisors.sum())

    @property
    def inside(self) -> Array:
        """(n',) value between samples of each microcluster."""
        patterns, totals = self.ensemble.patterns, np.array([self.total])
        if self.ensemble.has_missing:
            totals = patterns.seen @ self.divisors
            totals[totals == 0] = 1.0  # the sums are then 0, too
        return self.ensemble.microcluster_membership @ self.weights / totals[patterns.of]


def weighted_co_association(ensemble: Ensemble, weights: Array) -> Array:
    """(1/m) Z diag(w) Zᵀ on the microclusters.

    If labels are missing, m is the number of base clusterings that label both samples of a pair. A
    pair without such base clusterings gets 0.

    Parameters
    ----------
    ensemble : Ensemble
    weights : (L,) array
        Weight of each cluster.

    Returns
    -------
    (n', n') array
        Bitwise symmetric, because both triangles are summed in the same order.
    """
    S = shared_weight(ensemble, weights)
    S /= np.maximum(ensemble.n_common, 1) if ensemble.has_missing else ensemble.n_clusterings
    return S


def shared_weight(ensemble: Ensemble, weights: Array) -> Array:
    """Z diag(w) Zᵀ on the microclusters: weight of the base clusters that two samples share.

    Weights are added in the order of the base clusterings; if all are 1, agreements are counted.

    Parameters
    ----------
    ensemble : Ensemble
    weights : (L,) array
        Weight of each cluster.

    Returns
    -------
    (n', n') array
    """
    Z, labels = ensemble.microcluster_membership, ensemble.distinct_labels
    if (weights == 1).all():
        return count_agreements(labels)
    S, Z = np.empty((len(labels), len(labels))), sp.csr_array(Z)
    over_blocks(
        lambda rows: np.copyto(S[rows], (Z @ (Z[rows].toarray() * weights).T).T),
        row_blocks(len(labels), _ROWS),
    )
    return S


def co_association(ensemble: Ensemble) -> InvariantMatrix:
    """CA matrix Ã = Z Zᵀ / m, the fraction of clusterings that join two samples (Fred & Jain 2005).

    EC-CMS Eq. (1). Entries are k/m, the diagonal is 1, and so is every entry inside a microcluster.
    If labels are missing, only the base clusterings that label both samples of a pair count. For
    Evidence, the result is the given similarities.
    """
    if isinstance(ensemble, Evidence):
        # Return a copy, because methods work in place.
        return InvariantMatrix(ensemble.S.copy(), 0.0, ensemble.microclusters)
    ones = np.ones(ensemble.n_clusters_total)
    divisors = np.ones(ensemble.n_clusterings)
    return CoAssociation(ensemble, ones, divisors, weighted_co_association)


def cluster_uncertainty(ensemble: Ensemble) -> Array:
    """Entropy of each cluster over all m base clusterings, in bits (Huang et al. 2018, Eq. 5).

    U(c) = −Σ_j Σ_k p log₂ p with p = |c ∩ c_k^j| / |c|; if labels are missing, |c| is the number of
    samples of c that clustering j labels.

    Returns
    -------
    (L,) array
    """
    return _uncertainty(ensemble)[0]


def _uncertainty(ensemble: Ensemble) -> tuple[Array, Any]:
    """(L,) entropies, and how many base clusterings have any sample of the cluster."""
    entropies, n_labelled = [], []
    for rows, intersections in ensemble.intersections():
        shared, seen = intersections.tocoo(), ensemble.cluster_sizes[rows, None]
        if ensemble.has_missing:
            seen = np.add.reduceat(intersections.toarray(), ensemble.offsets[:-1], axis=1)
            n_labelled.append((seen > 0).sum(axis=1))
        clustering = ensemble.clustering_of_cluster[shared.col] if ensemble.has_missing else 0
        p = shared.data / seen[shared.row, clustering]
        count = intersections.shape[0]
        entropies.append(np.bincount(shared.row, weights=-p * np.log2(p), minlength=count))
    n_seen = np.concatenate(n_labelled) if n_labelled else ensemble.n_clusterings
    return np.concatenate(entropies).astype(np.float64, copy=False), n_seen


def ensemble_driven_cluster_index(ensemble: Ensemble, theta: float = THETA) -> Array:
    """ECI(c) = exp(−U(c) / (θ m)): reliability of each cluster (Huang et al. 2018, Eq. 8).

    If labels are missing, m is the number of base clusterings that label any sample of c.

    Parameters
    ----------
    ensemble : Ensemble
    theta : float
        θ > 0; smaller values penalise uncertain clusters more.

    Returns
    -------
    (L,) array in (0, 1]
    """
    entropies, m = _uncertainty(ensemble)
    return np.exp(-entropies / (theta * m))


def locally_weighted_co_association(ensemble: Ensemble, theta: float = THETA) -> CoAssociation:
    """LWCA matrix: co-association weighted by the clusters' ECI (Huang et al. 2018, Eq. 9).

    The diagonal is 1, as in the authors' program. The entry of two different samples of a
    microcluster is the mean ECI of their clusters.
    """
    weights = ensemble_driven_cluster_index(ensemble, theta)
    divisors = np.ones(ensemble.n_clusterings)
    return CoAssociation(ensemble, weights, divisors, weighted_co_association, 1.0)


def trajectory_lengths(ensemble: Ensemble) -> int:
    """Default K = T of probability trajectories: min(20, ⌊√n'/2⌋), at least 1."""
    return max(1, min(20, int(np.sqrt(ensemble.microclusters.count) / 2)))


def elite_neighbors(S: Array, n_neighbors: int) -> sp.csr_array:
    """Keep the `n_neighbors` largest entries of each row, then symmetrise by the maximum.

    The diagonal is ignored. Entries equal to the smallest kept entry are kept too (Huang et al.
    2016, Sec. 4.2).
    """
    W = S.copy()
    np.fill_diagonal(W, 0.0)
    if n_neighbors < len(W):
        last = len(W) - n_neighbors
        W[W < np.partition(W, last, axis=1)[:, last, None]] = 0.0
    W = sp.csr_array(W)
    return W.maximum(W.T).tocsr()


def probability_trajectory_similarity(
    ensemble: Ensemble, n_neighbors: int | None = None, n_steps: int | None = None
) -> InvariantMatrix:
    """PTS matrix: cosine of the trajectories of random walkers (Huang et al. 2016, Eqs. 6–11).

    The walk runs on the microclusters: a walker steps to an elite neighbour with probability
    proportional to the link's weight times the neighbour's size, q_ij ∝ r_j w_ij. The trajectory
    of microcluster i is row i of (Q, Q², …, Q^T).

    Parameters
    ----------
    ensemble : Ensemble
    n_neighbors : int, optional
        K, number of links kept per microcluster. Default: :func:`trajectory_lengths`.
    n_steps : int, optional
        T, length of the walk. Default: :func:`trajectory_lengths`.

    Returns
    -------
    InvariantMatrix
        Samples of one microcluster have similarity 1. A microcluster without neighbours has 1e-20
        in its row and column, including the diagonal, as in the authors' program.

    Notes
    -----
    Trajectories are never stored. With π_i = r_i Σ_j r_j w_ij, Â = Π^{-1/2} N W N Π^{-1/2}
    is symmetric and Q = Π^{-1/2} Â Π^{1/2}, so that the inner products of trajectories are those of
    Ĝ_T = Σ_t Âᵗ Π Âᵗ up to factors that the cosine cancels. Ĝ_{t+1} = Â (Π + Ĝ_t) Â adds a step at
    the cost of sparse products.
    """
    default = trajectory_lengths(ensemble)
    K, T = n_neighbors or default, n_steps or default
    W = elite_neighbors(co_association(ensemble).S, K)
    r = ensemble.microclusters.r
    pi = r * (W @ r)
    isolated = pi == 0
    scale = r / np.sqrt(np.where(isolated, 1.0, pi))
    G = _trajectory_products(sp.csr_array(W * scale * scale[:, None]), pi, T)
    length = np.sqrt(np.diagonal(G))
    length[isolated] = 1.0
    G /= length
    G /= length[:, None]
    np.fill_diagonal(G, 1.0)
    G[isolated] = 1e-20
    G[:, isolated] = 1e-20
    return InvariantMatrix(G, 0.0, ensemble.microclusters)


def _trajectory_products(A: sp.csr_array, pi: Array, n_steps: int) -> Array:
    """Ĝ_T = Σ_{t=1}^{T} Aᵗ Π Aᵗ, by Ĝ_{t+1} = A (Π + Ĝ_t) A."""

    def times(X: Array) -> Array:
        product = np.empty(A.shape)
        blocks = row_blocks(len(product))
        over_blocks(lambda rows: np.copyto(product[rows], A[rows] @ X), blocks)
        return product

    G = (A * pi @ A).toarray()
    for _ in range(n_steps - 1):
        G.flat[:: len(G) + 1] += pi
        G = times(times(G).T)
    return G


def jaccard_of_clusters(ensemble: Ensemble) -> Array:
    """Jaccard coefficient |c ∩ c'| / |c ∪ c'| of all pairs of clusters.

    Returns
    -------
    (L, L) array
        Symmetric, with 1 on the diagonal and 0 between clusters of one base clustering.
    """
    shared = ensemble.cluster_intersections.toarray()
    sizes = ensemble.cluster_sizes
    return shared / (sizes + sizes[:, None] - shared)


def propagated_cluster_similarity(ensemble: Ensemble, n_steps: int = N_STEPS) -> Array:
    """Cosine of the clusters' random-walk trajectories (Huang et al. 2021).

    A walker steps from cluster to cluster with probabilities P proportional to their Jaccard
    coefficients; the trajectory of cluster i is row i of (P, P², …, P^T).

    Parameters
    ----------
    ensemble : Ensemble
    n_steps : int
        T ≥ 1, length of the trajectories.

    Returns
    -------
    (L, L) array
        Symmetric, with 1 on the diagonal. A cluster that overlaps no other cluster has zeros in its
        row and column, including the diagonal, as in the authors' program.

    Notes
    -----
    With A = D^{-1/2} J D^{-1/2} = V Λ Vᵀ, J the Jaccard matrix and D its row sums, the products of
    trajectories are Σ_t P^t (P^t)ᵀ = D^{-1/2} V [(Vᵀ D V) ∘ Σ_t (λ_k λ_l)^t] Vᵀ D^{-1/2}: one
    eigendecomposition in place of T powers.
    """
    from coassoc.numerics.eigenpairs import eigenpairs_within

    J = jaccard_of_clusters(ensemble)
    np.fill_diagonal(J, 0.0)
    degree = J.sum(axis=1)
    scale = np.zeros_like(degree)
    np.divide(1, np.sqrt(degree), out=scale, where=degree > 0)
    J *= scale
    J *= scale[:, None]
    eigenvalues, V = eigenpairs_within(J, 0, len(J) - 1)
    steps = np.multiply.outer(eigenvalues, eigenvalues)
    powers = accumulate(repeat(steps, n_steps), np.multiply)
    inner = (V.T * degree) @ V * sum(powers)
    # Rows of V scaled by D^{-1/2} from both sides. The cosine then undoes the scale on the left.
    G = V @ inner @ V.T
    length = np.sqrt(np.maximum(np.diagonal(G), 0.0))
    length[degree == 0] = np.inf
    G /= length
    G /= length[:, None]
    G += G.T
    G *= 0.5
    np.fill_diagonal(G, degree > 0)
    return G


def enhanced_co_association(ensemble: Ensemble, n_steps: int = N_STEPS) -> InvariantMatrix:
    """ECA matrix: co-association by propagated cluster similarity (Huang et al. 2021).

    In each base clustering, two samples of the same cluster have the value 1, and two samples of
    different clusters have the propagated similarity of these clusters. ECA is the mean over the
    base clusterings that label both samples.

    Parameters
    ----------
    ensemble : Ensemble
    n_steps : int
        T ≥ 1, length of the trajectories.
    """
    G = propagated_cluster_similarity(ensemble, n_steps)
    np.fill_diagonal(G, 1.0)
    # Row c: similarity of cluster c to the cluster of each microcluster in the same base
    # clustering.
    to_cluster = np.empty((ensemble.n_clusters_total, ensemble.microclusters.count))
    for ends, column in zip(pairwise(ensemble.offsets), ensemble.distinct_labels.T, strict=True):
        block = slice(*ends)
        to_cluster[block] = G[block, block][:, column] * (column >= 0)
    S = np.asarray(ensemble.microcluster_membership @ to_cluster)
    S /= np.maximum(ensemble.n_common, 1) if ensemble.has_missing else ensemble.n_clusterings
    return InvariantMatrix(S, 0.0, ensemble.microclusters)
