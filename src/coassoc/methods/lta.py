"""LTA: clustering ensemble meets low-rank tensor approximation.

Y. Jia, H. Liu, J. Hou, Q. Zhang, "Clustering ensemble meets low-rank tensor approximation", AAAI
2021. With Ã the co-association matrix A and M = [A = 1] the coherent link matrix, the tensor P
(n × n × 2) of low t-SVD nuclear norm with slices near M and A is

    min_{P,E}  ‖P‖_⊛ + λ ‖E‖_F²                                                    (Eq. 9)
    s.t.       P(:,:,1) = M where M = 1,  P(:,:,2) + E = A,
               both slices symmetric with entries in [0, 1]

solved by the augmented Lagrangian of Algorithm 2. The refined co-association P(:,:,2) is cut by
average linkage (LTA-EA) or by spectral clustering (LTA-SC).

The result depends on the order of the samples
----------------------------------------------
The nuclear norm is that of n slices of size n × 2 in the Fourier domain *along the samples*. It
is small when neighbours in the file are alike, so a file sorted by class gives the classes away.
Mean accuracy of LTA-SC over draws of m = 10 clusterings from the published pools:

==========  =====  =================  ========  ======================
data set    paper  order of the file  shuffled  spectral on A, no LTA
==========  =====  =================  ========  ======================
BinAlpha    0.858  0.911              0.187     0.459
Semeion     0.983  0.985              0.329     0.620
==========  =====  =================  ========  ======================

(20 and 10 draws; BinAlpha is sorted by class, Semeion lies in 60 runs of one class each.)

Decisions the paper leaves open, taken from measured behaviour of the authors' program
--------------------------------------------------------------------------------------
- The transform runs along the first index of P, and P(:,:,2) as returned is asymmetric by about
  the stopping tolerance; both endings use its symmetric part.
- μ grows by ρ = 1.1 per iteration, so fast that the iterates freeze before the optimum: refined
  entries differ by up to 0.25 from the limit of a slow schedule. That limit is the optimum of
  Eq. (9) for λ/2, because slice 2 carries two penalties but the threshold of one. The published
  results are those of this schedule, so it is kept.
- μ_max = 1e10 (the paper prints 1e8); at ρ = 1.1 neither is reached within 290 iterations.
- An odd number of Fourier slices is shrunk once each. The program shrinks the last conjugate pair
  twice when n is odd, which moves entries by about 1e-3 at λ = 0.002.
- The spectral ending takes the eigenvectors of the c largest eigenvalues and the best of ten
  k-means++ starts. The program starts from twenty draws of c samples; such starts find worse
  minima when c is large: on three BinAlpha embeddings (c = 36) they give 0.86, k-means++ 0.92.

How it is solved
----------------
*P step* (Eq. 12): a slice is n × 2, so its shrinkage is a product with a 2 × 2 matrix, known in
closed form from the slice's Gram matrix; real Fourier transforms leave ⌊n/2⌋+1 slices, handled
all at once. *All other steps* are entrywise but for the symmetrisation. They run in one pass over
pairs of mirrored tiles that fit in cache, on X⁺ = X + Xᵀ and X⁻ = X − Xᵀ in place of each matrix X:
B, C, A, M and the projections live on the symmetric half, and the antisymmetric half is linear.
Λ₂ = −2λE after each iteration, so it is not stored; neither are B and C, which enter the next
iteration only through T of Eq. (13).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import ConfigError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer, require
from coassoc.methods.parameters import Parameter
from coassoc.partition.linkage import linkage_labels
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import co_association

__all__ = ["LTA", "Refined", "refine_co_association", "shrinkage"]

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]


class Refined(NamedTuple):
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
    n_iter : int
        Iterations used.
    converged : bool
        Whether the largest violation of a constraint came below the tolerance.
    history : dict of str to (n_iter,) array
        Largest absolute violations: "B" of P(:,:,1) = B, "C" of P(:,:,2) = C, "E" of
        P(:,:,2) + E = A.
    """

    P1: Array
    P2: Array
    E: Array
    B: Array
    n_iter: int
    converged: bool
    history: dict[str, Array]


