"""Algorithm 2 of LTA.

P, E, B, C and Λ₁, Λ₂, Λ₃ are the paper's. Λ₂ = −2λE after each iteration, so it is not stored;
neither are B and C, which enter the next iteration only through T of Eq. (13).

The arrays are the transposes of the paper's: rows are contiguous, and the Fourier transform runs
along them. The algorithm starts from symmetric matrices, so nothing else changes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, Iteration, history_of
from coassoc.methods.lta import fourier, kernels
from coassoc.numerics.threads import over_blocks, row_blocks, tile_blocks
from coassoc.similarity import co_association

ComplexArray = NDArray[np.complex128]

#: Rows transformed at a time; with their transforms they stay in cache.
ROWS = 32
#: Side of a tile; with its mirror image it stays in the second-level cache. Smaller ones jump more
#: between rows that are pages apart: 32 takes 1.3 times as long at n = 2000.
SIDE = 128
#: Tiles updated by one call.
TILES = 4


@dataclass(frozen=True)
class TensorApproximation(Iteration):
    """Result of :func:`refine_co_association`.

    Attributes
    ----------
    P1 : (n, n) array
        P(:,:,1), the completed coherent link matrix.
    P2 : (n, n) array
        P(:,:,2), the refined co-association; symmetric up to about the tolerance.
    E : (n, n) array
        Error term A − P(:,:,2), as split by the algorithm.
    B : (n, n) array
        Projection of P(:,:,1) on its constraints.
    """

    P1: Array
    P2: Array
    E: Array
    B: Array


def refine_co_association(
    ensemble: Ensemble,
    *,
    lam: float,
    mu0: float,
    rho: float,
    mu_max: float,
    tol: float,
    max_iter: int,
) -> TensorApproximation:
    """Algorithm 2 of LTA, with the parameters of :class:`LTA`; the samples' order matters.

    The penalty is μ = min(mu0 · rhoᵏ, mu_max) in iteration k = 0, 1, …
    """
    lagrangian = _Lagrangian(ensemble, lam)
    mu = mu0
    violations: list[tuple[float, ...]] = []
    converged = False
    while not converged and len(violations) < max_iter:
        next_mu = min(rho * mu, mu_max)
        lagrangian.update_P(mu)
        violations.append(lagrangian.update_others(mu, next_mu))
        converged = max(violations[-1]) < tol
        mu = next_mu
    history = history_of(("B", "C", "E"), violations)
    return TensorApproximation(*lagrangian.result(mu), converged=converged, history=history)


class _Lagrangian:
    """Variables of Algorithm 2 and their updates.

    Attributes
    ----------
    A : (n, n) array
        The co-association Ã.
    group : (n,) array
        M = 1 for two samples of the same group, a microcluster.
    X1, X2 : (n, n) arrays
        P(:,:,1) and P(:,:,2) after the P step, T(:,:,1) and T(:,:,2) of the next one after the
        other steps.
    F1, F2 : (n, ⌊n/2⌋ + 1) complex arrays
        Fourier transforms of P(:,:,1) and P(:,:,2).
    E, L1, L3 : (n, n) arrays
        E, Λ₁ and Λ₃.
    """

    def __init__(self, ensemble: Ensemble, lam: float) -> None:
        """All variables 0, hence T(:,:,1) = 0 and T(:,:,2) = A/2."""
        n = ensemble.n_samples
        self.lam = lam
        self.group = np.asarray(ensemble.microclusters.assignment, dtype=np.int64)
        self.A = co_association(ensemble).S[np.ix_(self.group, self.group)]
        self.X1, self.X2 = np.zeros((n, n)), self.A / 2
        self.F1, self.F2 = (np.empty((n, n // 2 + 1), dtype=np.complex128) for _ in range(2))
        self.E, self.L1, self.L3 = (np.zeros((n, n)) for _ in range(3))
        self.rows = row_blocks(n, ROWS)
        self.tiles = tile_blocks(n, SIDE, TILES)

    def update_P(self, mu: float) -> None:
        """Eq. (12): P = ifft(fft(T) with its singular values shrunk by 1/μ), slice by slice."""
        grams = over_blocks(self._transform, self.rows)
        G11, G22, G12 = (sum(parts) for parts in zip(*grams, strict=True))
        W = shrinkage(G11, G22, G12, 1 / mu)
        over_blocks(lambda rows: self._shrink(rows, W), self.rows)

    def _transform(self, rows: slice) -> tuple[Array, Array, ComplexArray]:
        """Transform rows of T; their share of the Gram matrices of the slices."""
        F1, F2 = self.F1[rows], self.F2[rows]
        F1[...], F2[...] = fourier.forward(self.X1[rows], self.X2[rows])
        return kernels.gram(F1, F2)

    def _shrink(self, rows: slice, W: tuple[Array, Array, ComplexArray]) -> None:
        """Shrink the slices of T and transform them back."""
        kernels.shrink(self.F1[rows], self.F2[rows], *W)
        self._inverse(rows)

    def _inverse(self, rows: slice) -> None:
        """P from its transform."""
        n = len(self.A)
        self.X1[rows], self.X2[rows] = fourier.inverse(self.F1[rows], self.F2[rows], n)

    def update_others(self, mu: float, next_mu: float) -> tuple[float, ...]:
        """Eqs. (15), (17), (20), (22) and the next T of Eq. (13).

        Returns the largest violations of P(:,:,1) = B, P(:,:,2) = C and P(:,:,2) + E = A.
        """
        variables = (self.group, self.A, self.X1, self.X2, self.E, self.L1, self.L3)
        violations = over_blocks(
            lambda tiles: kernels.update_others(tiles, *variables, self.lam, mu, next_mu),
            self.tiles,
        )
        return tuple(np.max(violations, axis=0).tolist())

    def result(self, mu: float) -> tuple[Array, Array, Array, Array]:
        """P(:,:,1), P(:,:,2), E and B; the state is used up."""
        # From T(:,:,1) = B − Λ₁/μ; clipping takes the rounding away.
        B = self.L1
        B /= mu
        B += self.X1
        np.clip(B, 0.0, 1.0, out=B)
        B[self.group[:, None] == self.group] = 1.0
        # F still holds the transform of P.
        over_blocks(self._inverse, self.rows)
        return self.X1.T, self.X2.T, self.E.T, B.T


def shrinkage(a: Array, d: Array, b: ComplexArray, tau: float) -> tuple[Array, Array, ComplexArray]:
    """Soft-thresholding of singular values as a product from the right, for many slices at once.

    For a slice T with two columns and T = U Σ Vᴴ, the shrunk slice U max(Σ − τ, 0) Vᴴ is T W with
    W = V max(I − τ Σ⁻¹, 0) Vᴴ. V and Σ² are the eigenvectors and eigenvalues λ₊ ≥ λ₋ of
    G = TᴴT, so that with h(λ) = max(1 − τ/√λ, 0)

        W = h(λ₋) I + (h(λ₊) − h(λ₋)) / (λ₊ − λ₋) (G − λ₋ I).

    Parameters
    ----------
    a, d : (q,) arrays
        G₁₁ and G₂₂ of each slice.
    b : (q,) complex array
        G₁₂.
    tau : float
        Threshold τ > 0.

    Returns
    -------
    w11, w22 : (q,) arrays
        Diagonal of W.
    w12 : (q,) complex array
        W₁₂; W₂₁ is its conjugate.
    """
    radius = np.hypot((a - d) / 2, np.abs(b))
    largest = (a + d) / 2 + radius
    # From the determinant: the difference of the half trace and the radius would cancel.
    smallest = np.maximum(a * d - np.abs(b) ** 2, 0.0) / np.where(largest > 0, largest, 1.0)
    low = _kept_share(smallest, tau)
    slope = _kept_share(largest, tau) - low
    slope /= np.where(radius > 0, 2 * radius, 1.0)
    return low + slope * (a - smallest), low + slope * (d - smallest), slope * b


def _kept_share(eigenvalues: Array, tau: float) -> Array:
    """h(λ) = max(1 − τ/√λ, 0)."""
    sigma = np.sqrt(eigenvalues)
    return np.where(sigma > tau, 1 - tau / np.maximum(sigma, tau), 0.0)
