"""Sentences of ``coassoc memberships``: on runs of a small ADMIXTURE, and around known solutions.

Genotypes of 40 samples at 200 loci are simulated. The model of ADMIXTURE is fitted from random
starts for K = 1 to 5, with its cross-validation error over five parts of the genotypes.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from coassoc.soft import align_memberships, compare_numbers
from verdicts import Kind, Product, kind

Array = np.ndarray
Rng = np.random.Generator
N, LOCI, LARGEST, STARTS, PARTS = 40, 200, 5, 3, 5


class Runs(NamedTuple):
    """Runs by names, scores as in :func:`compare_numbers`, and the number of populations."""

    memberships: dict[str, Array]
    scores: list[tuple[str, int, float]]
    truth: int


# -- a small ADMIXTURE ----------------------------------------------------------------------------


def fit(g: Array, seen: Array, K: int, rng: Rng) -> tuple[Array, Array, float]:
    """Memberships, frequencies and log likelihood by accelerated EM (SQUAREM)."""
    q, f = rng.dirichlet(np.ones(K), len(g)), rng.uniform(0.1, 0.9, (K, g.shape[1]))
    twice, one, other = 2 * seen.sum(axis=1, keepdims=True), g * seen, (2 - g) * seen

    def inside(q: Array, f: Array) -> tuple[Array, Array]:
        q = np.maximum(q, 1e-5)
        return q / q.sum(axis=1, keepdims=True), np.clip(f, 1e-5, 1 - 1e-5)

    def step(q: Array, f: Array) -> tuple[Array, Array]:
        h = q @ f
        a, b = one / h, other / (1 - h)
        u, v = f * (q.T @ a), (1 - f) * (q.T @ b)
        return inside(q * (a @ f.T + b @ (1 - f).T) / twice, u / (u + v))

    def likelihood(q: Array, f: Array) -> float:
        h = q @ f
        return float((one * np.log(h) + other * np.log(1 - h)).sum())

    q, f = inside(q, f)
    last = -np.inf
    for _ in range(60 if K > 1 else 1):
        (q1, f1), before = step(q, f), (q, f)
        q2, f2 = step(q1, f1)
        r, v = (q1 - q, f1 - f), (q2 - 2 * q1 + q, f2 - 2 * f1 + f)
        size = [sum(float((x**2).sum()) for x in both) for both in (r, v)]
        alpha = max(1.0, np.sqrt(size[0] / max(size[1], 1e-300)))
        jump = (x + 2 * alpha * d + alpha**2 * e for x, d, e in zip(before, r, v, strict=True))
        q, f = step(*inside(*jump))
        if (new := likelihood(q, f)) < last:
            q, f = step(q2, f2)
            new = likelihood(q, f)
        if abs(new - last) < 0.05:
            break
        last = new
    return q, f, new


def deviance(g: Array, expected: Array) -> float:
    """Sum of the binomial deviance residuals of ADMIXTURE's cross-validation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = g * np.log(g / expected), (2 - g) * np.log((2 - g) / (2 - expected))
    return float(np.nansum(one) + np.nansum(other))


def admixture(make: Callable[[Rng], Array], truth: int, rng: Rng) -> Runs:
    """Runs of genotypes for each K, with CV errors and log likelihoods."""
    g = make(rng).astype(float)
    runs: dict[str, Array] = {}
    scores = []
    part, whole = rng.integers(0, PARTS, g.shape), np.ones(g.shape, dtype=bool)
    for K in range(1, LARGEST + 1):
        for start in range(STARTS if K > 1 else 1):
            runs[f"run{start}.{K}"], _, ln = fit(g, whole, K, rng)
            scores.append(("log likelihood", K, ln))
        error = 0.0
        for k in range(PARTS):
            q, f, _ = fit(g, part != k, K, rng)
            error += deviance(g[part == k], np.clip(2 * q @ f, 1e-4, 2 - 1e-4)[part == k])
        scores.append(("CV error", K, error / g.size))
    return Runs(runs, scores, truth)


# -- genotypes ------------------------------------------------------------------------------------


