"""The base clustering that disagrees least, against counts over all pairs."""

from itertools import combinations

import numpy as np
from hypothesis import given

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


@given(labels=label_matrices_with_gaps())
def test_disagreements_are_those_of_all_pairs(labels):
    counts = disagreements(Ensemble(labels))
    np.testing.assert_array_equal(counts, by_pairs(labels))
    np.fill_diagonal(counts, 0)
    assert pick_clustering(labels) == counts.sum(axis=1).argmin()
