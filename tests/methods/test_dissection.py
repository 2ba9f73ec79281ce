"""Nested dissection against dense inverses."""

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.methods.eccms import system
from coassoc.methods.eccms.system import dissect, sparse_inverse


def grid_laplacian(rows: int, columns: int) -> sp.csr_array:
    """I plus the Laplacian of a grid: a graph with small separators."""
    down, across = sp.eye_array(rows), sp.eye_array(columns)
    links = sp.kron(path(rows), across) + sp.kron(down, path(columns))
    return sp.csr_array(links + sp.eye_array(rows * columns))


def path(n: int) -> sp.csr_array:
    links = sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], shape=(n, n))
    return sp.csr_array(sp.diags_array(np.asarray(links.sum(axis=1))) - links)


@pytest.fixture
def small_leaves(monkeypatch):
    monkeypatch.setattr(system, "LEAF", 8)


#: Of two paths without a link between them the separator is empty.
MATRICES = {f"grid of {a} × {b}": grid_laplacian(a, b) for a, b in ((3, 3), (20, 15), (1, 60))}
MATRICES["two paths"] = sp.csr_array(sp.block_diag([grid_laplacian(1, 12)] * 2))
#: Borders of blocks skip separators that their side does not touch.
MATRICES["chords on a path"] = grid_laplacian(1, 90) + sp.csr_array(
    (np.full(6, 0.1), ([3, 60, 20, 80, 45, 11], [60, 3, 80, 20, 11, 45])), shape=(90, 90)
)


@pytest.mark.parametrize("K", MATRICES.values(), ids=MATRICES.keys())
@pytest.mark.parametrize("columns", [slice(None), slice(2, 4), slice(0)], ids=["all", "two", "no"])
def test_columns_are_solved_in_place_like_with_the_dense_inverse(small_leaves, K, columns):
    order, sizes = dissect(K)
    assert sorted(order) == list(range(K.shape[0]))
    assert sum(sizes) == K.shape[0]
    assert (len(sizes) > 1) == (K.shape[0] > 9)
    ordered = K[order][:, order]
    R = np.random.default_rng(0).normal(size=(K.shape[0], 5))
    expected = R.copy()
    expected[:, columns] = np.linalg.solve(ordered.toarray(), R[:, columns])
    sparse_inverse(ordered, sizes)(R[:, columns])
    np.testing.assert_allclose(R, expected, atol=1e-12)


def test_a_complete_graph_is_not_cut(small_leaves):
    assert dissect(sp.csr_array(np.ones((30, 30))))[1] == [30]