def drifted(p: Array, F: float, rng: Rng, K: int = 1) -> Array:
    """Frequencies of K populations after drift from p (Balding and Nichols)."""
    scale = (1 - F) / F
    a, b = np.maximum(p * scale, 1e-3), np.maximum((1 - p) * scale, 1e-3)
    return np.clip(rng.beta(a, b, (K, len(p))), 1e-3, 1 - 1e-3)


def ancestral(rng: Rng) -> Array:
    """Frequencies of an ancestral population."""
    return rng.uniform(0.1, 0.9, LOCI)


def populations(sizes: list[int], F: float, rng: Rng) -> Array:
    """Populations that drifted apart from one ancestral population."""
    f = drifted(ancestral(rng), F, rng, len(sizes))
    return rng.binomial(2, np.repeat(f, sizes, axis=0))


def one_population(rng: Rng) -> Array:
    """Samples of a single population."""
    return rng.binomial(2, np.tile(ancestral(rng), (N, 1)))


def admixed(K: int, alpha: float, rng: Rng, F: float = 0.2) -> Array:
    """Samples with ancestry from K populations."""
    q = rng.dirichlet(np.full(K, alpha), N)
    return rng.binomial(2, q @ drifted(ancestral(rng), F, rng, K))


def space(dim: int, amplitude: float, rng: Rng) -> Array:
    """Frequencies that change smoothly in space."""
    return rng.binomial(2, smooth(rng.uniform(size=(N, dim)), amplitude, rng))


def smooth(x: Array, amplitude: float, rng: Rng, scale: float = 0.5) -> Array:
    """Frequencies at places x by a Gaussian process of their logits."""
    d = np.linalg.norm(x[:, None] - x, axis=2)
    root = np.linalg.cholesky(np.exp(-(d**2) / (2 * scale**2)) + 1e-6 * np.eye(len(x)))
    p = ancestral(rng)
    return 1 / (1 + np.exp(-np.log(p / (1 - p)) - amplitude * root @ rng.normal(size=(N, LOCI))))


