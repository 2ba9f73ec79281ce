"""Algorithm 1 of ACMK: the updates (9)–(19) in the paper's letters.

The variables are A, W, V, α, G⁽ᵐ⁾, F⁽ᵐ⁾ and the multipliers Λ₁ and Λ₂. A copies the filter of W,
C = (I + D^{-1/2}WD^{-1/2})/2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coassoc.methods.acmk.filter_step import PLAIN, FilterStep, RowSpace
from coassoc.methods.acmk.graph_step import GraphStep, inverse_root
from coassoc.methods.acmk.thin_steps import ThinSteps
from coassoc.methods.base import Array, Labels
from coassoc.metrics import cross_table
from coassoc.numerics.compiled import compiled
from coassoc.numerics.simplex import simplex_qp
from coassoc.numerics.threads import even_blocks, matmul, over_blocks


@dataclass(frozen=True)
class Refined:
    """Result of :func:`refine`, which every ending of the method shares.

    Attributes
    ----------
    W : (n, n) array
        Learned graph, symmetric, in [0, 1].
    embedding : (n, r) array
        Final embedding ((I + D^{-1/2}WD^{-1/2})/2)^k X, in coordinates that preserve the distances
        between samples.
    A : (n, n) array
        The copy of the filter of W after the last iteration; neither symmetric nor in [0, 1].
    A_embedding : (n, r) array
        A^k X, in the same coordinates.
    labels : (n, v) integer array
        Refined base clusterings G⁽ᵐ⁾, in the order given.
    alpha : (v,) array
        Weights of the base clusterings.
    objective : list of float
        Eq. (6) of W, α and G⁽ᵐ⁾ with the minimising F⁽ᵐ⁾, the centroids of the embedding by W, in
        each iteration.
    converged : bool
        Whether the objective stopped changing.
    """

    W: Array
    embedding: Array
    A: Array
    A_embedding: Array
    labels: Labels
    alpha: Array
    objective: list[float]
    converged: bool


def refine(X: Array, labels: Labels, method: Any) -> Refined:
    """Learn the graph and refine the base clusterings: Algorithm 1.

    Parameters
    ----------
    X : (n, d) array
        Features, d ≤ n for speed; see :func:`~coassoc.numerics.distances.distance_coordinates`.
    labels : (n, v) integer array
        Base clusterings, each with clusters 0 … c_m−1.
    method : ACMK
        Its parameters.
    """
    costs = [k_means_cost(X, g, centroids(X, g)) for g in labels.T]
    by_cost = np.argsort(costs, kind="stable")[::-1]
    variables = {"library": Variables, "author": AuthorsVariables}[method.solver]
    state = variables(X, labels[:, by_cost], method)
    objective: list[float] = []
    settled = 0
    while len(objective) < method.max_iter and settled < 2:
        state.update_A()
        state.update_W()
        state.update_G_and_F()
        alpha = state.update_alpha()
        objective.append(state.objective())
        state.update_V_and_multipliers()
        before, last = objective[-2:] if len(objective) > 1 else (np.inf, np.nan)
        settled = settled + 1 if abs(last - before) <= method.tol * abs(before) else 0
    state.symmetrize_W()
    given = np.argsort(by_cost)
    learned = (state.W, state.filtered_X(), state.A, state.AkX, state.G[:, given], alpha[given])
    return Refined(*learned, objective, settled >= 2)


def centroids(X: Array, g: Labels, previous: Array | None = None) -> Array:
    """Eq. (15); an empty cluster keeps its previous centroid."""
    count = int(g.max()) + 1 if previous is None else len(previous)
    Z = sp.csr_array((np.ones(len(g)), (g, np.arange(len(g)))), shape=(count, len(g)))
    sizes = np.bincount(g, minlength=count)
    F = (Z @ X) / np.maximum(sizes, 1)[:, None]
    if previous is not None:
        F[sizes == 0] = previous[sizes == 0]
    return F


def k_means_cost(X: Array, g: Labels, F: Array) -> float:
    """‖X − GF‖²_F."""
    difference = X - F[g]
    return float(np.vdot(difference, difference))


class Variables:
    """The variables of Algorithm 1 and their updates.

    Attributes
    ----------
    A, W, L1 : (n, n) arrays
        A, W with `degree` its row sums, and Λ₁.
    P : (n, n) array
        (2λ Σ α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ + μV − Λ₂)/(2λ + μ), the minimum over W of all terms of (11) except
        those with A. V = (W + Wᵀ)/2 is the symmetric part of W, and Λ₂ is antisymmetric, so P
        contains both.
    AkX : (n, r) array
        A^k X.
    G : (n, v) integer array
        The indicators, as labels.
    F : list of (c_m, r) arrays
    first : (v + 1,) integer array
        Start of the clusters of each base clustering among all Σ c_m clusters, and the end.
    alpha : (v,) array
    space, Gammas : RowSpace, list of arrays
        A minus its centre, ΓBᵀ, for the last two iterations. The next iteration starts from their
        extrapolation.
    """

    def __init__(self, X: Array, G: Labels, method: Any) -> None:
        self.X, self.AkX = X, X
        self.G = np.ascontiguousarray(G)
        self.lam, self.order, self.mu, self.rho = method.lam, method.order, method.mu0, method.rho
        self.F = [centroids(X, g) for g in self.G.T]
        self.first = np.cumsum([0, *map(len, self.F)])
        n, v = self.G.shape
        self.alpha = np.full(v, 1 / v)
        Z = self._indicators()
        self.W = matmul(Z * np.repeat(self.alpha, np.diff(self.first)), Z.T)
        self.degree = self.W.sum(axis=1)
        self.P = self.W.copy()
        self.A, self.L1, self._spare = np.empty((n, n)), np.zeros((n, n)), np.empty((n, n))
        self.blocks = even_blocks(n)
        self.space = RowSpace(X, self.order, FilterStep.max_steps)
        self.Gammas = [np.zeros((n, self.space.width))] * 2

    def _indicators(self) -> Array:
        """(G⁽¹⁾, …, G⁽ᵛ⁾) as 0 and 1, (n, Σ c_m)."""
        Z = np.zeros((len(self.G), self.first[-1]))
        np.put_along_axis(Z, self.G + self.first[:-1], 1.0, axis=1)
        return Z

    def update_A(self) -> None:
        """Eq. (9)."""
        last, before = self.space.compressed(*self.Gammas)
        Gamma, self.AkX = self._filter_step().solve(2 * last - before)
        self.Gammas = [Gamma, last]
        self.space.add(Gamma, self.A)

    def _filter_step(self) -> FilterStep:
        """The problem (9), with its centre in place of A."""
        return FilterStep(*self._centre_and_mean(), len(self.F), self.mu, self.order, self.space)

    def _centre_and_mean(self) -> tuple[Array, Array]:
        """C − Λ₁/μ, in place of A, and the mean of the G⁽ᵐ⁾F⁽ᵐ⁾."""
        root = inverse_root(self.degree)

        def of_rows(I: slice) -> None:
            self.A[I] = root[I, None] * self.W[I] * root / 2 - self.L1[I] / self.mu

        over_blocks(of_rows, self.blocks)
        self.A[np.diag_indices_from(self.A)] += 0.5
        v = self.G.shape[1]
        return self.A, sum(F[g] for g, F in zip(self.G.T, self.F, strict=True)) / v

    def update_W(self) -> None:
        """Eq. (11)."""
        step = GraphStep(self.A, self.L1, self.P, self.lam, self.mu)
        self.W, self._spare, self.degree = step.solve(self.W, self._spare, self.degree)

    def update_G_and_F(self) -> None:
        """Eqs. (13) and (15) for each base clustering."""
        Z = self._indicators()
        WZ = (matmul(self.W, Z) + matmul(self.W.T, Z)) / 2
        for m in range(self.G.shape[1]):
            WG = WZ[:, self.first[m] : self.first[m + 1]]
            update_rows(m, self.AkX, self.F[m], self.G, self.alpha, self.lam, self.W, WG)
            self.F[m] = centroids(self.AkX, self.G[:, m], self.F[m])

    def update_alpha(self) -> Array:
        """Eq. (18)."""
        Z = self._indicators()
        first = self.first[:-1]
        squares = matmul(Z.T, Z) ** 2
        H = np.add.reduceat(np.add.reduceat(squares, first, axis=0), first, axis=1)
        f = -2 * np.add.reduceat((Z * matmul(self.W, Z)).sum(axis=0), first)
        self._fusion_terms = H, f
        ridge = 1e-8 * float(np.abs(H).max()) * np.eye(len(H))
        self.alpha = simplex_qp(2 * H + ridge, f)
        return self.alpha

    def update_V_and_multipliers(self) -> None:
        """Eqs. (17) and (19); V and Λ₂ as parts of P."""
        root, mu_next = inverse_root(self.degree), self.rho * self.mu
        numbers = np.arange(len(self.W))

        def of_rows(I: slice) -> None:
            C = root[I, None] * self.W[I] * root / 2
            C[:, I][np.diag_indices(len(C))] += 0.5
            self.L1[I] += self.mu * (self.A[I] - C)
            fusion = sum(a * (g[I, None] == g) for a, g in zip(self.alpha, self.G.T, strict=True))
            V = (self.W[I] + self.W[:, I].T) / 2
            # Λ₂ is antisymmetric to the last bit.
            gap = np.where(numbers[I, None] >= numbers, self.W[I] - V, V - self.W[:, I].T)
            L2 = (2 * self.lam + self.mu) * (self.P[:, I].T - self.P[I]) / 2 + self.mu * gap
            P_next = 2 * self.lam * fusion + mu_next * V - L2
            self._spare[I] = P_next / (2 * self.lam + mu_next)

        over_blocks(of_rows, self.blocks)
        self.P, self._spare = self._spare, self.P
        self.mu = mu_next

    def symmetrize_W(self) -> None:
        """Impose W = Wᵀ."""
        self.W = (self.W + self.W.T) / 2
        self.degree = self.W.sum(axis=1)

    def filtered_X(self) -> Array:
        """C^k X."""
        root = inverse_root(self.degree)[:, None]
        Y = self.X
        for _ in range(self.order):
            Y = (Y + root * matmul(self.W, root * Y)) / 2
        return Y

    def objective(self) -> float:
        """Eq. (6) after `update_alpha`."""
        embedding = self.filtered_X()
        # The filter of W has its own centroids. With the centroids of A^k X, (6) would measure the
        # gap to A.
        costs = [
            k_means_cost(embedding, g, centroids(embedding, g, F))
            for g, F in zip(self.G.T, self.F, strict=True)
        ]
        H, f = self._fusion_terms
        distance = np.vdot(self.W, self.W) + self.alpha @ H @ self.alpha + f @ self.alpha
        return float(sum(costs) + self.lam * max(distance, 0.0))


class AuthorsVariables(Variables):
    """Variables with (9) solved from the previous A, and at first from the filter of W."""

    def __init__(self, X: Array, G: Labels, method: Any) -> None:
        super().__init__(X, G, method)
        self._filter_step()  # Λ₁ = 0: the centre is the filter of W

    def update_A(self) -> None:
        """Eq. (9)."""
        start = self.A.copy()
        self.space = RowSpace(self.X, self.order, PLAIN["maxiter"], most=0.25)
        step = self._filter_step()
        start -= self.A
        solve = step.plain_steps if self.space.B is None else ThinSteps(step).solve
        Delta, self.AkX = solve(start)
        self.A += Delta


def update_rows(
    m: int, AkX: Array, F: Array, G: Labels, alpha: Array, lam: float, W: Array, WG: Array
) -> None:
    """Minimise (13) over each row of G⁽ᵐ⁾ once, the others fixed; rows by decreasing gain.

    Parameters
    ----------
    m : int
        The base clustering to update.
    AkX : (n, r) array
        A^k X.
    F : (c_m, r) array
        Its centroids.
    G : (n, v) integer array
        All indicators; column m is updated in place.
    alpha : (v,) array
    lam : float
    W : (n, n) array
    WG : (n, c_m) array
        (W + Wᵀ)/2 G⁽ᵐ⁾ of the indicators given.
    """
    cost = row_costs(m, AkX, F, G, alpha, lam, W, WG)
    rows, g = np.arange(len(G)), G[:, m]
    current = cost[rows, g]
    others = cost.copy()
    others[rows, g] = np.inf
    order = np.argsort(others.min(axis=1) - current, kind="stable") if len(F) > 1 else rows
    tolerance = 1e-12 * float(np.abs(current).max())
    _move_rows(order, m, cost, G, alpha, lam, W, tolerance)


def row_costs(
    m: int, AkX: Array, F: Array, G: Labels, alpha: Array, lam: float, W: Array, WG: Array
) -> Array:
    """(n, c_m) terms of (13) that depend on the row of the sample, for each possible cluster.

    With s the cluster without the sample, joining it costs
    ‖(A^k X)_i − F_s‖² + 4λα_m Σ_{l∈s} (Σ_{p≠m} α_p [g_l^p = g_i^p] − W_il) + 2λα_m² |s|.
    """
    g, rows, count = G[:, m], np.arange(len(G)), len(F)
    shared = -WG
    shared[rows, g] += np.diagonal(W)
    for p in range(G.shape[1]):
        if p != m and alpha[p] > 0:
            pairs = cross_table(G[:, p], g, (int(G[:, p].max()) + 1, count))
            shared += alpha[p] * pairs[G[:, p]]
            shared[rows, g] -= alpha[p]
    sizes = np.broadcast_to(np.bincount(g, minlength=count), shared.shape).astype(float)
    sizes[rows, g] -= 1
    distances = (AkX**2).sum(axis=1)[:, None] - 2 * matmul(AkX, F.T) + (F**2).sum(axis=1)
    return distances + 4 * lam * alpha[m] * shared + 2 * lam * alpha[m] ** 2 * sizes


@compiled("void(i1, i, f2, i2, f1, f, f2, f)")
def _move_rows(order, m, cost, G, alpha, lam, W, tolerance):
    """Eq. (13) for the rows of G⁽ᵐ⁾ in `order`; costs of rows still to come follow each move."""
    for position in range(len(order)):
        i = order[position]
        old, new = G[i, m], 0
        for cluster in range(1, cost.shape[1]):
            if cost[i, cluster] < cost[i, new]:
                new = cluster
        if cost[i, new] >= cost[i, old] - tolerance:
            continue
        G[i, m] = new
        for l in order[position + 1 :]:
            # Cost that i adds to l if the two share a cluster.
            shared = -(W[i, l] + W[l, i]) / 2
            for p in range(len(alpha)):
                if p != m and G[i, p] == G[l, p]:
                    shared += alpha[p]
            added = 4 * lam * alpha[m] * shared + 2 * lam * alpha[m] ** 2
            cost[l, old] -= added
            cost[l, new] += added
