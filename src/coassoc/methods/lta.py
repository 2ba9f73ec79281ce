"""LTA: clustering ensemble meets low-rank tensor approximation.

Y. Jia, H. Liu, J. Hou, Q. Zhang, "Clustering ensemble meets low-rank tensor approximation", AAAI
2021. With A the co-association matrix and M = [A = 1] the coherent link matrix, the tensor P
(n × n × 2) of low t-SVD nuclear norm with slices near M and A is the solution of

    min_{P,E}  ‖P‖_⊛ + λ ‖E‖_F²                                                    (Eq. 9)
    s.t.       P(:,:,1) = M where M = 1,  P(:,:,2) + E = A,
               both slices symmetric with entries in [0, 1]

The problem is solved by the augmented Lagrangian of Algorithm 2. The refined co-association
P(:,:,2) is cut by average linkage (LTA-EA) or by spectral clustering (LTA-SC).

The result depends on the order of the samples
----------------------------------------------
The nuclear norm is computed from n slices of size n × 2 in the Fourier domain *along the samples*.
It is small if adjacent samples in the file are similar, so a file sorted by class reveals the
classes. The analysis ``audit_order`` shows accuracies for the order of the file and for shuffled
samples.

How it is solved
----------------
*P step* (Eq. 12): a slice is n × 2, so its shrinkage is a product with a 2 × 2 matrix, known in
closed form from the slice's Gram matrix; real Fourier transforms leave ⌊n/2⌋+1 slices, which are
processed at once. *All other steps* are entrywise except for the symmetrisation. They run in one
pass over pairs of mirrored tiles.

P, E, B, C and Λ₁, Λ₂, Λ₃ are the symbols of the paper. Λ₂ = −2λE after each iteration, so it is not
stored. B and C are not stored either, because the next iteration depends on them only through T of
Eq. (13). The arrays are the transposes of the paper's: rows are contiguous, and the Fourier
transform runs along them. The algorithm starts from symmetric matrices, so nothing else changes.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- On a file sorted by class a column of A is piecewise nearly constant, and a Fourier transform
  along the samples concentrates it in a few frequencies. Shuffling spreads it over all
  frequencies. The norm therefore rewards a similarity that is smooth along the file. The target
  ``audit_order`` measures how much accuracy remains after shuffling.
- The transform runs along the first index of P, and the returned P(:,:,2) is asymmetric by about
  the stopping tolerance. Both final steps use its symmetric part.
- μ is multiplied by ρ = 1.1 in each iteration. With this fast growth, the iterates stop changing
  before they reach the optimum: refined entries differ by up to 0.25 from the limit of a slow
  schedule, which is the optimum of Eq. (9) for λ/2. The published results come from the fast
  schedule.
- λ = 0.002 suits the paper's data sets, which have 1,400 samples or more. For a few hundred
  samples the refined matrix is almost constant, so the analyses also have a row with λ = 0.02.
- The paper and the program limit μ to 1e8 and 1e10, which ρ = 1.1 does not reach within 290
  iterations. The library has no limit.
- Each Fourier slice is shrunk once. The program shrinks the last conjugate pair twice when n is
  odd, which moves entries by about 1e-3 at λ = 0.002.
- The spectral final step uses the eigenvectors of the c largest eigenvalues and the best of ten
  k-means++ starts. The program uses twenty starts from c random samples, which find worse minima
  if c is large.
- On MNIST5000, Texture and ISOLET the scores of LTA-SC are below the published ones. Neither the
  final step (eigenvectors of S or of D^{-1/2}SD^{-1/2}, scaled rows, up to 100 starts) nor λ
  explains the difference, and the cause is unknown.
"""

from typing import Any, ClassVar

import numpy as np
import scipy  # scipy.fft, slow to import, is loaded when it is first used
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import (
    Array,
    Labels,
    RandomState,
    RefiningClusterer,
    history_of,
)
from coassoc.methods.parameters import Cost, choice, integer, number
from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import lower_tiles, over_blocks, row_blocks
from coassoc.partition.linkage import linkage_labels
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import co_association

