"""RCE: robust clustering ensemble by Kullback-Leibler divergence minimisation.

P. Zhou, L. Du, H. Wang, L. Shi, Y.-D. Shen, "Learning a robust consensus matrix for clustering
ensemble via Kullback-Leibler divergence minimization", IJCAI, 2015. With A⁽ⁱ⁾ the connective
matrix of base clustering i and E⁽ⁱ⁾ its errors:

    min_{Ã,E,S}  Σ_i Σ_pq KL(Ã_pq, A⁽ⁱ⁾_pq − E⁽ⁱ⁾_pq) + λ₁ Σ_i ‖E⁽ⁱ⁾‖₁
                 + λ₂ (tr(Ãᵀ S⁻¹ Ã) + tr(S))                                       (Eq. 4)
    s.t.         0 ≤ Ã ≤ 1,  0 ≤ A⁽ⁱ⁾ − E⁽ⁱ⁾ ≤ 1,  E⁽ⁱ⁾ = E⁽ⁱ⁾ᵀ,  S ⪰ 0

by block coordinate descent (Algorithm 1), then spectral clustering of W = (Ã + Ãᵀ)/2.

Decisions the paper leaves open, taken from measured behaviour of the authors' program
--------------------------------------------------------------------------------------
- "While not converge" is 20 rounds of one E-step, 20 updates (11) of Ã and one S-step. There is no
  other stopping rule, so ``converged_`` is True; ``history_`` shows how far the descent came.
- Ã starts as the co-association matrix and S⁻¹ as 0: the first round's updates of Ã do not see the
  nuclear norm.
- Entries of Ã that are exactly 0 or 1 stay: pairs that no, or every, base clustering joins, and
  entries clipped at 1.
- With the μ of Eq. (6), what the steps descend is Eq. (4) + λ₂ μ tr(S⁻¹), whose minimum over S
  charges 2 λ₂ tr((ÃÃᵀ + μI)^{1/2}): twice the nuclear norm of Eq. (3). ``history_`` records this
  objective, which never increases once S has been updated.
- The final partition is the paper's (Ng, Jordan & Weiss 2001: k-means of the embedding). The
  program rotates the same embedding to a partition instead
  (:func:`~coassoc.partition.discretisation.discretize`). Over the grid of λ₁ and λ₂ on the Yale
  faces k-means is better by 0.007 ACC and 0.006 NMI on average.
- The paper tunes λ₁ and λ₂ and gives no defaults; 0.1 is this library's choice for both.

How it is solved
----------------
Nothing is of size n × n × m. For a pair with a = Ã_pq and b = Ã_qp, E⁽ⁱ⁾_pq depends on a + b and on
whether clustering i joins the pair, so all sums over i are functions of a + b and of the count of
clusterings that join it. Ã is 1 inside a microcluster, the diagonal included, so it has no diagonal
correction; S⁻¹ acts as 1/√μ on vectors inside a microcluster, and its positive and negative parts
are invariant matrices too.

Pairs at 0 stay there, so the connected components of the co-association graph are separate
problems. While S and E are fixed, so are the columns of Ã: a group of columns goes through all its
updates (11) while it is in cache, and meets only those rows of D⁺ and D⁻ that the group does not
have at 0. Columns of similar samples are put side by side to make these rows few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.parameters import Parameter
from coassoc.partition.spectral import spectral_labels

__all__ = ["RCE", "RobustConsensus", "robust_consensus"]

Array = NDArray[np.float64]


class RobustConsensus(NamedTuple):
    """Result of :func:`robust_consensus`.

    Attributes
    ----------
    A : InvariantMatrix
        Consensus matrix Ã; symmetric only up to the accuracy of the descent.
    history : dict of str to (n_outer,) array
        See :class:`RCE`.
    """

    A: InvariantMatrix
    history: dict[str, Array]


class RCE(ConsensusClusterer):
    """Robust clustering ensemble (Zhou et al. 2015).

    Parameters
    ----------
    n_clusters : int
        c, number of clusters wanted.
    lam1 : float
        λ₁ > 0, weight of the errors (Eq. 1).
    lam2 : float
        λ₂ ≥ 0, weight of the nuclear norm (Eq. 2).
    mu : float
        μ > 0, keeps S invertible (Eq. 6).
    n_outer : int
        Rounds of E-step, updates of Ã and S-step.
    n_inner : int
        Updates (11) of Ã in each round.
    random_state : int, RandomState or None
        Seed of the final k-means.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        W = (Ã + Ãᵀ)/2.
    history_ : dict of str to (n_outer,) array
        "objective": Eq. (4) + λ₂ μ tr(S⁻¹) after each round; "objective_errors": the same after the
        round's E-step, with the S of the round before; "nuclear_norm": ‖Ã‖_* to about eight digits,
        as it comes from ÃÃᵀ; "smoothed_nuclear_norm": tr((ÃÃᵀ + μI)^{1/2}), both after the round;
        "max_error": largest |E⁽ⁱ⁾_pq|.
    """

    offers: ClassVar = ("affinity_",)
    records: ClassVar = (
        "objective",
        "objective_errors",
        "nuclear_norm",
        "smoothed_nuclear_norm",
        "max_error",
    )
    parameters: ClassVar = {
        "lam1": Parameter(
            "number", above=0, grid=(0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000)
        ),
        "lam2": Parameter(
            "number", minimum=0, grid=(0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000)
        ),
        "mu": Parameter("number", above=0),
        "n_outer": Parameter("integer", minimum=1),
        "n_inner": Parameter("integer", minimum=1),
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lam1: float = 0.1,
        lam2: float = 0.1,
        mu: float = 1e-3,
        n_outer: int = 20,
        n_inner: int = 20,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam1 = lam1
        self.lam2 = lam2
        self.mu = mu
        self.n_outer = n_outer
        self.n_inner = n_inner
        self.random_state = random_state

    def _consensus(
        self, ensemble: Ensemble, X: Any, random_state: np.random.RandomState
    ) -> NDArray:
        result = robust_consensus(
            ensemble,
            lam1=self.lam1,
            lam2=self.lam2,
            mu=self.mu,
            n_outer=self.n_outer,
            n_inner=self.n_inner,
        )
        self.affinity_ = result.A.symmetrized()
        self.n_iter_ = self.n_outer
        self.history_ = result.history
        return spectral_labels(self.affinity_, self.n_clusters, random_state)


def robust_consensus(
    ensemble: Ensemble,
    *,
    lam1: float = 0.1,
    lam2: float = 0.1,
    mu: float = 1e-3,
    n_outer: int = 20,
    n_inner: int = 20,
) -> RobustConsensus:
    """Algorithm 1 of RCE on microclusters.

    Parameters
    ----------
    ensemble : Ensemble
    lam1, lam2, mu : float
        λ₁ > 0, λ₂ ≥ 0, μ > 0.
    n_outer, n_inner : int
        Rounds, and updates of Ã in each of them.

    Returns
    -------
    RobustConsensus
    """
    model = _Model(ensemble.n_clusterings, lam1, lam2, mu)
    Z, micro = ensemble.microcluster_membership, ensemble.microclusters
    S = np.zeros((micro.count, micro.count))
    sums, max_error = np.zeros((4, n_outer)), np.zeros(n_outer)
    for members in _separate_problems(Z):
        block = _Block(Z[members], micro.r[members], model)
        block.descend(n_outer, n_inner)
        S[np.ix_(members, members)] = block.consensus()
        trace = np.array(block.trace).T
        sums += trace[:4]
        np.maximum(max_error, trace[4], out=max_error)
    return RobustConsensus(InvariantMatrix(S, 0.0, micro), _history(sums, max_error, lam2))


def _history(sums: Array, max_error: Array, lam2: float) -> dict[str, Array]:
    fit_errors, fit, nuclear, smoothed = sums
    penalty = 2 * lam2 * smoothed
    # The first E-step comes before there is an S; no nuclear norm is charged there.
    return {
        "objective": fit + penalty,
        "objective_errors": fit_errors + np.concatenate(([0.0], penalty[:-1])),
        "nuclear_norm": nuclear,
        "smoothed_nuclear_norm": smoothed,
        "max_error": max_error,
    }


class _Model(NamedTuple):
    """m and the weights of Eq. (4)."""

    m: int
    lam1: float
    lam2: float
    mu: float


#: Components are solved together until they have this many microclusters.
_FEW_MICROCLUSTERS = 64


def _separate_problems(Z: sp.csr_array) -> Iterator[NDArray[np.intp]]:
    """Microclusters of the connected components of the co-association graph, small ones together.

    Parameters
    ----------
    Z : (n', L) sparse array
        Membership of microclusters in clusters.
    """
    component = connected_components(sp.block_array([[None, Z], [Z.T, None]]), directed=False)[1]
    component = component[: Z.shape[0]]
    size = np.bincount(component)[component]
    order = np.lexsort((component, size))
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    first = 0
    for stop in [*starts[1:].tolist(), len(order)]:
        if stop - first >= _FEW_MICROCLUSTERS or stop == len(order):
            yield order[first:stop]
            first = stop


class _Group(NamedTuple):
    """Columns of Ã that are updated together and the rows where one of them is not 0."""

    columns: slice
    rows: NDArray[np.intp] | None  # None stands for all


#: Smallest value that logarithms see; exact zeros of Ã give it too.
_TINY = 1e-280
#: Smallest 1 − Ã. An entry at 1 then dominates every other term of (10) and stays exactly 1, and
#: the square of its inverse is still finite.
_LEAST_COMPLEMENT = 1e-150


class _Block:
    """The variables of Algorithm 1 on one set of microclusters and their updates.

    `At` holds Ãᵀ, so that a group of columns of Ã is a contiguous run of rows, and C is divided by
    m. Everywhere a pair of microclusters stands for r_p r_q pairs of samples.
    """

    #: Columns in a group: narrow where they have common zeros, else as wide as products like.
    width, whole_width = 96, 384
    #: Side of a tile in the E-step.
    side = 96
    #: Entries that the element-wise part of (11) treats at a time; its working set fits in cache.
    cells = 1 << 14

    def __init__(self, Z: sp.csr_array, r: Array, model: _Model) -> None:
        self.model = model
        counts = np.asarray(Z @ Z.T.toarray()).astype(np.min_scalar_type(model.m))
        self.order = self._similar_together(counts)
        self.counts = counts[np.ix_(self.order, self.order)]
        self.r = r[self.order]
        self.At = self.counts / model.m
        self.C = np.empty_like(self.At)
        self.groups = list(self._column_groups())
        #: 2 S⁻¹ λ₂ / m between different samples and, for each microcluster, on the diagonal.
        self.D: Array | None = None
        self.D_diagonal = np.zeros_like(self.r)
        self.trace: list[tuple[float, float, float, float, float]] = []

    def _similar_together(self, counts: NDArray) -> NDArray[np.intp]:
        """An order that gives neighbouring columns similar zeros."""
        if len(counts) <= self.width or (counts > 0).mean() > 0.9:
            return np.arange(len(counts))
        distances = self.model.m - counts.astype(np.float64)
        tree = hierarchy.linkage(squareform(distances, checks=False), "average")
        return hierarchy.leaves_list(tree).astype(np.intp)

    def _column_groups(self) -> Iterator[_Group]:
        n_micro = len(self.counts)
        for start in range(0, n_micro, self.whole_width):
            wide = slice(start, min(start + self.whole_width, n_micro))
            narrow = list(self._narrow_groups(wide))
            if all(group.rows is None for group in narrow):
                yield _Group(wide, None)
            else:
                yield from narrow

    def _narrow_groups(self, wide: slice) -> Iterator[_Group]:
        for start in range(wide.start, wide.stop, self.width):
            columns = slice(start, min(start + self.width, wide.stop))
            rows = np.flatnonzero(self.counts[columns].any(axis=0))
            few = len(rows) < 0.9 * len(self.counts)
            yield _Group(columns, rows if few else None)

    def consensus(self) -> Array:
        """Ã in the order in which the microclusters were given."""
        A = np.empty_like(self.At)
        A[np.ix_(self.order, self.order)] = self.At.T
        return A

    def descend(self, n_outer: int, n_inner: int) -> None:
        """Algorithm 1; appends one row to `trace` for each round.

        The row: Eq. (4) without the terms in S after the E-step and after the updates of Ã; ‖Ã‖_*
        and tr((ÃÃᵀ + μI)^{1/2}); the largest error.
        """
        entropy = sum(
            self._entropy(self.At[group.columns], self.r[group.columns], self.r)
            for group in self.groups
        )
        for t in range(n_outer):
            linear, constant, max_error = self.update_E()
            fit_errors = entropy + linear + constant
            entropy, linear = self.update_A(n_inner)
            fit = entropy + linear + constant
            nuclear, smoothed = self.update_S(with_inverse=t + 1 < n_outer)
            self.trace.append((fit_errors, fit, nuclear, smoothed, max_error))

    # -- errors -------------------------------------------------------------------------------

    def update_E(self) -> tuple[float, float, float]:
        """Theorem 3: C for the errors that are optimal for Ã.

        Returns
        -------
        linear, constant : float
            With the entropy of Ã, these sum to the divergence plus λ₁ Σ_i ‖E⁽ⁱ⁾‖₁; only `linear`
            depends on Ã when E is fixed.
        max_error : float
            Largest |E⁽ⁱ⁾_pq|.
        """
        linear = constant = max_error = 0.0
        n_micro = len(self.r)
        tiles = [slice(a, min(a + self.side, n_micro)) for a in range(0, n_micro, self.side)]
        for i, I in enumerate(tiles):
            for J in tiles[: i + 1]:
                both = self.At[I, J] + self.At[J, I].T
                C, cost, error = _errors(both, self.counts[I, J], self.model)
                self.C[I, J] = C
                self.C[J, I] = C.T
                copies = 1 if I is J else 2
                # Ã_pq C_pq + Ã_qp C_qp = (Ã_pq + Ã_qp) C_pq
                both *= C
                linear += copies / 2 * self.model.m * _weighted_sum(both, self.r[I], self.r[J])
                constant += copies * _weighted_sum(cost, self.r[I], self.r[J])
                max_error = max(max_error, error)
        return linear, constant, max_error

    def _entropy(self, A: Array, left: Array, right: Array) -> float:
        """Divergence without C: m Σ (a log a + (1 − a) log(1 − a)) over some rows and columns."""
        terms = np.log(np.maximum(A, _TINY))
        terms *= A
        rest = 1 - A
        logs = np.log(np.maximum(rest, _TINY))
        logs *= rest
        terms += logs
        return self.model.m * _weighted_sum(terms, left, right)

    # -- consensus matrix ---------------------------------------------------------------------

    def update_A(self, n_inner: int) -> tuple[float, float]:
        """Eq. (11), `n_inner` times.

        Returns
        -------
        entropy, linear : float
            The parts of the objective that depend on Ã when E is fixed.
        """
        entropy = linear = 0.0
        whole = None
        if self.D is not None and any(group.rows is None for group in self.groups):
            whole = _split(self.D, self.D_diagonal, self.r)
        for columns, rows in self.groups:
            if rows is None:
                A, C, r, parts = self.At[columns], self.C[columns], self.r, whole
            else:
                A, C, r = self.At[columns][:, rows], self.C[columns][:, rows], self.r[rows]
                parts = None
                if self.D is not None:
                    parts = _split(self.D[np.ix_(rows, rows)], self.D_diagonal[rows], r)
            self._update_group(A, C, parts, n_inner)
            if rows is not None:
                self.At[columns, rows] = A
            entropy += self._entropy(A, self.r[columns], r)
            linear += self.model.m * _weighted_sum(A * C, self.r[columns], r)
        return entropy, linear

    def _update_group(
        self, A: Array, C: Array, parts: tuple[Array, Array] | None, n_inner: int
    ) -> None:
        """Update columns of Ã, given as rows, in place."""
        C_plus = np.maximum(C, 0.0)
        C_minus = C_plus - C
        g, h = np.zeros_like(A), np.zeros_like(A)
        step = max(1, self.cells // A.shape[1])
        chunks = [slice(a, a + step) for a in range(0, len(A), step)]
        scratch = np.empty((2, step, A.shape[1]))
        for _ in range(n_inner):
            if parts is None:
                np.copyto(g, C_plus)
                np.copyto(h, C_minus)
            else:
                np.matmul(A, parts[0], out=g)
                np.matmul(A, parts[1], out=h)
                g += C_plus
                h += C_minus
            for chunk in chunks:
                _minimize_auxiliary(A[chunk], g[chunk], h[chunk], scratch)

    # -- nuclear norm -------------------------------------------------------------------------

    def update_S(self, with_inverse: bool) -> tuple[float, float]:
        """Eq. (6): S⁻¹ = V diag(1/√(σ + μ)) Vᵀ, if it is wanted.

        The eigenvectors of ÃÃᵀ that are constant on microclusters come from N^{1/2} S N^{1/2}; on
        all others S⁻¹ is 1/√μ.

        Returns
        -------
        nuclear, smoothed : float
            ‖Ã‖_* and tr((ÃÃᵀ + μI)^{1/2}).
        """
        root = np.sqrt(self.r)
        reduced = self.At * root
        reduced *= root[:, None]
        gram = reduced.T @ reduced
        if with_inverse and self.model.lam2 > 0:
            sigma, V = scipy.linalg.eigh(gram, overwrite_a=True, check_finite=False, driver="evd")
            sigma = np.maximum(sigma, 0.0)
            V /= (sigma + self.model.mu) ** 0.25
            self._set_D(V @ V.T)
        else:
            sigma = scipy.linalg.eigvalsh(gram, overwrite_a=True, check_finite=False)
            sigma = np.maximum(sigma, 0.0)
        inner = (self.r.sum() - len(self.r)) * np.sqrt(self.model.mu)
        smoothed = np.sqrt(sigma + self.model.mu).sum() + inner
        return float(np.sqrt(sigma).sum()), float(smoothed)

    def _set_D(self, inverse: Array) -> None:
        """D from the action of S⁻¹ on N^{1/2}-scaled vectors, which is overwritten."""
        r, mu = self.r, self.model.mu
        weight = 2 * self.model.lam2 / self.model.m
        own = np.diagonal(inverse) / r
        inner = 1 / np.sqrt(mu)
        self.D_diagonal = weight * (own + inner * (1 - 1 / r))
        root = np.sqrt(r)
        inverse *= weight / root
        inverse /= root[:, None]
        np.fill_diagonal(inverse, weight * (own - inner / r))
        self.D = inverse


def _weighted_sum(terms: Array, left: Array, right: Array) -> float:
    return float(left @ (terms @ right))


def _errors(both: Array, counts: NDArray, model: _Model) -> tuple[Array, Array, float]:
    """Theorem 3 for a + b = `both`, summed over the base clusterings.

    The cleaned value A⁽ⁱ⁾ − E⁽ⁱ⁾ is 1 − e₁ where clustering i joins the pair and e₀ where it does
    not, so that e₁ and e₀ are the sizes of the errors. Equations (17) and (18) are rearranged so
    that nothing cancels when λ₁ is small or a + b near 0 or 2.

    Parameters
    ----------
    both : array
    counts : array of the same shape
        k, number of base clusterings that join the pair.
    model : _Model

    Returns
    -------
    C : array
        C_pq / m; 0 where k is 0 or m.
    cost : array
        What the divergence and λ₁ Σ_i |E⁽ⁱ⁾_pq| do not get from Ã.
    max_error : float
        Largest error.
    """
    m, lam1 = model.m, model.lam1
    both = np.maximum(both, _TINY)
    rest = np.maximum(2 - both, _TINY)

    def solve(own: Array, other: Array) -> tuple[Array, Array]:
        root = np.sqrt((1 - lam1) ** 2 + 2 * lam1 * own)
        error = other / (root + (1 + lam1))
        kept = own / (root + (1 - lam1)) if lam1 <= 1 else (root + (lam1 - 1)) / (2 * lam1)
        return error, kept

    e1, kept1 = solve(both, rest)
    e0, kept0 = solve(rest, both)
    free = (counts > 0) & (counts < m)
    joined = counts * free.astype(np.float64)
    apart = (m - joined) * free
    largest = float(np.maximum(e1, e0).max(initial=0.0, where=free))
    cost = joined * e1
    cost += apart * e0
    cost *= lam1
    e1, kept1, e0, kept0 = (np.log(x, out=x) for x in (e1, kept1, e0, kept0))
    cost -= joined * e1
    cost -= apart * kept0
    e1 -= kept1
    kept0 -= e0
    e1 *= joined
    kept0 *= apart
    e1 += kept0
    e1 /= m
    return e1, cost, largest


def _split(D: Array, diagonal: Array, r: Array) -> tuple[Array, Array]:
    """D⁺ and D⁻ as n' × n' matrices that Ãᵀ is multiplied with from the right.

    `D` holds the values between different samples, `diagonal` those on the diagonal (positive).
    """
    inside = np.diagonal(D)
    plus = np.maximum(D, 0.0)
    minus = plus - D
    plus *= r[:, None]
    minus *= r[:, None]
    np.fill_diagonal(plus, (r - 1) * np.maximum(inside, 0.0) + diagonal)
    np.fill_diagonal(minus, (r - 1) * np.maximum(-inside, 0.0))
    return plus, minus


def _minimize_auxiliary(A: Array, g: Array, h: Array, scratch: Array) -> None:
    """Eqs. (10) and (11) for entries a of Ã, in place; `g` and `h` are overwritten.

    With g = (C⁺ + 2D⁺Ã)/m + 2w, h = (C⁻ + 2D⁻Ã)/m, w = 1/(1 − a) and t = w − ½ log(a w), the G, B
    and H of the paper are m g/a, −2 m t and m h a, and (10) becomes a (t + √(t² + g h))/g: no
    difference is taken.

    Parameters
    ----------
    A : array
    g, h : arrays of the same shape
        The terms in C and D of the above.
    scratch : (2, ...) array
        Working memory with at least as many rows.
    """
    w, t = scratch[0, : len(A)], scratch[1, : len(A)]
    np.subtract(1.0, A, out=w)
    np.maximum(w, _LEAST_COMPLEMENT, out=w)
    np.divide(1.0, w, out=w)
    np.multiply(A, w, out=t)
    np.maximum(t, _TINY, out=t)
    np.log(t, out=t)
    t *= -0.5
    t += w
    w *= 2.0
    g += w
    h *= g
    np.multiply(t, t, out=w)
    h += w
    np.sqrt(h, out=h)
    h += t
    h /= g
    A *= h
    np.minimum(A, 1.0, out=A)
