"""Sentences of ``coassoc memberships`` on results of STRUCTURE.

Genotypes are those of :mod:`verdicts.memberships`. The model with admixture of STRUCTURE (J. K.
Pritchard, M. Stephens, P. Donnelly 2000; uniform frequencies, one α) is sampled by its Gibbs
sampler for K = 1 to 5 from three starts. Each chain starts at the maximum of the likelihood from a
random start, and keeps 400 of 500 sweeps. (With 70, memberships of chains in the same solution
differ by more than the modes of `coassoc memberships` allow; users of STRUCTURE keep 10,000 or
more.) ln P(D) is the mean of the log likelihood minus half of its variance, as STRUCTURE prints it.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from coassoc.numerics.compiled import compiled
from verdicts import Kind, Product
from verdicts.memberships import KINDS, LARGEST, STARTS, Array, Rng, Runs, admixture, fit, said

BURN_IN, SWEEPS = 100, 500


def sample(g: Array, K: int, rng: Rng) -> tuple[Array, float]:
    """Mean memberships and the estimate of ln P(D) of a chain."""
    q, f, _ = fit(g, np.ones(g.shape, dtype=bool), K, rng)
    alleles, n, alpha = g.astype(np.int64), len(g), 1.0
    mean, likelihoods = np.zeros((n, K)), []
    for sweep in range(SWEEPS):
        if sweep >= BURN_IN:
            mean += q / (SWEEPS - BURN_IN)
            h = q @ f
            likelihoods.append((g * np.log(h) + (2 - g) * np.log(1 - h)).sum())
        size, counts = np.zeros((n, K)), np.zeros((2, K, g.shape[1]))
        populations_of_copies(alleles, q, f, rng.random((2, *g.shape)), size, counts)
        f = np.clip(rng.beta(1 + counts[1], 1 + counts[0]), 1e-9, 1 - 1e-9)
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


@compiled("void(i2, f2, f2, float64[:, :, ::1], f2, float64[:, :, ::1])")
def populations_of_copies(alleles, q, f, u, size, counts):
    """Draw the population of each copy of each locus, and count copies by sample and by allele."""
    n, loci = alleles.shape
    K = q.shape[1]
    p = np.empty(K)
    for copy in range(2):
        for i in range(n):
            for l in range(loci):
                allele = 1 if alleles[i, l] > copy else 0
                total = 0.0
                for k in range(K):
                    total += q[i, k] * (f[k, l] if allele == 1 else 1 - f[k, l])
                    p[k] = total
                k, place = 0, u[copy, i, l] * total
                while k < K - 1 and p[k] <= place:
                    k += 1
                size[i, k] += 1
                counts[allele, k, l] += 1


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
    first=20_000,
)
