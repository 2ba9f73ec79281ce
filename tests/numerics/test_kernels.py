"""Small kernels: agreements of rows, sparse matrices, quadratic programs, eigenvectors."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coassoc import Ensemble, use_threads
from coassoc.numerics import rank_constraint
from coassoc.numerics.rank_constraint import bottom_laplacian_eigenvectors
from coassoc.numerics.simplex import simplex_qp
from coassoc.numerics.sparse import sparse_rows
from coassoc.similarity import shared_weight
from oracles import graphs

# -- AGREEMENTS ------------------------------------------------------------------------------------

# Agreements of rows of labels by compiled loops are those of a sparse product, to the last bit.


@pytest.mark.parametrize(
    ("n", "m", "n_labels", "missing"),
    [(90, 7, 4, 0.0), (90, 7, 4, 0.3), (40, 300, 2, 0.0), (400, 3, 255, 0.1), (700, 2, 256, 0.1)],
    ids=["complete", "missing", "more than 255 columns", "255 labels", "256 labels"],
)
def test_all_ways_give_the_same(n, m, n_labels, missing):
    rng = np.random.default_rng(n)
    labels = np.where(rng.random((n, m)) < missing, -1, rng.integers(0, n_labels, (n, m)))
    labels[:n_labels, 0] = np.arange(n_labels)[:n]
    ensemble = Ensemble(labels[(labels >= 0).any(axis=1)])
    ones = np.ones(ensemble.n_clusters_total)
    for weights in (ones, ones / 3, rng.random(len(ones))):
        Z = ensemble.microcluster_membership
        with use_threads(3):
            made = shared_weight(ensemble, weights)
        np.testing.assert_array_equal(made, Z @ Z.multiply(weights).T.toarray())
        np.testing.assert_array_equal(made, made.T)


# -- SPARSE ----------------------------------------------------------------------------------------

# Sparse matrices by loops of our own: SciPy's, to the last bit.


def test_sparse_rows_are_those_of_scipy():
    S = np.maximum(np.random.default_rng(1).normal(size=(40, 30)), 0)
    S[7] = S[:, 3] = 0
    for of in (S, np.asfortranarray(S), S[:0]):
        here, there = sparse_rows(of), sp.csr_array(of)
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(here, part), getattr(there, part))


# -- SIMPLEX ---------------------------------------------------------------------------------------

#


sizes = st.integers(-3, 6)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 9), sizes, sizes, st.booleans())
def test_meets_the_optimality_conditions(seed, q, rank, size_H, size_f, doubled):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(q, rank)) * 10.0 ** (size_H / 2)
    f = rng.normal(size=q) * 10.0**size_f
    if doubled:
        B, f = np.vstack((B, B)), np.concatenate((f, f))
    H = B @ B.T
    w = simplex_qp(H, f)
    assert w.min() >= 0 and w.sum() == pytest.approx(1, abs=1e-12)
    gradient = H @ w + f
    scale = max(np.abs(H).max(), np.abs(f).max())
    assert gradient @ w - gradient.min() <= 1e-10 * scale


# -- RANK CONSTRAINT -------------------------------------------------------------------------------

# Projections, components and eigenvectors behind graphs with a wanted number of components.


@pytest.mark.parametrize("copies", [2, 5])
def test_lanczos_finds_all_copies_of_an_eigenvalue(monkeypatch, copies):
    """Each leaf block of a star hangs on the hub alike: copies − 1 equal eigenvalues."""
    monkeypatch.setattr(rank_constraint, "_DENSE_EIGENPROBLEM", 0)
    size = 12
    S = np.kron(np.eye(copies), np.ones((size, size)))
    S = np.pad(S, ((0, 1), (0, 1)), constant_values=0.1)
    ones, one_part = np.ones(len(S)), np.zeros(len(S), dtype=int)
    F, total = bottom_laplacian_eigenvectors(S, ones, copies, one_part, 1)
    values, vectors = graphs.embed(S, copies)
    assert total == pytest.approx(values[:copies].sum(), rel=1e-9)
    np.testing.assert_allclose(F @ F.T, vectors @ vectors.T, atol=1e-8)
