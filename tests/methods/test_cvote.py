"""Cumulative voting against its definition on single samples, and its merges against all pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import rel_entr, xlogy

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.cvote import cumulative_votes, merge_least_informative
from ensembles import label_matrices, noisy_copies, same_partition


def by_entropy(labels):
    """Columns in falling order of their entropy."""
    shares = [np.bincount(column) / len(column) for column in labels.T]
    return np.argsort([xlogy(p, p).sum() for p in shares])


def votes_of_samples(labels):
    """U₀ of the n samples, by matrices of the whole ensemble."""
    first, *rest = (np.eye(labels.max() + 1)[labels[:, j]] for j in by_entropy(labels))
    U = first[:, first.any(axis=0)]
    for i, other in enumerate(rest, start=2):
        U_i = other[:, other.any(axis=0)]
        W = np.linalg.inv(U_i.T @ U_i) @ U_i.T @ U
        U = (i - 1) / i * U + U_i @ W / i
    return U


def loss(a, b):
    """(p(a) + p(b)) JS(p(x|a), p(x|b)) of two columns of the joint distribution."""
    shares = np.array([a.sum(), b.sum()]) / (a.sum() + b.sum())
    given_cluster = np.array([a / a.sum(), b / b.sum()])
    mean = shares @ given_cluster
    return (a.sum() + b.sum()) * (shares @ rel_entr(given_cluster, mean).sum(axis=1))


def merged_of_samples(U, c):
    """The two clusters with the least loss merged, until c are left."""
    columns = list(U.T / len(U))
    while len(columns) > c:
        pairs = combinations(range(len(columns)), 2)
        a, b = min(pairs, key=lambda pair: loss(*(columns[k] for k in pair)))
        columns[a] = columns[a] + columns.pop(b)
    return len(U) * np.column_stack(columns)


@pytest.fixture
def labels():
    """Clusterings of four to eight clusters of four classes, no two of one entropy."""
    rng = np.random.default_rng(4)
    copies = noisy_copies(90, 7, 4, 0.25, seed=3)[0]
    return 2 * copies + (rng.random(copies.shape) < np.linspace(0, 0.5, 7))


def test_votes_are_those_of_the_whole_matrices(labels):
    ensemble = Ensemble(labels)
    votes = ensemble.microclusters.expand(cumulative_votes(ensemble, 4))
    np.testing.assert_allclose(votes, votes_of_samples(labels), atol=1e-12)


def test_merges_are_the_best_of_all_pairs(labels):
    ensemble = Ensemble(labels)
    U = cumulative_votes(ensemble, 4)
    assert U.shape[1] > 6
    merged = merge_least_informative(U, ensemble.microclusters.r, 4)
    expected = merged_of_samples(votes_of_samples(labels), 4)
    np.testing.assert_allclose(ensemble.microclusters.expand(merged), expected, atol=1e-12)
    model = METHODS["CVote"](4).fit(labels)
    assert same_partition(model.labels_, expected.argmax(axis=1))


@settings(max_examples=40)
@given(labels=label_matrices())
def test_more_clusters_than_any_clustering_has(labels):
    ensemble = Ensemble(labels)
    count = ensemble.microclusters.count
    U = cumulative_votes(ensemble, count)
    np.testing.assert_allclose(U.sum(axis=1), 1)
    assert U.shape[1] >= count
    assert len(np.unique(METHODS["CVote"](count).fit(labels).labels_)) == count