def chain(F: float, rng: Rng, ring: bool = False, demes: int = 10) -> Array:
    """Demes of 4 samples, each drifted from the previous one; in a ring, both ends meet."""
    f = [ancestral(rng)]
    for _ in range(demes - 1):
        f.append(drifted(f[-1], F, rng)[0])
    if ring:
        w = np.linspace(0, 1, demes)[:, None]
        f = [*((1 - w) * f + w * np.roll(f, -1, axis=0) + f[::-1]) / 2]
    return rng.binomial(2, np.repeat(np.clip(f, 0, 1), N // demes, axis=0))


def linked(block: int, rng: Rng) -> Array:
    """Loci that are copies of each other."""
    return np.repeat(one_population(rng)[:, : LOCI // block], block, axis=1)


def haplotypes(rng: Rng, block: int = 20) -> Array:
    """Blocks of loci, each with five haplotypes."""
    blocks = []
    for _ in range(LOCI // block):
        h, w = rng.integers(0, 2, (5, block)), rng.dirichlet(np.full(5, 2.0))
        blocks.append(h[rng.choice(5, N, p=w)] + h[rng.choice(5, N, p=w)])
    return np.hstack(blocks)


def inbred(rng: Rng) -> Array:
    """Samples with different coefficients of inbreeding."""
    p = ancestral(rng)
    a, b = rng.binomial(1, p, (2, N, LOCI))
    return a + np.where(rng.uniform(size=(N, LOCI)) < rng.uniform(0, 0.6, (N, 1)), a, b)


def with_copies(rng: Rng) -> Array:
    """One population with six samples that occur twice."""
    g = one_population(rng)
    g[:6] = g[6:12]
    return g


def with_dropout(rng: Rng) -> Array:
    """A half of the samples loses alleles of heterozygotes."""
    g = one_population(rng)
    lost = (g == 1) & (np.arange(N)[:, None] < N // 2) & (rng.uniform(size=g.shape) < 0.3)
    return np.where(lost, 2 * rng.integers(0, 2, g.shape), g)


def with_gaps(rng: Rng) -> Array:
    """One population; a half of the samples lacks many genotypes, which are imputed by the mean."""
    g = one_population(rng)
    lost = (np.arange(N)[:, None] < N // 2) & (rng.uniform(size=g.shape) < 0.3)
    return np.where(lost, np.round(g.mean(axis=0)), g).astype(int)


def sites(rng: Rng) -> Array:
    """Five samples at each of eight sites, between which frequencies change smoothly."""
    x = np.repeat(rng.uniform(size=(8, 2)), N // 8, axis=0)
    return rng.binomial(2, smooth(x, 1.0, rng))


def families(rng: Rng, each: int = 5) -> Array:
    """Families of full sibs."""
    p, g = ancestral(rng), []
    for _ in range(N // each):
        mother, father = rng.binomial(1, p, (2, 2, LOCI))
        for _ in range(each):
            g.append(sum(np.where(rng.integers(0, 2, LOCI), *pair) for pair in (mother, father)))
    return np.array(g)


def hybrids(rng: Rng) -> Array:
    """Two populations, four first-generation hybrids and two backcrosses."""
    q = np.array([[1, 0]] * 17 + [[0, 1]] * 17 + [[0.5, 0.5]] * 4 + [[0.75, 0.25]] * 2)
    return rng.binomial(2, q @ drifted(ancestral(rng), 0.2, rng, 2))


def nested(rng: Rng) -> Array:
    """Two groups of two populations."""
    top = drifted(ancestral(rng), 0.2, rng, 2)
    f = np.vstack([drifted(p, 0.05, rng, 2) for p in top])
    return rng.binomial(2, np.repeat(f, N // 4, axis=0))


# -- runs around known solutions ------------------------------------------------------------------


def noisy(solutions: list[Array], runs: list[int], sd: float, rng: Rng) -> Runs:
    """Runs of each solution with noise, and with their columns in any order."""
    made = []
    for Q, times in zip(solutions, runs, strict=True):
        for _ in range(times):
            R = np.maximum(Q + rng.normal(scale=sd, size=Q.shape), 0)
            made.append((R / R.sum(axis=1, keepdims=True)).round(3)[:, rng.permutation(Q.shape[1])])
    return Runs({str(r): made[r] for r in rng.permutation(len(made))}, [], 0)


def base(K: int, alpha: float, rng: Rng, n: int = 60) -> Array:
    """A solution."""
    return rng.dirichlet(np.full(K, alpha), n)


def same(K: int, alpha: float, sd: float, rng: Rng, n: int = 60) -> Runs:
    """Five runs around one solution."""
    return noisy([base(K, alpha, rng, n)], [5], sd, rng)


def merged_differently(alpha: float, sd: float, runs: list[int], rng: Rng) -> Runs:
    """Four populations in three clusters, of which one has two populations."""
    Q = base(4, alpha, rng)
    pairs = [(0, 1), (2, 3), (0, 2)][: len(runs)]
    solutions = [
        np.column_stack([Q[:, a] + Q[:, b], np.delete(Q, [a, b], axis=1)]) for a, b in pairs
    ]
    return noisy(solutions, runs, sd, rng)


def moved_samples(n_moved: int, sd: float, rng: Rng) -> Runs:
    """Some samples of one population are in another cluster in a second solution."""
    Q = np.repeat(np.eye(3), 20, axis=0)
    R = Q.copy()
    R[:n_moved] = [0, 1, 0]
    return noisy([Q, R], [3, 2], sd, rng)


def shrunken(rng: Rng) -> Runs:
    """A second solution has the same clusters with half of the contrast."""
    Q = base(3, 0.2, rng)
    return noisy([Q, 0.5 * Q + 0.5 / 3], [3, 3], 0.01, rng)


# -- the product ----------------------------------------------------------------------------------


def said(runs: Runs) -> set[str]:
    """Keys of the sentences that the command prints."""
    aligned = align_memberships(runs.memberships)
    _, K, verdict = compare_numbers(aligned, runs.scores)
    found = set() if K is None else {"right" if K == runs.truth else "wrong"}
    if runs.scores:
        return found | ({"small"} if "overlook small clusters" in verdict else set())
    (level,) = aligned.levels.values()
    return {"one" if len(level.modes) == 1 else "several"}


def genotypes(make: Callable[[Rng], Array], truth: int = 1, **keys: str) -> Kind:
    """A kind of genotypes, and the number of populations."""
    return kind(partial(admixture, make, truth), **{"open": "one several small", **keys})


def solutions(make: Callable[[Rng], Runs], plain: str) -> Kind:
    """A kind of runs around known solutions."""
    return kind(make, plain=plain, open="right wrong small")


OPEN = "right wrong one several small"
KINDS = {
    "one population": genotypes(one_population),
    "along a line": genotypes(partial(space, 1, 1.0)),
    "in a plane": genotypes(partial(space, 2, 1.0)),
    "along a line, weak": genotypes(partial(space, 1, 0.4)),
    "chain of 10 demes": genotypes(partial(chain, 0.05)),
    "chain of 10 demes, weak": genotypes(partial(chain, 0.01)),
    "10 populations": genotypes(partial(populations, [4] * 10, 0.1)),
    "linked loci": genotypes(partial(linked, 10)),
    "haplotypes": genotypes(haplotypes),
    "inbreeding": genotypes(inbred),
    "copied samples": genotypes(with_copies),
    "lost alleles": genotypes(with_dropout),
    "2 populations, F = 0.005": genotypes(partial(populations, [20, 20], 0.005), 2, true="right"),
    "full sibs": genotypes(families, open=OPEN),
    "two pairs of populations": genotypes(nested, open=OPEN),
    "ring of 10 demes": genotypes(partial(chain, 0.05, ring=True)),
    "8 sites in a plane": genotypes(sites),
    "missing genotypes": genotypes(with_gaps),
    "2 populations": genotypes(partial(populations, [20, 20], 0.2), 2, plain="right"),
    "3 populations": genotypes(partial(populations, [14, 13, 13], 0.2), 3, plain="right"),
    "4 populations": genotypes(partial(populations, [10] * 4, 0.3), 4, plain="right"),
    "2 populations and hybrids": genotypes(hybrids, 2, plain="right"),
    "3 populations of 24, 10, 6": genotypes(
        partial(populations, [24, 10, 6], 0.25), 3, true="right small"
    ),
    "2 populations of 28 and 12": genotypes(partial(populations, [28, 12], 0.2), 2, plain="right"),
    "3 populations, F = 0.05": genotypes(partial(populations, [14, 13, 13], 0.05), 3, true="right"),
    "2 populations, admixed": genotypes(partial(admixed, 2, 0.5), 2, true="right"),
    "3 populations, admixed": genotypes(partial(admixed, 3, 0.3), 3, true="right"),
    "two solutions": solutions(partial(merged_differently, 0.05, 0.01, [3, 2]), "several"),
    "two solutions, admixed": solutions(partial(merged_differently, 1.0, 0.02, [3, 2]), "several"),
    "three solutions": solutions(partial(merged_differently, 0.2, 0.02, [2, 2, 2]), "several"),
    "one odd run": solutions(partial(merged_differently, 0.2, 0.02, [5, 1]), "several"),
    "3 of 60 samples move": solutions(partial(moved_samples, 3, 0.01), "several"),
    "half of the contrast": solutions(shrunken, "several"),
    "two solutions, noise 0.03": solutions(
        partial(merged_differently, 0.3, 0.03, [3, 3]), "several"
    ),
    "one solution, K = 5, noise 0.03": solutions(partial(same, 5, 0.2, 0.03), "one"),
    "one solution": solutions(partial(same, 3, 0.1, 0.01), "one"),
    "one solution, admixed": solutions(partial(same, 3, 1.0, 0.02), "one"),
    "one solution, K = 8": solutions(partial(same, 8, 0.2, 0.02), "one"),
    "one solution, 2,000 samples": solutions(partial(same, 4, 0.3, 0.02, n=2000), "one"),
    "one solution, 10 samples": solutions(partial(same, 3, 0.3, 0.02, n=10), "one"),
}

PRODUCT = Product(
    "`coassoc memberships`",
    {
        "wrong": "K = 3 is supported (another number of populations was simulated)",
        "right": "K = 3 is supported (this number of populations was simulated)",
        "small": "Such scores can overlook small clusters",
        "one": "K = 3: 5 runs in 1 mode",
        "several": "K = 3: 5 runs in 2 modes",
    },
    KINDS,
    said,
    first=20_000,
)
