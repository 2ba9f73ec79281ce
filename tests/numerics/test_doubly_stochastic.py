"""Projection on doubly stochastic matrices."""

import numpy as np
import pytest

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
