"""Algorithm 1 of EC-CMS on microclusters.

C, E, F, Y₁ and Y₂ are the symbols of the paper. Three of them are not stored. After an update,
Y₁ = λE off Ω, and E = 0 on Ω. With W = C + Y₂/γ₂ before the update, F is the projection of W, and
Y₂ = γ₂(W − F). A matrix of n × n entries is stored in two arrays:

- *pairs*, n' × n', for samples of two microclusters k and l. Entries are scaled by √(r_k r_l),
  which makes Frobenius norms plain sums of squares and changes nothing but the upper bound of F.
  The diagonal is not used, except in Eq. (9), which takes it from there and brings it back.
- *diagonal*, 2 × n', for two different samples of one microcluster and for a sample with itself,
  as they are; they occur r² − r and r times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from coassoc.ensemble import Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, history_of
from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import over_blocks, row_blocks, tile_blocks

#: Side of a tile, which stays in cache together with its mirror image.
SIDE = 32
#: Number of tiles that a thread updates at a time. With fewer tiles, waking the thread takes
#: longer.
TILES = 16


def self_enhance(A: InvariantMatrix, H: sp.csr_array, method: Any) -> Admm:
    """Algorithm 1 of EC-CMS on microclusters.

    Parameters
    ----------
    A : InvariantMatrix
        Input similarity.
    H : (n', n') sparse array
        High-confidence matrix, from :func:`high_confidence`.
    method : ECCMS
        Its parameters.

    Returns
    -------
    Admm
        Its matrices C, E and F have the microclusters in the order of the components of H.
    """
    component = connected_components(H, directed=False)[1]
    sizes = np.bincount(component)
    order = np.lexsort((component, sizes[component]))
    H, micro = H[order][:, order], A.microclusters.reorder(order)
    d, solve = component_solver(H, micro, method.gamma1 + method.gamma2, np.sort(sizes))
    locked = H if method.lock else sp.csr_array(H.shape)
    admm = Admm(A, order, locked, (method.lam, method.gamma1, method.gamma2))
    del A  # frees its memory
    changes: list[tuple[float, ...]] = []
    for _ in method._rounds():
        changes.append(admm.iterate(d, solve))
        method.converged_ = max(changes[-1]) < method.tol
    method.history_ = history_of(("C", "E", "F", "Y1", "Y2"), changes)
    return admm


def component_solver(
    H: sp.csr_array, micro: Microclusters, gamma: float, sizes: NDArray[np.intp]
) -> tuple[Array, Callable[[Array], None]]:
    """(2Φ + γI)⁻¹, applied to all columns of a right-hand side, Eq. (9).

    The matrix is block diagonal over the connected components of H, so that one small product for
    each component solves it. In the notation of :class:`InvariantMatrix` it is (−2H, d) with
    d = 2·degree + γ − 2e_H. On vectors constant on microclusters, scaled by √r, it acts as
    K = diag(d) − 2 N^{1/2} H N^{1/2}, and inside microclusters as d.

    Parameters
    ----------
    H : (n', n') sparse array
    micro : Microclusters
    gamma : float
        γ₁ + γ₂.
    sizes : (q,) integer array
        Sizes of the components of H, which follow each other in H and `micro`, the smallest first.

    Returns
    -------
    d : (n',) array
    solve : function
        Overwrites the columns of an (n', n') array with their solutions.
    """
    e_H = -H.diagonal()
    d = 2 * (H @ micro.r + e_H) + gamma - 2 * e_H
    root = sp.diags_array(np.sqrt(micro.r))
    K = sp.csr_array(sp.diags_array(d) - 2 * (root @ H @ root))
    inverses, start = [], 0
    for size, number in zip(*np.unique(sizes, return_counts=True), strict=True):
        rows = slice(start, start + size * number)
        entries, blocks = K[rows][:, rows].tocoo(), np.zeros((number, size, size))
        blocks[entries.row // size, entries.row % size, entries.col % size] = entries.data
        inverses.append((rows, np.linalg.inv(blocks)))
        start = rows.stop

    def solve(C: Array) -> None:
        def solve_columns(columns: slice) -> None:
            for rows, M in inverses:
                part = C[rows, columns]
                part[...] = (M @ part.reshape(*M.shape[:2], -1)).reshape(part.shape)

        over_blocks(solve_columns, row_blocks(len(C)))

    return d, solve


@dataclass
class _Variables:
    """The matrices of Algorithm 1 on pairs or on the diagonal.

    `free` is True off Ω, and `P` the right-hand side γ₁(A − E) + Y₁ + γ₂F − Y₂ of Eq. (9).
    """

    free: NDArray[np.bool_]
    A: Array
    C: Array
    W: Array
    Y1: Array
    P: Array

    @classmethod
    def start(cls, A: Array, free: NDArray[np.bool_], gamma1: float) -> _Variables:
        """C = E = F = Y₂ = 0 and Y₁ = A."""
        return cls(free, A, np.zeros(A.shape), np.zeros(A.shape), A.copy(), (gamma1 + 1) * A)


class Admm:
    """Variables of Algorithm 1 and one iteration of it.

    Parameters
    ----------
    A : InvariantMatrix
    order : (n',) integer array
        The microclusters of A in the order of all other matrices.
    locked : (n', n') sparse array
        Ω.
    penalties : tuple of float
        λ, γ₁ and γ₂.
    """

    def __init__(
        self,
        A: InvariantMatrix,
        order: NDArray[np.intp],
        locked: sp.csr_array,
        penalties: tuple[float, float, float],
    ) -> None:
        self.penalties = penalties
        self.micro = A.microclusters.reorder(order)
        self.r, n = self.micro.r, len(order)
        self.root = np.sqrt(self.r)
        self.counts = np.stack((self.r**2 - self.r, self.r))
        self.tiles = tile_blocks(n, SIDE, TILES)
        free = np.ones((n, n), dtype=bool)
        free[locked.nonzero()] = False
        self.diagonal = _Variables.start(
            np.stack((np.diagonal(A.S), A.diagonal()))[:, order],
            np.stack((np.diagonal(free), np.ones(n, dtype=bool))),
            penalties[1],
        )
        pairs = A.S[np.ix_(order, order)] * self.root
        pairs *= self.root[:, None]
        np.fill_diagonal(pairs, 0.0)
        self.pairs = _Variables.start(pairs, free, penalties[1])
        self.first = True
        A_size = np.vdot(pairs, pairs) + np.sum(self.counts * self.diagonal.A**2)
        #: Sums of squares of C, E, F, Y₁ and Y₂.
        self.sizes = np.array((0.0, 0.0, 0.0, A_size, 0.0))
        #: Squared norms up to this size are rounding errors and count as zero.
        self.rounding = 1e-26 * A_size

    def iterate(self, d: Array, solve: Callable[[Array], None]) -> tuple[float, ...]:
        """One round; returns relative changes of C, E, F and relative residuals of Y₁, Y₂.

        `d` and `solve` are from :func:`component_solver`.
        """
        C, C_diagonal = self._solve(d, solve)
        squares = self._update_pairs(C) + self._update_diagonal(C_diagonal)
        if self.first:  # Y₁ was not a multiple of E, because E was 0
            squares[6] = squares[1]
            self.first = False
        previous, (self.sizes, changes) = self.sizes, squares.reshape(2, 5)
        return tuple(map(self._relative, changes, previous))

    def _solve(self, d: Array, solve: Callable[[Array], None]) -> tuple[Array, Array]:
        """Eq. (9): (2Φ + (γ₁+γ₂)I) C = P. C on pairs lies where P was; C on the diagonal."""
        C = self.pairs.P
        inside, diagonal = self.diagonal.P
        e = diagonal - inside
        # With M the inverse of (9)'s matrix on pairs and 1/d that inside microclusters, (M, 1/d)
        # times (P, e) is M (P + diag(e)) with e/d taken from the diagonal.
        np.fill_diagonal(C, self.r * inside + e)
        solve(C)
        e = e / d
        inside = (np.diagonal(C) - e) / self.r
        np.fill_diagonal(C, 0.0)
        return C, np.stack((inside, inside + e))

    def _update_pairs(self, C: Array) -> Array:
        """Eqs. (11), (13), (14) on the pairs.

        Returns the (10,) sums of squares of C, E, F, Y₁, Y₂, of the changes of C, E, F, and of the
        residuals A − C − E and C − F.
        """
        v, (lam, gamma1, gamma2) = self.pairs, self.penalties
        v.C, v.P = C, v.C  # P takes the place of the previous C
        variables = (self.root, v.free, v.A, v.C, v.W, v.Y1, v.P, *self.penalties)
        parts = over_blocks(lambda tiles: _update(tiles, *variables), self.tiles)
        of_E = 1 / lam**2
        units = (1, of_E, 1, 1, gamma2**2, 1, of_E, 1, 1 / gamma1**2, 1)
        return np.sum(parts, axis=0) * units

    def _update_diagonal(self, C: Array) -> Array:
        """Eqs. (11), (13), (14) on the diagonal; sums of squares as on the pairs."""
        v, (lam, gamma1, gamma2) = self.diagonal, self.penalties
        E = v.free * (v.Y1 + gamma1 * (v.A - C)) / (lam + gamma1)
        F_previous = np.clip(v.W, 0.0, 1.0)
        W = C + (v.W - F_previous)
        F = np.clip(W, 0.0, 1.0)
        Y1 = v.Y1 + gamma1 * (v.A - C - E)
        Y2 = gamma2 * (W - F)
        changes = (C - v.C, E - v.free * v.Y1 / lam, F - F_previous, v.A - C - E, C - F)
        v.C, v.W, v.Y1 = C, W, Y1
        v.P = gamma1 * (v.A - E) + Y1 + gamma2 * F - Y2
        return np.array([np.sum(self.counts * X**2) for X in (C, E, F, Y1, Y2, *changes)])

    def _relative(self, squared_change: float, squared_size: float) -> float:
        if squared_change <= self.rounding:
            return 0.0
        if squared_size <= self.rounding:
            return np.inf
        return float(np.sqrt(squared_change / squared_size))

    @cached_property
    def C(self) -> InvariantMatrix:
        """Enhanced co-association matrix, computed after the last round."""
        S = np.divide(self.pairs.C, self.root, out=self.pairs.P)  # P is no longer needed
        S /= self.root[:, None]
        np.fill_diagonal(S, self.diagonal.C[0])
        return InvariantMatrix.with_diagonal(S, self.diagonal.C[1], self.micro)


@compiled("f1(i2, f1, b2, f2, f2, f2, f2, f2, f, f, f)")
def _update(tiles, root, free, A, C, W, Y1, P, lam, gamma1, gamma2):
    """Eqs. (11), (13), (14) on tiles and their mirror images, in place, and the next P of (9).

    `free` is True off Ω, W is C + Y₂/γ₂ of the previous round, P holds the previous C, and the
    upper bound of an entry of F is a product of two entries of `root`.

    Returns
    -------
    (10,) array
        Sums of squares of C, Y₁ off Ω, F, Y₁ and Y₂/γ₂, of the changes of the first four, and of
        C − F.
    """
    keep, give = lam / (lam + gamma1), (lam - gamma1) / (lam + gamma1)
    C2 = E2 = F2 = Y1_2 = Y2_2 = dC2 = dE2 = dF2 = dY2 = residual2 = 0.0
    for t in range(len(tiles)):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i + 1)):
                # (13), for both the previous W and the next
                top, w_sum = root[i] * root[j], W[i, j] + W[j, i]
                f_before = min(max(w_sum / 2, 0.0), top)
                f = min(max((C[i, j] + C[j, i] + w_sum) / 2 - f_before, 0.0), top)
                for mirror in range(2 if i > j else 1):
                    k, l = (j, i) if mirror else (i, j)
                    c, y, o = C[k, l], Y1[k, l], free[k, l]
                    # (11) and (14): after this step, off Ω E is a multiple of Y₁, and Y₁ = λE.
                    y_free = y + gamma1 * (A[k, l] - c)
                    y_next = y_free * keep if o else y_free
                    e = y_next if o else 0.0
                    e_change = y_next - y if o else 0.0
                    w = c + (W[k, l] - f_before)
                    p = gamma1 * A[k, l] + (y_free * give if o else y_free)
                    C2 += c * c
                    E2 += e * e
                    F2 += f * f
                    Y1_2 += y_next * y_next
                    Y2_2 += (w - f) ** 2
                    dC2 += (c - P[k, l]) ** 2
                    dE2 += e_change * e_change
                    dF2 += (f - f_before) ** 2
                    dY2 += (y_next - y) ** 2
                    residual2 += (c - f) ** 2
                    Y1[k, l], W[k, l], P[k, l] = y_next, w, p + gamma2 * (f - (w - f))
    return np.array([C2, E2, F2, Y1_2, Y2_2, dC2, dE2, dF2, dY2, residual2])
