"""Ensemble: relabelling, membership, microclusters, and refusal of bad labels."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coassoc import Ensemble
from coassoc.ensemble import Microclusters
from ensembles import label_matrices
from oracles.common import one_hot

labels_arrays = label_matrices(max_samples=12, max_clusters=4, min_samples=1)


@given(labels_arrays)
def test_membership_and_microclusters(labels):
    ensemble = Ensemble(labels)
    Z = one_hot(ensemble.labels)
    np.testing.assert_array_equal(ensemble.membership.toarray(), Z)
    micro = ensemble.microclusters
    np.testing.assert_array_equal(ensemble.distinct_labels[micro.assignment], ensemble.labels)
    distinct, inverse, counts = np.unique(
        ensemble.labels, axis=0, return_inverse=True, return_counts=True
    )
    np.testing.assert_array_equal(ensemble.distinct_labels, distinct)
    np.testing.assert_array_equal(micro.assignment, inverse.ravel())
    np.testing.assert_array_equal(micro.sizes, counts)
    np.testing.assert_array_equal(ensemble.cluster_sizes, Z.sum(axis=0))
    np.testing.assert_array_equal(ensemble.cluster_intersections.toarray(), Z.T @ Z)


@given(labels_arrays)
def test_relabelling_keeps_partitions(labels):
    ensemble = Ensemble(labels * 7 + 3)
    np.testing.assert_array_equal(ensemble.labels, Ensemble(labels).labels)
    assert ensemble.labels.min() == 0
    for column, count in zip(ensemble.labels.T, ensemble.n_clusters_per_clustering, strict=True):
        assert set(column) == set(range(count))


def test_reordered_microclusters():
    micro = Microclusters.from_assignment([2, 0, 1, 2])
    values = np.array([10.0, 20.0, 30.0])
    order = [1, 2, 0]
    np.testing.assert_array_equal(micro.reorder(order).expand(values[order]), micro.expand(values))
    np.testing.assert_array_equal(micro.representatives, [1, 2, 0])


@given(labels_arrays, st.data())
def test_missing_labels_are_one_more_symbol_of_a_row(labels, data):
    missing = data.draw(arrays(np.bool_, labels.shape))
    missing[:, 0] &= ~missing.all(axis=1)
    missing[0] = False
    ensemble = Ensemble(np.where(missing, -1, labels))
    assert ensemble.has_missing == missing.any()
    np.testing.assert_array_equal(ensemble.labels < 0, missing)
    micro = ensemble.microclusters
    np.testing.assert_array_equal(ensemble.distinct_labels[micro.assignment], ensemble.labels)
    assert micro.count == len(np.unique(ensemble.labels, axis=0))
    Z = ensemble.membership.toarray()
    np.testing.assert_array_equal(Z.sum(axis=1), (~missing).sum(axis=1))
    np.testing.assert_array_equal(ensemble.cluster_sizes, Z.sum(axis=0))
    assert (ensemble.cluster_sizes > 0).all()
    common = (~missing).astype(int) @ (~missing).astype(int).T
    np.testing.assert_array_equal(
        ensemble.n_common[np.ix_(micro.assignment, micro.assignment)], common
    )
    assert ensemble.n_never_met == np.count_nonzero(np.triu(common == 0, 1))


def test_an_ensemble_is_an_array_of_its_labels():
    labels = np.array([[3, 0], [3, 1], [7, 1]])
    array = np.asarray(Ensemble(labels))
    np.testing.assert_array_equal(array, [[0, 0], [0, 1], [1, 1]])
    assert np.asarray(Ensemble(labels), dtype=float).dtype == float
