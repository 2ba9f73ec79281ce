"""Ensemble: relabelling, membership, microclusters, and refusal of bad labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coassoc import DataError, Ensemble
from coassoc.ensemble import Microclusters
from oracles.eccms import one_hot

labels_arrays = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 3))
)


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


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(5), "expected a non-empty"),
        (np.zeros((0, 3)), "expected a non-empty"),
        (np.array([[0.0, np.nan], [1.0, 2.0]]), "sample 0 of base clustering 1 is nan"),
        (np.array([[0, 1], [-3, 2]]), "sample 1 of base clustering 0 is -3"),
        (np.array([[0.5], [1.0]]), "fractional"),
        (np.array([["a"], ["b"]]), "expected integers"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(DataError, match=message):
        Ensemble(labels)


def test_an_ensemble_is_an_array_of_its_labels():
    labels = np.array([[3, 0], [3, 1], [7, 1]])
    found = np.asarray(Ensemble(labels))
    np.testing.assert_array_equal(found, [[0, 0], [0, 1], [1, 1]])
    assert np.asarray(Ensemble(labels), dtype=float).dtype == float
