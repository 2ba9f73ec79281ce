"""Draws of the partition of 60 numbers in three groups, by a Gibbs sampler of a mixture."""

from pathlib import Path

import numpy as np
import pandas as pd

random = np.random.default_rng(0)
x = random.normal(np.repeat([0.0, 4.0, 7.0], 20), 1.0)  # 60 numbers in three groups
z = np.zeros(60, dtype=int)


def gibbs():
    """A sweep over a mixture of at most five normals with standard deviation 1."""
    for i in range(60):
        rest = np.arange(60) != i
        sizes = np.bincount(z[rest], minlength=5)
        sums = np.bincount(z[rest], x[rest], minlength=5)
        variance = 1 / (1 / 9 + sizes)
        mean = variance * (sums + 3 / 9)
        p = np.exp(-((x[i] - mean) ** 2) / (2 + 2 * variance)) / np.sqrt(1 + variance)
        p *= sizes + 0.2
        z[i] = random.choice(5, p=p / p.sum())
    return z.copy()


draws = np.column_stack([gibbs() for _ in range(600)][100:])  # 60 items × 500 draws
items = [f"item {i}" for i in range(1, 61)]
file = Path(__file__).with_name("draws.csv")
pd.DataFrame(draws.T, columns=items).to_csv(file, index=False)  # a row is a draw
