"""Subtypes: samples with and without groups.

No design choice was made on these kinds or seeds; the procedure was chosen on other kinds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

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


def gaussian_few(rng: np.random.Generator, n: int = 60, d: int = 25) -> Array:
    """One Gaussian group of a few samples."""
    return rng.normal(size=(n, d))


def lognormal_wide(rng: np.random.Generator) -> Array:
    """Independent log-normal features, more of them."""
    return rng.lognormal(sigma=0.6, size=(50, 30))


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


def hierarchy(rng: np.random.Generator, n: int = 40) -> Array:
    """Two groups of two."""
    means = np.array([[0, 0, 0], [0, 7, 0], [16, 0, 0], [16, 0, 7]]) @ rng.normal(size=(3, 30))
    return np.repeat(means / np.sqrt(30), n, axis=0) + rng.normal(size=(4 * n, 30))


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


def with_outliers(rng: np.random.Generator, n_outliers: int, make, *arguments) -> Array:  # type: ignore[no-untyped-def]
    """Samples of another kind, and outliers in random directions."""
    X = make(rng, *arguments)
    far = rng.normal(size=(n_outliers, X.shape[1]))
    length = 4 * np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1).max())
    X[:n_outliers] = X.mean(axis=0) + length * far / np.linalg.norm(far, axis=1)[:, None]
    return X


def replicated(rng: np.random.Generator, times: int, noise: float, make, *arguments) -> Array:  # type: ignore[no-untyped-def]
    """Several replicates of each sample of another kind, in the units of its features."""
    X = make(rng, *arguments)
    X = np.repeat(X, times, axis=0)
    return X + noise * X.std(axis=0) * rng.normal(size=X.shape)


def some_replicates(rng: np.random.Generator) -> Array:
    """A fifth of the samples twice."""
    X = rng.normal(size=(80, 40))
    return np.vstack([X, X[:20] + 0.25 * rng.normal(size=(20, 40))])


def sheet(rng: np.random.Generator) -> Array:
    """A uniform rectangle in 40 features."""
    return mixed(rng.uniform(size=(150, 2)) * [12, 8], 40, rng, 0.4)


def walk(rng: np.random.Generator) -> Array:
    """Samples of a random walk."""
    return np.cumsum(rng.normal(size=(120, 30)), axis=0)


def roll(rng: np.random.Generator) -> Array:
    """A sheet that is rolled up."""
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=150))
    return mixed(
        np.column_stack([t * np.cos(t), t * np.sin(t), 10 * rng.uniform(size=150)]), 20, rng, 0.3
    )


def annotated(rng: np.random.Generator, name: str, values) -> pd.DataFrame:  # type: ignore[no-untyped-def]
    """Measurements of 40 samples, one of which annotates the features instead."""
    X = pd.DataFrame(rng.lognormal(size=(40, 200)), [f"s{i}" for i in range(40)])
    X.iloc[7] = values(rng)
    return X.rename({"s7": name})


def said(given: tuple[Any, int, int, int]) -> set[str]:
    """Sentences of the verdict with 20 resamples and 49 null data sets."""
    X, n_groups, last, starts = given
    try:
        result = coassoc.subtypes(X, range(2, last + 1), 20, n_init=starts)
    except coassoc.DataError as error:
        return {"annotation"} if "may be an annotation" in str(error) else set()
    found = result.structure
    unsure = "".join(result.warnings)
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
        "halves": f" {n_groups} (ARI" in unsure if n_groups > 1 else bool(unsure),
    }
    return {key for key, is_said in keys.items() if is_said}


def numbered(make, n_groups, last, *arguments, starts=5):  # type: ignore[no-untyped-def]
    """Samples, number of groups, largest number of clusters, and starts of k-means."""
    return lambda rng: (make(rng, *arguments), n_groups, last, starts)


def without(make, *arguments, true="", open=""):  # type: ignore[no-untyped-def]
    """A kind without groups."""
    return kind(numbered(make, 1, 6, *arguments), true=true, open=f"{open} halves")


def null(make, *arguments, true="", open=""):  # type: ignore[no-untyped-def]
    """A kind without groups and without any other structure."""
    true = f"one halves {true}"
    return kind(numbered(make, 1, 6, *arguments), true=true, open=open)


def having(  # type: ignore[no-untyped-def]
    n_groups, make, *arguments, plain="more gaps number", true="", open="", last=6, starts=5
):
    """A kind with groups."""
    made = numbered(make, n_groups, last, *arguments, starts=starts)
    return kind(made, plain=plain, true=true, open=open)


def few(last, n_groups, make, *arguments, plain="more"):  # type: ignore[no-untyped-def]
    """A kind with more groups than the largest number of clusters, as three sentences allow."""
    options = {"plain": plain, "true": "more gaps again", "open": "one continuum"}
    return having(n_groups, make, *arguments, **options, last=last)


def annotation(name, values):  # type: ignore[no-untyped-def]
    """A kind with an annotation among the samples, which stops the command."""
    open = "one more continuum gaps many again outliers replicates halves"
    return kind(numbered(annotated, 1, 6, name, values), plain="annotation", open=open)


def whole(low: int, high: int):  # type: ignore[no-untyped-def]
    """Whole numbers for the features."""
    return lambda rng: rng.integers(low, high, 200)


PRODUCT = Product(
    title="Subtypes",
    sentences={
        "one": (
            "No evidence of more than one group at 2 to k clusters. More clusters were not tried"
        ),
        "more": "More clustered than null data",
        "continuum": (
            "More clustered than null data, but at no k are all clusters separated by gaps. The "
            "samples may be a continuum, replicates, groups that overlap or that another factor "
            "hides, or more groups than these k"
        ),
        "gaps": "Groups separated by gaps",
        "number": "Groups separated by gaps at k clusters (the largest k is right)",
        "many": "Groups separated by gaps at k clusters (the largest k is too large)",
        "again": "Cluster c splits again into two with a gap between them",
        "outliers": "Samples may be outliers instead of subtypes",
        "replicates": "Samples may be replicates",
        "halves": "Two halves of the resamples give different clusters (at the right k)",
        "annotation": "A sample may be an annotation of the features",
    },
    kinds={
        "curve": without(spiral, true="more continuum", open="one"),
        "waves": without(waves, true="more continuum", open="one"),
        "cycle": without(cycle, true="more continuum", open="one"),
        "branches": without(branches, true="more continuum", open="one"),
        "two exponential factors": without(
            skewed_factors, true="more continuum", open="one outliers"
        ),
        "sheet": without(sheet, true="more continuum", open="one"),
        "rolled sheet": without(roll, true="more continuum", open="one"),
        "random walk of samples": without(walk, true="more continuum", open="one"),
        "log-normal, d = 4": null(lognormal, open="outliers"),
        "Gaussian, d = 20": null(gaussian),
        "Gaussian, d = 2": null(gaussian_plane),
        "Gaussian, n = 40, d = 300": null(lambda rng: rng.normal(size=(40, 300))),
        "Gaussian, correlated": null(
            lambda rng: rng.normal(size=(80, 40)) + 1.2 * rng.normal(size=(80, 1))
        ),
        "Gaussian, unequal scales": null(
            lambda rng: rng.normal(size=(90, 20)) * rng.lognormal(sigma=1.2, size=20)
        ),
        "gamma": null(lambda rng: rng.gamma(4, size=(80, 20)), open="outliers"),
        "χ²₃": null(lambda rng: rng.chisquare(3, size=(120, 10)), open="outliers"),
        "three Gaussian factors": null(low_rank),
        "uniform": without(uniform, open="one more continuum"),
        "t₄": null(heavy_tails, open="outliers"),
        "AR(1) series": null(series),
        "raw counts, depth": without(counts, open="one more continuum outliers"),
        "50 × 2 replicates": without(replicates, true="replicates", open="one more continuum"),
        "60 × 3 replicates": without(
            replicated, 3, 0.2, gaussian_few, true="replicates", open="one more continuum"
        ),
        "25 × 4 replicates": without(
            replicated, 4, 0.2, gaussian_few, 25, true="replicates", open="one more continuum"
        ),
        "replicates of log-normal": without(
            replicated,
            2,
            0.15,
            lognormal_wide,
            true="replicates",
            open="one more continuum outliers",
        ),
        "replicates, more noise": without(
            replicated, 2, 0.35, gaussian_few, true="replicates", open="one more continuum"
        ),
        "replicates, d = 12": without(
            replicated, 2, 0.05, gaussian_few, 40, 12, true="replicates", open="one more continuum"
        ),
        "20 of 80 samples twice": without(
            some_replicates, true="replicates", open="one more continuum"
        ),
        "3 outliers": null(outliers, true="outliers"),
        "1 outlier": null(with_outliers, 1, gaussian_few, true="outliers"),
        "4 outliers": null(with_outliers, 4, gaussian_few, 100, 30, true="outliers"),
        "curve, 2 outliers": without(
            with_outliers, 2, spiral, true="more continuum outliers", open="one"
        ),
        "2 groups": having(2, groups, (50, 50), 30, 7),
        "3 groups": having(3, groups, (40,) * 3, 30, 7),
        "4 groups": having(4, groups, (40,) * 4, 30, 7),
        "6 groups": having(6, groups, (40,) * 6, 30, 7),
        "90:10": having(2, groups, (180, 20), 30, 7),
        "70:20:10": having(3, groups, (140, 40, 20), 30, 7),
        "2 × 2 hierarchy": having(4, hierarchy),
        # The common factor can hide the groups, and then the clusters are others. This happens less
        # often with 20 starts, the default for up to 256 samples.
        "4 groups and a factor": having(4, with_depth, open="continuum halves", starts=20),
        "3 groups, d = 1,000": having(3, groups, (40,) * 3, 1000, 12, 20),
        "3 groups in 5 of 200 features": having(3, groups, (40,) * 3, 200, 9, 5),
        "3 elongated groups": having(3, elongated),
        "8 groups, k ≤ 6": having(
            8, groups, (30,) * 8, 30, 8, plain="more gaps", true="again", open="continuum"
        ),
        "4 groups, k ≤ 2": few(2, 4, groups, (25,) * 4, 20, 8, plain=""),
        "4 groups, k ≤ 3": few(3, 4, groups, (25,) * 4, 20, 8),
        "6 groups, k ≤ 3": few(3, 6, groups, (20,) * 6, 20, 9),
        "6 groups, k ≤ 4": few(4, 6, groups, (20,) * 6, 20, 9),
        "8 groups, k ≤ 4": few(4, 8, groups, (20,) * 8, 20, 9),
        "2 × 2 hierarchy, k ≤ 2": few(2, 4, hierarchy, 25),
        "2 × 2 hierarchy, k ≤ 3": few(3, 4, hierarchy, 25),
        "2 groups × 2 replicates": having(
            2, replicated, 2, 0.1, groups, (30, 30), 20, 9, true="replicates"
        ),
        "2 groups, 1 outlier": having(
            2, with_outliers, 1, groups, (40, 40), 30, 8, true="outliers", open="halves"
        ),
        "2 groups, 2 outliers": having(
            2, with_outliers, 2, groups, (40, 40), 30, 8, true="outliers", open="halves"
        ),
        "3 groups, 2 outliers": having(
            3, with_outliers, 2, groups, (40,) * 3, 50, 10, true="outliers", open="halves"
        ),
        "4 groups, 3 outliers": having(
            4, with_outliers, 3, groups, (25,) * 4, 30, 9, true="outliers", open="halves", last=7
        ),
        "a sample is the length of genes": annotation("Length", whole(200, 9000)),
        "a sample is the chromosome": annotation("chrom", whole(1, 23)),
        "a sample is the start": annotation("Start", whole(1, 10**8)),
        "a sample is the end": annotation("end", whole(1, 10**8)),
        "a sample is the strand": annotation("strand", lambda rng: rng.choice([-1, 1], 200)),
        "a sample is a number of exons": annotation("exons", whole(1, 20)),
        "a sample is an identifier": annotation("entrez", lambda rng: rng.permutation(9000)[:200]),
        "a sample is a flag": annotation("coding", whole(0, 2)),
    },
    said=said,
    first=20_000,
)
