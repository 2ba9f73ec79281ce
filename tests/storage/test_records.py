"""Fingerprints of data sets."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from coassoc.storage.records import fingerprint


def test_fingerprint_does_not_depend_on_the_form():
    X = sp.random_array((40, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    y = np.arange(40)
    assert fingerprint(X, y) == fingerprint(X.toarray(), y.astype(np.uint8))
    assert fingerprint(X, y) != fingerprint(X, y[::-1])
    assert fingerprint(X[:, :-1], y) != fingerprint(X, y)
