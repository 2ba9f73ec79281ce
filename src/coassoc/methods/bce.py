"""BCE: Bayesian cluster ensembles.

H. Wang, H. Shan, A. Banerjee, "Bayesian cluster ensembles", Statistical Analysis and Data Mining
4(1), 2011. Labels come from a mixed-membership model: sample i has memberships θ_i in the c
consensus clusters, and its label in each base clustering j comes from one of them:

    θ_i ~ Dirichlet(α),  z_ij ~ Discrete(θ_i),  x_ij ~ Discrete(β_j,z_ij)

where β_jh is the distribution of the labels of base clustering j in consensus cluster h.
Variational EM with q(θ_i) = Dirichlet(γ_i) and q(z_ij) = Discrete(φ_ij) increases a lower bound of
the likelihood:

    φ_ijh ∝ exp(Ψ(γ_ih)) β_jh,x_ij
    γ_ih  = α_h + Σ_j φ_ijh
    β_jhl ∝ Σ_{i: x_ij = l} φ_ijh
    α     = argmax Σ_i E_q[log p(θ_i | α)], by Newton's method

A sample belongs to the consensus cluster with its largest membership γ_ih.

How it is solved
----------------
Samples with equal labels have equal φ and γ, so the E-step runs on the microclusters, weighted by
their sizes. φ is never formed. Its sums over base clusterings and over samples are products of
sparse n' × L matrices with the entries 1/Σ_h exp(Ψ(γ_kh)) β_jh,x_kj at the nonzero positions of Z.

What the paper leaves open
--------------------------
- Start: k-means with c clusters on the rows of Z, from one k-means++ draw; φ is 1 for a sample's
  cluster, and α = 1/c. The best of ``n_init`` starts by the bound is kept, as scikit-learn's
  mixture models do. The result depends on the start.
- The authors' program draws α and β uniformly and starts once, like ``init="random"`` with
  ``n_init=1``, which fits RCE's table best (``rce_protocol_bce``). The rest of the program differs:
  before each update of α and β it repeats φ and γ from equal memberships until they change by less
  than 1 %, it smooths by 1e-6, and it stops once β changes by less than 1 %.
- A round updates φ, γ, β and α once each; γ continues from its last value. The bound never
  falls.
- β has a Dirichlet prior, whose ``smoothing`` acts like this number of additional samples of
  each label. No label therefore gets probability 0, and the bound contains the logarithm of the
  prior.
- The iteration stops when the bound per label rises by less than ``tol``.
- A consensus cluster that no sample prefers takes over the microcluster in which its membership is
  largest relative to the largest membership.
"""

from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import digamma, gammaln, polygamma

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, integer, number
from coassoc.partition.spectral import clustered_rows

#: Largest number of Newton steps on α per round. A few steps reach the maximum up to rounding.
_NEWTON_STEPS = 20
#: How many numbers are gathered at a time, so that they stay in cache.
_GATHERED = 1 << 16

#: Initial φ, (n', c), the same for all base clusterings, with rows that sum to 1; α, (c,), or None
#: for 1/c; and β, (L, c), or None for the β that φ gives.
_Start = tuple[Array, Array | None, Array | None]


