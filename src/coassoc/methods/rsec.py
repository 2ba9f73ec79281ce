"""RSEC: robust spectral ensemble clustering via rank minimization.

Z. Tao, H. Liu, S. Li, Y. Fu, "Robust spectral ensemble clustering", CIKM 2016, and with Z. Ding,
"Robust spectral ensemble clustering via rank minimization", ACM TKDD 13(1), 2019. With S the
co-association matrix, a low-rank representation Z of S and a relaxed partition H are learned
together:

    min_{H,Z,E}  tr(Hᵀ L_Z H) + λ₁ ‖Z‖_* + λ₂ ‖E‖_{2,1}
    s.t.         HᵀH = I,  S = S Z + E

L_Z is the normalised Laplacian of a graph computed from Z and HHᵀ, with degrees D. RSEC-H applies
k-means to the rows of H, and RSEC-Z applies spectral clustering to (|Z| + |Zᵀ|)/2.

The augmented Lagrangian with a copy J of Z and multipliers Y₁, Y₂ is minimised over one variable at
a time (D and the previous H are fixed during the update of Z):

    J  = shrink the singular values of Z + Y₂/μ by λ₁/μ
    Z  = (S² + I)⁻¹ (S² + J − S E + (S Y₁ − Y₂ + B Bᵀ)/μ),  B = D^{-1/2} H
    E  = shrink the column lengths of S − S Z + Y₁/μ by λ₂/μ
    H  = the c leading eigenvectors of I − L_Z
    Y₁ += μ (S − S Z − E),  Y₂ += μ (Z − J),  μ *= ρ

How it is solved
----------------
All variables are constant on microclusters. If rows and columns are multiplied by the square roots
of the sizes, Frobenius and nuclear norms keep their values. In the eigenvectors V of S, of rank
ρ ≤ L − m + 1, the first factor in the update of Z is diagonal, and the columns of E and Y₁ are in
the range of V. Outside this range, the update of Z makes Y₂ equal to the projection of B Bᵀ, and
Z − J equal to a difference of two such matrices divided by μ. The n × n matrices are therefore [V,
C] times coefficients, with a few columns C, and an eigendecomposition of the size of the rank
shrinks the singular values.

What the paper leaves open
--------------------------
- The graph: (Z + Zᵀ)/2 + HHᵀ, as in the paper, has negative entries. The library uses the usual
  affinity of low-rank representations (Liu et al. 2013): with U Σ Uᵀ the part of (Z + Zᵀ)/2 + HHᵀ
  whose singular values exceed 1e-4 of the largest, and R the rows of U Σ^{1/2} scaled to unit
  length, it is (R Rᵀ)⁴ entrywise. It is computed from J, which equals Z at convergence and has
  exactly a low rank.
- H = 0 until J has rank c: a graph of lower rank does not determine c eigenvectors.
- k-means uses the rows of H at unit length, as in spectral clustering. Otherwise a few short
  rows far from all others form clusters. For the tables of ACMK and HCLCE, k-means of the
  unscaled rows fits best, from one start at random samples (``unit_rows``, ``init`` and
  ``n_init``; ``acmk_protocol_rsec``, ``hclce_protocol_rsec``). On Tr11 and Tr12 the scores
  remain above the published ones.
- H is sought among the matrices that treat samples with equal labels alike.
- Penalty: μ starts at 1.5/‖S‖₂ and grows by ρ = 1.1. The iteration stops when ‖S − SZ − E‖_F ≤
  tol ‖S‖_F and ‖Z − J‖_F ≤ tol ‖Z‖_F.
- Only the nuclear norm is implemented, not the paper's second, non-convex model.
- λ₁ = 1 and λ₂ = 0.3 by default. The result depends mostly on λ₂/λ₁.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import (
    Array,
    KMeansEnding,
    Labels,
    RandomState,
    RefiningClusterer,
)
from coassoc.methods.parameters import Cost, boolean, choice, integer, number
from coassoc.numerics.eigenpairs import eigenpairs_above, leading_eigenpairs
from coassoc.partition.spectral import spectral_embedding, unit_rows

# (|Z| + |Zᵀ|)/2, H on the microclusters, the number of iterations, and whether they converged.
Refined = tuple[InvariantMatrix, Array, int, bool]


class RSEC(RefiningClusterer, KMeansEnding):
    """Robust spectral ensemble clustering (Tao et al. 2016, 2019).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam1 : float
        λ₁ > 0, weight of the nuclear norm of Z.
    lam2 : float
        λ₂ > 0, weight of the error E.
    ending : {"H", "Z"}
        Final partition: k-means on the rows of H (RSEC-H), or spectral clustering of Z (RSEC-Z).
    unit_rows : bool
        Whether k-means clusters the rows of H scaled to unit length.
    mu : float, optional
        Initial penalty μ > 0. Default: 1.5/‖S‖₂.
    rho : float
        ρ ≥ 1, factor by which the penalty grows in each iteration.
    tol : float
        Largest relative residual at which the iteration stops.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        (|Z| + |Zᵀ|)/2.
    embedding_ : (n, min(c, n')) array
        The relaxed partition H.
    """

    paper: ClassVar = "Tao, Liu, Li, Ding & Fu, ACM TKDD 2019"
    cost: ClassVar = Cost(seconds=30, power=2.5, squares=3, link_squares=5)
    revision = 2

    offers: ClassVar = ("affinity_", "embedding_")
    lam1: float = number(1.0, above=0, grid=(0.1, 0.3, 1))
    lam2: float = number(0.3, above=0, grid=(0.1, 0.3, 1))
    ending: str = choice("H", ("H", "Z"))
    unit_rows: bool = boolean(True)
    mu: float | None = number(None, above=0)
    rho: float = number(1.1, minimum=1)
    tol: float = number(1e-6, above=0)
    max_iter: int = integer(500, minimum=1)

    def _refine(self, ensemble: Ensemble, X: Any) -> Refined:
        Z, H, n_iter, converged = robust_representation(ensemble, self)
        return Z.map(np.abs).symmetrized(), H, n_iter, converged

    def _end(self, refined: Refined, random_state: RandomState) -> Labels:
        self.affinity_, H, self.n_iter_, self.converged_ = refined
        micro = self.ensemble_.microclusters
        self.embedding_ = micro.expand(H)
        if self.ending == "Z":
            return self._cluster(*spectral_embedding(self.affinity_, self.n_clusters), random_state)
        return self._cluster(unit_rows(H) if self.unit_rows else H, micro, random_state)


def robust_representation(ensemble: Ensemble, method: RSEC) -> Refined:
    """Learn a low-rank representation of the co-association matrix and the partition H.

    Returns
    -------
    Z : InvariantMatrix
        Low-rank representation of the co-association matrix.
    H : (n', min(c, n')) array
        Relaxed partition on the microclusters; orthonormal columns over the samples.
    n_iter : int
    converged : bool
    """
    alm = _Alm(ensemble, method)
    n_iter, converged = 0, False
    while not converged and n_iter < method.max_iter:
        alm.update_J()
        alm.update_Z()
        alm.update_E()
        alm.update_H()
        converged = max(alm.relative_residuals()) <= method.tol
        alm.update_multipliers(method.rho)
        n_iter += 1
    return *alm.result(), n_iter, converged


class _Alm:
    """Variables of the augmented Lagrangian, in coordinates scaled by √r (see the module).

    Names ending in ``_V`` are coefficients in V, of shape (ρ, n'); the rest of a matrix, outside
    the range of V, is a product of two thin factors, ``_left`` (n', p) and ``_right`` (p, n').
    """

    def __init__(self, ensemble: Ensemble, method: RSEC) -> None:
        self.micro = ensemble.microclusters
        self.root = np.sqrt(self.micro.r)
        self.lam1, self.lam2 = method.lam1, method.lam2
        self.V, self.sigma = _range_of_co_association(ensemble, self.root)
        self.mu = 1.5 / self.sigma[0] if method.mu is None else method.mu
        n_micro, n_columns = len(self.root), min(method.n_clusters, len(self.root))
        self.Z_V, self.Y1_V, self.Y2_V, self.E_V = (np.zeros(self.V.T.shape) for _ in range(4))
        self.H = np.zeros((n_micro, n_columns))
        #: B = D^{-1/2} H, which pulls Z towards B Bᵀ, and the part of B outside the range of V, in
        #: the last but one, the last and the next update of Z.
        self.previous = self.current = self.next = self.H, self.H
        self.Z_left, self.Z_right = np.zeros((n_micro, 0)), np.zeros((0, n_micro))

    def update_J(self) -> None:
        """Shrink the singular values of M = Z + Y₂/μ.

        Outside the range of V, Y₂ is the projection of B Bᵀ.
        """
        M_V = self.Y2_V / self.mu + self.Z_V
        B, B_out = self.current
        left = np.hstack((self.Z_left, B_out))
        right = np.vstack((self.Z_right, B.T / self.mu))
        # C T = the left factor, with orthonormal columns C and without directions it does not have
        C, s, T = scipy.linalg.svd(left, full_matrices=False, check_finite=False)
        rank = int((s > 1e-13 * max(s[0], 1.0)).sum()) if s.size else 0
        C, T = C[:, :rank], s[:rank, None] * T[:rank]
        M = np.vstack((M_V, T @ right))
        shrink = self.lam1 / self.mu
        values, G = eigenpairs_above(M @ M.T, shrink**2)
        s = np.sqrt(values[::-1])
        G = np.ascontiguousarray(G[:, ::-1])
        self.J_values = s - shrink
        #: J = J_left diag(J_values) J_right, its left factor split at the range of V.
        self.J_right = (G.T @ M) / s[:, None]
        self.J_left_V = G[: len(M_V)]
        self.J_left_out = C @ G[len(M_V) :]
        self.J_V = (self.J_left_V * self.J_values) @ self.J_right

    def update_Z(self) -> None:
        """Solve the normal equations, which are diagonal in V.

        Outside its range they read Z = J − (Y₂ − B Bᵀ)/μ with Y₂ from the previous B.
        """
        self.previous, self.current = self.current, self.next
        (B_before, out_before), (B, B_out) = self.previous, self.current
        sigma = self.sigma[:, None]
        Z_V = sigma * self.V.T
        Z_V -= self.E_V
        Z_V += self.Y1_V / self.mu
        Z_V *= sigma
        Z_V += self.J_V
        Z_V += ((self.V.T @ B) @ B.T - self.Y2_V) / self.mu
        Z_V /= sigma**2 + 1
        self.Z_V = Z_V
        self.Z_left = np.hstack((self.J_left_out, out_before, B_out))
        self.Z_right = np.vstack(
            (self.J_values[:, None] * self.J_right, -B_before.T / self.mu, B.T / self.mu)
        )

    def update_E(self) -> None:
        """Shrink the columns of S − S Z + Y₁/μ; a sample's column is the scaled one over √r."""
        Q = self.V.T - self.Z_V
        Q *= self.sigma[:, None]
        self.residual_S_V = Q.copy()
        Q += self.Y1_V / self.mu
        length = np.sqrt(np.einsum("ij,ij->j", Q, Q))
        threshold = self.lam2 / self.mu * self.root
        Q *= np.maximum(1 - threshold / np.where(length > 0, length, 1.0), 0.0)
        self.E_V = Q
        self.residual_S_V -= Q

    def update_H(self) -> None:
        """Leading eigenvectors of the normalised graph, and B = D^{-1/2} H for the next Z."""
        n_columns = self.H.shape[1]
        if len(self.J_values) < n_columns:
            return
        W = self._graph()
        degree = W @ self.micro.r
        scale = 1 / np.sqrt(np.where(degree > 0, degree, 1.0))
        W *= scale * self.root
        W *= (scale * self.root)[:, None]
        _, self.H = leading_eigenpairs(W, n_columns)
        B = self.H * scale[:, None]
        self.next = B, B - self.V @ (self.V.T @ B)

    def _graph(self) -> Array:
        """(R Rᵀ)⁴ on the microclusters, R from the eigenvectors of (J + Jᵀ)/2 + H Hᵀ."""
        left = self.V @ self.J_left_V + self.J_left_out
        Q, T = scipy.linalg.qr(
            np.hstack((left, self.J_right.T, self.H)), mode="economic", check_finite=False
        )
        k = len(self.J_values)
        J = (T[:, :k] * self.J_values) @ T[:, k : 2 * k].T
        small = (J + J.T) / 2 + T[:, 2 * k :] @ T[:, 2 * k :].T
        values, vectors = scipy.linalg.eigh(small, check_finite=False)
        size = np.abs(values)
        large = size > 1e-4 * size.max()
        R = unit_rows(Q @ (vectors[:, large] * np.sqrt(size[large])))
        return ((R @ R.T) ** 2) ** 2

    def relative_residuals(self) -> tuple[float, float]:
        """‖S − SZ − E‖_F / ‖S‖_F and ‖Z − J‖_F / ‖Z‖_F."""
        self.residual_Z_V = self.Z_V - self.J_V
        # Outside the range of V, Z − J is the change of B Bᵀ over μ.
        (B_before, out_before), (B, B_out) = self.previous, self.current
        outside, other = np.hstack((out_before, B_out)), np.hstack((-B_before, B)) / self.mu
        residual_Z = np.hypot(np.linalg.norm(self.residual_Z_V), _product_norm(outside, other))
        size = np.hypot(np.linalg.norm(self.Z_V), _product_norm(self.Z_left, self.Z_right.T))
        residual_S = np.linalg.norm(self.residual_S_V) / np.linalg.norm(self.sigma)
        return float(residual_S), float(residual_Z / max(size, np.finfo(float).tiny))

    def update_multipliers(self, rho: float) -> None:
        """Y₁ and Y₂ in V; outside its range Y₂ follows from B."""
        self.Y1_V += self.mu * self.residual_S_V
        self.Y2_V += self.mu * self.residual_Z_V
        self.mu *= rho

    def result(self) -> tuple[InvariantMatrix, Array]:
        """Z and H without their scaling."""
        root = self.root[:, None]
        Z = (self.V @ self.Z_V + self.Z_left @ self.Z_right) / self.root / root
        return InvariantMatrix(Z, 0.0, self.micro), self.H / root


def _range_of_co_association(ensemble: Ensemble, root: Array) -> tuple[Array, Array]:
    """Eigenvectors V (n', ρ) of N^{1/2} S N^{1/2} with positive eigenvalues σ, largest first."""
    F = ensemble.microcluster_membership.toarray()
    F *= (root / np.sqrt(ensemble.n_clusterings))[:, None]
    V, s, _ = scipy.linalg.svd(F, full_matrices=False, check_finite=False, overwrite_a=True)
    rank = int((s > s[0] * max(F.shape) * np.finfo(float).eps).sum())
    return np.ascontiguousarray(V[:, :rank]), s[:rank] ** 2


def _product_norm(X: Array, Y: Array) -> float:
    """‖X Yᵀ‖_F from the two small Gram matrices."""
    return float(np.sqrt(max(np.sum((X.T @ X) * (Y.T @ Y)), 0.0)))
