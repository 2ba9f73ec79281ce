"""EC-CMS: ensemble clustering via co-association matrix self-enhancement.

Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association matrix
self-enhancement", IEEE TNNLS, 2023. With Ã the co-association matrix, A any input similarity,
H the entries of Ã that are at least α (Ω their places) and Φ the Laplacian of H:

    min_{C,E}  tr(CᵀΦC) + λ/2 ‖E‖_F²                                              (Eq. 5)
    s.t.       A = C + E,  Ψ_Ω(E) = 0,  C = Cᵀ,  0 ≤ C ≤ 1

solved by the ADMM of Algorithm 1 and cut by average linkage on C.

Decisions the paper leaves open, taken from measured behaviour of the authors' program
--------------------------------------------------------------------------------------
- The diagonal of H is 0 before anything else, so the diagonal is never locked.
- Start: C = E = F = 0, Y₁ = A, Y₂ = 0.
- The five relative changes are ratios of norms (the text prints squares); those of the
  multipliers are ‖residual‖ / ‖previous Y‖. A division by the zero start counts as infinite; a
  change within rounding counts as none, also where nothing is divided by nothing (no bound active).
- C is returned, not its projected copy F. C is asymmetric by up to about 1e-2 at the stop;
  linkage runs on (C + Cᵀ)/2.

How it is solved
----------------
All variables live on microclusters. 2Φ + (γ₁+γ₂)I is block diagonal over the connected
components of H, so the microclusters are ordered by component and (9) is one small product per
component. The entrywise updates (11), (13), (14) run on pairs of mirrored tiles that fit in
cache. Three identities save arrays: after an update Y₁ = λE off Ω and E = 0 on Ω, so Y₁ alone
holds both; with V = C + Y₂/γ₂ the projection is F = clip((V+Vᵀ)/2) and Y₂ = γ₂(V − F), so V holds
both; and the residual A − C − E is (Y₁ − previous Y₁)/γ₁.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import ConfigError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer, require
from coassoc.partition import linkage_labels
from coassoc.similarity import (
    SIMILARITIES,
    co_association,
    locally_weighted_co_association,
    probability_trajectory_similarity,
)

__all__ = ["ECCMS", "Enhanced", "high_confidence", "self_enhance"]

Array = NDArray[np.float64]


class Enhanced(NamedTuple):
    """Result of :func:`self_enhance`.

    Attributes
    ----------
    C : InvariantMatrix
        Enhanced co-association matrix.
    E : InvariantMatrix
        Error term A − C, as split by the algorithm.
    F : InvariantMatrix
        Projection of C on the symmetric matrices with entries in [0, 1].
    n_iter : int
        Iterations used.
    converged : bool
        Whether all relative changes came below the tolerance.
    history : dict of str to (n_iter,) array
        Relative changes of "C", "E", "F", "Y1", "Y2".
    """

    C: InvariantMatrix
    E: InvariantMatrix
    F: InvariantMatrix
    n_iter: int
    converged: bool
    history: dict[str, Array]


class ECCMS(ConsensusClusterer):
    """Ensemble clustering via co-association matrix self-enhancement (Jia et al. 2023).

    Parameters
    ----------
    n_clusters : int
        c, number of clusters wanted.
    alpha : float
        α in [0, 1], smallest co-association that counts as high confidence (Eq. 2).
    lam : float
        λ > 0, weight of the error term (Eq. 5).
    gamma1, gamma2 : float
        Penalties γ₁, γ₂ > 0 of the ADMM.
    theta : float
        θ > 0 of the locally weighted similarity; used when ``similarity="lwca"``.
    similarity : {"lwca", "ca", "pts"}
        The input A: locally weighted co-association (the paper's default), plain co-association
        (Table VI) or probability trajectory similarity (Table VII).
    laplacian : bool
        Whether the term tr(CᵀΦC) is kept. Without it the model's solution is C = A (Table VIII).
    lock : bool
        Whether Ψ_Ω(E) = 0 is imposed (Table VIII).
    tol : float
        ε, largest relative change at which the iteration stops.
    max_iter : int
        Most iterations.
    random_state : ignored
        The method is deterministic.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The enhanced matrix C.
    history_ : dict of str to array
        Relative changes of "C", "E", "F", "Y1", "Y2" per iteration.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        alpha: float = 0.8,
        lam: float = 0.4,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        theta: float = 0.4,
        similarity: str = "lwca",
        laplacian: bool = True,
        lock: bool = True,
        tol: float = 1e-2,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.lam = lam
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.theta = theta
        self.similarity = similarity
        self.laplacian = laplacian
        self.lock = lock
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        require(self, "alpha", 0 <= self.alpha <= 1, "between 0 and 1")
        for name in ("lam", "gamma1", "gamma2", "theta", "tol"):
            require(self, name, getattr(self, name) > 0, "greater than 0")
        require(self, "max_iter", self.max_iter >= 1, "at least 1")
        known = self.similarity in SIMILARITIES
        require(self, "similarity", known, f"one of {', '.join(SIMILARITIES)}")

    def _consensus(
        self, ensemble: Ensemble, X: Any, random_state: np.random.RandomState
    ) -> NDArray:
        A = self._input_similarity(ensemble)
        if not self.laplacian:
            # Without Φ nothing opposes E = 0: the minimum of (5) is C = A.
            self.affinity_ = A
            return linkage_labels(A, self.n_clusters, "average")
        result = self_enhance(
            A,
            high_confidence(ensemble, self.alpha),
            lam=self.lam,
            gamma1=self.gamma1,
            gamma2=self.gamma2,
            lock=self.lock,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.affinity_ = result.C
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.history_ = result.history
        return linkage_labels(result.C, self.n_clusters, "average")

    def _input_similarity(self, ensemble: Ensemble) -> InvariantMatrix:
        if self.similarity == "lwca":
            return locally_weighted_co_association(ensemble, self.theta)
        if self.similarity == "pts":
            return probability_trajectory_similarity(ensemble)
        return co_association(ensemble)


def high_confidence(ensemble: Ensemble, alpha: float) -> sp.csr_array:
    """H on the microclusters: co-associations of at least α, EC-CMS Eq. (2).

    Returns
    -------
    (n', n') sparse array
        The diagonal holds the entry between different samples of one microcluster, which is 0
        (not stored) for a microcluster of one sample.
    """
    H = co_association(ensemble).S
    # Co-associations are multiples of 1/m; the margin keeps k/m ≥ α when α = k/m was rounded.
    H[H < alpha - 1e-12] = 0.0
    alone = np.flatnonzero(ensemble.microclusters.sizes == 1)
    H[alone, alone] = 0.0
    return sp.csr_array(H)


def self_enhance(
    A: InvariantMatrix,
    H: sp.csr_array,
    *,
    lam: float = 0.4,
    gamma1: float = 1.0,
    gamma2: float = 1.0,
    lock: bool = True,
    tol: float = 1e-2,
    max_iter: int = 100,
) -> Enhanced:
    """Algorithm 1 of EC-CMS on microclusters.

    Parameters
    ----------
    A : InvariantMatrix
        Input similarity.
    H : (n', n') sparse array
        High-confidence matrix, from :func:`high_confidence`.
    lam, gamma1, gamma2 : float
        λ, γ₁, γ₂ > 0.
    lock : bool
        Whether E = 0 is imposed where H > 0.
    tol : float
        Largest relative change at the stop.
    max_iter : int
        Most iterations.

    Returns
    -------
    Enhanced
        Its matrices have the microclusters in the order of the components of H.
    """
    if lam <= 0 or gamma1 <= 0 or gamma2 <= 0:
        raise ConfigError("self_enhance: lam, gamma1 and gamma2 must be greater than 0.")
    component = connected_components(H, directed=False)[1]
    order = np.lexsort((component, np.bincount(component)[component]))
    micro = A.microclusters.reorder(order)
    solver = _ComponentSolver(H[order][:, order], micro, gamma1 + gamma2, component[order])
    admm = _Admm(A, order, micro, H if lock else None, lam, gamma1, gamma2)
    changes, converged = [], False
    for _ in range(max_iter):
        admm.update_C(solver)
        changes.append(admm.update_E_F_Y())
        if max(changes[-1]) < tol:
            converged = True
            break
        admm.prepare_next()
    trace = np.array(changes).T
    history = dict(zip(("C", "E", "F", "Y1", "Y2"), trace, strict=True))
    return Enhanced(*admm.result(), len(changes), converged, history)


class _ComponentSolver:
    """(2Φ + (γ₁+γ₂)I)⁻¹ applied component by component, in place (Eq. 9).

    The matrix is (−2H_S, d) with d = 2·degree + γ₁ + γ₂ − 2e_H in the notation of
    :class:`InvariantMatrix`. Microclusters must be ordered by component, small components first.
    """

    def __init__(
        self, H: sp.csr_array, micro: Microclusters, gamma: float, component: NDArray
    ) -> None:
        r = micro.r
        e_H = -H.diagonal()
        d = 2 * (H @ r + e_H) + gamma - 2 * e_H
        #: e of the inverse; the gauge of microclusters of one sample is free.
        self.e_inverse = 1 / d
        self.groups = [
            self._invert_group(H, r, d, start, size, number)
            for start, size, number in _equal_runs(component)
        ]

    def _invert_group(
        self, H: sp.csr_array, r: Array, d: Array, start: int, size: int, number: int
    ) -> tuple[slice, Array, Array]:
        """Invert `number` components of `size` microclusters that follow one another."""
        rows = slice(start, start + size * number)
        K = np.zeros((number, size, size))
        block = H[rows, rows].tocoo()
        K[block.row // size, block.row % size, block.col % size] = -2 * block.data
        weights = r[rows].reshape(number, 1, size)
        K *= weights
        diagonal = np.arange(size)
        K[:, diagonal, diagonal] += d[rows].reshape(number, size)
        M = np.linalg.inv(K)
        S_inverse = M.copy()
        S_inverse[:, diagonal, diagonal] -= self.e_inverse[rows].reshape(number, size)
        S_inverse /= weights
        return rows, M, S_inverse

    def apply(self, R: Array, e: Array) -> Array:
        """Overwrite R (S part of the right-hand side) with that of the solution; return its e."""
        correct = e.any()
        for rows, M, S_inverse in self.groups:
            number, size, _ = M.shape
            part = R[rows].reshape(number, size, -1)
            if size == 1:
                part *= M
            else:
                part[...] = M @ part
            if correct:
                columns = np.arange(rows.start, rows.stop).reshape(number, 1, size)
                group = np.arange(number)[:, None, None]
                inside = np.arange(size)[None, :, None]
                part[group, inside, columns] += S_inverse * e[rows].reshape(number, 1, size)
        return self.e_inverse * e


def _equal_runs(component: NDArray) -> Iterator[tuple[int, int, int]]:
    """(start, size, number) of each run of consecutive components of equal size."""
    starts = np.flatnonzero(np.r_[True, component[1:] != component[:-1]])
    sizes = np.diff(np.r_[starts, len(component)])
    for size in np.unique(sizes):
        run = starts[sizes == size]
        yield int(run[0]), int(size), len(run)


@dataclass
class _Tile:
    """Views of the state on one block of pairs, with the weights of its entries in norms."""

    gamma_A: Array
    C: Array
    X: Array
    Y1: Array
    V: Array
    locked: NDArray[np.bool_] | None
    left: Array
    right: Array


class _Admm:
    """Variables of Algorithm 1 and their entrywise updates.

    The diagonal of the n × n matrices is carried in two rows beside the n' × n' arrays: the entry
    between different samples of a microcluster (a copy of the S part's diagonal, which norms
    count too often: weight −r) and the entry of a sample with itself (weight +r).
    """

    #: Side of a tile: the dozen tiles in use at a time stay in cache.
    side = 192

    def __init__(
        self,
        A: InvariantMatrix,
        order: NDArray,
        micro: Microclusters,
        H: sp.csr_array | None,
        lam: float,
        gamma1: float,
        gamma2: float,
    ) -> None:
        self.micro, self.lam, self.gamma1, self.gamma2 = micro, lam, gamma1, gamma2
        index = np.ix_(order, order)
        S = A.S[index]
        diagonal = np.stack((np.diagonal(S), A.diagonal()[order]))
        locked = np.zeros(S.shape, dtype=bool)
        locked_diagonal = np.zeros(diagonal.shape, dtype=bool)
        if H is not None:
            locked = (H[order][:, order] != 0).toarray()
            locked_diagonal[0] = np.diagonal(locked)
        # γ₁A, Y₁ = A, V = 0, C = 0 and the first right-hand side γ₁A + Y₁.
        self.gamma_A, self.gamma_A_diagonal = gamma1 * S, gamma1 * diagonal
        self.Y1, self.Y1_diagonal = S, diagonal
        self.V, self.V_diagonal = np.zeros_like(S), np.zeros_like(diagonal)
        self.C, self.C_diagonal = np.zeros_like(S), np.zeros_like(diagonal)
        self.X, self.X_diagonal = self.gamma_A + S, self.gamma_A_diagonal + diagonal
        self.locked, self.locked_diagonal = locked, locked_diagonal
        n_micro = micro.count
        bounds = [*range(0, n_micro, self.side), n_micro]
        self.blocks = [slice(a, b) for a, b in pairwise(bounds)]
        self.has_locked = {
            (i, j): bool(locked[I, J].any())
            for i, I in enumerate(self.blocks)
            for j, J in enumerate(self.blocks)
        }
        width = max(I.stop - I.start for I in self.blocks)
        self.scratch = [np.empty((width, width)) for _ in range(5)]
        self.norms = dict.fromkeys(("C", "E", "F", "Y2"), 0.0)
        r = micro.r
        self.norms["Y1"] = float(r @ (S * S) @ r + self._diagonal_weights() @ diagonal.ravel() ** 2)
        #: Squared norms up to this are rounding, and count as zero.
        self.rounding = 1e-26 * self.norms["Y1"]

    def _diagonal_weights(self) -> Array:
        return np.concatenate((-self.micro.r, self.micro.r))

    def update_C(self, solver: _ComponentSolver) -> None:
        """Eq. (9): the right-hand side in X becomes the new C; the previous C stays beside it."""
        e = solver.apply(self.X, self.X_diagonal[1] - self.X_diagonal[0])
        self.X_diagonal = np.stack((np.diagonal(self.X), np.diagonal(self.X) + e))

    def update_E_F_Y(self) -> tuple[float, float, float, float, float]:
        """Eqs. (11), (13), (14) and the next right-hand side; returns the relative changes.

        Returns
        -------
        tuple of float
            Changes of C, E, F and relative residuals of Y₁, Y₂.
        """
        self.sums: dict[str, float] = dict.fromkeys(
            ("C", "dC", "E", "dE", "F", "dF", "Y1", "dY1", "Y2", "dY2"), 0.0
        )
        for i in range(len(self.blocks)):
            for j in range(i + 1):
                tile, mirror = self._tile(i, j), self._tile(j, i)
                self._update_error(tile)
                if i != j:
                    self._update_error(mirror)
                self._update_projection(tile, mirror if i != j else None)
        diagonal = self._diagonal_tile()
        self._update_error(diagonal)
        self._update_projection(diagonal, None, symmetric=True)
        return self._relative_changes()

    def prepare_next(self) -> None:
        """Let the array of the previous C, which now holds the right-hand side, become X."""
        self.C, self.X = self.X, self.C
        self.C_diagonal, self.X_diagonal = self.X_diagonal, self.C_diagonal

    def result(self) -> tuple[InvariantMatrix, InvariantMatrix, InvariantMatrix]:
        """C, E and F."""
        free, free_diagonal = ~self.locked, ~self.locked_diagonal

        def matrix(S: Array, diagonal: Array) -> InvariantMatrix:
            return InvariantMatrix.with_diagonal(S, diagonal[1], self.micro)

        E = matrix(self.Y1 * free / self.lam, self.Y1_diagonal * free_diagonal / self.lam)
        F = matrix(np.clip((self.V + self.V.T) / 2, 0, 1), np.clip(self.V_diagonal, 0, 1))
        return matrix(self.X, self.X_diagonal), E, F

    def _tile(self, i: int, j: int) -> _Tile:
        rows, columns = self.blocks[i], self.blocks[j]
        place = (rows, columns)
        return _Tile(
            self.gamma_A[place],
            self.C[place],
            self.X[place],
            self.Y1[place],
            self.V[place],
            self.locked[place] if self.has_locked[i, j] else None,
            self.micro.r[rows],
            self.micro.r[columns],
        )

    def _diagonal_tile(self) -> _Tile:
        return _Tile(
            self.gamma_A_diagonal,
            self.C_diagonal,
            self.X_diagonal,
            self.Y1_diagonal,
            self.V_diagonal,
            self.locked_diagonal,
            np.array([-1.0, 1.0]),
            self.micro.r,
        )

    def _buffers(self, tile: _Tile) -> list[Array]:
        p, q = tile.C.shape
        if p > self.scratch[0].shape[0] or q > self.scratch[0].shape[1]:
            return [np.empty((p, q)) for _ in self.scratch]
        return [buffer[:p, :q] for buffer in self.scratch]

    def _add_norm(self, name: str, values: Array, square: Array, tile: _Tile) -> None:
        np.multiply(values, values, out=square)
        self.sums[name] += float(tile.left @ (square @ tile.right))

    def _update_error(self, tile: _Tile) -> None:
        """Eqs. (11) and (14) for E and Y₁; C's change; γ₁A − γ₁E + Y₁ into the old C's place."""
        W, new, change, square, _ = self._buffers(tile)
        np.subtract(tile.X, tile.C, out=change)
        self._add_norm("dC", change, square, tile)
        self._add_norm("C", tile.X, square, tile)
        # W = γ₁(A − C) + Y₁; off Ω E = W/(λ+γ₁) and Y₁ = λE, on Ω E = 0 and Y₁ = W.
        np.multiply(tile.X, -self.gamma1, out=W)
        W += tile.gamma_A
        W += tile.Y1
        np.multiply(W, self.lam / (self.lam + self.gamma1), out=new)
        if tile.locked is not None:
            np.copyto(new, W, where=tile.locked)
        np.subtract(new, tile.Y1, out=change)
        self._add_norm("dY1", change, square, tile)
        self._add_norm("Y1", new, square, tile)
        self._subtract_locked(tile, new, change)
        tile.Y1[...] = new
        next_rhs = tile.C
        np.multiply(new, (self.lam - self.gamma1) / self.lam, out=next_rhs)
        if tile.locked is not None:
            np.copyto(next_rhs, new, where=tile.locked)
        next_rhs += tile.gamma_A

    def _subtract_locked(self, tile: _Tile, Y1: Array, change: Array) -> None:
        """Remember what Ω contributes to Y₁'s norms: the rest is λ times E's."""
        if tile.locked is None:
            return
        rows, columns = np.nonzero(tile.locked)
        weight = tile.left[rows] * tile.right[columns]
        self.sums["E"] -= float(weight @ Y1[rows, columns] ** 2)
        self.sums["dE"] -= float(weight @ change[rows, columns] ** 2)

    def _update_projection(
        self, tile: _Tile, mirror: _Tile | None, symmetric: bool = False
    ) -> None:
        """Eqs. (13) and (14) for F and Y₂; adds γ₂F − Y₂ to the next right-hand side.

        `mirror` is the transposed tile, or None where the tile is its own mirror;
        `symmetric` says that each entry is its own mirror image.
        """
        old, new, change, square, other = self._buffers(tile)
        partner = tile if mirror is None else mirror

        def clip_symmetric(out: Array) -> None:
            if symmetric:
                np.clip(tile.V, 0.0, 1.0, out=out)
                return
            np.add(tile.V, partner.V.T, out=out)
            out *= 0.5
            np.clip(out, 0.0, 1.0, out=out)

        clip_symmetric(old)
        for part, F_old in ((tile, old), (mirror, old.T)):
            if part is not None:
                # V − F = Y₂/γ₂, so this is Y₂/γ₂ + C.
                part.V -= F_old
                part.V += part.X
        clip_symmetric(new)
        np.subtract(new, old, out=change)
        copies = 1 if mirror is None else 2
        for name, values in (("dF", change), ("F", new)):
            np.multiply(values, values, out=square)
            self.sums[name] += copies * float(tile.left @ (square @ tile.right))
        for part, F in ((tile, new), (mirror, new.T)):
            if part is not None:
                self._add_projection_terms(part, F, other, square)

    def _add_projection_terms(self, part: _Tile, F: Array, W: Array, square: Array) -> None:
        if W.shape != F.shape:
            W, square = W.reshape(F.shape), square.reshape(F.shape)
        np.subtract(part.V, F, out=W)  # Y₂/γ₂
        self._add_norm("Y2", W, square, part)
        np.subtract(part.X, F, out=W)  # residual C − F
        self._add_norm("dY2", W, square, part)
        # γ₂F − Y₂ = γ₂(2F − V)
        np.multiply(F, 2.0, out=W)
        W -= part.V
        if self.gamma2 != 1:
            W *= self.gamma2
        part.C += W

    def _relative_changes(self) -> tuple[float, float, float, float, float]:
        sums = self.sums
        sums["E"] = (sums["E"] + sums["Y1"]) / self.lam**2
        sums["dE"] = (sums["dE"] + sums["dY1"]) / self.lam**2
        sums["dY1"] /= self.gamma1**2
        sums["Y2"] *= self.gamma2**2
        changes = tuple(
            self._ratio(sums["d" + name], self.norms[name]) for name in ("C", "E", "F", "Y1", "Y2")
        )
        self.norms = {name: sums[name] for name in self.norms}
        return changes

    def _ratio(self, squared_change: float, squared_size: float) -> float:
        if squared_change <= self.rounding:
            return 0.0
        return (
            float(np.sqrt(squared_change / squared_size))
            if squared_size > self.rounding
            else np.inf
        )
