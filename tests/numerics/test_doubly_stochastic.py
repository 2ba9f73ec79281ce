"""Projection on doubly stochastic matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coassoc.ensemble import Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.numerics.doubly_stochastic import doubly_stochastic_projection
from oracles import hclce as oracle


@pytest.mark.parametrize("seed", range(4))
def test_projection_on_microclusters_is_that_of_the_samples(seed):
    rng = np.random.default_rng(seed)
    micro = Microclusters.from_assignment(np.repeat(np.arange(5), rng.integers(1, 5, 5)))
    B = rng.uniform(0, 0.3, (5, 5))
    X = InvariantMatrix((B + B.T) / 2, rng.uniform(-0.2, 0.2, 5), micro)
    part = doubly_stochastic_projection(X.S, micro.r, X.e)
    projection = InvariantMatrix(part.S, part.e, micro).to_dense()
    np.testing.assert_allclose(projection, oracle.project(X.to_dense()), atol=1e-9)


@given(st.integers(1, 8), st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_projection_meets_its_optimality_conditions(q, exponent, seed):
    # Negative matrices without a heavy diagonal have rows that lose all their support on the way.
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(q, q)) * 10.0**exponent
    B = (B + B.T) / 2
    r = rng.integers(1, 4, q).astype(float)
    projection = doubly_stochastic_projection(B, r, np.zeros(q))
    assert projection.residual <= 1e-10
    np.testing.assert_allclose(projection.S @ r + projection.e, 1, atol=1e-9)
    scale = max(1.0, np.abs(B).max())
    expected = np.maximum(B + projection.u[:, None] + projection.u, 0)
    np.testing.assert_allclose(projection.S, expected, atol=1e-12 * scale)


def test_projection_starts_where_it_is_told_to():
    rng = np.random.default_rng(0)
    B = rng.uniform(size=(30, 30))
    matrix = (B + B.T) / 2, np.ones(30), np.zeros(30)
    cold = doubly_stochastic_projection(*matrix)
    warm = doubly_stochastic_projection(*matrix, cold.u)
    assert cold.n_iter > 0 and warm.n_iter == 0
    np.testing.assert_array_equal(warm.S, cold.S)
