"""GTLEC: regularizing multiple clusterings by graph tensor learning.

M.-S. Chen, J.-Q. Lin, C.-D. Wang, W.-D. Xi, D. Huang, "On regularizing multiple clusterings for
ensemble clustering by graph tensor learning", ACM Multimedia 2023. Each base clustering v has a 0/1
graph H_v, with H_v(i, j) = 1 if v co-clusters i and j, and a learned graph S_v. All S_v form a
tensor S (n × n × m) of low t-SVD nuclear norm:

    min_S  Σ_v ‖H_v − S_v‖_F + α Σ_v ‖S_v‖₁ + β ‖S‖_⊛
    s.t.   S_v symmetric with eigenvalues in [0, 1], tr S_v = c.

The constraints are the convex hull of the projections of rank c. The augmented Lagrangian has a
copy Z_v of S_v in the norm ‖·‖₁ and a copy G of S in the nuclear norm, multipliers Y_v and Λ, and
weights w_v = 1 / (2 ‖H_v − S_v‖_F) for the first term. The partition is spectral clustering of
Σ_v |Z_v| without its diagonal.

The result depends on the order of the samples
----------------------------------------------
As in LTA, the nuclear norm is computed from n slices, here of size n × m, in the Fourier domain
*along the samples*. It is small if adjacent samples in the file are similar, so a file sorted by
class reveals the classes. The analysis ``audit_order`` shows accuracies for the order of the file
and for shuffled samples.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- On the BinAlpha pool of its authors (12 classes, sorted by class) the accuracy falls to the
  accuracy of plain spectral clustering when the samples are shuffled; ``audit_order`` measures this
  on eleven data sets.
- The problem above is the one that the program's steps minimise. α = 0.05 and β = 7 are the values
  of its demonstration; the first penalties μ = 1e-5 of S = Z and ρ = 0.01 of S = G are multiplied
  by 3 in each iteration. The method stops when no row of |S − Z| or |S − G| sums to more than 1e-8,
  and after 32 iterations at the latest.
- The penalties grow so fast that the iterates stop changing before they reach the optimum, as in
  LTA.
- The program limits μ and ρ to 1e11 and 1e13, which 32 iterations do not reach. The library has
  no limits.
- Tensors are real. Under Octave the program's inverse Fourier transform returns complex numbers,
  which are then compared by their absolute values, so its results differ.
- Each Fourier slice is shrunk once. The program shrinks the last conjugate pair twice when n is
  odd.
- If S_v equals H_v, the weight w_v would be infinite. The norm therefore counts as at least 1e-12.
- Spectral clustering takes the best of ten k-means++ starts.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.fft
import scipy.linalg

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.simplex import project_on_capped_simplex
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.partition.spectral import spectral_labels

#: Rows transformed at a time, and Fourier slices shrunk at a time.
_ROWS, _SLICES = 8, 16
#: Smallest ‖H_v − S_v‖_F from which a weight is computed.
_SMALLEST_ERROR = 1e-12


class GTLEC(ConsensusClusterer):
    """Graph tensor learning for ensemble clustering (Chen et al. 2023).

    **The result depends on the order of the samples**: the method pulls together samples that are
    adjacent in the file, so a file sorted by class reveals the classes. Shuffle the samples before
    you evaluate the method.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    n_clusters : int
        c, number of clusters requested, and the trace of each learned graph.
    alpha : float
        α ≥ 0, weight of the sum of absolute entries.
    beta : float
        β ≥ 0, weight of the tensor nuclear norm.
    mu0, rho0 : float
        Initial penalties for S = Z and for S = G.
    growth : float
        Factor, above 1, by which both penalties grow in each iteration.
    tol : float
        Largest row sum of |S − Z| and |S − G| at which the iteration stops.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        Σ_v |Z_v| without its diagonal. Each sample is its own microcluster, because samples with
        equal labels differ by their positions.
    """

    title: ClassVar = "Graph tensor learning, spectral clustering"
    paper: ClassVar = "Chen, Lin, Wang, Xi & Huang, ACM Multimedia 2023"
    cost: ClassVar = Cost(seconds=120, power=2.6, squares=0, squares_each=6)
    offers: ClassVar = ("affinity_",)
    depends_on_sample_order = True
    alpha: float = number(0.05, minimum=0)
    beta: float = number(7.0, minimum=0)
    mu0: float = number(1e-5, above=0)
    rho0: float = number(0.01, above=0)
    growth: float = number(3.0, above=1)
    tol: float = number(1e-8, above=0)
    max_iter: int = integer(32, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        Z = learn_graph_tensor(ensemble, self)
        W = np.asarray(sum(np.abs(Z_v) for Z_v in Z))
        np.fill_diagonal(W, 0.0)
        singles = Microclusters.from_assignment(np.arange(ensemble.n_samples))
        self.affinity_ = InvariantMatrix(W, 0.0, singles)
        return spectral_labels(self.affinity_, self.n_clusters, random_state)


def learn_graph_tensor(ensemble: Ensemble, method: GTLEC) -> Array:
    """Learn one graph for each base clustering; the graphs form a tensor of low rank.

    The penalties are μ = mu0 · growthᵏ and ρ = rho0 · growthᵏ in iteration k = 0, 1, …

    Returns
    -------
    (m, n, n) array
        The learned graphs' sparse copies Z_v.
    """
    lagrangian = _Lagrangian(ensemble, method)
    mu, rho = method.mu0, method.rho0
    for _ in method._rounds():
        lagrangian.update_S(mu, rho)
        violation = max(lagrangian.update_Z(mu), lagrangian.update_G(rho))
        method.converged_ = violation <= method.tol
        mu, rho = method.growth * mu, method.growth * rho
    return lagrangian.Z


class _Lagrangian:
    """Variables of the augmented Lagrangian and their updates, the first index naming v.

    Attributes
    ----------
    S, Z, G : (m, n, n) arrays
        The graphs and their copies. Slices of G, which need not be symmetric, are the transposes of
        the paper's, so that the Fourier transform runs along contiguous rows.
    Y, L : (m, n, n) arrays
        Multipliers Y of S = Z and Λ of S = G; slices of Λ are transposed as those of G.
    w : (m,) array
        Weights of the base clusterings.
    """

    def __init__(self, ensemble: Ensemble, method: GTLEC) -> None:
        """All graphs and copies are the identity, all multipliers 0, all weights equal."""
        n, m = ensemble.n_samples, ensemble.n_clusterings
        self.labels = np.ascontiguousarray(ensemble.labels.T)
        self.n_clusters, self.alpha, self.beta = method.n_clusters, method.alpha, method.beta
        self.S, self.Z, self.G = (np.tile(np.eye(n), (m, 1, 1)) for _ in range(3))
        self.Y, self.L = np.zeros((m, n, n)), np.zeros((m, n, n))
        self.w = np.full(m, 1 / m)

    def update_S(self, mu: float, rho: float) -> None:
        """The graphs nearest to H, Z and G together, then the weights."""
        self.w[:] = over_blocks(lambda v: self._update_graph(v, mu, rho), range(len(self.w)))

    def _update_graph(self, v: int, mu: float, rho: float) -> float:
        H, w = self.labels[v][:, None] == self.labels[v], self.w[v]
        mean = 2 * w * H + mu * self.Z[v] - self.Y[v] + rho * self.G[v] - self.L[v]
        mean = (mean + mean.T) / (2 * (2 * w + mu + rho))
        self.S[v] = project_on_fantope(mean, self.n_clusters)
        error = float(np.linalg.norm(H - self.S[v]))
        return 0.5 / max(error, _SMALLEST_ERROR)

    def update_Z(self, mu: float) -> float:
        """Z = S + Y/μ shrunk by α/μ, then Y; the largest sum of a row of |S − Z|."""
        return max(over_blocks(lambda v: self._update_sparse(v, mu), range(len(self.w))))

    def _update_sparse(self, v: int, mu: float) -> float:
        # The part that shrinking removes from μ S + Y, at most α, is the new multiplier.
        raised = self.Y[v] + mu * self.S[v]
        np.clip(raised, -self.alpha, self.alpha, out=self.Y[v])
        self.Z[v] = (raised - self.Y[v]) / mu
        return _largest_sum(self.S[v] - self.Z[v], axis=1)

    def update_G(self, rho: float) -> float:
        """G = S + Λ/ρ with its nuclear norm shrunk, then Λ; the largest sum of a row of |S − G|."""
        over_blocks(lambda v: self._raise(v, rho), range(len(self.w)))
        shrink_tensor(self.L, self.beta / rho, out=self.G)
        return max(over_blocks(lambda v: self._lower(v, rho), range(len(self.w))))

    def _raise(self, v: int, rho: float) -> None:
        self.L[v] = self.L[v] / rho + self.S[v]

    def _lower(self, v: int, rho: float) -> float:
        self.L[v] = (self.L[v] - self.G[v]) * rho
        return _largest_sum(self.S[v] - self.G[v], axis=0)


def _largest_sum(difference: Array, axis: int) -> float:
    return float(np.abs(difference, out=difference).sum(axis=axis).max())


def project_on_fantope(A: Array, trace: int) -> Array:
    """Nearest symmetric matrix with eigenvalues in [0, 1] and the given trace.

    Parameters
    ----------
    A : (n, n) array
        Symmetric.
    trace : int
        c, from 0 to n.

    Returns
    -------
    (n, n) array
        Σ_k t_k u_k u_kᵀ with the eigenvectors u_k of A, and t_k = min(max(v_k + γ, 0), 1) with its
        eigenvalues v_k, γ such that Σ t = c.
    """
    values, U = scipy.linalg.eigh(A, driver="evd", check_finite=False)
    t = project_on_capped_simplex(values, trace)
    kept = t > 0
    return np.asarray((U[:, kept] * t[kept]) @ U[:, kept].T)


def shrink_tensor(T: Array, tau: float, out: Array) -> None:
    """Soft-threshold the singular values of a tensor's Fourier slices along the samples.

    Parameters
    ----------
    T : (m, n, n) array
        Slice f is the matrix (n × m) of the transforms along the last index at frequency f.
    tau : float
        Threshold τ ≥ 0.
    out : (m, n, n) array
        Array for the result.
    """
    m, n, _ = T.shape
    F = np.empty((n // 2 + 1, n, m), dtype=np.complex128)

    def transform(rows: slice) -> None:
        F[:, rows] = scipy.fft.rfft(T[:, rows]).T

    def shrink(slices: slice) -> None:
        # F = Q R, and R = U diag(σ) Vᴴ of size m has F's singular values.
        _, sigma, Vh = np.linalg.svd(np.linalg.qr(F[slices], mode="r"), full_matrices=False)
        kept = np.maximum(sigma - tau, 0.0) / np.where(sigma > 0, sigma, 1.0)
        V = Vh.conj().swapaxes(1, 2)
        F[slices] = F[slices] @ ((V * kept[:, None]) @ Vh)

    def transform_back(rows: slice) -> None:
        out[:, rows] = scipy.fft.irfft(F[:, rows].T, n)

    rows = row_blocks(n, _ROWS)
    over_blocks(transform, rows)
    over_blocks(shrink, row_blocks(len(F), _SLICES))
    over_blocks(transform_back, rows)
