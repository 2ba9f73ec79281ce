import numpy as np
import pytest
import scipy.linalg

import coassoc.numerics.eigenpairs
from coassoc.numerics.eigenpairs import eigenpairs_above, eigenpairs_within, leading_eigenpairs


def symmetric_with(eigenvalues):
    n = len(eigenvalues)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    A = (Q * eigenvalues) @ Q.T
    return (A + A.T) / 2


def assert_leading(A, n_largest, expected, atol=1e-12):
    """The largest eigenvalues are the first of those expected, and the vectors are theirs."""
    values, vectors = leading_eigenpairs(A.copy(), n_largest)
    np.testing.assert_allclose(values, expected[:n_largest], atol=atol)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_largest), atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=max(atol, 1e-9))


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
    assert_leading(symmetric_with(spectrum), n_largest, np.sort(spectrum)[::-1])


def test_no_convergence_is_survived(monkeypatch):
    def no_convergence(*args, **kwargs):
        raise coassoc.numerics.eigenpairs.ArpackError(-9999)

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", no_convergence)
    assert_leading(symmetric_with(SPECTRA["separated"]), 3, [1, 0.9, 0.8])


def test_a_pair_that_the_subspace_missed_is_noticed(monkeypatch):
    real = coassoc.numerics.eigenpairs.eigsh

    def forgetful(operator, k, **options):
        """Without one of the largest pairs, as a copy of a multiple eigenvalue would be missing."""
        if k == 1:
            return real(operator, k, **options)
        values, vectors = real(operator, k + 1, **options)
        kept = np.argsort(-values)[1:]
        return values[kept], vectors[:, kept]

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", forgetful)
    assert_leading(symmetric_with(SPECTRA["separated"]), 4, [1, 0.9, 0.8, 0.7])


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
    A = symmetric_with(SPECTRUM)
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
