"""Clustering aggregation against all partitions of few samples, and the bounds of the papers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.aggregation import random_order
from ensembles import label_matrices, label_matrices_with_gaps, noisy_copies, with_gaps
from oracles.aggregation import disagreements, distances, fewest

NAMES = [name for name in METHODS if METHODS.method(name).n_clusters_is == "chosen"]


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
