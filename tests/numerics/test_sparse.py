"""Sparse matrices by loops of our own: SciPy's, to the last bit."""

import numpy as np
import scipy.sparse as sp

from coassoc.numerics import sparse
from coassoc.numerics.sparse import sparse_rows, tall_product


def test_a_tall_product_is_that_of_scipy(monkeypatch):
    rng = np.random.default_rng(0)
    B, C = (sp.random_array((900, q), density=0.3, format="csr", rng=rng) for q in (20, 31))
    there = (B.T @ C).toarray()
    assert there.any(axis=None)
    for many in (1, 2**40):
        monkeypatch.setattr(sparse, "MANY", many)
        here = tall_product(B, C)
        np.testing.assert_array_equal(here, there)
        assert here.flags.f_contiguous == there.flags.f_contiguous


def test_sparse_rows_are_those_of_scipy():
    S = np.maximum(np.random.default_rng(1).normal(size=(40, 30)), 0)
    S[7] = S[:, 3] = 0
    for of in (S, np.asfortranarray(S), S[:0]):
        here, there = sparse_rows(of), sp.csr_array(of)
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(here, part), getattr(there, part))
