"""Subtypes: samples with and without groups.

No design choice was made on these kinds or seeds; the procedure was chosen on other kinds.
"""

from __future__ import annotations

import numpy as np

import coassoc
from verdicts import Product, kind

Array = np.ndarray


def mixed(latent: Array, d: int, rng: np.random.Generator, noise: float) -> Array:
    """Latent variables in d features by random loadings, with Gaussian noise."""
    loadings = rng.normal(size=(latent.shape[1], d)) / np.sqrt(latent.shape[1])
    return latent @ loadings + rng.normal(scale=noise, size=(len(latent), d))


def spiral(rng: np.random.Generator) -> Array:
    """A curved trajectory of 150 samples."""
    t = rng.uniform(size=150)
    angle = 1.5 * np.pi * t
    return mixed(np.column_stack([np.cos(angle), np.sin(angle), 2 * t]) * 2, 40, rng, 0.4)


def waves(rng: np.random.Generator) -> Array:
    """A trajectory along which 100 features rise one after the other."""
    t, start = rng.uniform(size=(120, 1)), rng.uniform(size=100)
    return 2 / (1 + np.exp(-(t - start) / 0.05)) + rng.normal(scale=0.4, size=(120, 100))


def cycle(rng: np.random.Generator) -> Array:
    """A cycle with two harmonics."""
    t = rng.uniform(0, 2 * np.pi, 180)
    parts = [np.cos(t), np.sin(t), 0.5 * np.cos(2 * t), 0.5 * np.sin(2 * t)]
    return mixed(np.column_stack(parts) * 2, 50, rng, 0.4)


def branches(rng: np.random.Generator) -> Array:
    """A trajectory with four branches."""
    branch = np.eye(4)[rng.integers(0, 4, 200)]
    return mixed(branch * rng.uniform(0, 4, (200, 1)), 40, rng, 0.4)


def skewed_factors(rng: np.random.Generator) -> Array:
    """Two exponential factors."""
    return mixed(rng.exponential(2, (150, 2)), 60, rng, 0.5)


def lognormal(rng: np.random.Generator) -> Array:
    """Independent log-normal features."""
    return rng.lognormal(size=(60, 4))


def gaussian(rng: np.random.Generator) -> Array:
    """One Gaussian group in 20 dimensions."""
    return rng.normal(size=(100, 20)) * np.linspace(1, 3, 20)


def gaussian_plane(rng: np.random.Generator) -> Array:
    """One Gaussian group in the plane."""
    return rng.normal(size=(200, 2)) * [1, 2]


def low_rank(rng: np.random.Generator) -> Array:
    """Three Gaussian factors in 300 features."""
    return mixed(rng.normal(size=(100, 3)) * [3, 2, 2], 300, rng, 1.0)


def uniform(rng: np.random.Generator) -> Array:
    """A uniform cube."""
    return rng.uniform(size=(120, 3))


def heavy_tails(rng: np.random.Generator) -> Array:
    """Student's t with four degrees of freedom."""
    return rng.normal(size=(100, 30)) / np.sqrt(rng.chisquare(4, (100, 1)) / 4)


def series(rng: np.random.Generator) -> Array:
    """Autoregressive series of order 1."""
    X = rng.normal(size=(100, 80))
    for j in range(1, 80):
        X[:, j] += 0.9 * X[:, j - 1]
    return X


def counts(rng: np.random.Generator) -> Array:
    """Raw counts of one group, with different depths."""
    mean = rng.gamma(0.5, 40, 400) * rng.lognormal(0, 0.5, (100, 1))
    return rng.negative_binomial(3, 3 / (3 + mean)).astype(float)


def replicates(rng: np.random.Generator) -> Array:
    """Two replicates of each of 50 samples of one group."""
    return np.repeat(rng.normal(size=(50, 40)), 2, axis=0) + rng.normal(scale=0.25, size=(100, 40))


def outliers(rng: np.random.Generator) -> Array:
    """One group and three outliers."""
    X = rng.normal(size=(100, 40))
    X[:3] *= 5
    return X


def groups(
    rng: np.random.Generator,
    sizes: tuple[int, ...],
    d: int,
    distance: float,
    informative: int | None = None,
) -> Array:
    """Spherical groups with random means, the nearest ones at a distance in standard deviations."""
    informative = informative or d
    while True:
        means = rng.normal(size=(len(sizes), informative))
        D = np.linalg.norm(means[:, None] - means, axis=2)[np.triu_indices(len(sizes), 1)]
        if D.min() > D.max() / 3:
            break
    X = rng.normal(size=(sum(sizes), d))
    X[:, :informative] += np.repeat(means * distance / D.min(), sizes, axis=0)
    return X


def hierarchy(rng: np.random.Generator) -> Array:
    """Two groups of two."""
    means = np.array([[0, 0, 0], [0, 7, 0], [16, 0, 0], [16, 0, 7]]) @ rng.normal(size=(3, 30))
    return np.repeat(means / np.sqrt(30), 40, axis=0) + rng.normal(size=(160, 30))


