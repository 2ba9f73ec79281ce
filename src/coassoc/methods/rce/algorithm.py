"""Algorithm 1 of RCE on microclusters.

Ã, E⁽ⁱ⁾, S, C and D are the paper's, and an entry stands for all pairs of samples of two
microclusters. The arrays are the transposes of the paper's: some columns of Ã are contiguous rows,
and `A` @ `D` is (DÃ)ᵀ. E⁽ⁱ⁾ is not stored: it enters only through C.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, Iteration
from coassoc.methods.rce import kernels
from coassoc.methods.rce.groups import Group, column_groups, order_by_similarity, separate_problems
from coassoc.numerics.threads import over_blocks, tile_blocks

#: Side of a tile; with its mirror image it stays in cache.
SIDE = 96
#: Tiles that a thread updates at a time.
TILES = 16


@dataclass(frozen=True)
class RobustConsensus(Iteration):
    """Result of :func:`robust_consensus`.

    Attributes
    ----------
    A : InvariantMatrix
        Consensus matrix Ã; symmetric only up to the accuracy of the descent.
    """

    A: InvariantMatrix


class Weights(NamedTuple):
    """m and the weights of Eqs. (4) and (6)."""

    m: int
    lam1: float
    lam2: float
    mu: float


def robust_consensus(
    ensemble: Ensemble, *, lam1: float, lam2: float, mu: float, n_outer: int, n_inner: int
) -> RobustConsensus:
    """Algorithm 1 of RCE on microclusters, with the parameters of :class:`RCE`."""
    weights = Weights(ensemble.n_clusterings, lam1, lam2, mu)
    Z, micro = ensemble.microcluster_membership, ensemble.microclusters
    A = np.zeros((micro.count, micro.count))
    sums, max_error = np.zeros((n_outer, 4)), np.zeros(n_outer)
    for members in separate_problems(Z):
        descent = _Descent(Z[members], micro.r[members], weights)
        for t in range(n_outer):
            fit_of_errors, cost, error = descent.update_E()
            fit = descent.update_A(n_inner)
            nuclear, smoothed = descent.update_S(with_inverse=t + 1 < n_outer)
            sums[t] += fit_of_errors + cost, fit + cost, nuclear, smoothed
            max_error[t] = max(max_error[t], error)
        A[np.ix_(members, members)] = descent.consensus()
    history = _history(sums, max_error, lam2)
    return RobustConsensus(InvariantMatrix(A, 0.0, micro), converged=True, history=history)


def _history(sums: Array, max_error: Array, lam2: float) -> dict[str, Array]:
    """The objective: Eq. (1) after the E-steps and after Ã's updates, and the charge for S."""
    after_E, after_A, nuclear, smoothed = sums.T
    charge = 2 * lam2 * smoothed
    # The first E-step comes before there is an S; no nuclear norm is charged there.
    return {
        "objective": after_A + charge,
        "objective_errors": after_E + np.append(0.0, charge[:-1]),
        "nuclear_norm": nuclear,
        "smoothed_nuclear_norm": smoothed,
        "max_error": max_error,
    }


