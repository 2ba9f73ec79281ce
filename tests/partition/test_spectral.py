"""Spectral embeddings equal their dense formulas; weighted k-means."""

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc import Ensemble
from coassoc.ensemble import Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.partition.spectral import (
    k_means,
    spectral_embedding,
    spectral_labels,
    transfer_cut_embedding,
)
from coassoc.similarity import co_association
from ensembles import noisy_ensemble


@pytest.mark.parametrize("seed", range(3))
def test_spectral_embedding_equals_dense(seed):
    ensemble = Ensemble(noisy_ensemble(70, 7, 3, seed, noise=0.1))
    W = co_association(ensemble)
    embedding, micro = spectral_embedding(W, 3)
    dense = W.to_dense()
    scale = 1 / np.sqrt(dense.sum(axis=1))
    _, vectors = np.linalg.eigh(dense * scale * scale[:, None])
    U = vectors[:, -3:]
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    expanded = micro.expand(embedding)
    np.testing.assert_allclose(expanded @ expanded.T, U @ U.T, atol=1e-8)


def test_spectral_embedding_with_eigenvectors_inside_a_microcluster():
    # Two loose pairs: the differences inside them belong to the leading eigenvectors.
    micro = Microclusters.from_assignment([0, 0, 1, 1])
    W = InvariantMatrix.with_diagonal(np.full((2, 2), 0.01), 1.0, micro)
    embedding, singles = spectral_embedding(W, 3)
    assert embedding.shape == (4, 3) and singles.count == 4
    assert len(np.unique(spectral_labels(W, 4, 0))) == 4


def test_transfer_cut_equals_golden(golden):
    expected = golden.outputs("lwgp")
    micro = golden.ensemble.microclusters
    B = np.asarray(expected["B"])[micro.representatives]
    embedding = micro.expand(transfer_cut_embedding(B, micro.r, golden.n_clusters))
    np.testing.assert_allclose(embedding @ embedding.T, expected["gram"], atol=1e-8)


def test_weighted_k_means_finds_weighted_means():
    points = np.array([[0.0], [1.0], [10.0]])
    labels = k_means(points, 2, 0, weights=np.array([1.0, 1.0, 50.0]))
    assert labels[0] == labels[1] != labels[2]
    np.testing.assert_array_equal(k_means(points, 3, 0), [0, 1, 2])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("q", "L"), [(60, 20), (20, 60), (3, 60)])
def test_a_transfer_cut_of_few_items_or_few_clusters_has_the_vectors_of_the_same_svd(q, L, sparse):
    random = np.random.default_rng(0)
    B, weights = random.random((q, L)), random.integers(1, 9, q)
    N = np.sqrt(weights / B.sum(axis=1))[:, None] * B
    scale = 1 / np.sqrt(N.T @ N.sum(axis=1))
    expected = B * scale @ np.linalg.svd(N * scale)[2][:4].T
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = transfer_cut_embedding(sp.csr_array(B) if sparse else B, weights, 4)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)
