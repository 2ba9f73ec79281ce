"""Ensembles and features that tests draw, and ensembles at the edges of what is allowed."""

import hypothesis.strategies as st
import numpy as np
from hypothesis.extra.numpy import arrays

from coassoc.methods import METHODS

#: A name for each class: what a class promises holds for all names that share it, whose endings
#: and linkages have oracles, goldens and kept labels of their own.
CLASSES = [*{METHODS[name].location: name for name in reversed([*METHODS])}.values()][::-1]


def relabelled(labels):
    """The same base clusterings with the clusters of each numbered 0 … l_j − 1."""
    columns = [np.unique(column, return_inverse=True)[1] for column in np.asarray(labels).T]
    return np.column_stack(columns)


@st.composite
def label_matrices(draw, max_samples=20, max_clusterings=5, max_clusters=5, min_samples=2):
    """Arrays of base clusterings, for property tests."""
    n = draw(st.integers(min_samples, max_samples))
    m = draw(st.integers(1, max_clusterings))
    return relabelled(draw(arrays(np.int64, (n, m), elements=st.integers(0, max_clusters - 1))))


def with_gaps(labels, gaps):
    """Labels with some of them missing, none of a sample or a clustering altogether."""
    labels = np.where(np.reshape(gaps, labels.shape), -1, labels)
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    labels[0] = np.maximum(labels[0], 0)
    return labels


def with_missing(labels, share, seed=0):
    """Labels of which a random share is missing, the first clustering whole."""
    gaps = np.random.default_rng(seed).random(labels.shape) < share
    gaps[:, 0] = False
    return np.where(gaps, -1, labels)


@st.composite
def label_matrices_with_gaps(draw, **options):
    """Such arrays with missing labels."""
    labels = draw(label_matrices(**options))
    return with_gaps(labels, draw(arrays(np.bool_, labels.shape)))


def noisy_copies(n, m, n_clusters, noise, seed):
    """m copies of a partition with a share of labels redrawn, and that partition.

    Samples stand in the order of their clusters.
    """
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, n_clusters, n))
    redrawn = rng.random((n, m)) < noise
    return np.where(redrawn, rng.integers(0, n_clusters, (n, m)), y[:, None]), y


def noisy_ensemble(n, m, n_classes, seed, noise=1 / 6):
    """Base clusterings that split and mix `n_classes` contiguous classes."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_classes), -(-n // n_classes))[:n]
    columns = []
    for _ in range(m):
        n_clusters = int(rng.integers(2, 2 * n_classes + 1))
        merged = rng.permutation(np.arange(n_classes) % n_clusters)[truth]
        random = rng.integers(0, n_clusters, n)
        columns.append(np.where(rng.random(n) < noise, random, merged))
    return np.column_stack(columns)


def three_classes(seed):
    """A noisy ensemble with some equal rows, and its number of classes."""
    return relabelled(noisy_ensemble(70, 7, 3, seed=seed, noise=0.12)), 3


def groups(n=90, d=3, n_classes=3, seed=0):
    """Features of overlapping groups of samples, and the group of each."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), n // n_classes)
    return rng.normal(size=(len(y), d)) + 2.5 * y[:, None], y


#: Features of three groups of ten samples, each large in four features of its own.
THREE_GROUPS = np.kron(np.eye(3), np.full((10, 4), 12.0))
THREE_GROUPS += np.random.default_rng(0).random(THREE_GROUPS.shape)


def shuffled(labels, seed=0):
    """The ensemble with samples, clusterings and cluster ids permuted, and the samples' order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(labels))
    columns = [rng.permutation(column.max() + 1)[column] for column in labels[order].T]
    return np.column_stack([columns[j] for j in rng.permutation(labels.shape[1])]), order


def same_partition(a, b):
    """Whether two label arrays differ only by names."""
    pairs = len(set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True)))
    return pairs == len(np.unique(a)) == len(np.unique(b))


_RNG = np.random.default_rng(7)

#: Ensembles at the edges of what is allowed.
EXTREME = {
    "one sample": np.zeros((1, 1), dtype=int),
    "one clustering": _RNG.integers(0, 4, (20, 1)),
    "one cluster everywhere": np.zeros((9, 3), dtype=int),
    "a clustering of one cluster": _RNG.integers(0, [1, 3], (12, 2)),
    "all rows distinct": np.column_stack([np.arange(15) % 5, np.arange(15) // 5]),
    "every sample its own cluster": np.column_stack([np.arange(12), np.arange(12)]),
    "a giant microcluster": np.vstack([np.zeros((40, 3), dtype=int), _RNG.integers(0, 3, (6, 3))]),
    "two blocks": np.repeat([[0, 0], [1, 1]], [3, 4], axis=0),
}


def asked(name, n_clusters):
    """The number of clusters that a method is asked for: none where it chooses the number."""
    return None if METHODS[name].n_clusters_is == "chosen" else n_clusters


def of_method(function, name):
    """A part of a method that takes an estimator, here its parameters; it keeps the `estimator`."""

    def called(*args, n_clusters=2, **parameters):
        called.estimator = METHODS[name](n_clusters, **parameters)
        return function(*args, called.estimator)

    return called
