"""Methods that count labels or fit them by centres, modes and mixtures, against definitions."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import rel_entr, xlogy

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.aggregation import random_order
from coassoc.methods.cvote import cumulative_votes, merge_least_informative
from coassoc.methods.fmm import fit_mixture
from coassoc.methods.kcc import category_distances, entropy_distances
from ensembles import (
    label_matrices,
    label_matrices_with_gaps,
    noisy_copies,
    same_partition,
    with_gaps,
    with_missing,
)
from oracles.aggregation import disagreements, distances, fewest

# -- FMM -------------------------------------------------------------------------------------------

# The mixture of multinomials against EM on single samples, written out in loops.


def em_of_samples(labels, P, rounds):
    """P and the log-likelihood of the last round, sample by sample; −1 is a missing label."""
    n, m = labels.shape
    for _ in range(rounds):
        joint = np.tile(P.sum(axis=0) / n, (n, 1))
        for i in range(n):
            for j in range(m):
                if labels[i, j] >= 0:
                    same = labels[:, j] == labels[i, j]
                    there = labels[:, j] >= 0
                    joint[i] *= P[same].sum(axis=0) / np.maximum(P[there].sum(axis=0), 1e-300)
        P = joint / joint.sum(axis=1, keepdims=True)
    return P, np.log(joint.sum(axis=1)).sum()


@given(labels=label_matrices_with_gaps(max_samples=10, max_clusterings=4))
def test_rounds_are_those_of_single_samples(labels):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    start = np.random.default_rng(0).dirichlet(np.ones(3), size=micro.count)
    small_P, loss = fit_mixture(ensemble, METHODS["FMM"](3, tol=-1, max_iter=4), start)
    P, likelihood = em_of_samples(ensemble.labels, micro.expand(start), 4)
    assert -loss == pytest.approx(likelihood, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(micro.expand(small_P), P, atol=1e-9)


# -- HBGF ------------------------------------------------------------------------------------------

# HBGF and U-SENC against the whole bipartite graph.


def test_parts_without_samples_are_counted_and_filled():
    # One sample in twelve stands apart, and one cluster more is wanted than there are kinds.
    labels = np.repeat([[0, 1, 0], [1, 0, 1]], [11, 1], axis=0)
    model = METHODS["HBGF"](3, random_state=0).fit(labels)
    assert len(np.unique(model.labels_)) == 3 and model.n_clusters_found_ == 2


# -- KCC -------------------------------------------------------------------------------------------

# KCC against the utilities themselves.


def test_distances_where_labels_are_missing():
    ensemble = Ensemble([[0, 0], [0, 1], [1, -1]])
    first = ensemble.microclusters.assignment
    labels = np.empty(3, dtype=int)
    labels[first] = [0, 0, 1]
    distances = category_distances(ensemble, labels, 2)[first]
    # Centre 0 is (1, 0 | ½, ½); the third sample has the first clustering only.
    np.testing.assert_allclose(distances[:, 0], [0.5, 0.5, 2])
    np.testing.assert_allclose(distances[2, 1], 0)
    entropies = entropy_distances(ensemble, labels, 2)[first]
    np.testing.assert_allclose(entropies[:2, 0], np.log(2))
    assert np.isinf(entropies[2, 0]) and entropies[2, 1] == 0


# -- KMODES ----------------------------------------------------------------------------------------

# k-modes against modes and mismatches of single samples.


def cost(labels, partition):
    """Labels of samples other than the mode's, whichever of equally frequent ones that is."""
    return sum(
        np.sum(inside >= 0) - np.bincount(inside[inside >= 0], minlength=1).max()
        for k in np.unique(partition)
        for inside in labels[partition == k].T
    )


@pytest.mark.parametrize("noise", [0.3, 0.6])
def test_the_cost_is_the_least_of_all_partitions(noise):
    for seed in range(8):
        labels, _ = noisy_copies(8, 5, 2, noise, seed=seed)
        partitions = [np.array((0, *rest)) for rest in product((0, 1), repeat=7) if any(rest)]
        model = METHODS["K-modes"](2, random_state=0).fit(labels)
        least = min(cost(labels, partition) for partition in partitions)
        assert cost(labels, model.labels_) == least


