"""Nested dissection against dense inverses."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc.numerics import dissection
from coassoc.numerics.dissection import dissect, sparse_inverse


def grid_laplacian(rows: int, columns: int) -> sp.csr_array:
    """I plus the Laplacian of a grid: a graph with small separators."""
    return sp.csr_array(
        sp.kron(path(rows), sp.eye_array(columns))
        + sp.kron(sp.eye_array(rows), path(columns))
        + sp.eye_array(rows * columns)
    )


def path(n: int) -> sp.csr_array:
    links = sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], shape=(n, n))
    return sp.csr_array(sp.diags_array(np.asarray(links.sum(axis=1))) - links)


@pytest.fixture
def small_leaves(monkeypatch):
    monkeypatch.setattr(dissection, "LEAF", 8)


@pytest.mark.parametrize("shape", [(3, 3), (20, 15), (1, 60)])
def test_solves_like_the_dense_inverse(small_leaves, shape):
    K = grid_laplacian(*shape)
    tree = dissect(K)
    assert sorted(tree.order) == list(range(K.shape[0]))
    assert (tree.parts is not None) == (K.shape[0] > 9)
    ordered = K[tree.order][:, tree.order]
    R = np.random.default_rng(0).normal(size=(K.shape[0], 5))
    X = R.copy()
    sparse_inverse(ordered, tree).solve(X)
    np.testing.assert_allclose(X, np.linalg.solve(ordered.toarray(), R), atol=1e-12)


def test_an_empty_separator_and_no_columns(small_leaves):
    """Two paths without a link between them."""
    K = sp.csr_array(sp.block_diag((path(12) + sp.eye_array(12), path(12) + sp.eye_array(12))))
    tree = dissect(K)
    inverse = sparse_inverse(K[tree.order][:, tree.order], tree)
    for columns in (0, 3):
        R = np.ones((24, columns))
        inverse.solve(R)
        np.testing.assert_allclose(R, 1.0)


def test_some_columns_of_an_array_are_solved_in_place(small_leaves):
    K = grid_laplacian(5, 5)
    tree = dissect(K)
    ordered = K[tree.order][:, tree.order]
    R = np.random.default_rng(0).normal(size=(25, 6))
    expected = R.copy()
    expected[:, 2:4] = np.linalg.solve(ordered.toarray(), R[:, 2:4])
    sparse_inverse(ordered, tree).solve(R[:, 2:4])
    np.testing.assert_allclose(R, expected, atol=1e-12)


def test_a_grid_is_much_cheaper_than_dense(small_leaves):
    K = grid_laplacian(40, 40)
    assert dissect(K).cost < 0.2 * K.shape[0] ** 2


def test_a_complete_graph_is_not_cut(small_leaves):
    assert dissect(sp.csr_array(np.ones((30, 30)))).parts is None


@given(st.integers(9, 60), st.floats(0.01, 0.3), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_sides_are_separated(n, density, seed):
    rng = np.random.default_rng(seed)
    links = sp.random_array((n, n), density=density, rng=rng, format="csr")
    graph = sp.csr_array(links + links.T)
    left, right, separator = dissection.separate(graph)
    assert sorted(np.concatenate((left, right, separator))) == list(range(n))
    assert graph[left][:, right].nnz == 0
