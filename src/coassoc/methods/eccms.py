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
component; components that are still large have small separators, and nested dissection inverts
them without forming the dense inverse. The entrywise updates (11), (13), (14) run on pairs of
mirrored tiles that fit in cache. After an update Y₁ = λE off Ω and E = 0 on Ω, so that Y₁ alone
holds both; the residuals are A − C − E = (Y₁ − previous Y₁)/γ₁ and C − F = (Y₂ − previous Y₂)/γ₂.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import ConfigError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.parameters import Parameter
from coassoc.numerics.dissection import LEAF, Dissection, dissect, sparse_inverse
from coassoc.partition.linkage import linkage_labels
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

    parameters: ClassVar = {
        "alpha": Parameter(
            "number",
            minimum=0,
            maximum=1,
            grid=(0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
        ),
        "lam": Parameter("number", above=0, grid=(0.001, 0.01, 0.1, 1, 10, 100, 1000)),
        "gamma1": Parameter("number", above=0),
        "gamma2": Parameter("number", above=0),
        "theta": Parameter("number", above=0),
        "similarity": Parameter("choice", choices=tuple(SIMILARITIES)),
        "laplacian": Parameter("boolean"),
        "lock": Parameter("boolean"),
        "tol": Parameter("number", above=0),
        "max_iter": Parameter("integer", minimum=1),
    }

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
        self._record(result)
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
    order, components = _order_by_component(H)
    micro = A.microclusters.reorder(order)
    solver = _ComponentSolver(H[order][:, order], micro, gamma1 + gamma2, components)
    admm = _Admm(A, order, micro, H if lock else None, lam, gamma1, gamma2)
    changes: list[tuple[float, ...]] = []
    converged = False
    while not converged and len(changes) < max_iter:
        if changes:
            admm.prepare_next()
        admm.update_C(solver)
        changes.append(admm.update_E_F_Y())
        converged = max(changes[-1]) < tol
    trace = np.array(changes).T
    history = dict(zip(("C", "E", "F", "Y1", "Y2"), trace, strict=True))
    return Enhanced(*admm.result(), len(changes), converged, history)


def _order_by_component(H: sp.csr_array) -> tuple[NDArray, list[Dissection | int]]:
    """Microclusters ordered by connected component of H, small components first.

    Returns
    -------
    order : (n',) integer array
    components : list
        The size of each component; a large one's :class:`Dissection`, whose order is used.
    """
    component = connected_components(H, directed=False)[1]
    size = np.bincount(component)
    order = np.lexsort((component, size[component]))
    sizes = np.sort(size).tolist()
    components: list[Dissection | int] = list(sizes)
    for number, start in enumerate(np.cumsum(sizes) - sizes):
        if sizes[number] > LEAF:
            members = order[start : start + sizes[number]]
            tree = dissect(H[members][:, members])
            order[start : start + sizes[number]] = members[tree.order]
            components[number] = tree
    return order, components


class _ComponentSolver:
    """(2Φ + (γ₁+γ₂)I)⁻¹ applied component by component, in place (Eq. 9).

    The matrix is (−2H_S, d) with d = 2·degree + γ₁ + γ₂ − 2e_H in the notation of
    :class:`InvariantMatrix`; on vectors constant on microclusters, scaled by √r, it acts as
    K = diag(d) − 2 N^{1/2} H_S N^{1/2}. Large components are inverted by nested dissection, small
    ones of equal size together.
    """

    def __init__(
        self, H: sp.csr_array, micro: Microclusters, gamma: float, components: list
    ) -> None:
        e_H = -H.diagonal()
        d = 2 * (H @ micro.r + e_H) + gamma - 2 * e_H
        root = sp.diags_array(np.sqrt(micro.r))
        K = sp.csr_array(sp.diags_array(d) - 2 * (root @ H @ root))
        #: e of the inverse; the gauge of microclusters of one sample is free.
        self.e_inverse = 1 / d
        self.small: list[tuple[slice, NDArray]] = []
        self.large = []
        small = np.array([c for c in components if isinstance(c, int)], dtype=np.intp)
        start = 0
        for size, number in zip(*np.unique(small, return_counts=True), strict=True):
            rows = slice(start, start + int(size * number))
            self.small.append((rows, _inverse_of_blocks(K[rows][:, rows], int(size))))
            start = rows.stop
        for tree in components[len(small) :]:
            rows = slice(start, start + len(tree.order))
            self.large.append((rows, sparse_inverse(K[rows][:, rows], tree)))
            start = rows.stop

    def apply(self, R: Array, e: Array) -> Array:
        """Overwrite R (scaled S part of the right-hand side) with the solution's; return its e.

        With M the inverse of K, (M, e') times (R, e) is M (R + diag(e)) − diag(e' e) off the
        diagonal correction, which is e' e.
        """
        R.flat[:: len(R) + 1] += e
        for rows, M in self.small:
            number, size, _ = M.shape
            part = R[rows].reshape(number, size, -1)
            if size == 1:
                part *= M
            else:
                part[...] = M @ part
        for rows, inverse in self.large:
            inverse.solve(R[rows])
        e = self.e_inverse * e
        R.flat[:: len(R) + 1] -= e
        return e


def _inverse_of_blocks(K: sp.csr_array, size: int) -> NDArray:
    """Inverses of the diagonal blocks of a block-diagonal matrix, (number, size, size)."""
    blocks = np.zeros((K.shape[0] // size, size, size))
    entries = K.tocoo()
    blocks[entries.row // size, entries.row % size, entries.col % size] = entries.data
    return np.linalg.inv(blocks)


class _Storage:
    """Room for arrays that begin on a cache line, where loops over them run faster."""

    line = 8  # numbers

    def __init__(self, count: int, size: int) -> None:
        free = np.empty(count * (size + self.line))
        self.free = free[-free.ctypes.data // free.itemsize % self.line :]

    def take(self, *shape: int) -> Array:
        """The next array, not initialised, of at most the size announced."""
        size = math.prod(shape)
        taken = self.free[:size].reshape(shape)
        self.free = self.free[-(-size // self.line) * self.line :]
        return taken


@dataclass
class _Tile:
    """One block of the variables of Algorithm 1, or their diagonal.

    Attributes
    ----------
    gamma_A, Y1, U : arrays
        γ₁A, Y₁ and U = Y₂/γ₂, contiguous.
    X, C : arrays
        Views of the new and the previous C; the latter takes the next right-hand side.
    locked : integer array or None
        Ω, as places in the flat arrays; None where nothing is locked.
    weights : array or None
        Weights of the squared entries in a norm; None for 1.
    """

    gamma_A: Array
    Y1: Array
    U: Array
    X: Array
    C: Array
    locked: NDArray[np.intp] | None
    weights: Array | None = None

    def squared_norm(self, values: Array) -> float:
        """Contribution of `values`, contiguous and of this tile's shape, to a squared norm."""
        flat = values.ravel()
        if self.weights is not None:
            return float(np.vdot(self.weights, values * values))
        return float(flat @ flat)


class _Pair(NamedTuple):
    """A tile, its mirror image unless it is its own, F on the tile, and the sides √r of it."""

    tile: _Tile
    mirror: _Tile | None
    F: Array
    root: tuple[Array, Array]


class _Admm:
    """Variables of Algorithm 1 and their entrywise updates.

    Entries are scaled by √(r_k r_l), which makes Frobenius norms plain sums of squares and
    leaves everything as it is but the upper bound of F. The diagonal of the n × n matrices is
    carried beside the n' × n' arrays as a tile of two rows: the entry between different samples of
    a microcluster (a copy of the arrays' diagonal, which the plain norm counts r² times instead
    of r² − r times) and the entry of a sample with itself (counted r times).
    """

    #: Side of a tile: the arrays in use at a time stay in cache, and a tile's norm is below the
    #: length at which a threaded BLAS wakes its threads, which costs more than the sum.
    side = 96

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
        n_micro, self.root = micro.count, np.sqrt(micro.r)
        S = A.S[np.ix_(order, order)]
        diagonal = np.stack((np.diagonal(S), A.diagonal()[order]))
        S *= self.root
        S *= self.root[:, None]
        bounds = [*range(0, n_micro, self.side), n_micro]
        self.blocks = [slice(a, b) for a, b in pairwise(bounds)]
        self.scratch = [_Storage(1, self.side**2).take(self.side**2) for _ in range(8)]
        # The first right-hand side is γ₁A + Y₁ with Y₁ = A; the previous C is 0.
        self.X, self.C = (gamma1 + 1) * S, np.zeros_like(S)
        self.diagonal = self._diagonal_tile(diagonal, H, order)
        self.F_diagonal = np.zeros(diagonal.shape)
        self.pairs = self._make_pairs(S, None if H is None else H[order][:, order])
        size = sum(tile.squared_norm(tile.Y1) for tile in self._tiles())
        self.norms = {"C": 0.0, "E": 0.0, "F": 0.0, "Y1": size, "Y2": 0.0}
        #: Squared norms up to this are rounding, and count as zero.
        self.rounding = 1e-26 * size

    # -- state --------------------------------------------------------------------------------

    def _make_pairs(self, S: Array, locked: sp.csr_array | None) -> list[_Pair]:
        places = [(i, j) for i in range(len(self.blocks)) for j in range(i + 1)]
        # Three arrays for a tile, three for its mirror image, and F.
        storage = _Storage(7 * len(places), self.side**2)
        return [self._pair(S, locked, i, j, storage) for i, j in places]

    def _pair(
        self, S: Array, locked: sp.csr_array | None, i: int, j: int, storage: _Storage
    ) -> _Pair:
        rows, columns = self.blocks[i], self.blocks[j]
        tile = self._tile(S, locked, rows, columns, storage)
        mirror = self._tile(S, locked, columns, rows, storage) if i != j else None
        F = storage.take(*tile.Y1.shape)
        F[...] = 0.0
        return _Pair(tile, mirror, F, (self.root[rows, None], self.root[columns]))

    def _tile(
        self,
        S: Array,
        locked: sp.csr_array | None,
        rows: slice,
        columns: slice,
        storage: _Storage,
    ) -> _Tile:
        block = S[rows, columns]
        gamma_A, Y1, U = (storage.take(*block.shape) for _ in range(3))
        np.multiply(block, self.gamma1, out=gamma_A)
        Y1[...] = block
        U[...] = 0.0
        mask = None if locked is None else locked[rows][:, columns]
        return _Tile(
            gamma_A=gamma_A,
            Y1=Y1,
            U=U,
            X=self.X[rows, columns],
            C=self.C[rows, columns],
            locked=np.flatnonzero(mask.toarray()) if mask is not None and mask.nnz else None,
        )

    def _diagonal_tile(self, diagonal: Array, H: sp.csr_array | None, order: NDArray) -> _Tile:
        r = self.micro.r
        return _Tile(
            gamma_A=self.gamma1 * diagonal,
            Y1=diagonal,
            U=np.zeros(diagonal.shape),
            X=(self.gamma1 + 1) * diagonal,
            C=np.zeros(diagonal.shape),
            locked=None if H is None else np.flatnonzero(H.diagonal()[order]),
            weights=np.stack((-r, r)),
        )

    def _tiles(self) -> Iterator[_Tile]:
        for pair in self.pairs:
            yield pair.tile
            if pair.mirror is not None:
                yield pair.mirror
        yield self.diagonal

    # -- updates ------------------------------------------------------------------------------

    def update_C(self, solver: _ComponentSolver) -> None:
        """Eq. (9): the right-hand side in X becomes the new C; the previous C stays beside it."""
        diagonal = self.diagonal
        e = solver.apply(self.X, diagonal.X[1] - diagonal.X[0])
        diagonal.X[0] = np.diagonal(self.X) / self.micro.r
        diagonal.X[1] = diagonal.X[0] + e

    def update_E_F_Y(self) -> tuple[float, ...]:
        """Eqs. (11), (13), (14), and the next right-hand side γ₁(A − E) + Y₁ + γ₂F − Y₂.

        Returns
        -------
        tuple of float
            Relative changes of C, E, F and relative residuals of Y₁, Y₂.
        """
        names = ("C", "dC", "E", "dE", "F", "dF", "Y1", "dY1", "Y2", "dY2")
        self.sums = dict.fromkeys(names, 0.0)
        for pair in self.pairs:
            self._update_pair(pair)
        self._update_diagonal()
        return self._relative_changes()

    def _update_pair(self, pair: _Pair) -> None:
        """The updates of a tile and its mirror image, while both are in cache."""
        tile, mirror, F, _ = pair
        scratch = [flat[: F.size] for flat in self.scratch]
        X, R, *buffers = (flat.reshape(F.shape) for flat in scratch[:5])
        self._update_error(tile, X, R, *buffers[:2])
        if mirror is None:
            self._update_projection(pair, tile.U.T, *buffers)
            self._update_multiplier(tile, X, R, F, buffers[0])
            return
        X_mirror, R_mirror, F_mirror = (flat.reshape(F.shape[::-1]) for flat in scratch[5:])
        work = [buffer.reshape(F.shape[::-1]) for buffer in buffers]
        self._update_error(mirror, X_mirror, R_mirror, *work[:2])
        self._update_projection(pair, mirror.U.T, *buffers)
        self._update_multiplier(tile, X, R, F, buffers[0])
        F_mirror[...] = F.T
        self._update_multiplier(mirror, X_mirror, R_mirror, F_mirror, work[0])

    def _update_error(self, tile: _Tile, X: Array, R: Array, W: Array, change: Array) -> None:
        """Eqs. (11) and (14) for E and Y₁; X takes the new C, R γ₁A − γ₁E + Y₁, U adds C."""
        X[...] = tile.X
        np.subtract(X, tile.C, out=change)
        self.sums["dC"] += tile.squared_norm(change)
        self.sums["C"] += tile.squared_norm(X)
        # W = γ₁(A − C) + Y₁; off Ω E = W/(λ+γ₁) and Y₁ = λE, on Ω E = 0 and Y₁ = W.
        if self.gamma1 == 1:
            np.subtract(tile.gamma_A, X, out=W)
        else:
            np.multiply(X, -self.gamma1, out=W)
            W += tile.gamma_A
        W += tile.Y1
        locked = None if tile.locked is None else W.ravel()[tile.locked]
        W *= self.lam / (self.lam + self.gamma1)
        if locked is not None:
            W.ravel()[tile.locked] = locked
        np.subtract(W, tile.Y1, out=change)
        self.sums["dY1"] += tile.squared_norm(change)
        tile.Y1[...] = W
        self.sums["Y1"] += tile.squared_norm(W)
        np.multiply(W, (self.lam - self.gamma1) / self.lam, out=R)
        if locked is not None:
            R.ravel()[tile.locked] = locked
            self._exclude_locked(tile, locked, change)
        R += tile.gamma_A
        tile.U += X

    def _exclude_locked(self, tile: _Tile, locked: Array, change: Array) -> None:
        """Off Ω, Y₁ is λE: what Ω contributes to Y₁'s norms does not belong to E's."""
        weights = None if tile.weights is None else tile.weights.ravel()[tile.locked]
        for name, part in (("E", locked), ("dE", change.ravel()[tile.locked])):
            self.sums[name] -= float(part @ part if weights is None else weights @ part**2)

    def _update_projection(
        self, pair: _Pair, mirrored: Array, new: Array, change: Array, upper: Array
    ) -> None:
        """Eq. (13); `mirrored` is the transposed U of the mirror image."""
        tile, F = pair.tile, pair.F
        np.add(tile.U, mirrored, out=new)
        new *= 0.5
        np.maximum(new, 0.0, out=new)
        np.multiply(*pair.root, out=upper)
        np.minimum(new, upper, out=new)
        np.subtract(new, F, out=change)
        F[...] = new
        count = 1 if pair.mirror is None else 2
        self.sums["dF"] += count * tile.squared_norm(change)
        self.sums["F"] += count * tile.squared_norm(F)

    def _update_multiplier(self, tile: _Tile, X: Array, R: Array, F: Array, work: Array) -> None:
        """Eq. (14): Y₂/γ₂ = C + previous Y₂/γ₂ − F; the residual C − F is its change.

        The next right-hand side, with γ₂F − Y₂ added, takes the place of the previous C.
        """
        tile.U -= F
        self.sums["Y2"] += tile.squared_norm(tile.U)
        np.subtract(X, F, out=work)
        self.sums["dY2"] += tile.squared_norm(work)
        np.subtract(F, tile.U, out=work)
        if self.gamma2 != 1:
            work *= self.gamma2
        np.add(R, work, out=tile.C)

    def _update_diagonal(self) -> None:
        tile = self.diagonal
        X, R, W, change = (np.empty_like(tile.Y1) for _ in range(4))
        self._update_error(tile, X, R, W, change)
        F = np.clip(tile.U, 0.0, 1.0)
        self.sums["dF"] += tile.squared_norm(F - self.F_diagonal)
        self.sums["F"] += tile.squared_norm(F)
        self._update_multiplier(tile, X, R, F, W)
        self.F_diagonal = F

    def _relative_changes(self) -> tuple[float, ...]:
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
        if squared_size <= self.rounding:
            return np.inf
        return float(np.sqrt(squared_change / squared_size))

    def prepare_next(self) -> None:
        """Let the place of the previous C, which now holds the right-hand side, become X."""
        self.C, self.X = self.X, self.C
        for tile in self._tiles():
            tile.C, tile.X = tile.X, tile.C

    # -- result -------------------------------------------------------------------------------

    def result(self) -> tuple[InvariantMatrix, InvariantMatrix, InvariantMatrix]:
        """C, E and F; the working arrays are given up."""
        E, F = np.empty_like(self.X), self.C
        places = ((i, j) for i in range(len(self.blocks)) for j in range(i + 1))
        for (i, j), (tile, mirror, F_tile, _) in zip(places, self.pairs, strict=True):
            rows, columns = self.blocks[i], self.blocks[j]
            E[rows, columns] = self._error(tile)
            F[rows, columns] = F_tile
            if mirror is not None:
                E[columns, rows] = self._error(mirror)
                F[columns, rows] = F_tile.T
        return (
            self._unscaled(self.X, self.diagonal.X[1]),
            self._unscaled(E, self._error(self.diagonal)[1]),
            self._unscaled(F, self.F_diagonal[1]),
        )

    def _error(self, tile: _Tile) -> Array:
        E = tile.Y1 / self.lam
        if tile.locked is not None:
            E.ravel()[tile.locked] = 0.0
        return E

    def _unscaled(self, S: Array, diagonal: Array) -> InvariantMatrix:
        S /= self.root
        S /= self.root[:, None]
        return InvariantMatrix.with_diagonal(S, diagonal, self.micro)
