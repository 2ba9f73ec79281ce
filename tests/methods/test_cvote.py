"""Cumulative voting against its definition on single samples, and its merges against all pairs."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import rel_entr, xlogy

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.cvote import cumulative_votes, merge_least_informative
from ensembles import noisy_copies, same_partition, with_missing


def by_entropy(labels):
    """Columns in falling order of the entropy of the samples that they have."""
    there = [column[column >= 0] for column in labels.T]
    shares = [np.bincount(column) / len(column) for column in there]
    return np.argsort([xlogy(p, p).sum() for p in shares])


def votes_of_samples(labels):
    """U₀ of the n samples: mean of the votes that each has been given, sample by sample."""
    first, *rest = (labels[:, j] for j in by_entropy(labels))
    values = np.unique(first[first >= 0])
    given = [[np.eye(len(values))[values == x]] if x >= 0 else [] for x in first]
    given = [[vote[0] for vote in votes] for votes in given]
    for other in rest:
        U = np.array([np.mean(votes, axis=0) if votes else 0 * values for votes in given])
        voted = np.array([bool(votes) for votes in given])
        for k in np.unique(other[other >= 0]):
            members = np.flatnonzero(other == k)
            if voted[members].any():
                for i in members:
                    given[i].append(U[members[voted[members]]].mean(axis=0))
    U = np.array([np.mean(votes, axis=0) if votes else np.nan * values for votes in given])
    return np.where(np.isnan(U), np.nanmean(U, axis=0), U)


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


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_votes_are_those_of_the_definition(labels, missing):
    labels = with_missing(labels, missing, seed=1)
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


def test_samples_that_get_no_vote_have_the_shares_of_the_clusters():
    labels = [[0, -1], [0, -1], [1, -1], [-1, 0]]
    votes = cumulative_votes(Ensemble(labels), 2)
    expected = [[1, 0], [0, 1], [2 / 3, 1 / 3]]
    np.testing.assert_allclose(sorted(votes.tolist()), sorted(expected))
