import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.methods import METHODS
from coassoc.methods.sc import gaussian_neighbor_graph, graph_embedding
from oracles.common import spectral_vectors


def blobs(n=120, c=3, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, c, n)
    return rng.standard_normal((n, 4)) * spread + 4 * rng.standard_normal((c, 4))[y], y


def test_components_span_the_leading_vectors():
    X, y = blobs(spread=0.05)
    W = gaussian_neighbor_graph(X, 10)
    V = graph_embedding(W, 3)
    root = np.sqrt(W.sum(axis=1))
    indicators = np.where(y[:, None] == np.arange(3), root[:, None], 0)
    expected = indicators / np.linalg.norm(indicators, axis=0)
    np.testing.assert_allclose(V @ V.T, expected @ expected.T, atol=1e-10)


def test_more_components_than_clusters_keeps_the_largest():
    graph = sp.csr_array(sp.block_diag([np.ones((size, size)) for size in (3, 6, 4)]))
    V = graph_embedding(graph, 2)
    np.testing.assert_allclose(np.abs(V[3:9, 0]), 1 / np.sqrt(6))
    np.testing.assert_allclose(np.abs(V[9:, 1]), 1 / 2)
    np.testing.assert_allclose(V[:3], 0)


def test_an_outlier_whose_links_vanish():
    X = np.concatenate([np.linspace(0, 1, 30), [1e9]])[:, None]
    labels = METHODS["SC"](n_clusters=2, random_state=0).fit(np.zeros((31, 1), int), X=X).labels_
    assert len(np.unique(labels)) == 2


@pytest.mark.parametrize(("n", "spread"), [(120, 2.0), (1100, 3.0)])
def test_embedding_as_printed(n, spread):
    X, _ = blobs(n=n, spread=spread)
    W = gaussian_neighbor_graph(X, 10)
    V, expected = graph_embedding(W, 3), spectral_vectors(W.toarray(), 3)
    np.testing.assert_allclose(V @ V.T, expected @ expected.T, atol=1e-8)