def with_depth(rng: np.random.Generator) -> Array:
    """Four groups and a common factor."""
    X = groups(rng, (40,) * 4, 200, 9)
    return X + rng.normal(size=(160, 1)) * rng.normal(0.3, 0.05, 200)


def elongated(rng: np.random.Generator) -> Array:
    """Three groups with a longer axis each."""
    X = groups(rng, (50,) * 3, 30, 12)
    for g in range(3):
        axis = rng.normal(size=30)
        X[50 * g : 50 * g + 50] += rng.normal(size=(50, 1)) * 2 * axis / np.linalg.norm(axis)
    return X


def groups_and_outliers(rng: np.random.Generator) -> Array:
    """Three groups and two outliers."""
    X = groups(rng, (1, 1, 40, 40, 40), 50, 10)
    X[:2] = rng.normal(scale=6, size=(2, 50))
    return X


def said(given: tuple[Array, int]) -> set[str]:
    """Sentences of the verdict with 15 resamples, five starts and 19 null data sets."""
    X, n_groups = given
    found = coassoc.subtypes(X, range(2, 7), 15, n_clouds=19, n_init=5).structure
    largest = max((len(found.densities[k]) for k in found.groups), default=0)
    keys = {
        "one": found.is_clustered is False,
        "more": found.is_clustered,
        "continuum": found.is_clustered and not found.groups,
        "gaps": bool(found.groups),
        "number": n_groups > 1 and largest == n_groups,
        "many": largest > n_groups,
        "again": bool(found.groups and found.splits),
        "outliers": len(found.outliers) > 0,
        "replicates": len(found.replicates) > 0,
    }
    return {key for key, is_said in keys.items() if is_said}


def numbered(make, n_groups, *arguments):  # type: ignore[no-untyped-def]
    """Samples, and their number of groups."""
    return lambda rng: (make(rng, *arguments), n_groups)


def without(make, true="", open=""):  # type: ignore[no-untyped-def]
    """A kind without groups."""
    return kind(numbered(make, 1), true=true, open=open)


def having(n_groups, make, *arguments, plain="more gaps number", true="", open=""):  # type: ignore[no-untyped-def]
    """A kind with groups."""
    return kind(numbered(make, n_groups, *arguments), plain=plain, true=true, open=open)


PRODUCT = Product(
    title="Subtypes",
    sentences={
        "one": "No evidence of more than one group",
        "more": "More clustered than null data",
        "continuum": "More clustered than null data, but no gaps between clusters",
        "gaps": "Groups separated by gaps",
        "number": "Groups separated by gaps at k clusters, where the largest k is right",
        "many": "Groups separated by gaps at k clusters, where k is too large",
        "again": "Cluster c splits again into two with a gap between them",
        "outliers": "Samples may be outliers instead of subtypes",
        "replicates": "Samples may be replicates",
    },
    kinds={
        "curve": without(spiral, true="more continuum", open="one"),
        "waves": without(waves, true="more continuum", open="one"),
        "cycle": without(cycle, true="more continuum", open="one"),
        "branches": without(branches, true="more continuum", open="one"),
        "two exponential factors": without(
            skewed_factors, true="more continuum", open="one outliers"
        ),
        "log-normal": without(lognormal, true="one", open="outliers"),
        "Gaussian, d = 20": without(gaussian, true="one"),
        "Gaussian, d = 2": without(gaussian_plane, true="one"),
        "three Gaussian factors": without(low_rank, true="one"),
        "uniform": without(uniform, open="one more continuum"),
        "t₄": without(heavy_tails, true="one", open="outliers"),
        "AR(1) series": without(series, true="one"),
        "raw counts, depth": without(counts, open="one more continuum outliers"),
        "50 × 2 replicates": without(replicates, true="replicates", open="one more continuum"),
        "3 outliers": without(outliers, true="one outliers"),
        "2 groups": having(2, groups, (50, 50), 30, 7),
        "3 groups": having(3, groups, (40,) * 3, 30, 7),
        "4 groups": having(4, groups, (40,) * 4, 30, 7),
        "6 groups": having(6, groups, (40,) * 6, 30, 7),
        "90:10": having(2, groups, (180, 20), 30, 7),
        "70:20:10": having(3, groups, (140, 40, 20), 30, 7),
        "2 × 2 hierarchy": having(4, hierarchy),
        "4 groups, depth": having(4, with_depth),
        "3 groups, d = 1,000": having(3, groups, (40,) * 3, 1000, 12, 20),
        "3 groups in 5 of 200 features": having(3, groups, (40,) * 3, 200, 9, 5),
        "3 elongated groups": having(3, elongated),
        "8 groups, k ≤ 6": having(8, groups, (30,) * 8, 30, 8, plain="more gaps", true="again"),
        "3 groups, 2 outliers": having(3, groups_and_outliers, true="outliers"),
    },
    said=said,
)