class _Descent:
    """Variables of Algorithm 1 on some of the microclusters, and their updates.

    Attributes
    ----------
    A, C : (n', n') arrays
        Ã and C.
    D : pair of (n', n') arrays, or None
        D⁺ and D⁻ as factors of Ã; None stands for D = 0.
    """

    def __init__(self, Z: sp.csr_array, r: Array, weights: Weights) -> None:
        """Ã is the co-association matrix and S⁻¹ = 0."""
        self.weights = weights
        counts = np.asarray(Z @ Z.T.toarray()).astype(np.int32)
        self.order = order_by_similarity(counts, weights.m)
        self.counts = counts[np.ix_(self.order, self.order)]
        self.r = r[self.order]
        self.A = self.counts / weights.m
        self.C = np.empty_like(self.A)
        self.D: tuple[Array, Array] | None = None
        self.groups = column_groups(self.counts)
        self.tiles = tile_blocks(len(self.r), SIDE, TILES)

    def update_E(self) -> tuple[float, float, float]:
        """Theorem 3: C for the errors that are optimal for Ã.

        Returns the parts of Eq. (1) with and without Ã, and the largest |E⁽ⁱ⁾_pq|.
        """
        m, lam1 = self.weights.m, self.weights.lam1
        parts = over_blocks(
            lambda tiles: kernels.update_C(tiles, self.A, self.C, self.counts, self.r, m, lam1),
            self.tiles,
        )
        fit, cost, max_errors = zip(*parts, strict=True)
        return sum(fit), sum(cost), max(max_errors)

    def update_A(self, n_inner: int) -> float:
        """Eq. (11), `n_inner` times; returns the part of Eq. (1) with Ã."""
        return sum(over_blocks(lambda group: self._update_columns(group, n_inner), self.groups))

    def _update_columns(self, group: Group, n_inner: int) -> float:
        columns, rows = group
        m, r = self.weights.m, self.r
        A, C = (np.ascontiguousarray(X[columns][:, rows]) for X in (self.A, self.C))
        DA_plus, DA_minus = np.zeros_like(A), np.zeros_like(A)
        if self.D is not None:
            D_plus, D_minus = (X[rows][:, rows] for X in self.D)
        for _ in range(n_inner):
            if self.D is not None:
                np.matmul(A, D_plus, out=DA_plus)
                np.matmul(A, D_minus, out=DA_minus)
            kernels.update_A(A, C, DA_plus, DA_minus, m)
        self.A[columns, rows] = A
        return kernels.divergence(A, C, r[columns], r[rows], m)

    def update_S(self, with_inverse: bool) -> tuple[float, float]:
        """Eq. (6): S⁻¹ = V diag(1/√(σ + μ)) Vᵀ, if it is wanted, as D = λ₂ S⁻¹.

        The eigenvectors of ÃÃᵀ that are constant on microclusters come from N^{1/2} Ã N^{1/2}; on
        all others S⁻¹ is 1/√μ. Returns ‖Ã‖_* and tr((ÃÃᵀ + μI)^{1/2}).
        """
        mu, lam2, r, root = self.weights.mu, self.weights.lam2, self.r, np.sqrt(self.r)
        reduced = root[:, None] * self.A * root
        gram = reduced.T @ reduced
        if with_inverse and lam2 > 0:
            sigma, V = scipy.linalg.eigh(gram, overwrite_a=True, check_finite=False, driver="evd")
            sigma = np.maximum(sigma, 0.0)
            V *= np.sqrt(lam2) / (sigma + mu) ** 0.25
            V /= root[:, None]
            self.D = _factors(V @ V.T, lam2 / np.sqrt(mu), r)
        else:
            sigma = scipy.linalg.eigvalsh(gram, overwrite_a=True, check_finite=False)
            sigma = np.maximum(sigma, 0.0)
        smoothed = np.sqrt(sigma + mu).sum() + (r.sum() - len(r)) * np.sqrt(mu)
        return float(np.sqrt(sigma).sum()), float(smoothed)

    def consensus(self) -> Array:
        """Ã in the order in which the microclusters were given."""
        A = np.empty_like(self.A)
        A[np.ix_(self.order, self.order)] = self.A.T
        return A


def _factors(D: Array, inner: float, r: Array) -> tuple[Array, Array]:
    """D⁺ and D⁻ on microclusters, (n', n') arrays such that (D⁺Ã)ᵀ is Ãᵀ times the first.

    D is P `D` Pᵀ on vectors constant on microclusters, and the number `inner` on those inside one.
    `D` is (n', n'), and `r` has the sizes of the microclusters, (n',).
    """
    within = np.diagonal(D) - inner / r  # between two samples of a microcluster
    own = within + inner
    D_plus = np.maximum(D, 0.0)
    D_minus = D_plus - D
    D_plus *= r[:, None]
    D_minus *= r[:, None]
    np.fill_diagonal(D_plus, (r - 1) * np.maximum(within, 0.0) + own)
    np.fill_diagonal(D_minus, (r - 1) * np.maximum(-within, 0.0))
    return D_plus, D_minus
