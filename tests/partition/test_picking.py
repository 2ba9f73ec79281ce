"""The base clustering that disagrees least, against counts over all pairs."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings

from coassoc import Ensemble
from coassoc.selection import disagreements, pick_clustering
from ensembles import label_matrices_with_gaps


def by_pairs(labels):
    """(m, m) numbers of pairs, counted one by one; a coin decides where a label is missing."""
    n, m = labels.shape
    counts = np.zeros((m, m))
    for i, j in combinations(range(n), 2):
        known = (labels[i] >= 0) & (labels[j] >= 0)
        together = np.where(known, labels[i] == labels[j], 0.5)
        apart = 1 - together
        counts += np.outer(together, apart) + np.outer(apart, together)
    return counts


@settings(max_examples=60)
@given(labels=label_matrices_with_gaps())
def test_disagreements_are_those_of_all_pairs(labels):
    counts = disagreements(Ensemble(labels))
    np.testing.assert_array_equal(counts, by_pairs(labels))
    np.fill_diagonal(counts, 0)
    assert pick_clustering(labels) == counts.sum(axis=1).argmin()


def test_the_picked_one_disagrees_least():
    truth = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    noisy = [np.where(rng.random(60) < 0.3, rng.integers(0, 3, 60), truth) for _ in range(6)]
    assert pick_clustering(np.column_stack([*noisy[:4], truth, *noisy[4:]])) == 4


def test_one_clustering_is_picked():
    assert pick_clustering([[0], [1]]) == 0


def test_the_first_among_equals_is_picked():
    """Two of one kind and two of another disagree alike, and so do each with the others."""
    assert pick_clustering(np.array([[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]])) == 0