ComplexArray = NDArray[np.complex128]
#: Number of rows transformed at a time, so that they stay in cache with their transforms.
ROWS = 32
#: Side of a tile, which stays in the second-level cache together with its mirror image. Smaller
#: tiles jump more between rows that are pages apart. A side of 32 takes 1.3 times as long at n =
#: 2000.
SIDE = 128
#: Number of tiles that one call updates, because waking a thread for fewer takes longer.
TILES = 4

# Symmetric part of the refined co-association P(:,:,2), the largest violations of the constraints
# in each iteration, and whether it converged.
Refined = tuple[InvariantMatrix, list[tuple[float, ...]], bool]


class LTA(RefiningClusterer):
    """Low-rank tensor approximation of the co-association (Jia et al. 2021).

    **The result depends on the order of the samples**: the method pulls together samples that are
    adjacent in the file. Files sorted by class therefore give far better partitions than shuffled
    files (analysis ``audit_order``). Shuffle the samples before you evaluate the method. The
    penalty also grows so fast that the iteration stops changing before it reaches its limit, which
    is the optimum of the published problem for λ/2.

    `random_state` is the seed of the final k-means; average linkage is deterministic.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    ending : {"linkage", "spectral"}
        Average linkage (LTA-EA) or spectral clustering (LTA-SC) of the refined matrix.
    lam : float
        λ > 0, weight of the error term (Eq. 9).
    mu0 : float
        Initial penalty μ > 0.
    rho : float
        ρ ≥ 1, factor by which the penalty grows in each iteration.
    tol : float
        Largest absolute violation of a constraint at which the iteration stops.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        Symmetric part of the refined co-association P(:,:,2). Each sample is its own microcluster,
        because samples with equal labels differ by their positions.
    history_ : dict of str to array
        Largest violations of the constraints on "B", "C" and "E" per iteration.
    """

    paper: ClassVar = "Jia, Liu, Hou & Zhang, AAAI 2021"
    cost: ClassVar = Cost(seconds=8, power=2.2, squares=8)
    revision = 2

    offers: ClassVar = ("affinity_",)
    depends_on_sample_order = True
    ending: str = choice("linkage", ("linkage", "spectral"))
    lam: float = number(0.002, above=0, grid=(0.0002, 0.002, 0.02, 0.2, 2))
    mu0: float = number(1e-4, above=0)
    rho: float = number(1.1, minimum=1)
    tol: float = number(1e-8, above=0)
    max_iter: int = integer(500, minimum=1)

    def _refine(self, ensemble: Ensemble, X: Any) -> Refined:
        _, P2, _, violations, converged = refine_co_association(ensemble, self)
        singles = Microclusters.from_assignment(np.arange(ensemble.n_samples))
        return InvariantMatrix((P2 + P2.T) / 2, 0.0, singles), violations, converged

    def _end(self, refined: Refined, random_state: RandomState) -> Labels:
        self.affinity_, violations, self.converged_ = refined
        self.n_iter_, self.history_ = len(violations), history_of(("B", "C", "E"), violations)
        if self.ending == "linkage":
            return linkage_labels(self.affinity_, self.n_clusters, "average")
        return spectral_labels(self.affinity_, self.n_clusters, random_state)


def refine_co_association(
    ensemble: Ensemble, method: LTA
) -> tuple[Array, Array, Array, list[tuple[float, ...]], bool]:
    """Algorithm 2 of LTA; depends on sample order.

    The penalty is μ = mu0 · rhoᵏ in iteration k = 0, 1, …

    Returns
    -------
    P1 : (n, n) array
        P(:,:,1), the completed coherent link matrix.
    P2 : (n, n) array
        P(:,:,2), the refined co-association; symmetric up to about the tolerance.
    E : (n, n) array
        Error term A − P(:,:,2), as split by the algorithm.
    violations : list of tuple of float
        Largest violations of the constraints on B, C and E in each iteration.
    converged : bool
    """
    lagrangian = _Lagrangian(ensemble, method.lam)
    mu = method.mu0
    violations: list[tuple[float, ...]] = []
    converged = False
    while not converged and len(violations) < method.max_iter:
        next_mu = method.rho * mu
        lagrangian.update_P(mu)
        violations.append(lagrangian.update_others(mu, next_mu))
        converged = max(violations[-1]) < method.tol
        mu = next_mu
    return *lagrangian.result(), violations, converged


