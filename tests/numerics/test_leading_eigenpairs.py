from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import coassoc.numerics.eigenpairs
from coassoc.numerics.eigenpairs import leading_eigenpairs


def symmetric_with(eigenvalues, seed=0):
    n = len(eigenvalues)
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    A = (Q * eigenvalues) @ Q.T
    return (A + A.T) / 2


SPECTRA = {
    "separated": np.concatenate(([1.0, 0.9, 0.8, 0.7, 0.6], np.linspace(-0.5, 0.3, 595))),
    "a fivefold largest value": np.concatenate((np.ones(5), np.linspace(-3, 0.9, 595))),
    "more copies than wanted": np.concatenate((np.ones(9), np.zeros(591))),
    "evenly spread": np.linspace(0, 1, 600),
    "zero": np.zeros(600),
    "all negative": np.linspace(-2, -1, 600),
}


@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA.keys())
@pytest.mark.parametrize("n_largest", [1, 5])
def test_large_matrices(spectrum, n_largest):
    A = symmetric_with(spectrum)
    values, vectors = leading_eigenpairs(A.copy(), n_largest)
    np.testing.assert_allclose(values, np.sort(spectrum)[::-1][:n_largest], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_largest), atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-9)


@pytest.mark.parametrize("order", [1, 2, 7])
def test_small_matrices_and_all_pairs(order):
    A = symmetric_with(np.arange(order) - 1.0)
    values, vectors = leading_eigenpairs(A.copy(), order)
    np.testing.assert_allclose(values, np.arange(order)[::-1] - 1.0, atol=1e-12)
    np.testing.assert_allclose((vectors * values) @ vectors.T, A, atol=1e-12)


def test_components_of_a_graph_are_all_found():
    rng = np.random.default_rng(1)
    blocks = [rng.random((size, size)) for size in (250, 150, 100, 60, 40)]
    W = scipy.linalg.block_diag(*[block + block.T for block in blocks])
    degree = W.sum(axis=1)
    values, _ = leading_eigenpairs(W / np.sqrt(np.outer(degree, degree)), 5)
    np.testing.assert_allclose(values, 1.0, atol=1e-12)


def test_a_pair_that_the_subspace_missed_is_noticed(monkeypatch):
    A = symmetric_with(SPECTRA["separated"])

    def forgetful(A, k, **options):
        if k == 1:
            return real(A, k, **options)
        # The largest pair is missing, as a copy of a multiple eigenvalue would be.
        values, vectors = real(A, k + 1, **options)
        return values[:-1], vectors[:, :-1]

    real = coassoc.numerics.eigenpairs.eigsh
    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", forgetful)
    values, _ = leading_eigenpairs(A.copy(), 4)
    np.testing.assert_allclose(values, [1.0, 0.9, 0.8, 0.7], atol=1e-12)
