"""Projections, components and eigenvectors behind graphs with a wanted number of components."""

import numpy as np
import pytest

from coassoc.numerics import rank_constraint
from coassoc.numerics.rank_constraint import bottom_laplacian_eigenvectors
from oracles import graphs as oracle


@pytest.mark.parametrize("copies", [2, 5])
def test_lanczos_finds_all_copies_of_an_eigenvalue(monkeypatch, copies):
    """Each leaf block of a star hangs on the hub alike: copies − 1 equal eigenvalues."""
    monkeypatch.setattr(rank_constraint, "_DENSE_EIGENPROBLEM", 0)
    size = 12
    S = np.kron(np.eye(copies), np.ones((size, size)))
    S = np.pad(S, ((0, 1), (0, 1)), constant_values=0.1)
    ones, one_part = np.ones(len(S)), np.zeros(len(S), dtype=int)
    F, total = bottom_laplacian_eigenvectors(S, ones, copies, one_part, 1)
    values, vectors = oracle.embed(S, copies)
    assert total == pytest.approx(values[:copies].sum(), rel=1e-9)
    np.testing.assert_allclose(F @ F.T, vectors @ vectors.T, atol=1e-8)
