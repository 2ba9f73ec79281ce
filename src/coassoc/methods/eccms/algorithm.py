"""Algorithm 1 of EC-CMS on microclusters.

C, E, F, Y₁ and Y₂ are the symbols of the paper. Three of them are not stored. After an update,
Y₁ = λE off Ω, and E = 0 on Ω. With W = C + Y₂/γ₂ before the update, F is the projection of W, and
Y₂ = γ₂(W − F). A matrix of n × n entries is stored in two arrays:

- *pairs*, n' × n', for samples of two microclusters k and l. Entries are scaled by √(r_k r_l),
  which makes Frobenius norms plain sums of squares and changes nothing but the upper bound of F.
  The diagonal is 0, except in Eq. (9), which takes it from there and brings it back.
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
from coassoc.numerics.threads import lower_tiles, over_blocks, row_blocks

#: Side of a tile. All that an update computes on a tile and its mirror image stays in cache.
SIDE = 192


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
        Overwrites an (n', n') array with the solutions of its columns.
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

    def solve(P: Array) -> None:
        def solve_columns(columns: slice) -> None:
            for rows, M in inverses:
                part = P[rows, columns].reshape(*M.shape[:2], -1)  # a view
                part[...] = M @ part

        over_blocks(solve_columns, row_blocks(len(P)))

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

    def arrays(self) -> tuple[Any, ...]:
        """All of them, in this order."""
        return (self.free, self.A, self.C, self.W, self.Y1, self.P)


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
        self.counts = np.stack((self.r**2 - self.r, self.r))
        self.root = np.sqrt(self.r)
        self.tiles = list(lower_tiles(n, SIDE))
        free = np.ones((n, n), dtype=bool)
        free[locked.nonzero()] = False
        self.diagonal = _Variables.start(
            np.stack((np.diagonal(A.S)[order], A.diagonal()[order])),
            np.stack((np.diagonal(free), np.ones(n, dtype=bool))),
            penalties[1],
        )
        pairs = A.S[np.ix_(order, order)]
        pairs *= self.root
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
        self._solve(d, solve)
        for v in (self.pairs, self.diagonal):
            v.C, v.P = v.P, v.C
        squares = np.sum(over_blocks(self._update_tile, self.tiles), axis=0)
        squares += self._update_diagonal()
        if self.first:  # Y₁ was not a multiple of E, because E was 0
            squares[6] = squares[1]
            self.first = False
        previous, (self.sizes, changes) = self.sizes, squares.reshape(2, 5)
        return tuple(map(self._relative, changes, previous))

    def _solve(self, d: Array, solve: Callable[[Array], None]) -> None:
        """Eq. (9): (2Φ + (γ₁+γ₂)I) C = P. C overwrites P."""
        P, (inside, diagonal) = self.pairs.P, self.diagonal.P
        e = diagonal - inside
        # With M the inverse of (9)'s matrix on pairs and 1/d that inside microclusters, (M, 1/d)
        # times (P, e) is M (P + diag(e)) with e/d taken from the diagonal.
        np.fill_diagonal(P, self.r * inside + e)
        solve(P)
        e = e / d
        inside = (np.diagonal(P) - e) / self.r
        np.fill_diagonal(P, 0.0)
        self.diagonal.P = np.stack((inside, inside + e))

    def _update_tile(self, ends: NDArray[np.int64]) -> Array:
        """Eqs. (11), (13), (14) on a tile and its mirror image; sums of squares of the results."""
        arrays = self.pairs.arrays()
        F = _project(ends, self.root, self.pairs.C, self.pairs.W)
        squares = _update(ends, *F[:2], *arrays, *self.penalties).sum(axis=1)
        if ends[0] > ends[2]:
            squares += _update(ends[[2, 3, 0, 1]], *F[2:], *arrays, *self.penalties).sum(axis=1)
        return squares

    def _update_diagonal(self) -> Array:
        """Eqs. (11), (13), (14) on the diagonal; sums of squares of the results."""
        v = self.diagonal
        F_before = np.clip(v.W, 0.0, 1.0)
        F = np.clip(v.C + v.W - F_before, 0.0, 1.0)
        squares = np.zeros(10)
        for k, counts in enumerate(self.counts):
            ends = np.array((k, k + 1, 0, len(counts)))
            rows = slice(k, k + 1)
            each = _update(ends, F_before[rows], F[rows], *v.arrays(), *self.penalties)
            squares += each @ counts
        return squares

    def _relative(self, squared_change: float, squared_size: float) -> float:
        if squared_change <= self.rounding:
            return 0.0
        if squared_size <= self.rounding:
            return np.inf
        return float(np.sqrt(squared_change / squared_size))

    @cached_property
    def C(self) -> InvariantMatrix:
        """Enhanced co-association matrix, computed after the last round."""
        S = self.pairs.C
        S /= self.root
        S /= self.root[:, None]
        np.fill_diagonal(S, self.diagonal.C[0])
        return InvariantMatrix.with_diagonal(S, self.diagonal.C[1], self.micro)


@compiled("UniTuple(f2, 4)(i1, f1, f2, f2)")
def _project(ends, root, C, W):
    """(13) on a tile: F of the previous round and the next F, and both on its mirror image."""
    n, q = ends[1] - ends[0], ends[3] - ends[2]
    F_before, F = np.empty((n, q)), np.empty((n, q))
    mirror_before, mirror = np.empty((q, n)), np.empty((q, n))
    for j in range(q):
        c, w = C[ends[2] + j, ends[0] : ends[1]], W[ends[2] + j, ends[0] : ends[1]]
        for i in range(n):
            F[i, j] = c[i]
            F_before[i, j] = w[i]
    for i in range(n):
        f, f_before = F[i], F_before[i]
        c, w = C[ends[0] + i, ends[2] : ends[3]], W[ends[0] + i, ends[2] : ends[3]]
        for j in range(q):
            top, middle = root[ends[0] + i] * root[ends[2] + j], (w[j] + f_before[j]) / 2
            f_before[j] = min(max(middle, 0.0), top)
            f[j] = min(max((c[j] + f[j]) / 2 + middle - f_before[j], 0.0), top)
    for j in range(q):
        for i in range(n):
            mirror[j, i] = F[i, j]
            mirror_before[j, i] = F_before[i, j]
    return F_before, F, mirror_before, mirror


@compiled("f2(i1, f2, f2, b2, f2, f2, f2, f2, f2, f, f, f)")
def _update(ends, F_before, F, free, A, C, W, Y1, P, lam, gamma1, gamma2):
    """Eqs. (11) and (14) after (9) and (13) on a tile, in place; P has the previous C before.

    Returns
    -------
    (10, columns) array
        For each column of the tile the sums of squares of C, E, F, Y₁, Y₂, the changes of C, E, F,
        and the residuals A − C − E and C − F.
    """
    columns = slice(ends[2], ends[3])
    s = np.zeros((10, ends[3] - ends[2]))
    for i in range(ends[0], ends[1]):
        o, a, c, w = free[i, columns], A[i, columns], C[i, columns], W[i, columns]
        y, p, f_before, f = Y1[i, columns], P[i, columns], F_before[i - ends[0]], F[i - ends[0]]
        # Three loops, because the compiler can use vector instructions for a few arrays only.
        for j in range(len(a)):
            change = c[j] - p[j]
            s[0, j] += c[j] * c[j]
            s[5, j] += change * change
        for j in range(len(a)):
            gap = a[j] - c[j]
            e = (y[j] + gamma1 * gap) / (lam + gamma1) if o[j] else 0.0
            residual = gap - e
            # Off Ω, λE is Y₁ before and after this step.
            change = gamma1 / lam * residual if o[j] else 0.0
            y[j] += gamma1 * residual
            p[j] = gamma1 * (a[j] - e) + y[j]
            s[1, j] += e * e
            s[3, j] += y[j] * y[j]
            s[6, j] += change * change
            s[8, j] += residual * residual
        for j in range(len(a)):
            w[j] += c[j] - f_before[j]
            y2 = gamma2 * (w[j] - f[j])
            change, residual = f[j] - f_before[j], c[j] - f[j]
            p[j] += gamma2 * f[j] - y2
            s[2, j] += f[j] * f[j]
            s[4, j] += y2 * y2
            s[7, j] += change * change
            s[9, j] += residual * residual
    return s
