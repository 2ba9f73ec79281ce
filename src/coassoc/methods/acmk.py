"""ACMK: adaptive consensus multiple k-means, and its ablations.

P. Zhou, L. Du, X. Li, "Adaptive consensus clustering for multiple k-means via base results
refining", IEEE TKDE 35(10), 2023. With A = (I + D^{-1/2} W D^{-1/2})/2 the filter of a learned
graph W with degrees D = diag(W1),

    min  Σ_m ‖A^k X − G⁽ᵐ⁾F⁽ᵐ⁾‖² + λ ‖W − Σ_m α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ‖²                        (Eq. 6)
    s.t. G⁽ᵐ⁾ the 0/1 indicators of the m-th base clustering, F⁽ᵐ⁾ its centroids,
         0 ≤ W ≤ 1, W = Wᵀ, α on the simplex,

solved by the ADMM of Algorithm 1 with copies A of the filter and V of W, multipliers Λ₁ and Λ₂ and
a penalty μ that grows. ACMK-SC ends with spectral clustering on W, ACMK-KM with k-means of the
final embedding ((I + D^{-1/2}WD^{-1/2})/2)^k X. ACMK-GF filters with each base clustering's own
W = G⁽ᵐ⁾G⁽ᵐ⁾ᵀ instead; ACMK-Fix is spectral clustering on the co-association matrix.

Decisions the paper leaves open
-------------------------------
- The indicators are updated row by row; the paper does not say in which order, nor in which order
  the base clusterings come. Here rows come by decreasing gain and base clusterings by decreasing
  k-means cost, so that the result does not depend on how samples and base clusterings are listed.
  A row keeps its cluster unless another one is better.
- Eq. (13) prints the cross terms of the base clusterings once; the objective holds them twice,
  and so does the update.
- The paper does not say how its features are scaled. Its k-means scores fit rows of unit length for
  Tr11, Tr12 and Lung, raw counts for Tr31 and raw term weights for 20NG; its spectral clustering of
  Yale fits standardised pixels. The tables use these.
- Equal base clusterings share their weight: of several minimisers of (18) the shortest is taken.
- A cluster that lost its last sample keeps its centroid, where Eq. (15) divides by zero.
- μ = 1 and a grid of λ mean something for X of one scale only. X is divided by the root mean square
  distance of its rows from their mean, so that the result does not depend on the unit of X, and λ
  weighs the same where all rows lie far from the origin. Rows of unit length, as in the paper's
  text data, nearly stay as they are. The paper tunes λ; with the default of 0.01 base clusterings
  are still refined, while a large λ holds every sample in its clusters.
- (9) starts from the extrapolation of the last two solutions and is solved by quasi-Newton steps
  until one gains less than 1 % of the starting value, at most 20; (11) by projected Newton steps
  from the last W until one moves it by less than 1e-6 of its norm.
- The objective is (6) as a function of W, α and the G⁽ᵐ⁾, with the F⁽ᵐ⁾ that minimise it, the
  centroids of W's own embedding. The F⁽ᵐ⁾ of Algorithm 1 are centroids of A^k X; with them (6)
  rises while A and the filter of W move apart, which at μ = 1 they do for dozens of iterations.
  So defined it falls but for small rises in the first iterations, while (7) falls steeply at first
  and rises to meet it. The paper shows convergence curves without saying of what.
- The iteration stops when the objective changes by less than `tol` twice in a row, and after 20
  iterations, within which the paper says it converges. A and W's filter have not met by then:
  "residual" in `history_` tells how far they are apart. W is symmetrised at the end, so that it
  meets W = V.
- ACMK-GF reports averages over the base clusterings: `refined_labels_` holds the partitions from
  all, `labels_` is the one of median k-means cost on X. The filter of GGᵀ draws each sample to its
  centroid by 2^{-k}, so that k-means with c clusters mostly finds the base clustering again; how
  far the paper's figures differ from those of the base clusterings is a matter of its starts.

How it is solved
----------------
Only distances between the rows of X matter, so that X (n × d) with d > n is first replaced by n
coordinates with the same Gram matrix. Neither A nor a multiplier is stored:

- Λ₂ is antisymmetric, hence V = (W + Wᵀ)/2, and V − Λ₂/μ is one array with both.
- (9) is a proximal problem around C − Λ₁/μ with C the filter of W; its solution is that centre
  plus a matrix Δ whose rows lie in the span of the filtered X, of rank kd at most.
  Then A + Λ₁/μ = C + Δ is all that (11) needs, and Λ₁ = μ (A + Λ₁/μ − C_new).
- Δ is kept as Γ Bᵀ with B an orthonormal basis of those rows (the identity where kd exceeds n),
  so that quasi-Newton vectors are n × kd. The Hessian of (9) is close to
  Δ ↦ Δ (μI + 2v S Sᵀ), S = Σ_r A^r X; its inverse preconditions the steps.
- (11) is separable but for the degrees: a diagonal Newton step, projected on the box, is nearly
  exact. It runs on row panels.
- Moving one sample changes two columns of the costs of the others. Only moves cost time.
- Where B is a thin basis, MX is kept, so that AX costs no product with an n × n array.

Four n × n arrays are held in all where 17 d < n (for k = 3), about forty where not, during (9). An
evaluation of (9) takes O(n² d) operations for k products with A, of which nearly all time goes into
the products of n × n with n × d arrays; (11), (13) and the rest take O(n² v) and O(n²).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.parameters import Parameter
from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.simplex import simplex_qp
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import k_means, spectral_labels
from coassoc.similarity import co_association

__all__ = ["ACMK", "Refined", "refine"]

Array = NDArray[np.float64]
Labels = NDArray[np.intp]

#: Rows of a panel and side of a tile: what fits in cache together with its partners.
_PANEL = 256


class Refined(NamedTuple):
    """Result of :func:`refine`.

    Attributes
    ----------
    W : (n, n) array
        Learned graph, symmetric, in [0, 1].
    embedding : (n, r) array
        Final embedding ((I + D^{-1/2}WD^{-1/2})/2)^k X, in coordinates with the same distances.
    labels : (n, v) integer array
        Refined base clusterings G⁽ᵐ⁾, in the order given.
    alpha : (v,) array
        Weights of the base clusterings.
    n_iter : int
        Iterations used.
    converged : bool
        Whether the objective stopped changing.
    history : dict of str to (n_iter,) array
        "objective", Eq. (6) of W, α and G⁽ᵐ⁾ with the F⁽ᵐ⁾ that minimise it, the centroids of W's
        embedding; "split_objective", Eq. (7), with A in place of W's filter and the centroids of
        A^k X; "residual", ‖A^k X − embedding‖ / ‖embedding‖, how far A and W's filter still are
        apart; "moved", how many rows of the indicators changed.
    """

    W: Array
    embedding: Array
    labels: NDArray[np.intp]
    alpha: Array
    n_iter: int
    converged: bool
    history: dict[str, Array]


class ACMK(ConsensusClusterer):
    """Adaptive consensus multiple k-means (Zhou, Du & Li 2023).

    Parameters
    ----------
    n_clusters : int
        c, number of clusters wanted.
    ending : {"spectral", "k-means"}
        Final partition of the full model: spectral clustering on W or k-means of the embedding.
    variant : {"full", "GF", "Fix"}
        The full model; each base clustering filtered by its own graph, without consensus learning
        (Table 6); or spectral clustering on the unrefined base clusterings (Table 7).
    lam : float
        λ > 0, weight of the consensus term (Eq. 6).
    order : int
        k ≥ 1, order of the graph filter.
    mu0 : float
        Penalty μ > 0 of the first iteration.
    rho : float
        Factor of μ from one iteration to the next, at least 1 (Eq. 19).
    tol : float
        Relative change of the objective at which the iteration stops.
    max_iter : int
        Most iterations.
    random_state : int, RandomState or None
        Seed of the final k-means.

    Attributes
    ----------
    affinity_ : (n, n) array or InvariantMatrix
        The learned graph W; the co-association matrix for "Fix".
    embedding_ : (n, r) array
        Final embedding of the scaled X, up to a rotation of its columns; for "full" only.
    initial_labels_, refined_labels_ : (n, m) integer arrays
        Base clusterings before and after; for "full" and "GF".
    alpha_ : (m,) array
        Weights of the base clusterings; for "full" only.
    history_ : dict of str to array
        "objective", "split_objective", "residual" and "moved" per iteration for the scaled X;
        see :class:`Refined`.
    """

    parameters: ClassVar = {
        "ending": Parameter("choice", choices=("spectral", "k-means")),
        "variant": Parameter("choice", choices=("full", "GF", "Fix")),
        "lam": Parameter("number", above=0, grid=(0.001, 0.01, 0.1, 1, 10, 100, 1000)),
        "order": Parameter("integer", minimum=1),
        "mu0": Parameter("number", above=0),
        "rho": Parameter("number", minimum=1),
        "tol": Parameter("number", above=0),
        "max_iter": Parameter("integer", minimum=1),
    }

    uses_features = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        ending: str = "spectral",
        variant: str = "full",
        lam: float = 0.01,
        order: int = 3,
        mu0: float = 1.0,
        rho: float = 1.05,
        tol: float = 1e-2,
        max_iter: int = 20,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.ending = ending
        self.variant = variant
        self.lam = lam
        self.order = order
        self.mu0 = mu0
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _consensus(
        self, ensemble: Ensemble, X: Any, random_state: np.random.RandomState
    ) -> NDArray:
        self.affinity_: Array | InvariantMatrix
        if self.variant == "Fix":
            self.affinity_ = co_association(ensemble)
            return spectral_labels(self.affinity_, self.n_clusters, random_state)
        points = distance_coordinates(X)
        spread = np.linalg.norm(points - points.mean(axis=0)) / np.sqrt(len(points))
        points = points / (spread if spread > 1e-12 * np.abs(points).max(initial=0.0) else 1.0)
        self.initial_labels_ = ensemble.labels.astype(np.intp)
        if self.variant == "GF":
            return self._filtered_alone(points, random_state)
        found = refine(
            points,
            self.initial_labels_,
            self.lam,
            self.order,
            mu0=self.mu0,
            rho=self.rho,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.affinity_, self.embedding_ = found.W, found.embedding
        self.refined_labels_, self.alpha_ = found.labels, found.alpha
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.history_ = found.history
        if self.ending == "k-means":
            labels = k_means(self.embedding_, self.n_clusters, random_state)
            return split_to(labels, self.n_clusters)
        singles = Microclusters.from_assignment(np.arange(len(points)))
        graph = InvariantMatrix(found.W, 0.0, singles)
        return spectral_labels(graph, self.n_clusters, random_state)

    def _filtered_alone(self, X: Array, random_state: np.random.RandomState) -> Labels:
        """ACMK-GF: k-means after the filter of each base clustering's own graph."""
        seed = random_state.randint(np.iinfo(np.int32).max)
        refined = [
            k_means(_own_filter(X, g, self.order), self.n_clusters, seed)
            for g in self.initial_labels_.T
        ]
        self.refined_labels_ = np.column_stack(refined)
        costs = [_k_means_cost(X, labels, _centroids(X, labels)) for labels in refined]
        typical = np.argsort(costs, kind="stable")[(len(costs) - 1) // 2]
        return split_to(refined[typical], self.n_clusters)


def refine(
    X: Array,
    labels: NDArray[np.intp],
    lam: float,
    order: int,
    *,
    mu0: float = 1.0,
    rho: float = 1.05,
    tol: float = 1e-2,
    max_iter: int = 20,
) -> Refined:
    """Learn the graph and refine the base clusterings: Algorithm 1.

    Parameters
    ----------
    X : (n, d) array
        Features, d ≤ n for speed; see :func:`~coassoc.numerics.distances.distance_coordinates`.
    labels : (n, v) integer array
        Base clusterings, each with clusters 0 … c_m−1.
    lam : float
        λ.
    order : int
        k.
    mu0, rho : float
        First penalty μ and its factor per iteration (Eq. 19).
    tol : float
        Relative change of the objective at which to stop, when met twice in a row.
    max_iter : int
        Most iterations.
    """
    costs = [_k_means_cost(X, g, _centroids(X, g)) for g in labels.T]
    given = np.argsort(costs, kind="stable")[::-1]
    model = _Admm(X, labels.T[given], lam, order, mu0, rho)
    history: dict[str, list[float]] = {
        name: [] for name in ("objective", "split_objective", "residual", "moved")
    }
    small_changes = 0
    while len(history["objective"]) < max_iter and small_changes < 2:
        model.update_A()
        model.update_W()
        history["moved"].append(model.update_G_and_F())
        model.update_alpha()
        for name, value in model.progress().items():
            history[name].append(value)
        model.update_V_and_multipliers()
        small_changes = small_changes + 1 if _has_settled(history["objective"], tol) else 0
    model.symmetrize()
    return Refined(
        model.W,
        model.filtered(),
        model.G[np.argsort(given)].T,
        model.alpha[np.argsort(given)],
        len(history["objective"]),
        small_changes >= 2,
        {name: np.array(values) for name, values in history.items()},
    )


def _has_settled(objective: list[float], tol: float) -> bool:
    return len(objective) > 1 and abs(objective[-1] - objective[-2]) <= tol * abs(objective[-2])


# -- k-means ------------------------------------------------------------------------------------


def _one_hot(g: Labels, count: int) -> Array:
    Z = np.zeros((len(g), count))
    Z[np.arange(len(g)), g] = 1.0
    return Z


def _centroids(X: Array, g: Labels, previous: Array | None = None) -> Array:
    """Eq. (15); an empty cluster keeps its previous centroid."""
    count = int(g.max()) + 1 if previous is None else len(previous)
    Z = sp.csr_array((np.ones(len(g)), (g, np.arange(len(g)))), shape=(count, len(g)))
    sizes = np.bincount(g, minlength=count)
    F = (Z @ X) / np.maximum(sizes, 1)[:, None]
    if previous is not None:
        F[sizes == 0] = previous[sizes == 0]
    return F


def _k_means_cost(X: Array, g: Labels, F: Array) -> float:
    """‖X − GF‖²_F."""
    difference = X - F[g]
    return float(np.vdot(difference, difference))


def _own_filter(X: Array, g: Labels, order: int) -> Array:
    """((I + D^{-1/2}WD^{-1/2})/2)^k X for W = GGᵀ: rows drawn towards their centroid by 2^{-k}."""
    centres = _centroids(X, g)[g]
    return centres + (X - centres) / 2**order


# -- the ADMM -----------------------------------------------------------------------------------


def _panels(n: int) -> Iterator[slice]:
    for start in range(0, n, _PANEL):
        yield slice(start, min(start + _PANEL, n))


class _Admm:
    """The variables of Algorithm 1 and their updates, named as there.

    Attributes
    ----------
    W : (n, n) array
        The graph, with `degree` its row sums.
    K : (n, n) array
        Before :meth:`update_A` 2(C − Λ₁/μ) − I, after it 2(A + Λ₁/μ) − I.
    P : (n, n) array
        The point (2λ Σ α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ + μV − Λ₂)/(2λ + μ), which the separable terms of (11)
        draw W to.
    space, Gammas : _RowSpace, list of arrays
        Δ = ΓBᵀ of the last iteration and the one before; the next starts from their extrapolation.
    E : (n, r) array
        A^k X.
    G : (v, n) integer array, F : list of (c_m, r) arrays, alpha : (v,) array
    """

    def __init__(
        self, X: Array, G: NDArray[np.intp], lam: float, order: int, mu0: float, rho: float
    ) -> None:
        self.X, self.E = X, X
        self.G = np.ascontiguousarray(G)
        self.lam, self.order, self.mu, self.rho = lam, order, mu0, rho
        self.counts = [int(g.max()) + 1 for g in self.G]
        self.F = [_centroids(X, g) for g in self.G]
        self.alpha = np.full(len(self.G), 1 / len(self.G))
        n = len(X)
        self.W = np.empty((n, n))
        left, right = self._weighted_membership()
        for I in _panels(n):
            np.matmul(left[I], right, out=self.W[I])
        self.degree = self.W.sum(axis=1)
        self.P = self.W.copy()
        self.K = np.empty((n, n))
        for I in _panels(n):
            self.K[I] = self._normalized(I)
        self._spare = np.empty((n, n))
        self.space = _RowSpace(X, order)
        self.Gammas = [np.zeros((n, self.space.width))] * 2

    # -- shared quantities --

    def _normalized(self, I: slice) -> Array:
        """Rows I of N = D^{-1/2} W D^{-1/2}."""
        scale = _inverse_root(self.degree)
        return self.W[I] * scale * scale[I, None]

    def _membership(self) -> Array:
        return np.hstack([_one_hot(g, c) for g, c in zip(self.G, self.counts, strict=True)])

    def _weighted_membership(self) -> tuple[Array, Array]:
        """Factors of Σ α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ."""
        Z = self._membership()
        return Z * np.repeat(self.alpha, self.counts), np.ascontiguousarray(Z.T)

    def filtered(self) -> Array:
        """C^k X with C = (I + N)/2."""
        scale = _inverse_root(self.degree)[:, None]
        Y = self.X
        for _ in range(self.order):
            Y = (Y + scale * (self.W @ (scale * Y))) / 2
        return Y

    def progress(self) -> dict[str, float]:
        """Objectives (6) and (7) and how far their embeddings are apart; after `update_alpha`."""
        embedding = self.filtered()
        # W's filter has centroids of its own: with those of A^k X, (6) measures the gap to A.
        own = [_centroids(embedding, g, F) for g, F in zip(self.G, self.F, strict=True)]
        gap, size = np.linalg.norm(self.E - embedding), np.linalg.norm(embedding)
        return {
            "objective": self._objective(embedding, own),
            "split_objective": self._objective(self.E, self.F),
            "residual": float(gap / size) if size > 0 else 0.0,
        }

    def _objective(self, embedding: Array, centroids: list[Array]) -> float:
        costs = [_k_means_cost(embedding, g, F) for g, F in zip(self.G, centroids, strict=True)]
        H, f = self._fusion_terms
        distance = np.vdot(self.W, self.W) + self.alpha @ H @ self.alpha + f @ self.alpha
        return float(sum(costs) + self.lam * max(distance, 0.0))

    def update_A(self) -> None:
        """Eq. (9); K becomes 2(C + Δ) − I = N + 2Δ."""
        M = self.K
        for I in _panels(len(M)):
            M[I] /= 2
        M.flat[:: len(M) + 1] += 0.5
        v = len(self.G)
        T = sum(F[g] for g, F in zip(self.G, self.F, strict=True)) / v
        last, before = self.space.compressed(*self.Gammas)
        step = _FilterStep(M, T, v, self.mu, self.order, self.space)
        Gamma, self.E = step.solve(2 * last - before)
        self.Gammas = [Gamma, last]
        Gamma = self.space.widened(Gamma)
        for I in _panels(len(M)):
            rows = Gamma[I] if self.space.B is None else Gamma[I] @ self.space.B.T
            np.multiply(rows, 2, out=self.K[I])
            self.K[I] += self._normalized(I)

    def update_W(self) -> None:
        """Eq. (11)."""
        step = _GraphStep(self.P, self.K, self.lam, self.mu)
        self.W, self._spare, self.degree = step.solve(self.W, self._spare, self.degree)

    def update_G_and_F(self) -> int:
        """Eqs. (13) and (15) for each base clustering in turn; returns how many rows changed."""
        Z = self._membership()
        links = (self.W @ Z + self.W.T @ Z) / 2
        bounds = np.concatenate(([0], np.cumsum(self.counts)))
        moved = 0
        for m in range(len(self.G)):
            WG = links[:, bounds[m] : bounds[m + 1]]
            moved += update_rows(m, self.E, self.F[m], self.G, self.alpha, self.lam, self.W, WG)
            self.F[m] = _centroids(self.E, self.G[m], self.F[m])
        return moved

    def update_alpha(self) -> None:
        """Eq. (18)."""
        Z = self._membership()
        first = np.concatenate(([0], np.cumsum(self.counts)[:-1]))
        squares = (Z.T @ Z) ** 2
        H = np.add.reduceat(np.add.reduceat(squares, first, axis=0), first, axis=1)
        f = -2 * np.add.reduceat((Z * (self.W @ Z)).sum(axis=0), first)
        self._fusion_terms = H, f
        ridge = 1e-8 * float(np.abs(H).max()) * np.eye(len(H))
        self.alpha = simplex_qp(2 * H + ridge, f)

    def update_V_and_multipliers(self) -> None:
        """Eqs. (17) and (19), in terms of the next iteration's K and P."""
        rho = self.rho
        for I in _panels(len(self.W)):
            # K = 2(C − Λ₁/(ρμ)) − I with Λ₁ = (μ/2)(K − N)
            self.K[I] *= -1 / rho
            self.K[I] += (1 + 1 / rho) * self._normalized(I)
        mu, self.mu = self.mu, rho * self.mu
        left, right = self._weighted_membership()
        new, old = 2 * self.lam + self.mu, 2 * self.lam + mu
        panels = list(_panels(len(self.W)))
        for i, I in enumerate(panels):
            for J in panels[i:]:
                fusion = left[I] @ right[:, J]
                W, W_mirror = self.W[I, J], self.W[J, I].T
                # −Λ₂/(ρμ), the antisymmetric part of V − Λ₂/(ρμ)
                anti = (self.P[I, J] - self.P[J, I].T) * (old / (2 * rho * mu))
                anti -= (W - W_mirror) / (2 * rho)
                symmetric = (2 * self.lam / new) * fusion + (self.mu / (2 * new)) * (W + W_mirror)
                anti *= self.mu / new
                self.P[I, J] = symmetric + anti
                self.P[J, I] = (symmetric - anti).T

    def symmetrize(self) -> None:
        """Impose W = Wᵀ."""
        panels = list(_panels(len(self.W)))
        for i, I in enumerate(panels):
            for J in panels[i:]:
                mean = (self.W[I, J] + self.W[J, I].T) / 2
                self.W[I, J], self.W[J, I] = mean, mean.T
        self.degree = self.W.sum(axis=1)


def _inverse_root(degree: Array) -> Array:
    return 1 / np.sqrt(np.where(degree > 0, degree, 1.0))


# -- (13): the indicators -----------------------------------------------------------------------


def update_rows(
    m: int,
    E: Array,
    F: Array,
    G: NDArray[np.intp],
    alpha: Array,
    lam: float,
    W: Array,
    WG: Array,
) -> int:
    """Minimise (13) over each row of G⁽ᵐ⁾ once, the others fixed; rows by decreasing gain.

    Parameters
    ----------
    m : int
        The base clustering to update.
    E : (n, r) array
        A^k X.
    F : (c_m, r) array
        Its centroids.
    G : (v, n) integer array
        All indicators; row m is updated in place.
    alpha : (v,) array
    lam : float
    W : (n, n) array
    WG : (n, c_m) array
        (W + Wᵀ)/2 G⁽ᵐ⁾ of the indicators given.

    Returns
    -------
    int
        How many samples moved.
    """
    g, n = G[m], len(E)
    size_weight = 2 * lam * alpha[m] ** 2
    cost = _row_costs(m, E, F, G, alpha, lam, W, WG)
    rows = np.arange(n)
    current = cost[rows, g]
    cost[rows, g] = np.inf
    order = np.argsort(cost.min(axis=1) - current, kind="stable") if len(F) > 1 else rows
    cost[rows, g] = current
    cost, labels = cost[order], G[:, order]
    tolerance = 1e-12 * float(np.abs(current).max())
    position, moved = _next_mover(cost, labels[m], 0, tolerance), 0
    while position < n:
        sample, old = order[position], labels[m, position]
        new = int(cost[position].argmin())
        labels[m, position] = new
        rest = slice(position + 1, n)
        # What the sample adds to the cost of another one that shares its cluster.
        together = (labels[:, rest] == labels[:, position, None]) * alpha[:, None]
        link = together.sum(axis=0) - together[m]
        link -= (W[sample, order[rest]] + W[order[rest], sample]) / 2
        link *= 4 * lam * alpha[m]
        link += size_weight
        cost[rest, old] -= link
        cost[rest, new] += link
        moved += 1
        position = _next_mover(cost, labels[m], position + 1, tolerance)
    g[order] = labels[m]
    return moved


def _row_costs(
    m: int,
    E: Array,
    F: Array,
    G: NDArray[np.intp],
    alpha: Array,
    lam: float,
    W: Array,
    WG: Array,
) -> Array:
    """(n, c_m) terms of (13) that depend on the sample's row, for each cluster it could join.

    With s the cluster without the sample, joining it costs
    ‖E_i − F_s‖² + 4λα_m Σ_{l∈s} (Σ_{p≠m} α_p [g_l^p = g_i^p] − W_il) + 2λα_m² |s|.
    """
    g, n, count = G[m], len(E), len(F)
    rows = np.arange(n)
    Z = _one_hot(g, count)
    links = -WG
    links[rows, g] += np.diagonal(W)
    for p in range(len(G)):
        if p != m and alpha[p] > 0:
            shared = np.bincount(G[p] * count + g, minlength=(int(G[p].max()) + 1) * count)
            links += alpha[p] * shared.reshape(-1, count)[G[p]]
            links[rows, g] -= alpha[p]
    sizes = Z.sum(axis=0) - Z
    distances = (E**2).sum(axis=1)[:, None] - 2 * (E @ F.T) + (F**2).sum(axis=1)
    return distances + 4 * lam * alpha[m] * links + 2 * lam * alpha[m] ** 2 * sizes


def _next_mover(cost: Array, labels: NDArray[np.intp], position: int, tolerance: float) -> int:
    """First row from `position` on whose cluster is not the cheapest; n if there is none."""
    for start in range(position, len(cost), _PANEL):
        block = cost[start : start + _PANEL]
        current = block[np.arange(len(block)), labels[start : start + _PANEL]]
        movers = np.flatnonzero(block.min(axis=1) < current - tolerance)
        if len(movers):
            return start + int(movers[0])
    return len(cost)


# -- (11): the graph ----------------------------------------------------------------------------


class _GraphStep:
    """min (λ+μ/2) ‖W − P‖² + (μ/8) ‖D^{-1/2}WD^{-1/2} − K‖² over the box, D = diag(W1).

    This is (11) with its linear terms completed to squares.
    """

    max_steps = 20
    tolerance = 1e-6

    def __init__(self, P: Array, K: Array, lam: float, mu: float) -> None:
        self.P, self.K = P, K
        self.weight, self.mu = 2 * lam + mu, mu

    def solve(self, W: Array, spare: Array, degree: Array) -> tuple[Array, Array, Array]:
        """Projected diagonal Newton steps from W; returns W, the other array and the degrees."""
        value, pull = self.value(W, degree)
        for _ in range(self.max_steps):
            length = 1.0
            while True:
                slope, moved, size = self._project(W, degree, pull, length, spare)
                new_degree = spare.sum(axis=1)
                new_value, new_pull = self.value(spare, new_degree)
                if new_value <= value + 1e-4 * slope or length < 1e-6:
                    break
                length /= 4
            if new_value > value:
                break
            W, spare = spare, W
            degree, value, pull = new_degree, new_value, new_pull
            if moved <= self.tolerance**2 * size:
                break
        return W, spare, degree

    def value(self, W: Array, degree: Array) -> tuple[float, Array]:
        """The objective, and what the degrees add to the gradient of each row."""
        scale = _inverse_root(degree)
        total = 0.0
        pull = np.zeros(len(W))
        for I in _panels(len(W)):
            N = W[I] * scale
            N *= scale[I, None]
            difference = N - self.K[I]
            total += self.mu / 8 * float(np.vdot(difference, difference))
            N *= difference
            pull[I] += N.sum(axis=1)
            pull += N.sum(axis=0)
            np.subtract(W[I], self.P[I], out=difference)
            total += self.weight / 2 * float(np.vdot(difference, difference))
        pull *= -self.mu / 8 * scale**2
        return total, pull

    def gradient(self, W: Array, degree: Array, pull: Array, I: slice) -> Array:
        """Rows I of Eq. (12)."""
        scale = _inverse_root(degree)
        pairs = scale[I, None] * scale
        gradient = W[I] * pairs
        gradient -= self.K[I]
        gradient *= pairs
        gradient *= self.mu / 4
        gradient += self.weight * (W[I] - self.P[I])
        gradient += pull[I, None]
        return gradient

    def _project(
        self, W: Array, degree: Array, pull: Array, length: float, out: Array
    ) -> tuple[float, float, float]:
        """Step to `out`; returns ⟨gradient, step⟩, ‖step‖² and ‖W‖²."""
        inverse_degree = _inverse_root(degree) ** 2
        slope = moved = size = 0.0
        for I in _panels(len(W)):
            gradient = self.gradient(W, degree, pull, I)
            curvature = inverse_degree[I, None] * (inverse_degree * (self.mu / 4))
            curvature += self.weight
            np.divide(gradient, curvature, out=curvature)
            curvature *= -length
            curvature += W[I]
            np.clip(curvature, 0.0, 1.0, out=out[I])
            np.subtract(out[I], W[I], out=curvature)
            slope += float(np.vdot(gradient, curvature))
            moved += float(np.vdot(curvature, curvature))
            size += float(np.vdot(W[I], W[I]))
        return slope, moved, size


# -- (9): the filter ----------------------------------------------------------------------------


class _RowSpace:
    """An orthonormal basis B (n × q) of the rows of Δ = ΓBᵀ that takes in new directions.

    Where it would have to hold most of the n dimensions it is the identity, and `B` None.
    """

    def __init__(self, X: Array, order: int) -> None:
        n, d = X.shape
        self.X = X
        self.B: Array | None = None
        if d * (1 + 8 * (order - 1)) < n:
            self.B = np.empty((n, 0))
            self.extend(X)
        self.width = n if self.B is None else self.B.shape[1]

    def coordinates(self, Y: Array) -> Array:
        """BᵀY."""
        return Y if self.B is None else self.B.T @ Y

    def times(self, Z: Array) -> Array:
        """BZ."""
        return Z if self.B is None else self.B @ Z

    def extend(self, Y: Array) -> None:
        """Let B span the columns of Y too, up to rounding."""
        if self.B is None:
            return
        size = np.linalg.norm(Y, axis=0).max(initial=0.0)
        for _ in range(2):  # once more against rounding
            Y = Y - self.B @ (self.B.T @ Y)
        Q, R, _ = scipy.linalg.qr(Y, mode="economic", pivoting=True, check_finite=False)
        rank = np.count_nonzero(np.abs(np.diagonal(R)) > 1e-9 * size)
        self.B = np.hstack((self.B, Q[:, :rank]))
        self.width = self.B.shape[1]

    def widened(self, Gamma: Array) -> Array:
        """Γ with columns of zeros for the directions that came after it."""
        if Gamma.shape[1] == self.width:
            return Gamma
        wide = np.zeros((len(Gamma), self.width))
        wide[:, : Gamma.shape[1]] = Gamma
        return wide

    def compressed(self, *Gammas: Array) -> list[Array]:
        """The Γ in a new basis that holds X and the rows of all ΓBᵀ, to six digits."""
        Gammas = tuple(self.widened(Gamma) for Gamma in Gammas)
        if self.B is None:
            return list(Gammas)
        values, vectors = np.linalg.eigh(sum(Gamma.T @ Gamma for Gamma in Gammas))
        kept = vectors[:, values > 1e-12 * values[-1]]
        self.B = self.B @ kept
        self.extend(self.X)
        return [self.widened(Gamma @ kept) for Gamma in Gammas]


class _FilterStep:
    """min v ‖(M+Δ)^k X − T‖² + (μ/2) ‖Δ‖² over Δ = Γ Bᵀ.

    This is (9) around M = C − Λ₁/μ, T the mean of the G⁽ᵐ⁾F⁽ᵐ⁾. The rows of every gradient lie in
    the span of the filtered X.
    """

    max_steps = 20
    tolerance = 1e-2
    memory = 3

    def __init__(self, M: Array, T: Array, v: int, mu: float, order: int, space: _RowSpace) -> None:
        self.M, self.T, self.v, self.mu, self.order = M, T, v, mu, order
        self.X, self.space = space.X, space
        # Where Δ is a product of thin factors, AX costs no product with an n × n array.
        self.MX = None if space.B is None else M @ self.X

    def solve(self, Gamma: Array) -> tuple[Array, Array]:
        """Preconditioned L-BFGS from ΓBᵀ; returns the new Γ and (M+Δ)^k X."""
        value, Y = self.value(Gamma)
        gradient = self.gradient(Gamma, Y)
        self._set_preconditioner(Y)
        pairs: list[tuple[Array, Array]] = []
        enough = self.tolerance * value
        for _ in range(self.max_steps):
            direction = self._direction(gradient, pairs)
            step, length, new_value, new_Y = self._search(Gamma, direction, gradient, value)
            if not new_value < value:
                break
            Gamma = self.space.widened(Gamma) + step
            new_gradient = self.gradient(Gamma, new_Y)
            change = new_gradient - self.space.widened(gradient)
            pairs = [*pairs, (step, change)][-self.memory :]
            small = value - new_value <= enough
            value, Y, gradient = new_value, new_Y, new_gradient
            if small:
                break
            if length < 1:
                self._set_preconditioner(Y)
        return Gamma, Y[-1]

    def value(self, Gamma: Array) -> tuple[float, list[Array]]:
        """The objective, and A^r X for r = 0 … k."""
        Gamma = self.space.widened(Gamma)
        times_A, _ = self._products(Gamma)
        Y = [self.X]
        if self.MX is not None:
            Y.append(self.MX + Gamma @ self.space.coordinates(self.X))
        while len(Y) <= self.order:
            Y.append(times_A(Y[-1]))
        R = Y[-1] - self.T
        return float(self.v * np.vdot(R, R) + self.mu / 2 * np.vdot(Gamma, Gamma)), Y

    def gradient(self, Gamma: Array, Y: list[Array]) -> Array:
        """Eq. (10) times B: μΓ + Σ_r Q_r (Bᵀ A^{k-1-r} X)ᵀ with Q_r = 2v (Aᵀ)^r (A^k X − T)."""
        if self.order > 1:
            self.space.extend(np.hstack(Y[1 : self.order]))
        Gamma = self.space.widened(Gamma)
        _, times_A_transposed = self._products(Gamma)
        Q = [2 * self.v * (Y[-1] - self.T)]
        for _ in range(self.order - 1):
            Q.append(times_A_transposed(Q[-1]))
        rows = self.space.coordinates(np.hstack(Y[self.order - 1 :: -1]))
        gradient = np.hstack(Q) @ rows.T
        gradient += self.mu * Gamma
        return gradient

    def _products(self, Gamma: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
        """Products with A = M + ΓBᵀ and with Aᵀ."""
        M, B = self.M, self.space.B
        if B is None:
            A = M + Gamma
            return A.__matmul__, A.T.__matmul__
        return (
            lambda Y: M @ Y + Gamma @ (B.T @ Y),
            lambda Q: M.T @ Q + B @ (Gamma.T @ Q),
        )

    def _search(
        self, Gamma: Array, direction: Array, gradient: Array, value: float
    ) -> tuple[Array, float, float, list[Array]]:
        """Step along the direction until the decrease is sufficient (Armijo)."""
        slope = float(np.vdot(direction, gradient))
        start = self.space.widened(Gamma)
        length = 1.0
        while True:
            step = length * direction
            new_value, Y = self.value(start + step)
            if new_value <= value + 1e-4 * length * slope or length < 1e-8:
                return step, length, new_value, Y
            length *= _backtrack(value, new_value, length * slope)

    def _set_preconditioner(self, Y: list[Array]) -> None:
        """Prepare (μI + 2v S Sᵀ)⁻¹ with S = √k (X, AX, …, A^{k-1}X), in coordinates of B.

        ‖Σ_r A^r Δ A^{k-1-r}X‖² ≤ ‖ΔS‖² for a filter of norm 1, so that the steps rarely overshoot.
        """
        S = np.sqrt(self.order) * self.space.coordinates(np.hstack(Y[: self.order]))
        wide = 2 * S.shape[1] > len(S)
        inner = S @ S.T if wide else S.T @ S
        ridge = self.mu / (2 * self.v) + np.finfo(float).eps * np.trace(inner)
        inner.flat[:: len(inner) + 1] += ridge
        factor = scipy.linalg.cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        if wide:
            inverse, _ = scipy.linalg.lapack.dpotri(factor, lower=True, overwrite_c=True)
            self.inverse = np.tril(inverse) + np.tril(inverse, -1).T
            self.inverse *= ridge / self.mu
            self.U = None
        else:
            self.U = scipy.linalg.solve_triangular(factor, S.T, lower=True, check_finite=False).T

    def _precondition(self, V: Array) -> Array:
        """V (μI + 2v S Sᵀ)⁻¹; directions newer than S are orthogonal to it."""
        if self.U is None and len(self.inverse) == V.shape[1]:
            return V @ self.inverse
        result = V / self.mu
        if self.U is None:
            width = len(self.inverse)
            result[:, :width] = V[:, :width] @ self.inverse
        else:
            width = len(self.U)
            result[:, :width] -= (result[:, :width] @ self.U) @ self.U.T
        return result

    def _direction(self, gradient: Array, pairs: list[tuple[Array, Array]]) -> Array:
        """Two-loop recursion of L-BFGS; pairs without positive curvature do not count."""
        q = -gradient
        used = []
        for pair in reversed(pairs):
            s, y = (self.space.widened(V) for V in pair)
            curvature = float(np.vdot(s, y))
            if curvature > 1e-10 * np.linalg.norm(s) * np.linalg.norm(y):
                a = float(np.vdot(s, q)) / curvature
                q -= a * y
                used.append((s, y, curvature, a))
        q = self._precondition(q)
        for s, y, curvature, a in reversed(used):
            q += (a - float(np.vdot(y, q)) / curvature) * s
        return q


def _backtrack(value: float, new_value: float, slope: float) -> float:
    """Factor for the step, to the minimum of a parabola, between 1/10 and 1/2."""
    if not np.isfinite(new_value):
        return 0.1
    return float(np.clip(-slope / (2 * (new_value - value - slope)), 0.1, 0.5))
