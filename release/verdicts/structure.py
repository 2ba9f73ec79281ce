"""Sentences of ``coassoc memberships`` on results of STRUCTURE.

Genotypes are those of :mod:`verdicts.memberships`. The model with admixture of STRUCTURE (J. K.
Pritchard, M. Stephens, P. Donnelly 2000; uniform frequencies, one α) is sampled by its Gibbs
sampler for K = 1 to 5 from three starts. Each chain is short: it starts at the maximum of the
likelihood from a random start, and keeps 70 of 100 sweeps. ln P(D) is the mean of the log
likelihood minus half of its variance, as STRUCTURE prints it.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from verdicts import Kind, Product
from verdicts.memberships import KINDS, LARGEST, STARTS, Array, Rng, Runs, admixture, fit, said

BURN_IN, SWEEPS = 30, 100


def sample(g: Array, K: int, rng: Rng) -> tuple[Array, float]:
    """Mean memberships and the estimate of ln P(D) of a chain."""
    q, f, _ = fit(g, np.ones(g.shape, dtype=bool), K, rng)
    is_one, n, alpha = np.stack([g >= 1, g == 2]), len(g), 1.0
    mean, likelihoods = np.zeros((n, K)), []
    for sweep in range(SWEEPS):
        one, other = (np.cumsum(q[:, :, None] * each, axis=1) for each in (f, 1 - f))
        if sweep >= BURN_IN:
            mean += q / (SWEEPS - BURN_IN)
            h = one[:, -1]
            likelihoods.append((g * np.log(h) + (2 - g) * np.log(other[:, -1])).sum())
        # The population of each copy of each locus, then memberships and frequencies.
        u = rng.random(is_one.shape) * np.where(is_one, one[:, -1], other[:, -1])
        z = sum((u > np.where(is_one, one[:, k], other[:, k])).astype(int) for k in range(K - 1))
        is_in = [z == k for k in range(K)] if K > 1 else [np.ones_like(is_one)]
        size = np.array([each.sum(axis=(0, 2)) for each in is_in]).T
        ones = np.array([(each & is_one).sum(axis=(0, 1)) for each in is_in])
        zeros = np.array([each.sum(axis=(0, 1)) for each in is_in]) - ones
        f = np.clip(rng.beta(1 + ones, 1 + zeros), 1e-9, 1 - 1e-9)
        q = np.maximum(rng.standard_gamma(alpha + size), 1e-12)
        q /= q.sum(axis=1, keepdims=True)
        logs = np.log(q).sum()

        def posterior(a: float, logs: float = logs) -> float:
            return float(n * (gammaln(K * a) - K * gammaln(a)) + (a - 1) * logs + np.log(a))

        for _ in range(5):  # α is uniform up to 10
            new = alpha * np.exp(rng.normal(scale=0.3))
            if new < 10 and np.log(rng.random()) < posterior(new) - posterior(alpha):
                alpha = new
    return mean, float(np.mean(likelihoods) - np.var(likelihoods) / 2)


def structure(make: Callable[[Rng], Array], truth: int, rng: Rng) -> Runs:
    """Results for each K."""
    g, memberships, scores = make(rng).astype(float), {}, []
    for K in range(1, LARGEST + 1):
        for start in range(STARTS):
            memberships[f"run{start}.{K}"], ln = sample(g, K, rng)
            scores.append(("ln P(D)", K, ln))
    return Runs(memberships, scores, truth)


def sampled(about: Kind) -> Kind:
    """The same genotypes, sampled."""
    make, truth = about.make.args
    return Kind(lambda rng: structure(make, truth, rng), about.true, about.plain, about.open)


PRODUCT = Product(
    "`coassoc memberships`, results of STRUCTURE",
    {
        "wrong": "K = 3 is supported (another number of populations was simulated)",
        "right": "K = 3 is supported (this number of populations was simulated)",
    },
    {
        name: sampled(about)
        for name, about in KINDS.items()
        if getattr(about.make, "func", None) is admixture
    },
    lambda runs: said(runs) & {"wrong", "right"},
    first=10_000,
)
