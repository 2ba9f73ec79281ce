"""Small ensembles for tests: stored ones, drawn ones and extreme ones."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis.extra.numpy import arrays

GOLDEN = Path(__file__).parent / "golden"
STORED = ("g60", "g150", "gdisc40")


def golden(name):
    """A stored file as a dict of arrays."""
    with np.load(GOLDEN / f"{name}.npz") as file:
        return {key: file[key] for key in file.files}


def stored_ensemble(name):
    """Labels 0 … l_j − 1 and the true number of clusters of a stored ensemble."""
    file = golden(name)
    return relabelled(file["BP"]), int(file["k"])


def relabelled(labels):
    columns = [np.unique(column, return_inverse=True)[1] for column in np.asarray(labels).T]
    return np.column_stack(columns)


@st.composite
def label_matrices(draw, max_samples=20, max_clusterings=5, max_clusters=5, min_samples=2):
    n = draw(st.integers(min_samples, max_samples))
    m = draw(st.integers(1, max_clusterings))
    return relabelled(draw(arrays(np.int64, (n, m), elements=st.integers(0, max_clusters - 1))))


def random_labels(n, m, n_clusters, noise, seed):
    """True classes, and m copies of them with a share of labels redrawn."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_clusters, n)
    redrawn = rng.random((n, m)) < noise
    return np.where(redrawn, rng.integers(0, n_clusters, (n, m)), y[:, None]), y


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
    "a clustering of one cluster": np.column_stack(
        [np.zeros(12, dtype=int), _RNG.integers(0, 3, 12)]
    ),
    "all rows distinct": np.column_stack([np.arange(15) % 5, np.arange(15) // 5]),
    "every sample its own cluster": np.column_stack([np.arange(12), np.arange(12)]),
    "a giant microcluster": np.vstack([np.zeros((40, 3), dtype=int), _RNG.integers(0, 3, (6, 3))]),
    "two blocks": np.repeat([[0, 0], [1, 1]], [3, 4], axis=0),
}
