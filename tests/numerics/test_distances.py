"""Squared distances between rows, and coordinates that keep them."""

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.numerics.distances import distance_coordinates, squared_distances


def test_squared_distances_equal_their_definition():
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    right[0] = left[0]
    distances = squared_distances(left, right)
    np.testing.assert_allclose(distances, ((left[:, None] - right) ** 2).sum(axis=2), atol=1e-12)
    assert distances.min() >= 0


@pytest.mark.parametrize("shape", [(12, 5), (5, 12), (7, 7)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_coordinates_keep_inner_products(shape, form):
    X = np.random.default_rng(0).normal(size=shape)
    X[X < 0.3] = 0
    X[1] = X[0]
    coordinates = distance_coordinates(form(X))
    assert coordinates.shape[1] <= min(shape) and isinstance(coordinates, np.ndarray)
    np.testing.assert_allclose(coordinates @ coordinates.T, X @ X.T, atol=1e-12)