class LTA(ConsensusClusterer):
    """Low-rank tensor approximation of the co-association (Jia et al. 2021).

    **The result depends on the order of the samples**: neighbours in the file are drawn together.
    Files sorted by class therefore give far better partitions than the same samples shuffled
    (BinAlpha: accuracy 0.911 and 0.187, with 0.459 for the plain co-association); shuffle the
    samples to judge the method. The penalty also grows so fast that the iteration freezes before
    the optimum of the printed problem, and its own limit is the optimum for λ/2; see the module's
    notes.

    Parameters
    ----------
    n_clusters : int
        c, number of clusters wanted.
    ending : {"linkage", "spectral"}
        Average linkage (LTA-EA) or spectral clustering (LTA-SC) of the refined matrix.
    lam : float
        λ > 0, weight of the error term (Eq. 9).
    mu0 : float
        First penalty μ > 0.
    rho : float
        ρ ≥ 1, growth of the penalty per iteration.
    mu_max : float
        Largest penalty, at least `mu0`.
    tol : float
        Largest absolute violation of a constraint at which the iteration stops.
    max_iter : int
        Most iterations.
    random_state : int, RandomState or None
        Seed of the final k-means; average linkage is deterministic.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        Symmetric part of the refined co-association P(:,:,2); samples are their own
        microclusters, since equal samples differ by their position.
    history_ : dict of str to array
        Largest violations of the constraints on "B", "C", "E" per iteration.
    """

    parameters: ClassVar = {
        "ending": Parameter("choice", choices=("linkage", "spectral")),
        "lam": Parameter("number", above=0, grid=(0.0002, 0.002, 0.02, 0.2, 2)),
        "mu0": Parameter("number", above=0),
        "rho": Parameter("number", minimum=1),
        "mu_max": Parameter("number", above=0),
        "tol": Parameter("number", above=0),
        "max_iter": Parameter("integer", minimum=1),
    }

    depends_on_sample_order = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        ending: str = "linkage",
        lam: float = 0.002,
        mu0: float = 1e-4,
        rho: float = 1.1,
        mu_max: float = 1e10,
        tol: float = 1e-8,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.ending = ending
        self.lam = lam
        self.mu0 = mu0
        self.rho = rho
        self.mu_max = mu_max
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        require(self, "mu_max", self.mu_max >= self.mu0, "at least mu0")

    def _consensus(
        self, ensemble: Ensemble, X: Any, random_state: np.random.RandomState
    ) -> NDArray:
        self.affinity_ = self._refined_similarity(ensemble)
        if self.ending == "linkage":
            return linkage_labels(self.affinity_, self.n_clusters, "average")
        return spectral_labels(self.affinity_, self.n_clusters, random_state)

    def _refined_similarity(self, ensemble: Ensemble) -> InvariantMatrix:
        """(P(:,:,2) + P(:,:,2)ᵀ) / 2; the other arrays are released on return."""
        result = refine_co_association(
            ensemble,
            lam=self.lam,
            mu0=self.mu0,
            rho=self.rho,
            mu_max=self.mu_max,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self._record(result)
        S = result.P2 + result.P2.T
        S /= 2
        singles = Microclusters.from_assignment(np.arange(ensemble.n_samples))
        return InvariantMatrix(S, 0.0, singles)


def refine_co_association(
    ensemble: Ensemble,
    *,
    lam: float = 0.002,
    mu0: float = 1e-4,
    rho: float = 1.1,
    mu_max: float = 1e10,
    tol: float = 1e-8,
    max_iter: int = 500,
) -> Refined:
    """Algorithm 2 of LTA.

    Parameters
    ----------
    ensemble : Ensemble
        The order of its samples matters.
    lam : float
        λ > 0.
    mu0, rho, mu_max : float
        The penalty is μ = min(mu0 · rhoᵏ, mu_max) in iteration k = 0, 1, …
    tol : float
        Largest absolute violation of a constraint at the stop.
    max_iter : int
        Most iterations.
    """
    if lam <= 0 or mu0 <= 0:
        raise ConfigError("refine_co_association: lam and mu0 must be greater than 0.")
    lagrangian = _Lagrangian(ensemble, lam)
    mu = mu0
    violations, converged = [], False
    for _ in range(max_iter):
        next_mu = min(mu * rho, mu_max)
        lagrangian.update_P(mu)
        violations.append(lagrangian.update_others(mu, next_mu))
        if max(violations[-1]) < tol:
            converged = True
            break
        mu = next_mu
    history = dict(zip(("B", "C", "E"), np.array(violations).T, strict=True))
    return Refined(*lagrangian.result(), len(violations), converged, history)


# -- P step -------------------------------------------------------------------------------------


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


class _Transform(Protocol):
    """Fourier transform along the rows of two real blocks and back."""

    def forward(self, T1: Array, T2: Array, F1: ComplexArray, F2: ComplexArray) -> None: ...

    def inverse(self, F1: ComplexArray, F2: ComplexArray, P1: Array, P2: Array) -> None: ...


class _RealTransform:
    """Each block by a real transform."""

    def __init__(self, n: int) -> None:
        self.n = n

    def forward(self, T1: Array, T2: Array, F1: ComplexArray, F2: ComplexArray) -> None:
        np.fft.rfft(T1, out=F1)
        np.fft.rfft(T2, out=F2)

    def inverse(self, F1: ComplexArray, F2: ComplexArray, P1: Array, P2: Array) -> None:
        np.fft.irfft(F1, self.n, out=P1)
        np.fft.irfft(F2, self.n, out=P2)


class _PairedTransform:
    """Both blocks as real and imaginary part of one complex transform.

    For half the price where the FFT has to detour by a convolution (Bluestein), which costs the
    same for real and for complex rows.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.n_slices = n // 2 + 1
        #: −f modulo n for f = 0 … ⌊n/2⌋.
        self.negative = -np.arange(self.n_slices) % n

    def forward(self, T1: Array, T2: Array, F1: ComplexArray, F2: ComplexArray) -> None:
        Z = np.empty(T1.shape, dtype=np.complex128)
        Z.real, Z.imag = T1, T2
        Z = np.fft.fft(Z, out=Z)
        mirror = Z[:, self.negative].conj()
        Z = Z[:, : self.n_slices]
        np.add(Z, mirror, out=F1)
        F1 *= 0.5
        np.subtract(Z, mirror, out=F2)
        F2 *= -0.5j

    def inverse(self, F1: ComplexArray, F2: ComplexArray, P1: Array, P2: Array) -> None:
        Z = np.empty(P1.shape, dtype=np.complex128)
        Z[:, self.negative] = (F1 - 1j * F2).conj()
        Z[:, : self.n_slices] = F1 + 1j * F2
        # Frequency 0, and n/2 of an even n, are their own negatives and real in F1 and F2.
        Z = np.fft.ifft(Z, out=Z)
        P1[...], P2[...] = Z.real, Z.imag


#: Above this prime factor of n the FFT takes Bluestein's detour (measured).
_LARGE_PRIME = 200


def _transform(n: int) -> _Transform:
    return _PairedTransform(n) if _largest_prime_factor(n) > _LARGE_PRIME else _RealTransform(n)


def _largest_prime_factor(n: int) -> int:
    factor, largest = 2, 1
    while factor * factor <= n:
        while n % factor == 0:
            n, largest = n // factor, factor
        factor += 1
    return n if n > 1 else largest


# -- the iteration ------------------------------------------------------------------------------


@dataclass
class _Tile:
    """State on a block of pairs and on its mirror image, as X⁺ = X + Xᵀ and X⁻ = X − Xᵀ.

    L is a multiplier divided by the penalty of the coming iteration. The mirror image is given by
    its transpose, and is None for a tile on the diagonal, which holds both halves itself.
    """

    #: X₁ and X₂ of :class:`_Lagrangian` on the tile and, transposed, on the mirror image.
    X: tuple[Array, ...]
    mirror: tuple[Array, ...] | None
    #: Flat positions where M = 1.
    linked: NDArray[np.intp]
    A_plus: Array
    E_plus: Array
    E_minus: Array
    L1_plus: Array
    L1_minus: Array
    L3_plus: Array
    L3_minus: Array


class _Lagrangian:
    """Variables of Algorithm 2 and their updates.

    The arrays are the transposes of the paper's: rows are contiguous, and the transform runs
    along them. The algorithm starts from symmetric matrices, so nothing else changes.

    Attributes
    ----------
    X : two (n, n) arrays
        2 T(:,:,1) and 4 T(:,:,2) before the P step, P(:,:,1) and P(:,:,2) after it.
    F : two (n, ⌊n/2⌋ + 1) complex arrays
        Their Fourier transforms.
    """

    #: Side of a tile: the tiles in use at a time stay in cache.
    side = 128
    #: Rows transformed at a time, for the same reason.
    rows = 32

    def __init__(self, ensemble: Ensemble, lam: float) -> None:
        n = ensemble.n_samples
        self.n, self.lam = n, lam
        self.transform = _transform(n)
        self.X = np.zeros((n, n)), np.empty((n, n))
        self.F = tuple(np.empty((n, n // 2 + 1), dtype=np.complex128) for _ in self.X)
        self.scratch = [np.empty(min(self.side, n) ** 2) for _ in range(4)]
        self.products = [np.empty_like(F[: self.rows]) for F in self.F]
        self.tiles = list(self._start(ensemble))

    def _start(self, ensemble: Ensemble) -> Iterator[_Tile]:
        """All variables 0, hence T(:,:,1) = 0 and T(:,:,2) = A/2."""
        S = co_association(ensemble).S
        micro = ensemble.microclusters.assignment
        bounds = [*range(0, self.n, self.side), self.n]
        blocks = [slice(a, b) for a, b in pairwise(bounds)]
        for i, I in enumerate(blocks):
            for J in blocks[: i + 1]:
                linked = np.flatnonzero(micro[I, None] == micro[J])
                state = np.zeros((7, I.stop - I.start, J.stop - J.start))
                np.multiply(S[np.ix_(micro[I], micro[J])], 2.0, out=state[0])
                tile = tuple(X[I, J] for X in self.X)
                mirror = None if I is J else tuple(X[J, I].T for X in self.X)
                tile[1][...] = state[0]
                if mirror is not None:
                    mirror[1][...] = state[0]
                yield _Tile(tile, mirror, linked, *state)

    def update_P(self, mu: float) -> None:
        """Eq. (12): from 2 T(:,:,1) and 4 T(:,:,2) in X to P(:,:,1) and P(:,:,2)."""
        a, d, b = self._gram()
        w11, w22, w12 = shrinkage(a / 4, d / 16, b / 8, 1 / mu)
        # P = X K with K = diag(1/2, 1/4) W; its diagonal is real and acts on the real and on the
        # imaginary parts, which alternate in memory.
        k11, k22 = np.repeat(w11 / 2, 2), np.repeat(w22 / 4, 2)
        k12, k21 = w12 / 2, w12.conj() / 4
        for rows in self._row_blocks():
            F1, F2 = (F[rows] for F in self.F)
            from_2, from_1 = (product[: len(F1)] for product in self.products)
            np.multiply(F2, k21, out=from_2)
            np.multiply(F1, k12, out=from_1)
            parts1, parts2 = F1.view(np.float64), F2.view(np.float64)
            parts1 *= k11
            parts2 *= k22
            F1 += from_2
            F2 += from_1
            self.transform.inverse(F1, F2, self.X[0][rows], self.X[1][rows])

    def _gram(self) -> tuple[Array, Array, ComplexArray]:
        """Transform X to F; squared lengths and inner product of the columns of each slice."""
        n_slices = self.n // 2 + 1
        a, d = np.zeros(2 * n_slices), np.zeros(2 * n_slices)
        b = np.zeros(n_slices, dtype=np.complex128)
        for rows in self._row_blocks():
            F1, F2 = (F[rows] for F in self.F)
            self.transform.forward(self.X[0][rows], self.X[1][rows], F1, F2)
            for total, F in ((a, F1), (d, F2)):
                parts = F.view(np.float64)
                total += np.einsum("if,if->f", parts, parts)
            product = self.products[0][: len(F1)]
            np.conjugate(F1, out=product)
            product *= F2
            b += product.sum(axis=0)
        return a[::2] + a[1::2], d[::2] + d[1::2], b

    def _row_blocks(self) -> Iterator[slice]:
        for start in range(0, self.n, self.rows):
            yield slice(start, min(start + self.rows, self.n))

    def update_others(self, mu: float, next_mu: float) -> tuple[float, float, float]:
        """Eqs. (15), (17), (20), (22) and the next T of Eq. (13).

        Returns
        -------
        tuple of float
            Largest violations of P(:,:,1) = B, P(:,:,2) = C and P(:,:,2) + E = A.
        """
        worst_B = worst_C = worst_E = 0.0
        for tile in self.tiles:
            worst_B = max(worst_B, self._update_B(tile, mu / next_mu))
            violation_C, violation_E = self._update_E_C(tile, mu, next_mu)
            worst_C, worst_E = max(worst_C, violation_C), max(worst_E, violation_E)
        return worst_B, worst_C, worst_E

    def _halves(self, tile: _Tile, index: int) -> tuple[Array, Array, Array, Array]:
        """P⁺ and P⁻ of slice `index` on a tile, and two more scratch arrays."""
        P = tile.X[index]
        plus, minus, W, V = (buffer[: P.size].reshape(P.shape) for buffer in self.scratch)
        np.copyto(plus, P.T if tile.mirror is None else tile.mirror[index])
        np.subtract(P, plus, out=minus)
        plus += P
        return plus, minus, W, V

    def _update_B(self, tile: _Tile, ratio: float) -> float:
        """Eq. (17), Λ₁ and the next T(:,:,1); returns the largest violation of P(:,:,1) = B."""
        P_plus, P_minus, B_plus, V = self._halves(tile, 0)
        # With V = P(:,:,1) + Λ₁/μ: B = clip((V + Vᵀ)/2) and the next Λ₁/μ is V − B.
        np.add(P_plus, tile.L1_plus, out=V)
        np.clip(V, 0.0, 2.0, out=B_plus)
        B_plus.reshape(-1)[tile.linked] = 2.0
        V -= B_plus
        np.multiply(V, ratio, out=tile.L1_plus)
        tile.L1_minus += P_minus
        tile.L1_minus *= ratio
        P_plus -= B_plus
        violation = _largest_entry(P_plus, P_minus)
        # 2 T(:,:,1) = 2 (B − L₁)
        B_plus -= tile.L1_plus
        self._store(tile, 0, B_plus, tile.L1_minus)
        return violation

    def _update_E_C(self, tile: _Tile, mu: float, next_mu: float) -> tuple[float, float]:
        """Eqs. (15), (20), Λ₃ and the next T(:,:,2); returns the violations for C and E."""
        P_plus, P_minus, W, V = self._halves(tile, 1)
        # Λ₂ = −2λE turns (15) into E += β (A − P(:,:,2) − E) with β = μ/(2λ+μ), and the violation
        # of P(:,:,2) + E = A into 2λ/μ times the change of E.
        beta = mu / (2 * self.lam + mu)
        np.subtract(tile.A_plus, P_plus, out=V)
        V -= tile.E_plus
        V *= beta
        tile.E_plus += V
        np.add(P_minus, tile.E_minus, out=W)
        W *= beta
        tile.E_minus -= W
        violation_E = 2 * self.lam / mu * _largest_entry(V, W)
        # C and Λ₃ as B and Λ₁, without locked entries.
        C_plus = W
        np.add(P_plus, tile.L3_plus, out=V)
        np.clip(V, 0.0, 2.0, out=C_plus)
        V -= C_plus
        np.multiply(V, mu / next_mu, out=tile.L3_plus)
        tile.L3_minus += P_minus
        tile.L3_minus *= mu / next_mu
        P_plus -= C_plus
        violation_C = _largest_entry(P_plus, P_minus)
        # 4 T(:,:,2) = 2 (A + C − E − Λ₂/μ − L₃) = 2 (A + C − γE − L₃)
        gamma = 1 - 2 * self.lam / next_mu
        C_plus += tile.A_plus
        C_plus -= tile.L3_plus
        np.multiply(tile.E_plus, gamma, out=V)
        C_plus -= V
        np.multiply(tile.E_minus, gamma, out=V)
        V += tile.L3_minus
        self._store(tile, 1, C_plus, V)
        return violation_C, violation_E

    def _store(self, tile: _Tile, index: int, plus: Array, minus: Array) -> None:
        """Write `plus` − `minus` on a tile and its transpose counterpart on the mirror image."""
        np.subtract(plus, minus, out=tile.X[index])
        if tile.mirror is not None:
            plus += minus
            np.copyto(tile.mirror[index], plus)

    def result(self) -> tuple[Array, Array, Array, Array]:
        """P(:,:,1), P(:,:,2), E and B; the state is used up."""
        for tile in self.tiles:
            # From 2 T(:,:,1) = 2 (B − L₁), up to rounding.
            B = np.clip((tile.X[0] + tile.L1_plus + tile.L1_minus) / 2, 0.0, 1.0)
            B.reshape(-1)[tile.linked] = 1.0
            self._store(tile, 0, B, np.zeros(()))
            self._store(tile, 1, tile.E_plus / 2, -tile.E_minus / 2)
        self.tiles.clear()
        B, E = self.X
        P1, P2 = np.empty_like(B), np.empty_like(E)
        for rows in self._row_blocks():
            # The P step left the transforms of P(:,:,1) and P(:,:,2) in F.
            F1, F2 = (F[rows] for F in self.F)
            self.transform.inverse(F1, F2, P1[rows], P2[rows])
        return P1.T, P2.T, E.T, B.T


def _largest_entry(plus: Array, minus: Array) -> float:
    """Largest absolute entry of X on a tile and its mirror image; both arrays are destroyed."""
    np.abs(plus, out=plus)
    np.abs(minus, out=minus)
    plus += minus
    return float(plus.max()) / 2
