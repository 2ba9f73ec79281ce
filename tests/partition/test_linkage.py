"""Linkage on microclusters equals linkage on samples; cuts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.cluster.hierarchy as hierarchy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from coassoc import Ensemble
from coassoc.ensemble import Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.partition.labels import canonical_labels
from coassoc.partition.linkage import _average_merge_tree, cut, linkage_labels, merge_tree
from coassoc.similarity import locally_weighted_co_association
from ensembles import noisy_ensemble


def sample_linkage(similarity: np.ndarray, n_clusters: int, method: str) -> np.ndarray:
    """SciPy's linkage of the samples themselves."""
    distance = 1 - (similarity + similarity.T) / 2
    np.fill_diagonal(distance, 0.0)
    tree = hierarchy.linkage(squareform(distance, checks=False), method)
    return canonical_labels(hierarchy.cut_tree(tree, n_clusters).ravel())


@st.composite
def tie_free(draw) -> InvariantMatrix:
    """A symmetric matrix without equal entries; some microclusters hold together, some do not."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=9))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_micro = len(sizes)
    S = rng.uniform(0, 0.9, (n_micro, n_micro))
    S = (S + S.T) / 2
    tight = rng.random(n_micro) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    inside = np.where(tight, 0.9 + 0.1 * rng.random(n_micro), rng.uniform(0, 0.9, n_micro))
    S[np.diag_indices(n_micro)] = inside
    micro = Microclusters.from_assignment(np.repeat(np.arange(n_micro), sizes))
    return InvariantMatrix(S, 0.0, micro)


@given(tie_free(), st.sampled_from(["average", "complete", "single"]), st.data())
@settings(max_examples=200)
def test_linkage_on_microclusters_equals_linkage_on_samples(X, method, data):
    n_clusters = data.draw(st.integers(1, X.shape[0]))
    found = linkage_labels(X, n_clusters, method)
    assert found.max() + 1 == n_clusters
    expected = sample_linkage(X.to_dense(), n_clusters, method)
    if not _decided_by_ties(X.to_dense(), n_clusters, method, expected):
        np.testing.assert_array_equal(found, expected)


def _decided_by_ties(S: np.ndarray, n_clusters: int, method: str, expected: np.ndarray) -> bool:
    """Whether changes of 1e-9 change the cut: samples of a microcluster are equally far."""
    rng = np.random.default_rng(0)
    for _ in range(12):
        changed = sample_linkage(S + rng.uniform(0, 1e-9, S.shape), n_clusters, method)
        if (changed != expected).any():
            return True
    return False


@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_rounds_of_nearest_neighbours_equal_scipy(n, seed):
    rng = np.random.default_rng(seed)
    condensed = rng.uniform(size=n * (n - 1) // 2)
    expected = hierarchy.linkage(condensed, "average")
    found = _average_merge_tree(squareform(condensed), np.ones(n))
    np.testing.assert_allclose(np.sort(found.heights), expected[:, 2], atol=1e-12)
    for c in {1, 2, n // 2, n - 1} - {0}:
        np.testing.assert_array_equal(
            canonical_labels(cut(found, c)),
            canonical_labels(hierarchy.cut_tree(expected, c).ravel()),
        )


def test_linkage_with_all_distances_equal():
    n = 400
    merges = _average_merge_tree(np.ones((n, n)), np.arange(1.0, n + 1))
    np.testing.assert_allclose(merges.heights, 1.0)
    for c in (1, 2, 17, n):
        assert len(np.unique(cut(merges, c))) == c


def test_a_cut_always_gives_the_wanted_number():
    tied = np.ones((6, 6))
    for method in ("average", "complete", "single"):
        merges = merge_tree(tied.copy(), np.ones(6), method)
        assert [len(np.unique(cut(merges, c))) for c in range(1, 7)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("seed", range(4))
def test_linkage_of_ensembles_equals_linkage_of_samples(seed):
    ensemble = Ensemble(noisy_ensemble(80, 10, 4, seed, noise=0.05))
    A = locally_weighted_co_association(ensemble)
    assert A.microclusters.count < ensemble.n_samples
    for c in (2, 3, 4):
        expected = sample_linkage(A.to_dense(), c, "average")
        np.testing.assert_array_equal(linkage_labels(A, c), expected)
