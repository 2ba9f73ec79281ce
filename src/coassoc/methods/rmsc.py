"""RMSC: robust multi-view spectral clustering via low-rank and sparse decomposition.

R. Xia, Y. Pan, L. Du, J. Yin, "Robust multi-view spectral clustering via low-rank and sparse
decomposition", AAAI 2014. Each base clustering is a view: its connective matrix S⁽ⁱ⁾ with rows
scaled to sum 1 is a transition matrix P⁽ⁱ⁾, which is a low-rank matrix with sparse errors:

    min_{P,E}  ‖P‖_* + λ Σ_i ‖E⁽ⁱ⁾‖_1   s.t.  P⁽ⁱ⁾ = P + E⁽ⁱ⁾,  P ≥ 0,  P 1 = 1

The problem is solved by an alternating direction method with a copy Q of P and multipliers Y⁽ⁱ⁾, Z:

    P     = rows of (Q − Z/μ + Σ_i (P⁽ⁱ⁾ − E⁽ⁱ⁾ + Y⁽ⁱ⁾/μ)) / (m+1) projected on the simplex
    Q     = shrink the singular values of P + Z/μ by 1/μ
    E⁽ⁱ⁾  = shrink the entries of P⁽ⁱ⁾ − P + Y⁽ⁱ⁾/μ by λ/μ
    Y⁽ⁱ⁾ += μ (P⁽ⁱ⁾ − P − E⁽ⁱ⁾),  Z += μ (P − Q)

The final step is spectral clustering of the Markov chain P with stationary distribution π and
Π = diag(π). It uses the leading eigenvectors of the symmetrised chain (Π P + PᵀΠ)/2, whose degrees
are π.

How it is solved
----------------
All variables are constant on microclusters. P depends only on the sum of the multipliers: with
H = Σ_i Y⁽ⁱ⁾ − Z and the penalty μ' of the previous iteration, the update of P projects
P + (ΔH/μ' + H/μ)/(m+1). Because Y⁽ⁱ⁾ = clip(Y⁽ⁱ⁾ + μ(P⁽ⁱ⁾ − P), ±λ), no error is stored. The
multipliers of all base clusterings that separate a pair are equal and share one array; other
multipliers are needed only for pairs that a base clustering joins. For m clusterings with k equal
clusters, these are m/k arrays of n' × n' instead of m.

The eigendecompositions in the update of Q take half of the time. In the end, up to a third of the
singular values of P + Z/μ are above 1/μ, so neither Krylov subspaces nor a start from the previous
vectors would save time: a decomposition takes only as long as eight products of such matrices.

What the paper leaves open
--------------------------
- The problem is convex, and the iteration stops when the duality gap, relative to the objective, is
  at most ``tol``. μ has no fixed schedule: it is doubled or halved while one of the two residuals
  is ten times the other. For |Y⁽ⁱ⁾| ≤ λ and ‖Z‖₂ ≤ 1, which the updates keep,
  Σ_i⟨Y⁽ⁱ⁾, P⁽ⁱ⁾⟩ + Σ_k min_l (Z − Σ_i Y⁽ⁱ⁾)_kl bounds the objective from below.
- The default is λ = 0.05.
- The stationary distribution is that of a chain that starts at a uniformly random sample and
  restarts with probability 1e-8 per step. It exists for disconnected graphs too.
- Rows of the eigenvectors are scaled to unit length before k-means.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, KMeansEnding, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.eigenpairs import eigenpairs_above
from coassoc.numerics.simplex import project_columns_on_simplex
from coassoc.partition.spectral import spectral_embedding
from coassoc.similarity import co_association


class RMSC(KMeansEnding):
    """Robust multi-view spectral clustering of the base clusterings (Xia et al. 2014).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam : float
        λ > 0, weight of the errors.
    mu : float
        Initial penalty μ > 0 of the alternating direction method of multipliers.
    tol : float
        Duality gap, relative to the objective, at which the iteration stops.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The symmetrised chain (Π P + PᵀΠ)/2.
    transitions_ : InvariantMatrix
        P.
    """

    title: ClassVar = "Robust multi-view spectral clustering of the base clusterings"
    paper: ClassVar = "Xia, Pan, Du & Yin, AAAI 2014"
    cost: ClassVar = Cost(seconds=250, power=3, squares=13)
    offers: ClassVar = ("transitions_", "affinity_")
    lam: float = number(0.05, above=0, grid=(0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100))
    mu: float = number(1.0, above=0)
    tol: float = number(3e-3, above=0)
    max_iter: int = integer(1000, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.transitions_ = shared_transitions(ensemble, self)
        self.affinity_ = symmetrized_chain(self.transitions_)
        return self._cluster(*spectral_embedding(self.affinity_, self.n_clusters), random_state)


def shared_transitions(ensemble: Ensemble, method: RMSC) -> InvariantMatrix:
    """Low-rank transition matrix P; those of the base clusterings differ by sparse errors."""
    admm = _Admm(ensemble, method.lam, method.mu)
    bound = -np.inf
    for t in method._rounds():
        residuals = admm.iterate()
        if t % _CHECK_EVERY == 0 or t == method.max_iter:
            objective, bound = admm.objective(), max(bound, admm.bound())
            method.converged_ = bool(objective - bound <= method.tol * objective)
        admm.balance(*residuals)
    return InvariantMatrix(admm.P, 0.0, ensemble.microclusters)


#: The gap needs the singular values of P, which cost as much as an iteration.
_CHECK_EVERY = 10


def symmetrized_chain(P: InvariantMatrix) -> InvariantMatrix:
    """(Π P + PᵀΠ)/2 of a transition matrix; its row sums are the stationary distribution π."""
    restart = 1e-8
    r = P.r
    n = r.sum()
    # π = (1 − restart) Pᵀπ + restart/n on samples. Here π has one value per microcluster.
    moves = np.eye(len(r)) - (1 - restart) * (P.S.T * r)
    pi = scipy.linalg.solve(moves, np.full(len(r), restart / n), check_finite=False)
    pi = np.maximum(pi, 0.0)
    return InvariantMatrix(P.S * (pi / (r @ pi))[:, None], 0.0, P.microclusters).symmetrized()


class _Admm:
    """Variables of the alternating directions; all are S parts of matrices with e = 0."""

    def __init__(self, ensemble: Ensemble, lam: float, mu: float) -> None:
        self.lam, self.mu = lam, mu
        self.m = ensemble.n_clusterings
        self.r = ensemble.microclusters.r
        self.root = np.sqrt(self.r)
        n_micro = len(self.r)
        #: Number of base clusterings that separate each pair.
        self.apart = self.m * (1 - co_association(ensemble).S)
        self.joined = list(_clusters(ensemble))
        self.P = np.zeros((n_micro, n_micro))
        for members, _, p, _ in self.joined:
            self.P[np.ix_(members, members)] += p / self.m
        self.Y_apart = np.zeros_like(self.P)
        self.Z = np.zeros_like(self.P)
        #: H/μ + ΔH/μ' of the next step of P.
        self.H, self.dH = np.zeros_like(self.P), np.zeros_like(self.P)

    def iterate(self) -> tuple[float, float]:
        """One round of updates; the norms of the primal and dual residuals."""
        previous = self.P
        self.update_P()
        change = self.P - previous
        dual = self.mu * np.sqrt((self.m + 1) * self._sum_of_squares(change))
        H = self.H
        squares = self.update_Z()
        self.H = -self.Z
        squares += self.update_Y()
        self.dH = (self.H - H) / self.mu
        return float(np.sqrt(squares)) / self.mu, float(dual)

    def update_P(self) -> None:
        """Step along H and project the rows on the simplex."""
        step = (self.H / self.mu + self.dH) / (self.m + 1) + self.P
        # Rows sum to 1 over samples, so the columns of the transpose, weighted by sizes, sum to 1.
        project_columns_on_simplex(step.T, self.r)
        self.P = step

    def update_Z(self) -> float:
        """Clip the singular values of μ P + Z at 1; ‖ΔZ‖²."""
        M = (self.mu * self.P + self.Z) * self.root * self.root[:, None]
        values, V = eigenpairs_above(M.T @ M, 1.0)
        M -= ((M @ V) * (1 - 1 / np.sqrt(values))) @ V.T
        previous, self.Z = self.Z, M / self.root / self.root[:, None]
        return self._sum_of_squares(self.Z - previous)

    def update_Y(self) -> float:
        """Clip Y + μ (P⁽ⁱ⁾ − P) at ±λ, add ΣY to H; Σ_i ‖ΔY⁽ⁱ⁾‖²."""
        Y = self.Y_apart - self.mu * self.P
        np.maximum(Y, -self.lam, out=Y)  # never positive where P⁽ⁱ⁾ = 0
        squares = float(self.r @ ((self.Y_apart - Y) ** 2 * self.apart) @ self.r)
        self.H += Y * self.apart
        self.Y_apart = Y
        for members, r, p, Y in self.joined:
            pairs = np.ix_(members, members)
            clipped = np.clip(Y + self.mu * (p - self.P[pairs]), -self.lam, self.lam)
            squares += float(r @ (clipped - Y) ** 2 @ r)
            Y[:] = clipped
            self.H[pairs] += clipped
        return squares

    def balance(self, primal: float, dual: float) -> None:
        """Move μ towards equal residuals (He, Yang & Wang 2000)."""
        if primal > 10 * dual:
            self.mu *= 2
        elif dual > 10 * primal:
            self.mu /= 2

    def objective(self) -> float:
        """‖P‖_* + λ Σ_i ‖P⁽ⁱ⁾ − P‖_1, at the feasible point P."""
        M = self.P * self.root * self.root[:, None]
        squares = scipy.linalg.eigvalsh(M.T @ M, overwrite_a=True, check_finite=False)
        errors = float(self.r @ (self.apart * self.P) @ self.r)
        for members, r, p, _ in self.joined:
            errors += float(r @ np.abs(p - self.P[np.ix_(members, members)]) @ r)
        return float(np.sqrt(np.maximum(squares, 0.0)).sum()) + self.lam * errors

    def bound(self) -> float:
        """Σ_i ⟨Y⁽ⁱ⁾, P⁽ⁱ⁾⟩ + Σ_k min_l (Z − ΣY)_kl, never above the smallest objective."""
        joined = sum(p * float(r @ Y @ r) for _, r, p, Y in self.joined)
        return joined - float(self.r @ self.H.max(axis=1))

    def _sum_of_squares(self, S: Array) -> float:
        return float(self.r @ (S * S) @ self.r)


def _clusters(ensemble: Ensemble) -> Iterator[tuple[NDArray[np.int64], Array, float, Array]]:
    """Each cluster's microclusters, their sizes, its transition probability and its multipliers.

    The multipliers, one for each pair of its microclusters, are 0.
    """
    Z = ensemble.microcluster_membership.tocsc()
    for cluster, size in enumerate(ensemble.cluster_sizes):
        members = Z.indices[Z.indptr[cluster] : Z.indptr[cluster + 1]].astype(np.int64)
        r = ensemble.microclusters.r[members]
        Y = np.zeros((len(members), len(members)))
        yield members, r, 1 / size, Y
