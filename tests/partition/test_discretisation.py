"""Discretisation of spectral vectors by rotation."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import canonical_labels
from coassoc.partition.spectral import unit_rows


def fit_of_partition(labels, V):
    return np.linalg.svd(np.eye(V.shape[1])[labels].T @ V, compute_uv=False).sum()


@given(st.integers(0, 10_000), st.integers(2, 5))
@example(823, 4)  # A cluster becomes empty on the way.
@example(11, 5)  # One row is taken twice for the first rotation.
@example(17, 5)  # So here; Nehalem's products round the two columns differently.
@example(2017, 6)  # Two rows are equally far from all others.
def test_weights_of_the_discretisation_stand_for_repeated_rows(seed, c):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(15, c))
    sizes = rng.integers(1, 5, 15)
    repeated = np.repeat(np.arange(15), sizes)
    compressed = discretize(rows, [3], sizes)[repeated]
    plain = discretize(rows[repeated], [int(np.flatnonzero(repeated == 3)[0])])
    np.testing.assert_array_equal(canonical_labels(compressed), canonical_labels(plain))


def test_more_starts_never_fit_worse():
    V = unit_rows(np.random.default_rng(1).normal(size=(60, 5)))
    single = [fit_of_partition(discretize(V, [start]), V) for start in range(20)]
    assert fit_of_partition(discretize(V, range(20)), V) == pytest.approx(max(single))
    assert max(single) > min(single) + 1e-6


def test_discretisation_prefers_the_wanted_number_of_clusters():
    V = unit_rows(np.random.default_rng(37).normal(size=(8, 4)))
    partitions = [discretize(V, [start]) for start in range(8)]
    counts = np.array([len(np.unique(labels)) for labels in partitions])
    fits = np.array([fit_of_partition(labels, V) for labels in partitions])
    # From some rows the rotation leaves a cluster empty and yet fits better.
    assert fits[counts < 4].max() > fits[counts == 4].max()
    assert len(np.unique(discretize(V, range(8)))) == 4
