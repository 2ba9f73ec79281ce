"""The fixed-point test, and the description of a pool."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc.errors import DataError
from coassoc.pools.generation import generate_pool
from coassoc.pools.quality import describe_pool, nearest_centroid_share
from coassoc.storage.records import Pool
from ensembles import groups


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10_000), st.booleans())
def test_nearest_centroid_share_against_a_plain_loop(n, k, seed, sparse):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    labels = np.unique(rng.integers(0, k, n), return_inverse=True)[1]
    means = [X[labels == j].mean(axis=0) for j in range(labels.max() + 1)]
    nearest = 0
    for x, own in zip(X, labels, strict=True):
        squared = [((x - mean) ** 2).sum() for mean in means]
        nearest += squared[own] <= min(squared) + 1e-9
    found = nearest_centroid_share(sp.csr_array(X) if sparse else X, labels[:, None])
    assert found.tolist() == pytest.approx([nearest / n])


def test_nearest_centroid_share_tells_other_features_apart():
    X, _ = groups(n=300, seed=1)
    labels = generate_pool(X, size=5)
    assert (nearest_centroid_share(X[::-1], labels) < 0.9).all()
    with pytest.raises(DataError, match="X has 299 samples, the base clusterings have 300"):
        nearest_centroid_share(X[1:], labels)


def test_large_offsets_do_not_hide_a_fixed_point():
    X, _ = groups(n=300, seed=1)
    assert nearest_centroid_share(X + 1e7, generate_pool(X, size=5)).min() == 1


def test_description_of_a_pool():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 0]], np.uint8)
    pool = Pool(labels, np.array([0, 0, 1, 1]), {1: np.array([[0], [1]]), 2: np.array([[0, 1]])})
    found = describe_pool(pool, np.array([[0.0], [1], [9], [10]]), sizes=(1, 2, 7))
    assert found["k"].tolist() == [2, 2]
    assert found["ari"][0] == found["nmi"][0] == 1
    assert {m: shares.tolist() for m, shares in found["microclusters"].items()} == {
        1: [0.5, 0.5],
        2: [0.75],
    }
    assert found["fixed_point"][0] == 1
    assert found["fixed_point"][1] < 1
    assert set(describe_pool(Pool(labels, None, {}))) == {"k", "microclusters"}