# -- CVOTE -----------------------------------------------------------------------------------------

# Cumulative voting against its definition on single samples, and its merges against all pairs.


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
    assert same_partition(METHODS["CVote"](4).fit(labels).labels_, expected.argmax(axis=1))


def test_samples_that_get_no_vote_have_the_shares_of_the_clusters():
    votes = cumulative_votes(Ensemble([[0, -1], [0, -1], [1, -1], [-1, 0]]), 2)
    expected = [[1, 0], [0, 1], [2 / 3, 1 / 3]]
    np.testing.assert_allclose(sorted(votes.tolist()), sorted(expected))


# -- AGGREGATION -----------------------------------------------------------------------------------

# Clustering aggregation against all partitions of few samples, and the bounds of the papers.


NAMES = [name for name in METHODS if METHODS[name].n_clusters_is == "chosen"]


few = label_matrices(max_samples=6, max_clusterings=6, max_clusters=4)


@settings(max_examples=25)
@given(labels=few, data=st.data())
def test_no_method_parts_equal_rows_nor_miscounts_or_beats_the_best(labels, data):
    gaps = data.draw(st.lists(st.booleans(), min_size=labels.size, max_size=labels.size))
    for matrix in (labels, with_gaps(labels, gaps)):
        least = fewest(matrix)
        X, rows = distances(matrix), Ensemble(matrix).microclusters.assignment
        for name in NAMES:
            fitted = METHODS[name](random_state=0).fit(matrix)
            counted = matrix.shape[1] * disagreements(X, fitted.labels_)
            assert fitted.disagreements_ == pytest.approx(counted) and counted > least - 1e-9
            assert len(set(zip(rows, fitted.labels_, strict=True))) == len(set(rows))


def test_pivots_come_as_often_as_they_have_samples():
    ensemble = Ensemble(np.repeat([[0], [1], [2]], [1, 3, 6], axis=0))
    rng = np.random.RandomState(0)
    orders = np.array([random_order(ensemble, rng) for _ in range(20_000)])
    shares = np.bincount(orders[:, 0]) / len(orders)
    np.testing.assert_allclose(shares, [0.1, 0.3, 0.6], atol=0.01)
    after = orders[orders[:, 0] == 2, 1]
    np.testing.assert_allclose(np.bincount(after) / len(after), [0.25, 0.75], atol=0.012)


@pytest.mark.parametrize("name", ["LOCALSEARCH", "PIVOT"])
def test_no_move_of_a_sample_helps_after_a_local_search(name):
    labels, _ = noisy_copies(60, 8, 4, 0.4, seed=3)
    fitted = METHODS[name](random_state=0).fit(labels)
    X, least = distances(labels), fitted.disagreements_
    for i in range(len(labels)):
        for k in range(fitted.labels_.max() + 2):
            moved = fitted.labels_.copy()
            moved[i] = k
            assert labels.shape[1] * disagreements(X, moved) > least - 1e-6


def test_new_clusters_find_place_beyond_those_of_the_start():
    """Of clusterings into pairs that agree on nothing the best has half as many clusters."""
    rng = np.random.default_rng(0)
    labels = np.column_stack([rng.permutation(40) // 2 for _ in range(6)])
    assert METHODS["LOCALSEARCH"](n_starts=1).fit(labels).n_clusters_found_ == 40


@settings(max_examples=20)
@given(labels=label_matrices_with_gaps(), seed=st.integers(0, 99))
def test_more_starts_are_never_worse_and_the_second_is_that_of_pivot(labels, seed):
    pivot = METHODS["PIVOT"](random_state=seed).fit(labels).disagreements_
    one, two, four = (
        METHODS["LOCALSEARCH"](n_starts=n_starts, random_state=seed).fit(labels).disagreements_
        for n_starts in (1, 2, 4)
    )
    assert four <= two == min(one, pivot)
