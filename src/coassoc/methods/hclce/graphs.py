"""Graphs of c components near a similarity (Algorithm 2) and near several graphs (Algorithm 3)."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, LearnedGraph
from coassoc.numerics.doubly_stochastic import doubly_stochastic_projection
from coassoc.numerics.rank_constraint import (
    adjust_rank_penalty,
    bottom_laplacian_eigenvectors,
    graph_components,
)
from coassoc.numerics.simplex import simplex_qp

#: Links of a projection that is accurate to 1e-10 are none up to this size.
NO_LINK = 1e-9


@dataclass(frozen=True)
class Structured(LearnedGraph):
    """Result of :func:`structured_graph`.

    Attributes
    ----------
    M : InvariantMatrix
        Symmetric, non-negative, with row sums of 1.
    """

    M: InvariantMatrix

    @property
    def n_iter(self) -> int:
        """Updates of M after the first projection, with which the history begins."""
        return len(self.history["lam"]) - 1


def structured_graph(
    S_hat: InvariantMatrix, n_clusters: int, *, lam: float, max_iter: int
) -> Structured:
    """Algorithm 2: a doubly stochastic matrix near Ŝ whose graph has c components.

    Parameters
    ----------
    S_hat : InvariantMatrix
        Non-negative; it is symmetrised and loses its loops here.
    n_clusters, lam, max_iter
        As of :class:`HCLCE`.
    """
    K = _without_loops(S_hat.symmetrized())
    return _structure(lambda M: K, n_clusters, lam, max_iter)


def _without_loops(K: InvariantMatrix) -> InvariantMatrix:
    """Lower the diagonal to what the other entries of a row lack of a sum of 1, mostly 0."""
    diagonal = K.diagonal()
    others = K.row_sums() - diagonal
    lacking = np.maximum(1 - others, 0.0)
    return InvariantMatrix.with_diagonal(K.S, np.minimum(diagonal, lacking), K.microclusters)


def fused_graph(
    views: list[InvariantMatrix], n_clusters: int, lam: float, max_iter: int
) -> tuple[Structured, Array]:
    """Algorithm 3: structure Σ_d w_d M^d, with w from the quadratic program (19) in each round."""
    p = np.array([view.inner(view) for view in views])
    w = np.full(len(views), 1 / len(views))

    def combine() -> InvariantMatrix:
        return reduce(operator.add, map(operator.mul, views, w))

    def target(M: InvariantMatrix | None) -> InvariantMatrix:
        M = combine() if M is None else M
        q = np.array([view.inner(M) for view in views])
        w[:] = simplex_qp(2 * np.diag(p), -2 * q)
        return combine()

    return _structure(target, n_clusters, lam, max_iter), w


def _structure(
    target: Callable[[InvariantMatrix | None], InvariantMatrix],
    n_clusters: int,
    lam: float,
    max_iter: int,
) -> Structured:
    """Alternate the projection (13) and F (18) while λ looks for c components.

    `target` gives the matrix to approximate for the current M, which is None at the start.
    """
    K = target(None)
    micro = K.microclusters
    r, c = micro.r, min(n_clusters, micro.count)
    projection = doubly_stochastic_projection(K.S, r, K.e)
    count, component = graph_components(projection.S, NO_LINK)
    u = projection.u
    trace = [(0.0, count)]
    # More components than c without any λ stay: λ only ever removes links.
    done = count >= c
    while not done and len(trace) <= max_iter:
        M = InvariantMatrix(projection.S, projection.e, micro)
        if count < c:
            F, _ = bottom_laplacian_eigenvectors(M.S, r, c, component, count)
        K = target(M)
        B = F @ (lam * F.T)
        B += K.S
        # (λ/2) D contains the squared norms of the rows of F, which F Fᵀ leaves to u.
        norms = lam / 2 * np.einsum("kj,kj->k", F, F)
        projection = doubly_stochastic_projection(B, r, K.e, u - norms)
        u = projection.u + norms
        count, component = graph_components(projection.S, NO_LINK)
        trace.append((lam, count))
        lam, done = adjust_rank_penalty(lam, c - count, c + 1 - count, (0, 1))
    lams, counts = np.array(trace).T
    return Structured(
        InvariantMatrix(projection.S, projection.e, micro),
        n_components=count,
        component=component,
        converged=bool(done and projection.residual <= NO_LINK),
        history={"lam": lams, "n_components": counts.astype(np.intp)},
    )
