"""SCCBG: self-paced consensus clustering with bipartite graph.

P. Zhou, L. Du, X. Li, "Self-paced consensus clustering with bipartite graph", IJCAI 2020. Samples
and clusters are the two sides of a bipartite graph with the n × L adjacency matrix Z, and A = ZᵀZ
has the overlaps of the clusters. A graph S with c components is learned together with weights W of
its edges:

    min_{S,W}  Σ_ia W_ia² (S_ia − Z_ia)² + γ Σ_i Σ_ab A_ab W_ia W_ib (S_ia − S_ib)² − ρ Σ_ia W_ia
    s.t.       S ≥ 0, 0 ≤ W ≤ 1, S has c connected components.

The last constraint is replaced by λ Σ_ia S_ia ‖u_i/√d_i − v_a/√d_a‖², where u and v are the c
leading left and right singular vectors of D_u^{-1/2} S D_v^{-1/2}, of length √½, and d has the
degrees.

How it is solved
----------------
Samples of a microcluster have equal rows in all matrices. The singular vectors come from the L × L
Gram matrix, whose eigenvalues are the squares needed. The step of S is a non-negative quadratic
program per row whose matrix has no positive entry off the diagonal. Rows are solved together, by
the primal-dual active set method with conjugate gradients.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- The start is S = Z, λ = 1, ρ = 1/2, and there are at most 20 rounds. A round updates W, tests
  the components of S, updates S, sets entries of S below 1e-4 to 0 and doubles ρ. Before S is
  updated, λ doubles if the squares of the c largest singular values sum to less than c − 1e-7.
- If c + 1 of these squares sum to more than c + 1 − 1e-7, the graph has too many components. λ
  is then halved before S is updated, and u, v and the degrees remain those of the last graph
  with at most c components. (The program is meant to keep u and v, but overwrites them.)
- The step of W is a quadratic program whose matrix has no negative entry but is not positive
  semidefinite. W_i = 1 is its only solution if no row sum of the matrix reaches ρ/2, as in all
  rounds if γ is small. Otherwise the result depends on the solver. coassoc uses the stationary
  point that the multiplicative update W ← min(1, ρ W / (2 H W)), which never raises the objective,
  reaches from W = 1.
- If all edges of a microcluster vanish, its samples form a separate component. A cluster whose
  edges all vanish does not count as a component.
- If the number of components at the end is not c, S is divided by the transfer cut, or its
  components are joined by :func:`~coassoc.partition.components.merge_components`.
- The result is very sensitive to γ, whose useful size falls with the sizes of the clusters; the
  default is small enough for W = 1 throughout on small data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, GraphLearner, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.distances import squared_distances
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.numerics.rank_constraint import adjust_rank_penalty, bipartite_components
from coassoc.numerics.threads import row_blocks
from coassoc.partition.spectral import transfer_cut_labels

#: Smallest sum of 1 − σ² that counts as positive.
_TOL = (1e-7, 1e-7)
#: Entries of S below this size count as no edge.
_EDGE = 1e-4
#: In SCCABG, W is no longer updated once its smallest entry reaches this value.
_WHOLE = 0.99
#: Relative residual of the linear systems.
_EXACT = 1e-11
#: Largest number of exchanges between the zero and the positive entries of a row. A handful is
#: enough.
_EXCHANGES = 100
#: Number of rows solved at a time.
_SLAB = 64
#: Largest number of multiplicative updates of W, and the change at which they end.
_W_STEPS, _W_CHANGE = 200, 1e-6


class BipartiteLearner(GraphLearner):
    """A method that learns a bipartite graph between samples and clusters.

    Attributes
    ----------
    edges_ : (n, L) array
        The learned graph S between the samples and the clusters of all base clusterings.
    """

    offers: ClassVar = ("edges_",)
    gamma: float = number(1e-5, minimum=0, grid=(1e-5, 1e-4, 1e-3, 0.01, 0.1, 1))
    max_iter: int = integer(20, minimum=1)

    def _labels_of_edges(self, ensemble: Ensemble, S: Array, random_state: RandomState) -> Labels:
        """Store the graph; return its components, or its transfer cut if there are not c."""
        self.edges_ = ensemble.microclusters.expand(S)
        B = sp.csr_array(S)
        cut_graph = partial(transfer_cut_labels, ensemble, B, self.n_clusters, random_state)
        return self._labels_of(bipartite_components(S), S.sum(axis=1), random_state, cut_graph)


class SCCBG(BipartiteLearner):
    """Self-paced consensus clustering with bipartite graph (Zhou et al. 2020).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    gamma : float
        γ ≥ 0, weight of the term that makes the edges from a sample to overlapping clusters
        similar.
    max_iter : int
        Maximum number of iterations.
    """

    title: ClassVar = "Self-paced consensus clustering with bipartite graph"
    paper: ClassVar = "Zhou, Du & Li, IJCAI 2020"
    cost: ClassVar = Cost(seconds=16, power=2, squares=0, tables=5, cluster_squares=3)
    revision = 2

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        S, _ = structured_bipartite_graph(ensemble, self)
        return self._labels_of_edges(ensemble, S, random_state)


def structured_bipartite_graph(
    ensemble: Ensemble,
    method: BipartiteLearner,
    similarity: Callable[[Array, Array], Array] | None = None,
) -> tuple[Array, Array]:
    """Learn the bipartite graph of :class:`SCCBG` or SCCABG, with its parameters.

    Parameters
    ----------
    similarity : callable, optional
        A for new S and W, in the steps of SCCABG. W then no longer changes once it is nearly 1, and
        small entries of S are dropped only at the end.

    Returns
    -------
    S : (n', L) array
        Learned edges of microclusters and clusters.
    W : (n', L) array
        Weights of the edges.
    """
    r = ensemble.microclusters.r
    Z = ensemble.microcluster_membership.toarray()
    A = ensemble.cluster_intersections.toarray()
    c, gamma = min(method.n_clusters, *Z.shape), method.gamma
    S, W, D = Z, np.zeros_like(Z), np.zeros_like(Z)
    lam, rho = 1.0, 0.5
    for _ in method._rounds():
        if similarity is None or W.min() < _WHOLE:
            W = edge_weights(S, Z, A, gamma, rho)
        D_new, rank_gap, next_gap = embedding_penalty(S, r, c)
        before = lam
        lam, method.converged_ = adjust_rank_penalty(lam, rank_gap, next_gap, _TOL)
        if not method.converged_:
            D = D_new if lam > before else D
            S = renewed_edges(S, Z, A, W, gamma, lam / 2 * D)
            if similarity is None:
                S[_EDGE > S] = 0.0
            else:
                A = similarity(S, W)
            rho *= 2
    return np.where(S < _EDGE, 0.0, S), W


def embedding_penalty(S: Array, r: Array, c: int) -> tuple[Array, float, float]:
    """‖u_i/√d_i − v_a/√d_a‖² for each edge, and the gaps of the singular values.

    Returns
    -------
    D : (n', L) array
    rank_gap, next_gap : float
        c and c + 1 minus the sums of the squares of as many singular values.
    """
    rows, columns = S.sum(axis=1), r @ S
    f = 1 / np.sqrt(np.where(rows > 0, rows, 1.0))
    g = 1 / np.sqrt(np.where(columns > 0, columns, 1.0))
    T = S * f[:, None] * g
    L = T.shape[1]
    gram = T.T @ (r[:, None] * T)
    n_vectors = min(c + 1, L)
    squares, V = eigenpairs_within(gram, L - n_vectors, L - 1)
    squares, V = np.maximum(squares[::-1], 0.0), V[:, ::-1]
    sigma = np.sqrt(squares[:c])
    U = (T @ V[:, :c]) / np.where(sigma > 1e-12, sigma, np.inf)
    D = squared_distances(U * f[:, None], V[:, :c] * g[:, None])
    return D, float(c - squares[:c].sum()), float(c + 1 - squares.sum())


def edge_weights(S: Array, Z: Array, A: Array, gamma: float, rho: float) -> Array:
    """W: for each row a stationary point of wᵀHw − ρ 1ᵀw between 0 and 1.

    H = diag((s − z)²) + γ A ∘ (s_a − s_b)².
    """
    W = np.ones_like(S)
    # All entries of s − z and s_a − s_b are at most 1.
    if 2 * (1 + gamma * A.sum(axis=1).max()) < rho:
        return W
    rows = np.flatnonzero(2 * _times_H(W, S, Z, A, gamma).max(axis=1) >= rho)
    for _ in range(_W_STEPS):
        if not len(rows):
            break
        w = W[rows]
        Hw = _times_H(w, S[rows], Z[rows], A, gamma)
        new = np.minimum(1.0, rho * w / np.maximum(2 * Hw, rho * w))
        W[rows] = new
        rows = rows[np.abs(new - w).max(axis=1) > _W_CHANGE]
    return W


def _times_H(W: Array, S: Array, Z: Array, A: Array, gamma: float) -> Array:
    """H w for all rows; (s_a − s_b)² is multiplied out."""
    SW = S * W
    overlap = S * S * (W @ A) - 2 * S * (SW @ A) + (S * SW) @ A
    return (S - Z) ** 2 * W + gamma * np.maximum(overlap, 0.0)


def renewed_edges(S: Array, Z: Array, A: Array, W: Array, gamma: float, penalty: Array) -> Array:
    """S: for each row the minimiser over s ≥ 0.

    Half the gradient is Qs − b with Q = diag(w²) + 2γ Laplacian(A ∘ wwᵀ), b = w² ∘ z − penalty/2.
    """
    new = np.empty_like(S)
    for rows in row_blocks(len(S), _SLAB):
        w = W[rows]
        b = w * w * Z[rows] - penalty[rows] / 2
        new[rows] = _non_negative_solution(_RowSystems(A, w, gamma), b, S[rows])
    return new


def _non_negative_solution(systems: _RowSystems, b: Array, S: Array) -> Array:
    """For each row s ≥ 0 with Qs ≥ b, and Qs = b where s > 0, begun at S."""
    S = np.where(systems.W > 0, S, 0.0)
    free = (S > 0) | (b > 0)
    small = _EXACT * np.maximum(np.abs(b).max(axis=1, keepdims=True), 1.0)
    rows = np.arange(len(S))
    for _ in range(_EXCHANGES):
        part = free[rows]
        start = np.where(part, S[rows], 0.0)
        s, residual = systems.solve(rows, b[rows], part, start, small[rows])
        # The margin keeps entries that are 0 up to rounding from changing sides forever.
        better = np.where(part, s > 0, residual > 100 * small[rows])
        S[rows], free[rows] = s, better
        rows = rows[(better != part).any(axis=1)]
        if not len(rows):
            break
    return np.maximum(S, 0.0)


class _RowSystems:
    """The matrices Q of some rows."""

    def __init__(self, A: Array, W: Array, gamma: float) -> None:
        self.A, self.W, self.gamma = A, W, gamma
        self.degree = W * W + 2 * gamma * W * (W @ A)
        #: Jacobi preconditioner, in which entries without weight have no effect.
        diagonal = self.degree - 2 * gamma * W * W * np.diagonal(A)
        self.inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)

    def solve(
        self, rows: NDArray[np.intp], b: Array, free: NDArray[np.bool_], X: Array, small: Array
    ) -> tuple[Array, Array]:
        """Q x = b in the free entries, the others 0, by conjugate gradients from X.

        `small` is the largest residual left in each row. Returns the solution and b − Qx in all
        entries.
        """
        W, degree = self.W[rows], self.degree[rows]
        inverse = self.inverse[rows] * free
        A = -2 * self.gamma * self.A

        def times(X: Array) -> Array:
            return W * ((W * X) @ A) + degree * X

        residual = b - times(X)
        direction, last = np.zeros_like(X), np.ones(len(X))
        for _ in range(2 * X.shape[1]):
            step = inverse * residual
            energy = np.einsum("ij,ij->i", residual, step)
            # Finished rows are not updated again, so that rounding errors cannot accumulate.
            done = np.abs(residual * free).max(axis=1) <= small[:, 0]
            if done.all():
                break
            direction *= (energy / last)[:, None]
            direction += step
            product = times(direction)
            curvature = np.einsum("ij,ij->i", direction, product)
            moving = ~done & (curvature > 0)
            length = np.where(moving, energy / np.where(moving, curvature, 1.0), 0.0)[:, None]
            X += length * direction
            product *= length
            residual -= product
            last = np.where(energy > 0, energy, 1.0)
        return X, residual
