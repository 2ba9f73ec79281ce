"""A small sampler of partitions: a Dirichlet process mixture of normals, by Gibbs sampling.

R. M. Neal, "Markov chain sampling methods for Dirichlet process mixture models", Journal of
Computational and Graphical Statistics 9(2), 2000, algorithm 3, with means integrated out.
"""

import numpy as np
from numpy.typing import NDArray


def sampled_partitions(
    x: NDArray, n_draws: int, seed: int = 0, concentration: float = 1.0, spread: float = 3.0
) -> NDArray[np.int64]:
    """(n, draws) clusters of numbers x; clusters have deviation 1, and their means `spread`."""
    random = np.random.default_rng(seed)
    n, precision = len(x), spread**-2
    z = np.zeros(n, dtype=np.int64)
    draws = np.empty((n, n_draws), dtype=np.int64)
    for draw in range(n_draws + 20):
        for i in range(n):
            rest = np.delete(np.arange(n), i)
            sizes = np.bincount(z[rest], minlength=n)
            sums = np.bincount(z[rest], x[rest], minlength=n)
            empty = int(np.flatnonzero(sizes == 0)[0])
            weights = sizes.astype(float)
            weights[empty] = concentration
            variance = 1 / (precision + sizes)
            away = x[i] - variance * sums
            logs = np.log(np.maximum(weights, 1e-300)) - np.log(1 + variance) / 2
            logs -= away**2 / (2 * (1 + variance))
            p = np.where(weights > 0, np.exp(logs - logs.max()), 0.0)
            z[i] = random.choice(n, p=p / p.sum())
        if draw >= 20:
            draws[:, draw - 20] = z
    return draws


def draws_of_groups(n: int, n_draws: int, seed: int = 0) -> NDArray[np.int64]:
    """Draws for n numbers that lie in three groups."""
    x = np.random.default_rng(seed).normal(np.arange(n) % 3 * 3.0, 1.0)
    return sampled_partitions(x, n_draws, seed)