class _Lagrangian:
    """Variables of Algorithm 2 and their updates.

    The (n, n) arrays are the first n columns of arrays from :func:`_zeros`.

    Attributes
    ----------
    n : int
        Number of samples.
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
        self.n = n = ensemble.n_samples
        self.lam = lam
        self.group = np.asarray(ensemble.microclusters.assignment, dtype=np.int64)
        self.A, self.X1, self.X2, self.E, self.L1, self.L3 = (_zeros(n) for _ in range(6))
        self.A[:, :n] = co_association(ensemble).S[np.ix_(self.group, self.group)]
        np.divide(self.A, 2, out=self.X2)
        self.F1, self.F2 = (np.empty((n, n // 2 + 1), dtype=np.complex128) for _ in range(2))
        self.rows = row_blocks(n, ROWS)
        tiles = lower_tiles(n, SIDE)
        self.tiles = [tiles[block] for block in row_blocks(len(tiles), TILES)]

    def update_P(self, mu: float) -> None:
        """Eq. (12): P = ifft(fft(T) with its singular values shrunk by 1/μ), slice by slice."""
        grams = over_blocks(self._transform, self.rows)
        G11, G22, G12 = (sum(parts) for parts in zip(*grams, strict=True))
        W = shrinkage(G11, G22, G12, 1 / mu)
        over_blocks(lambda rows: self._shrink(rows, W), self.rows)

    def _transform(self, rows: slice) -> tuple[Array, Array, ComplexArray]:
        """Transform rows of T, and return their contribution to the Gram matrices of the slices."""
        for F, X in ((self.F1, self.X1), (self.F2, self.X2)):
            F[rows] = scipy.fft.rfft(X[rows, : self.n])
        return _gram(self.F1[rows], self.F2[rows])

    def _shrink(self, rows: slice, W: tuple[Array, Array, ComplexArray]) -> None:
        """Shrink the slices of T and transform them back."""
        _shrink_slices(self.F1[rows], self.F2[rows], *W)
        self._inverse(rows)

    def _inverse(self, rows: slice) -> None:
        """P from its transform."""
        for F, X in ((self.F1, self.X1), (self.F2, self.X2)):
            X[rows, : self.n] = scipy.fft.irfft(F[rows], self.n)

    def update_others(self, mu: float, next_mu: float) -> tuple[float, ...]:
        """Eqs. (15), (17), (20), (22) and the next T of Eq. (13).

        Returns the largest violations of P(:,:,1) = B, P(:,:,2) = C and P(:,:,2) + E = A.
        """
        variables = (self.group, self.A, self.X1, self.X2, self.E, self.L1, self.L3)
        violations = over_blocks(
            lambda tiles: _update_others(tiles, *variables, self.lam, mu, next_mu),
            self.tiles,
        )
        return tuple(np.max(violations, axis=0).tolist())

    def result(self) -> tuple[Array, Array, Array]:
        """P(:,:,1), P(:,:,2) and E."""
        # F still holds the transform of P, and X1 and X2 are T of the next P step.
        over_blocks(self._inverse, self.rows)
        P1, P2, E = (X[:, : self.n].T for X in (self.X1, self.X2, self.E))
        return P1, P2, E


def _zeros(n: int) -> Array:
    """An (n, n) array of zeros, with more columns where rows would compete for places in cache.

    Rows that are a multiple of half a page apart share few places of the first-level cache. With
    n = 2048, the updates of the tiles then take four times as long.
    """
    return np.zeros((n, n + 8 if n % 256 == 0 else n))


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
    slope = (_kept_share(largest, tau) - low) / np.where(radius > 0, 2 * radius, 1.0)
    return low + slope * (a - smallest), low + slope * (d - smallest), slope * b


def _kept_share(eigenvalues: Array, tau: float) -> Array:
    """h(λ) = max(1 − τ/√λ, 0)."""
    sigma = np.sqrt(eigenvalues)
    return np.where(sigma > tau, 1 - tau / np.maximum(sigma, tau), 0.0)


@compiled("Tuple((f1, f1, c1))(c2, c2)")
def _gram(F1, F2):
    """G₁₁, G₂₂ and G₁₂ of FᴴF in every Fourier slice F = (F₁, F₂), summed over some rows."""
    q = F1.shape[1]
    G11, G22, G12 = np.zeros(q), np.zeros(q), np.zeros(q, dtype=np.complex128)
    for i in range(F1.shape[0]):
        for f in range(q):
            x, y = F1[i, f], F2[i, f]
            G11[f] += x.real**2 + x.imag**2
            G22[f] += y.real**2 + y.imag**2
            G12[f] += x.conjugate() * y
    return G11, G22, G12


@compiled("void(c2, c2, f1, f1, c1)")
def _shrink_slices(F1, F2, w11, w22, w12):
    """(F₁, F₂) W in place, in every Fourier slice."""
    for i in range(F1.shape[0]):
        for f in range(F1.shape[1]):
            x, y = F1[i, f], F2[i, f]
            F1[i, f] = x * w11[f] + y * w12[f].conjugate()
            F2[i, f] = x * w12[f] + y * w22[f]


@compiled("UniTuple(f, 3)(i2, i1, f2, f2, f2, f2, f2, f2, f, f, f)")
def _update_others(tiles, group, A, X1, X2, E, L1, L3, lam, mu, next_mu):
    """Eqs. (15), (17), (20), (22) and the next T of Eq. (13), on tiles and their mirror images.

    X₁ and X₂ hold P(:,:,1) and P(:,:,2), and T(:,:,1) and T(:,:,2) afterwards; E, Λ₁ and Λ₃ are
    overwritten. Samples of one `group` have M = 1.

    Returns
    -------
    tuple of float
        Largest entries of |P(:,:,1) − B|, |P(:,:,2) − C| and |P(:,:,2) + E − A|.
    """
    worst_B = worst_C = worst_E = 0.0
    # A division takes as long as the rest of an entry.
    per_mu, per_next_mu, per_both = 1 / mu, 1 / next_mu, 1 / (2 * lam + mu)
    for t in range(tiles.shape[0]):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i + 1)):
                a = A[i, j]
                # (17) and (20): B and C are symmetric
                b = (X1[i, j] + X1[j, i] + (L1[i, j] + L1[j, i]) * per_mu) / 2
                b = 1.0 if group[i] == group[j] else min(max(b, 0.0), 1.0)
                c = (X2[i, j] + X2[j, i] + (L3[i, j] + L3[j, i]) * per_mu) / 2
                c = min(max(c, 0.0), 1.0)
                for half in range(2 if i > j else 1):
                    k, l = (i, j) if half == 0 else (j, i)
                    p1, p2 = X1[k, l], X2[k, l]
                    # (15), where Λ₂ = −2λE
                    e = (mu * a + 2 * lam * E[k, l] - mu * p2) * per_both
                    # (22)
                    l1 = L1[k, l] + mu * (p1 - b)
                    l3 = L3[k, l] + mu * (p2 - c)
                    worst_B = max(worst_B, abs(p1 - b))
                    worst_C = max(worst_C, abs(p2 - c))
                    worst_E = max(worst_E, abs(p2 + e - a))
                    E[k, l], L1[k, l], L3[k, l] = e, l1, l3
                    # (13)
                    X1[k, l] = b - l1 * per_next_mu
                    X2[k, l] = (a + c - e - (l3 - 2 * lam * e) * per_next_mu) / 2
    return worst_B, worst_C, worst_E
