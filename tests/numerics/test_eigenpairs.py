from functools import partial

import numpy as np
import pytest
import scipy.linalg

import coassoc.numerics.eigenpairs
from coassoc.numerics.eigenpairs import (
    eigenpairs_above,
    eigenpairs_within,
    leading_eigenpairs,
    leading_eigenpairs_below,
)


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


@pytest.mark.parametrize(
    ("find", "matrix", "expected"),
    [
        (leading_eigenpairs, symmetric_with(SPECTRA["separated"]), [1.0, 0.9, 0.8, 0.7]),
        (partial(leading_eigenpairs_below, bound=1.0), graph(6), np.ones(6)),
    ],
    ids=["plain", "below a bound"],
)
def test_a_pair_that_the_subspace_missed_is_noticed(find, matrix, expected, monkeypatch):
    real = coassoc.numerics.eigenpairs.eigsh

    def forgetful(operator, k, **options):
        """Without one of the largest pairs, as a copy of a multiple eigenvalue would be missing."""
        if k == 1:
            return real(operator, k, **options)
        values, vectors = real(operator, k + 1, **options)
        kept = np.argsort(-values)[1:]
        return values[kept], vectors[:, kept]

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", forgetful)
    values, _ = find(matrix.copy(), len(expected))
    np.testing.assert_allclose(values, expected, atol=1e-12)


SPECTRUM = np.array([-1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 2.0, 3.0])

#: What is asked for, and which of the eigenvalues they are.
PARTS = {
    "all": (eigenpairs_within, (0, 7), slice(None)),
    "smallest": (eigenpairs_within, (0, 2), slice(3)),
    "largest": (eigenpairs_within, (6, 7), slice(6, None)),
    "through a multiple value": (eigenpairs_within, (1, 4), slice(1, 5)),
    "above a value": (eigenpairs_above, (1.0,), slice(6, None)),
    "none": (eigenpairs_above, (4.0,), slice(0)),
}


@pytest.fixture(params=["evr", "evr fails"])
def lapack(request, monkeypatch):
    """LAPACK as it is, and one whose default driver fails for every matrix."""
    if request.param == "evr":
        return
    eigh = scipy.linalg.eigh

    def failing(A, *, driver="evr", **arguments):
        if driver == "evr":
            raise np.linalg.LinAlgError("Internal Error.")
        return eigh(A, driver=driver, **arguments)

    monkeypatch.setattr(scipy.linalg, "eigh", failing)


@pytest.mark.usefixtures("lapack")
@pytest.mark.parametrize(("find", "part", "expected"), PARTS.values(), ids=PARTS.keys())
def test_parts_of_a_spectrum(find, part, expected):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]
    A = (Q * SPECTRUM) @ Q.T
    A = (A + A.T) / 2
    before = A.copy()
    values, vectors = find(A, *part)
    np.testing.assert_allclose(values, SPECTRUM[expected], atol=1e-13)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-13)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-13)
    np.testing.assert_array_equal(A, before)


def test_pairs_next_to_a_multiple_eigenvalue():
    # LAPACK's default driver may return none of the two without an error.
    A = np.full((10, 10), 0.05) + 0.5 * np.eye(10)
    values, vectors = eigenpairs_within(A, 8, 9)
    np.testing.assert_allclose(values, [0.5, 1.0], atol=1e-14)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-14)
