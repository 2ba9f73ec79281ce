from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from coassoc.numerics.eigenpairs import eigenpairs_within

SPECTRUM = np.array([-1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 2.0, 3.0])

#: Part of the spectrum, and which of the eigenvalues lie in it.
PARTS = {
    "all": ({}, slice(None)),
    "smallest": ({"by_index": (0, 2)}, slice(3)),
    "largest": ({"by_index": (6, 7)}, slice(6, None)),
    "through a multiple value": ({"by_index": (1, 4)}, slice(1, 5)),
    "above a value": ({"by_value": (1.0, np.inf)}, slice(6, None)),
    "between values": ({"by_value": (-0.5, 1.0)}, slice(1, 6)),
    "none": ({"by_value": (4.0, np.inf)}, slice(0)),
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
@pytest.mark.parametrize(("part", "expected"), PARTS.values(), ids=PARTS.keys())
def test_parts_of_a_spectrum(part, expected):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]
    A = (Q * SPECTRUM) @ Q.T
    A = (A + A.T) / 2
    before = A.copy()
    values, vectors = eigenpairs_within(A, **part)
    np.testing.assert_allclose(values, SPECTRUM[expected], atol=1e-13)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-13)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-13)
    np.testing.assert_array_equal(A, before)
