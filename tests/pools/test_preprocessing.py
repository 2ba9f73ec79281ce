"""The named steps, against their formulas and on both dense and sparse input."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coassoc.errors import ConfigError
from coassoc.pools.hartigan import Samples
from coassoc.pools.hartigan_kmeans import HartiganKMeans
from coassoc.pools.preprocessing import preprocess

COUNTS = np.array([[2, 0, 1, 0], [0, 0, 3, 0], [1, 0, 1, 0], [0, 0, 0, 0.0]])

matrices = arrays(np.float64, (7, 5), elements=st.integers(0, 4).map(float))


@pytest.mark.parametrize("kind", [np.float64, np.uint8])
def test_tfidf_entry_by_entry(kind):
    weights = preprocess(sp.csr_array(COUNTS.astype(kind)), ["log_tfidf"])
    n = len(COUNTS)
    for (i, j), tf in np.ndenumerate(COUNTS):
        df = sum(row[j] > 0 for row in COUNTS)
        expected = (1 + math.log(tf)) * math.log(n / df) if tf else 0.0
        assert weights[i, j] == pytest.approx(expected, abs=1e-15)


@given(matrices)
def test_unit_rows(X):
    for given_as in (X, sp.csr_array(X)):
        rows = sp.csr_array(preprocess(given_as, ["unit_rows"])).toarray()
        for row, scaled in zip(X, rows, strict=True):
            length = math.sqrt(sum(row**2))
            np.testing.assert_allclose(scaled, row / length if length else row, atol=1e-15)


def test_column_choices():
    assert preprocess(COUNTS, ["drop_empty_columns"]).tolist() == COUNTS[:, [0, 2]].tolist()
    best = preprocess(sp.csr_array(COUNTS), [{"top_columns": 1}])
    assert best.toarray().tolist() == COUNTS[:, [2]].tolist()
    ties = np.array([[1, 2, 1, 2.0]])
    assert preprocess(ties, [{"top_columns": 3}]).tolist() == [[1, 2, 2]]


def test_standardise():
    X = np.array([[1, 5, 2], [3, 5, 4.0]])
    assert preprocess(X, ["standardise"]).tolist() == [[-1, 0, -1], [1, 0, 1]]
    with pytest.raises(ConfigError, match="this data set is sparse, and standardising would make"):
        preprocess(sp.csr_array(X), ["standardise"])


def test_min_max():
    X = np.array([[1, 5, 0], [3, 5, 4.0], [2, 5, 1]])
    assert preprocess(X, ["min_max"]).tolist() == [[0, 0, 0], [1, 0, 1], [0.5, 0, 0.25]]
    counts = COUNTS + np.array([[0, 3, 0, 1], [0, 3, 0, 2], [0, 3, 0, 0], [0, 3, 0, 0]])
    found = preprocess(sp.csr_array(counts), ["min_max"])
    assert sp.issparse(found)
    np.testing.assert_allclose(found.toarray(), preprocess(counts, ["min_max"]), atol=1e-15)
    with pytest.raises(ConfigError, match=r"the features are sparse and have negative values, so"):
        preprocess(sp.csr_array(-X), ["min_max"])


def test_the_input_is_left_alone():
    X = sp.csr_array(COUNTS)
    preprocess(X, ["log_tfidf", "unit_rows"])
    np.testing.assert_array_equal(X.toarray(), COUNTS)


# -- HARTIGAN --------------------------------------------------------------------------------------

# k-means by moves of single samples.


rng = np.random.default_rng(0)
NOISE = rng.normal(size=(700, 6))


def test_scale_of_samples_changes_no_label():
    labels, squares = Samples(NOISE).cluster(3, 2, np.random.default_rng(0))
    for exponent in (-700, -1000, 700, 1000):
        scaled = Samples(np.ldexp(NOISE, exponent)).cluster(3, 2, np.random.default_rng(0))
        assert np.array_equal(scaled[0], labels)
        assert scaled[1] == squares * 2.0**exponent * 2.0**exponent


@pytest.mark.parametrize("n_clusters", [0, 2.5])
def test_impossible_number_of_clusters_is_rejected(n_clusters):
    with pytest.raises(ValueError, match="n_clusters"):
        HartiganKMeans(n_clusters).fit(NOISE)
