"""Algorithm 1 of EC-CMS on microclusters.

C, E, F, Y₁ and Y₂ are the paper's. E is not stored: after an update Y₁ = λE off Ω, and E = 0 on Ω.
A matrix of n × n entries is held in two arrays:

- *pairs*, n' × n', for samples of two microclusters k and l. Entries are scaled by √(r_k r_l),
  which makes Frobenius norms plain sums of squares and changes nothing but the upper bound of F.
- *diagonal*, 2 × n', for two different samples of one microcluster and for a sample with itself,
  as they are; they occur r² − r and r times. The diagonal of a pairs array is not used, except in
  Eq. (9), which takes it from there and brings it back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, Iteration, history_of
from coassoc.methods.eccms import kernels
from coassoc.methods.eccms.components import ComponentSolver, components_of
from coassoc.numerics.threads import even_blocks, over_blocks, tile_blocks

#: Side of a tile; with its mirror image it stays in cache.
SIDE = 128
#: Tiles that a thread updates at a time; with fewer, it takes longer to wake it.
TILES = 8


@dataclass(frozen=True)
class Enhanced(Iteration):
    """Result of :func:`self_enhance`.

    Attributes
    ----------
    C : InvariantMatrix
        Enhanced co-association matrix.
    E : InvariantMatrix
        Error term A − C, as split by the algorithm.
    F : InvariantMatrix
        Projection of C on the symmetric matrices with entries in [0, 1].
    """

    C: InvariantMatrix
    E: InvariantMatrix
    F: InvariantMatrix


def self_enhance(
    A: InvariantMatrix,
    H: sp.csr_array,
    *,
    lam: float,
    gamma1: float,
    gamma2: float,
    lock: bool,
    tol: float,
    max_iter: int,
) -> Enhanced:
    """Algorithm 1 of EC-CMS on microclusters, with the parameters of :class:`ECCMS`.

    Parameters
    ----------
    A : InvariantMatrix
        Input similarity.
    H : (n', n') sparse array
        High-confidence matrix, from :func:`high_confidence`.

    Returns
    -------
    Enhanced
        Its matrices have the microclusters in the order of the components of H.
    """
    components = components_of(H)
    order = components.order
    A, H = A.reordered(order), H[order][:, order]
    solver = ComponentSolver(H, A.microclusters, gamma1 + gamma2, components)
    admm = _Admm(A, H if lock else sp.csr_array(H.shape), lam, gamma1, gamma2)
    changes: list[tuple[float, ...]] = []
    converged = False
    while not converged and len(changes) < max_iter:
        changes.append(admm.iterate(solver))
        converged = max(changes[-1]) < tol
    history = history_of(("C", "E", "F", "Y1", "Y2"), changes)
    return Enhanced(*admm.result(), converged=converged, history=history)


@dataclass
class _Variables:
    """The matrices of Algorithm 1 on pairs or on the diagonal.

    `free` is True off Ω, and `P` the right-hand side γ₁(A − E) + Y₁ + γ₂F − Y₂ of Eq. (9).
    """

    A: Array
    free: NDArray[np.bool_]
    C: Array
    F: Array
    Y1: Array
    Y2: Array
    P: Array

    @classmethod
    def start(cls, A: Array, free: NDArray[np.bool_], gamma1: float) -> _Variables:
        """C = E = F = Y₂ = 0 and Y₁ = A."""
        C, F, Y2 = (np.zeros(A.shape) for _ in range(3))
        return cls(A, free, C, F, A.copy(), Y2, (gamma1 + 1) * A)


class _Admm:
    """Variables of Algorithm 1 and one iteration of it; `A` is overwritten."""

    def __init__(
        self, A: InvariantMatrix, locked: sp.csr_array, lam: float, gamma1: float, gamma2: float
    ) -> None:
        self.lam, self.gamma1, self.gamma2 = lam, gamma1, gamma2
        self.micro = A.microclusters
        self.r, self.root = self.micro.r, np.sqrt(self.micro.r)
        self.counts = np.stack((self.r**2 - self.r, self.r))
        self.tiles = tile_blocks(self.micro.count, SIDE, TILES)
        self.rows = even_blocks(self.micro.count)
        free = np.ones(A.S.shape, dtype=bool)
        free[locked.nonzero()] = False
        A_size = A.inner(A)
        self.diagonal = _Variables.start(
            np.stack((np.diagonal(A.S), A.diagonal())),
            np.stack((np.diagonal(free), np.ones(len(free), dtype=bool))),
            gamma1,
        )
        A.S *= self.root
        A.S *= self.root[:, None]
        np.fill_diagonal(A.S, 0.0)
        self.pairs = _Variables.start(A.S, free, gamma1)
        #: E = E_share · Y₁ off Ω: E is 0 at the start, and Y₁ = λE after an update.
        self.E_share = 0.0
        self.sizes = np.array((0.0, 0.0, 0.0, A_size, 0.0))
        #: Squared norms up to this are rounding, and count as zero.
        self.rounding = 1e-26 * A_size

    def iterate(self, solver: ComponentSolver) -> tuple[float, ...]:
        """One round; returns relative changes of C, E, F and relative residuals of Y₁, Y₂."""
        C, C_diagonal = self._solve(solver)
        squares = self._update_pairs(C) + self._update_diagonal(C_diagonal)
        self.E_share = 1 / self.lam
        previous, (self.sizes, changes) = self.sizes, squares.reshape(2, 5)
        return tuple(map(self._relative, changes, previous))

    def _solve(self, solver: ComponentSolver) -> tuple[Array, Array]:
        """Eq. (9): (2Φ + (γ₁+γ₂)I) C = P. C on pairs lies where P was; C on the diagonal."""
        C = self.pairs.P
        inside, own = self.diagonal.P
        np.fill_diagonal(C, self.r * inside)
        e = solver.solve(C, own - inside)
        inside = np.diagonal(C) / self.r
        np.fill_diagonal(C, 0.0)
        return C, np.stack((inside, inside + e))

    def _update_pairs(self, C: Array) -> Array:
        """Eqs. (11), (13), (14) on the pairs.

        Returns the (10,) sums of squares of C, E, F, Y₁, Y₂, of the changes of C, E, F, and of the
        residuals A − C − E and C − F.
        """
        v, P = self.pairs, self.pairs.C  # P takes the place of the previous C
        of_F = over_blocks(
            lambda tiles: kernels.update_F(tiles, C, v.Y2, v.F, self.root, self.gamma2), self.tiles
        )
        others = over_blocks(
            lambda I: kernels.update_E_Y(
                *(X[I] for X in (v.A, v.free, C, v.F, v.Y1, v.Y2, P)),
                *(self.lam, self.gamma1, self.gamma2, self.E_share),
            ),
            self.rows,
        )
        v.C, v.P = C, P
        F, F_change = np.sum(of_F, axis=0)
        squares = np.sum(others, axis=0)
        return np.array((*squares[:2], F, *squares[2:6], F_change, *squares[6:]))

    def _update_diagonal(self, C: Array) -> Array:
        """Eqs. (11), (13), (14) on the diagonal; sums of squares as on the pairs."""
        v, lam, gamma1, gamma2 = self.diagonal, self.lam, self.gamma1, self.gamma2
        E_previous = v.free * self.E_share * v.Y1
        E = v.free * (v.Y1 + gamma1 * (v.A - C)) / (lam + gamma1)
        F = np.clip(C + v.Y2 / gamma2, 0.0, 1.0)
        Y1 = v.Y1 + gamma1 * (v.A - C - E)
        Y2 = v.Y2 + gamma2 * (C - F)
        changes = (C - v.C, E - E_previous, F - v.F, v.A - C - E, C - F)
        v.C, v.F, v.Y1, v.Y2 = C, F, Y1, Y2
        v.P = gamma1 * (v.A - E) + Y1 + gamma2 * F - Y2
        return np.array([np.sum(self.counts * X**2) for X in (C, E, F, Y1, Y2, *changes)])

    def _relative(self, squared_change: float, squared_size: float) -> float:
        if squared_change <= self.rounding:
            return 0.0
        if squared_size <= self.rounding:
            return np.inf
        return float(np.sqrt(squared_change / squared_size))

    def result(self) -> tuple[InvariantMatrix, InvariantMatrix, InvariantMatrix]:
        """C, E and F; the variables are given up."""
        for v in (self.pairs, self.diagonal):
            v.Y1 *= self.E_share
            v.Y1[~v.free] = 0.0
        pairs, diagonal = self.pairs, self.diagonal
        return (
            self._on_samples(pairs.C, diagonal.C),
            self._on_samples(pairs.Y1, diagonal.Y1),
            self._on_samples(pairs.F, diagonal.F),
        )

    def _on_samples(self, pairs: Array, diagonal: Array) -> InvariantMatrix:
        inside, own = diagonal
        pairs /= self.root
        pairs /= self.root[:, None]
        np.fill_diagonal(pairs, inside)
        return InvariantMatrix.with_diagonal(pairs, own, self.micro)