class BCE(ConsensusClusterer):
    """Bayesian cluster ensembles (Wang, Shan & Banerjee 2011).

    `random_state` is the seed of the starts.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    init : {"k-means", "random"}
        Start: the clusters of one k-means run on the rows of Z with α = 1/c, or equal memberships
        with α and the distributions β drawn uniformly, as in the authors' program.
    n_init : int
        Number of starts. The start that ends with the largest bound is kept.
    smoothing : float
        Strength of the prior of β in pseudo-samples per label, greater than 0.
    tol : float
        Smallest gain of the bound per label for which another round is run.
    max_iter : int
        Maximum number of rounds per start.

    Attributes
    ----------
    membership_ : (n, c') array
        Mean memberships γ_ih / Σ_h γ_ih. c' is the smaller of c and the number of microclusters.
    alpha_ : (c',) array
        α.
    """

    title: ClassVar = "Bayesian cluster ensembles, a mixed-membership model of the labels"
    paper: ClassVar = "Wang, Shan & Banerjee, Statistical Analysis and Data Mining 2011"
    cost: ClassVar = Cost(seconds=10, power=1, squares=0)
    offers: ClassVar = ("alpha_", "membership_")
    init: str = choice("k-means", ("k-means", "random"))
    n_init: int = integer(10, minimum=1)
    smoothing: float = number(0.01, above=0)
    tol: float = number(1e-4, minimum=0)
    max_iter: int = integer(500, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        c = min(self.n_clusters, micro.count)
        draw = drawn_start if self.init == "random" else _clustered
        starts = (draw(ensemble, c, random_state) for _ in range(self.n_init))
        fit = partial(mixed_membership, ensemble, self)
        gamma, _, self.alpha_, _ = self._best(starts, fit)
        self.membership_ = micro.expand(gamma / gamma.sum(axis=1, keepdims=True))
        return self._labels_of_membership(gamma)


def mixed_membership(
    ensemble: Ensemble, method: BCE, start: _Start
) -> tuple[Array, Array, Array, float]:
    """Variational EM from a start.

    Returns
    -------
    gamma : (n', c) array
        Parameters γ of the microclusters' memberships.
    beta : (L, c) array
        β: for each base clustering and consensus cluster the distribution of the labels.
    alpha : (c,) array
        α.
    loss : float
        Minus the bound.
    """
    model = _Model(ensemble, start, method.smoothing)
    least_gain = method.tol * ensemble.n_samples * ensemble.n_clusterings
    bound = -np.inf
    for _ in method._rounds():
        before, bound = bound, model.update()
        method.converged_ = bound - before <= least_gain
    return model.gamma, model.beta, model.alpha, -bound


def _clustered(ensemble: Ensemble, c: int, random_state: RandomState) -> _Start:
    """Indicators of a k-means clustering of the rows of Z."""
    return clustered_rows(ensemble, c, random_state), None, None


def drawn_start(ensemble: Ensemble, c: int, random_state: RandomState) -> _Start:
    """Equal memberships, and α and β drawn uniformly."""
    alpha = random_state.uniform(size=c)
    beta = random_state.uniform(size=(ensemble.n_clusters_total, c))
    totals = np.add.reduceat(beta, ensemble.offsets[:-1], axis=0)
    beta /= totals[ensemble.clustering_of_cluster]
    return np.full((ensemble.microclusters.count, c), 1 / c), alpha, beta


class _Model:
    """γ, β and α on the microclusters; φ is implied."""

    def __init__(self, ensemble: Ensemble, start: _Start, smoothing: float) -> None:
        phi, alpha, beta = start
        self.Z = ensemble.microcluster_membership
        self.r = ensemble.microclusters.r
        self.m = ensemble.n_clusterings
        self.columns = self.Z.indices.reshape(-1, self.m)
        self.offsets = ensemble.offsets
        self.clustering = ensemble.clustering_of_cluster
        self.smoothing = smoothing
        self.alpha = np.full(phi.shape[1], 1 / phi.shape[1]) if alpha is None else alpha
        self.gamma = self.alpha + self.m * phi
        if beta is None:
            beta = self._distributions(self.Z.T @ (phi * self.r[:, None]))
        self.beta = beta

    def update(self) -> float:
        """One round of φ, γ, β and α; returns the bound before it, for the best φ."""
        # E = exp E_q[log θ]. The second term cancels in φ, but not in the bound.
        log_E = digamma(self.gamma) - digamma(self.gamma.sum(axis=1, keepdims=True))
        E = np.exp(log_E)
        evidence = self._evidence(E)
        bound = self._bound(log_E, evidence)
        of_label = (1 / evidence).ravel()
        shares = sp.csr_array((of_label, self.Z.indices, self.Z.indptr), shape=self.Z.shape)
        self.gamma = (shares @ self.beta) * E + self.alpha
        E *= self.r[:, None]
        self.beta = self._distributions(self.beta * (shares.T @ E))
        self.alpha = self._best_alpha()
        return bound

    def _evidence(self, E: Array) -> Array:
        """(n', m) array of Σ_h E_kh β_jh,x_kj."""
        evidence = np.empty(self.columns.shape)
        n_rows = max(1, _GATHERED // (self.m * E.shape[1]))
        for start in range(0, len(E), n_rows):
            rows = slice(start, start + n_rows)
            gathered = self.beta[self.columns[rows]]
            np.matmul(gathered, E[rows, :, None], out=evidence[rows, :, None])
        return evidence

    def _bound(self, log_E: Array, evidence: Array) -> float:
        """Σ_k r_k (Σ_j log Σ_h E β − KL(q(θ_k) ‖ p(θ_k))) and the log-prior of β."""
        alpha, gamma = self.alpha, self.gamma
        divergence = gammaln(gamma.sum(axis=1)) - gammaln(gamma).sum(axis=1)
        divergence += np.einsum("kh,kh->k", gamma - alpha, log_E)
        divergence += gammaln(alpha).sum() - gammaln(alpha.sum())
        fit = np.log(evidence).sum(axis=1)
        prior = self.smoothing * np.log(self.beta).sum()
        return float(self.r @ (fit - divergence) + prior)

    def _distributions(self, counts: Array) -> Array:
        """β from the expected number of samples of each label."""
        counts += self.smoothing
        totals = np.add.reduceat(counts, self.offsets[:-1], axis=0)
        counts /= totals[self.clustering]
        return counts

    def _best_alpha(self) -> Array:
        """Maximise E_q[log p(θ | α)], a concave function of α, by Newton's method."""
        gamma, alpha = self.gamma, self.alpha
        if len(alpha) == 1:
            return alpha
        log_theta = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
        mean = self.r @ log_theta / self.r.sum()
        value = _log_density(alpha, mean)
        for _ in range(_NEWTON_STEPS):
            step = _newton_step(alpha, mean)
            while (alpha + step <= 0).any():
                step /= 2
            trial = _log_density(alpha + step, mean)
            if trial <= value:
                break
            alpha, value = alpha + step, trial
        return alpha


def _newton_step(alpha: Array, mean: Array) -> Array:
    """Newton's step for α: the Hessian is diag(−Ψ'(α)) plus the same number everywhere."""
    total = alpha.sum()
    gradient = digamma(total) - digamma(alpha) + mean
    curvature = polygamma(1, alpha)
    rest = 1 / polygamma(1, total) - (1 / curvature).sum()
    return (gradient + (gradient / curvature).sum() / rest) / curvature


def _log_density(alpha: Array, mean: Array) -> float:
    """E log p(θ | α) up to terms without α, `mean` the expectation of log θ."""
    return float(gammaln(alpha.sum()) - gammaln(alpha).sum() + alpha @ mean)
