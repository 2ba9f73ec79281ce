from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import coassoc.numerics.eigenpairs
from coassoc.numerics.eigenpairs import leading_eigenpairs_below


def graph(n_blocks, order=60, links=0.0, seed=0):
    """Normalised weights of equal dense blocks with weak links; largest eigenvalue 1."""
    block = np.random.default_rng(seed).random((order, order))
    W = scipy.linalg.block_diag(*[block @ block.T] * n_blocks) + links
    scale = 1 / np.sqrt(W.sum(axis=1))
    return W * scale * scale[:, None]


@pytest.mark.parametrize("links", [0.0, 1e-12, 1e-3])
@pytest.mark.parametrize("n_largest", [1, 5, 6, 7])
def test_large_graphs(links, n_largest):
    W = graph(6, links=links)
    values, vectors = leading_eigenpairs_below(W, n_largest, 1.0)
    expected = np.linalg.eigvalsh(W)[: -n_largest - 1 : -1]
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(W @ vectors, vectors * values, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_largest), atol=1e-12)


def test_other_bounds_and_small_orders():
    for order in (1, 2, 40, 350):
        A = np.random.default_rng(order).standard_normal((order, order))
        A = A + A.T
        expected = np.linalg.eigvalsh(A)
        for n_largest in {1, min(3, order), order}:
            values, vectors = leading_eigenpairs_below(A, n_largest, np.abs(expected).max())
            np.testing.assert_allclose(values, expected[::-1][:n_largest], atol=1e-7)
            np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-7)


def test_a_wrong_bound_or_no_convergence_is_survived(monkeypatch):
    W = graph(6, links=1e-3)
    expected = np.linalg.eigvalsh(W)[:-4:-1]
    np.testing.assert_allclose(leading_eigenpairs_below(W, 3, 0.5)[0], expected, atol=1e-12)

    def no_convergence(*args, **kwargs):
        raise coassoc.numerics.eigenpairs.ArpackError(-9999)

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", no_convergence)
    np.testing.assert_allclose(leading_eigenpairs_below(W, 3, 1.0)[0], expected, atol=1e-12)


def test_missed_copies_are_noticed(monkeypatch):
    W = graph(6)
    find = coassoc.numerics.eigenpairs.eigsh

    def forgetful(operator, k, **settings):
        if k == 1:
            return find(operator, k, **settings)
        theta, vectors = find(operator, k + 1, **settings)
        kept = np.argsort(-theta)[np.r_[0, 2 : k + 1]]
        return theta[kept], vectors[:, kept]

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", forgetful)
    values, _ = leading_eigenpairs_below(W, 6, 1.0)
    np.testing.assert_allclose(values, np.ones(6), atol=1e-12)
