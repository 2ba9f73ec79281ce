"""Algorithm 1 of EC-CMS on microclusters.

C, E, F, Y₁ and Y₂ are the symbols of the paper. Three of them are not stored. After an update,
Y₁ = λE off Ω, and E = 0 on Ω. With W = C + Y₂/γ₂ before the update, F is the projection of W, and
Y₂ = γ₂(W − F). A matrix of n × n entries is stored in two arrays:

- *pairs*, for samples of two microclusters k and l. Entries are scaled by √(r_k r_l), which makes
  Frobenius norms plain sums of squares and changes nothing but the upper bound of F. The diagonal
  is not used, except in Eq. (9), which takes it from there and brings it back. The n' × n' entries
  lie in q panels of columns, each of them q square tiles, filled up with zeros. A tile, and all
  entries that Eq. (9) needs at a time, are therefore contiguous in memory.
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

#: Longest side of a tile. A tile and its mirror image stay in cache. With a multiple of 64 they
#: would not, because the entries of a column would compete for few places in the cache.
SIDE = 104
#: Number of tiles that a thread updates at a time. With fewer tiles, waking the thread takes
#: longer.
TILES = 8
#: Number of lanes in which sums are added up. The k-th entry of a tile goes to lane k modulo this
#: number. Loops then become vector instructions that add in the same order on every machine.
LANES = 128


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
        Overwrites panels of columns, a (q, at least n', s) array, with their solutions.
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

    def solve_panel(C: Array) -> None:
        for rows, M in inverses:
            part = C[rows].reshape(*M.shape[:2], -1)  # a view
            part[...] = M @ part

    def solve(P: Array) -> None:
        over_blocks(solve_panel, [*P])

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
        self.counts = np.stack((self.r**2 - self.r, self.r))
        q = -(-n // SIDE)
        side = -(-n // q)
        self.columns = row_blocks(n, side)
        self.tiles = tile_blocks(q, 1, TILES)
        self.root = np.zeros((q, side))
        self.root.flat[:n] = np.sqrt(self.r)
        k = np.arange(n)
        #: Places of the diagonal in the panels.
        self.own = (k // side, k, k % side)
        free = np.ones((q, q * side, side), dtype=bool)
        i, j = locked.nonzero()
        free[j // side, i, j % side] = False
        self.diagonal = _Variables.start(
            np.stack((np.diagonal(A.S), A.diagonal()))[:, order],
            np.stack((free[self.own], np.ones(n, dtype=bool))),
            penalties[1],
        )
        pairs = np.zeros(free.shape)
        for panel, columns in zip(pairs, self.columns, strict=True):
            panel[:n, : columns.stop - columns.start] = A.S[np.ix_(order, order[columns])]
        pairs *= self.root[:, None]
        pairs *= self.root.reshape(-1, 1)
        pairs[self.own] = 0.0
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
        C[self.own] = self.r * inside + e
        solve(C)
        e = e / d
        inside = (C[self.own] - e) / self.r
        C[self.own] = 0.0
        return C, np.stack((inside, inside + e))

    def _update_pairs(self, C: Array) -> Array:
        """Eqs. (11), (13), (14) on the pairs.

        Returns the (10,) sums of squares of C, E, F, Y₁, Y₂, of the changes of C, E, F, and of the
        residuals A − C − E and C − F.
        """
        v, (lam, gamma1, gamma2) = self.pairs, self.penalties
        v.C, v.P = C, v.C  # P takes the place of the previous C
        tiles = [X.reshape(len(self.root) ** 2, -1) for X in (v.free, v.A, v.C, v.W, v.Y1, v.P)]
        parts = over_blocks(
            lambda pairs: _update(pairs, self.root, *tiles, *self.penalties), self.tiles
        )
        of_E = 1 / lam**2
        units = (1, of_E, 1, 1, gamma2**2, 1, of_E, 1, 1 / gamma1**2, 1)
        return np.sum(parts, axis=0).sum(axis=1) * units

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
        n = self.micro.count
        place = self.pairs.P.reshape(-1)[: n * n].reshape(n, n)  # P is no longer needed
        return self.on_samples(self.pairs.C, self.diagonal.C, place)

    def on_samples(self, pairs: Array, diagonal: Array, S: Array) -> InvariantMatrix:
        """A matrix without its scale; S is overwritten with its values on pairs."""
        for panel, columns in zip(pairs, self.columns, strict=True):
            S[:, columns] = panel[: len(S), : columns.stop - columns.start]
        root = np.sqrt(self.r)
        S /= root
        S /= root[:, None]
        np.fill_diagonal(S, diagonal[0])
        return InvariantMatrix.with_diagonal(S, diagonal[1], self.micro)


@compiled("f2(i2, f2, b2, f2, f2, f2, f2, f2, f, f, f)")
def _update(pairs, root, free, A, C, W, Y1, P, lam, gamma1, gamma2):
    """Eqs. (11), (13), (14) on tiles and their mirror images, in place, and the next P of (9).

    Parameters
    ----------
    pairs : (p, 4) array
        Number of a tile's row block and the next number, and the same for its column block.
    root : (q, n) array
        The upper bound of an entry of F is the product of two of these numbers.
    free : (q², n²) array
        True off Ω. Row J q + I of this and of the following arrays has the tile of rows I and
        columns J.
    A, C, W, Y1, P : (q², n²) arrays
        W is C + Y₂/γ₂ of the previous round, and P holds the previous C.

    Returns
    -------
    (10, LANES) array
        Parts of the sums of squares of C, Y₁ off Ω, F, Y₁ and Y₂/γ₂, of the changes of the first
        four, and of C − F.
    """
    q, n = root.shape
    keep, give = lam / (lam + gamma1), (lam - gamma1) / (lam + gamma1)
    # All lanes are at fixed places of one array, so that the compiler can distinguish them.
    s = np.zeros(11 * LANES)
    p_lane = 10 * LANES
    F, F_before, F_mirror, F_before_mirror = np.empty((4, n * n))
    for pair in range(len(pairs)):
        I, J = pairs[pair, 0], pairs[pair, 2]
        # (13), for both the previous W and the next
        C_mirror, W_mirror, limit = C[I * q + J], W[I * q + J], root[J]
        for i in range(n):
            c, w = C[J * q + I, i * n : i * n + n], W[J * q + I, i * n : i * n + n]
            f, f_before = F[i * n : i * n + n], F_before[i * n : i * n + n]
            for j in range(n):
                f[j] = c[j] + C_mirror[j * n + i]
            for j in range(n):
                f_before[j] = w[j] + W_mirror[j * n + i]
            for j in range(n):
                top = root[I, i] * limit[j]
                before = min(max(f_before[j] / 2, 0.0), top)
                f[j] = min(max((f[j] + f_before[j]) / 2 - before, 0.0), top)
                f_before[j] = before
        for i in range(n):
            f, f_before = F_mirror[i * n : i * n + n], F_before_mirror[i * n : i * n + n]
            for j in range(n):
                f[j] = F[j * n + i]
            for j in range(n):
                f_before[j] = F_before[j * n + i]
        for mirror in range(1 if I == J else 2):
            tile = I * q + J if mirror else J * q + I
            for k in range(0, n * n, LANES):
                part = slice(k, min(k + LANES, n * n))
                a, o, c, w = A[tile, part], free[tile, part], C[tile, part], W[tile, part]
                y, p = Y1[tile, part], P[tile, part]
                f = F_mirror[part] if mirror else F[part]
                f_before = F_before_mirror[part] if mirror else F_before[part]
                for j in range(len(a)):
                    # (11) and (14): after this step, off Ω E is a multiple of Y₁, and Y₁ = λE.
                    y_free = y[j] + gamma1 * (a[j] - c[j])
                    y_next = y_free * keep if o[j] else y_free
                    change = y_next - y[j]
                    e = y_next if o[j] else 0.0
                    e_change = change if o[j] else 0.0
                    y[j] = y_next
                    s[LANES + j] += e * e
                    s[3 * LANES + j] += y_next * y_next
                    s[6 * LANES + j] += e_change * e_change
                    s[8 * LANES + j] += change * change
                    s[p_lane + j] = gamma1 * a[j] + (y_free * give if o[j] else y_free)
                for j in range(len(a)):
                    w_next = c[j] + (w[j] - f_before[j])
                    w[j] = w_next
                    y2 = w_next - f[j]
                    change = f[j] - f_before[j]
                    residual = c[j] - f[j]
                    s[2 * LANES + j] += f[j] * f[j]
                    s[4 * LANES + j] += y2 * y2
                    s[7 * LANES + j] += change * change
                    s[9 * LANES + j] += residual * residual
                    s[p_lane + j] += gamma2 * (f[j] - y2)
                for j in range(len(a)):
                    change = c[j] - p[j]
                    s[j] += c[j] * c[j]
                    s[5 * LANES + j] += change * change
                    p[j] = s[p_lane + j]
    return s[:p_lane].copy().reshape(10, LANES)
