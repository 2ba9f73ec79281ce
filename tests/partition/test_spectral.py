"""Spectral embeddings equal their dense formulas; weighted k-means."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from coassoc import Ensemble, InvariantMatrix, Microclusters
from coassoc.partition import spectral
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import canonical_labels, labels_of_samples
from coassoc.partition.picking import disagreements, pick_clustering
from coassoc.partition.spectral import drawn_samples, k_means, unit_rows
from coassoc.similarity import co_association
from ensembles import label_matrices_with_gaps, noisy_ensemble, same_partition


def test_spectral_embedding_equals_dense():
    W = co_association(Ensemble(noisy_ensemble(70, 7, 3, 0, noise=0.1)))
    W = InvariantMatrix.with_diagonal(W.S, 1.5, W.microclusters)
    embedding, micro = spectral.spectral_embedding(W, 3)
    U = np.linalg.eigh(dense_normalized(W))[1][:, -3:]
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    expanded = micro.expand(embedding)
    np.testing.assert_allclose(expanded @ expanded.T, U @ U.T, atol=1e-8)


def test_eigenvectors_inside_a_microcluster_count_where_all_their_copies_do():
    # Two loose pairs: the differences inside them belong to the leading eigenvectors.
    micro = Microclusters.from_assignment([0, 0, 1, 1])
    W = InvariantMatrix.with_diagonal(np.full((2, 2), 0.01), 1.0, micro)
    embedding, same = spectral.spectral_embedding(W, 3)
    assert embedding.shape == (2, 2) and same is micro
    # All four vectors are certain.
    embedding, singles = spectral.spectral_embedding(W, 4)
    assert embedding.shape == (4, 4) and singles.count == 4
    assert len(np.unique(spectral.spectral_labels(W, 4, 0))) == 4


def test_a_cut_through_the_eigenspace_inside_a_microcluster_parts_no_equal_rows():
    rows = np.repeat(np.arange(6), [20, 3, 9, 1, 14, 5])
    micro = Microclusters.from_assignment(rows)
    S = np.random.default_rng(0).uniform(0.05, 0.2, (6, 6))
    S[1, :] = S[:, 1] = 0.01
    W = InvariantMatrix.with_diagonal((S + S.T) / 2, 1.0, micro)
    values = np.linalg.eigvalsh(dense_normalized(W))
    # Two vectors that part three equal samples share an eigenvalue, and one of them was taken.
    assert values[-4] == pytest.approx(values[-3], abs=1e-14)
    assert values[-3] == pytest.approx(W.e[1] / W.row_sums()[1], abs=1e-14)
    labels = spectral.spectral_labels(W, 3, 0)
    assert all(len(np.unique(labels[rows == k])) == 1 for k in range(6))
    assert len(np.unique(labels)) == 3


def dense_normalized(W):
    scale = 1 / np.sqrt(W.to_dense().sum(axis=1))
    return W.to_dense() * scale * scale[:, None]


def test_a_matrix_of_rank_one_has_one_cluster_and_is_warned_about():
    """The other eigenvectors are LAPACK's rounding: they parted samples evenly, on each processor
    in another way."""
    singles = Microclusters.from_assignment(np.arange(60))
    W = InvariantMatrix(np.full((60, 60), 0.2597), 0.0, singles)
    with pytest.warns(spectral.FewVectorsWarning, match="Only 1 of 6 eigenvalues"):
        embedding, _ = spectral.spectral_embedding(W, 6)
    assert embedding.shape == (60, 1)
    with pytest.warns(
        spectral.FewPointsWarning, match="K-means found only one cluster instead of 6"
    ):
        labels = spectral.spectral_labels(W, 6, 0)
    np.testing.assert_array_equal(np.sort(np.bincount(labels)), [1, 1, 1, 1, 1, 55])


def test_small_eigenvalues_above_rounding_count():
    singles = Microclusters.from_assignment(np.arange(40))
    halves = np.where(np.arange(40) < 17, 1.0, -1.0)
    W = InvariantMatrix(1 + 1e-9 * np.outer(halves, halves), 0.0, singles)
    labels = spectral.spectral_labels(W, 2, 0)
    np.testing.assert_array_equal(np.unique(labels[:17]), 0)
    np.testing.assert_array_equal(np.unique(labels[17:]), 1)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("q", "L"), [(60, 20), (20, 60), (3, 60)])
def test_a_transfer_cut_of_few_items_or_few_clusters_has_the_vectors_of_the_same_svd(q, L, sparse):
    random = np.random.default_rng(0)
    B, weights = random.random((q, L)), random.integers(1, 9, q)
    N = np.sqrt(weights / B.sum(axis=1))[:, None] * B
    scale = 1 / np.sqrt(N.T @ N.sum(axis=1))
    expected = B * scale @ np.linalg.svd(N * scale)[2][:4].T
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = spectral.transfer_cut_embedding(sp.csr_array(B) if sparse else B, weights, 4)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)


def test_samples_of_a_similarity_of_zeros_are_one_point():
    """K-means then fills the clusters that are empty with single samples."""
    single = Microclusters.from_assignment(np.arange(12))
    nothing = InvariantMatrix(np.zeros((12, 12)), np.zeros(12), single)
    with pytest.warns(spectral.FewVectorsWarning, match="Only 0 of 3 eigenvalues"):
        labels = spectral.spectral_labels(nothing, 3, random_state=0)
    assert sorted(np.bincount(labels)) == [1, 1, 10]


# -- ENDING ----------------------------------------------------------------------------------------

# The k-means at the end of a method, and its starts.


def test_a_start_draws_each_sample_with_the_same_chance():
    points, r = np.array([[0.0], [1.0], [2.0]]), np.array([7.0, 2.0, 1.0])
    both_of_the_first = 0
    for seed in range(300):
        drawn = drawn_samples(r, points, 2, np.random.RandomState(seed))
        both_of_the_first += bool((drawn == 0).all())
    # 7/10 · 6/9 of the pairs of ten samples.
    assert both_of_the_first / 300 == pytest.approx(7 / 15, abs=0.1)


def test_no_cluster_stays_empty_where_drawn_samples_have_one_row():
    points, r = np.arange(5.0)[:, None], np.array([100.0, 1, 1, 1, 1])
    for seed in range(20):
        labels = k_means(points, 4, np.random.RandomState(seed), r, n_init=1, init="random")
        assert len(np.unique(labels)) == 4


# -- CUTS ------------------------------------------------------------------------------------------

# Labels from vectors, of wanted numbers of clusters, and of the best base clustering.


# -- DISCRETISATION --------------------------------------------------------------------------------

# Discretisation of spectral vectors by rotation.


def fit_of_partition(labels, V):
    return np.linalg.svd(np.eye(V.shape[1])[labels].T @ V, compute_uv=False).sum()


@given(st.integers(0, 10_000), st.integers(2, 5))
@example(823, 4)  # A cluster becomes empty on the way.
@example(11, 5)  # One row is taken twice for the first rotation.
@example(17, 5)  # So here; Nehalem's products round the two columns differently.
@example(2017, 6)  # Two rows are equally far from all others.
def test_weights_of_the_discretisation_stand_for_repeated_rows(seed, c):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(15, c))
    sizes = rng.integers(1, 5, 15)
    repeated = np.repeat(np.arange(15), sizes)
    compressed = discretize(rows, [3], sizes)[repeated]
    plain = discretize(rows[repeated], [int(np.flatnonzero(repeated == 3)[0])])
    np.testing.assert_array_equal(canonical_labels(compressed), canonical_labels(plain))


def test_discretisation_prefers_the_wanted_number_of_clusters():
    V = unit_rows(np.random.default_rng(37).normal(size=(8, 4)))
    partitions = [discretize(V, [start]) for start in range(8)]
    counts = np.array([len(np.unique(labels)) for labels in partitions])
    fits = np.array([fit_of_partition(labels, V) for labels in partitions])
    # From some rows the rotation leaves a cluster empty and yet fits better.
    assert fits[counts < 4].max() > fits[counts == 4].max()
    assert len(np.unique(discretize(V, range(8)))) == 4


# -- LABELS ----------------------------------------------------------------------------------------

# Numbers of clusters, and clusters cut to a wanted number.


def test_distinct_rows_are_cut_off_whole_and_by_their_content():
    micro = Ensemble(np.array([[2], [0], [1], [2], [1], [3]])).microclusters
    few = labels_of_samples(np.array([0, 0, 0, 0]), micro, 3)
    assert same_partition(few, [1, 0, 0, 1, 0, 2])
    order = np.array([5, 3, 2, 0, 4, 1])
    shuffled = Microclusters.from_assignment(micro.assignment[order])
    again = labels_of_samples(np.array([0, 0, 0, 0]), shuffled, 3)
    assert same_partition(again, few[order])
    assert len(set(labels_of_samples(np.array([0, 0, 1, 1]), micro, 6))) == 6


# -- PICKING ---------------------------------------------------------------------------------------

# The base clustering that disagrees least, against counts over all pairs.


def by_pairs(labels):
    """(m, m) numbers of pairs, counted one by one; a coin decides where a label is missing."""
    n, m = labels.shape
    counts = np.zeros((m, m))
    for i, j in combinations(range(n), 2):
        known = (labels[i] >= 0) & (labels[j] >= 0)
        together = np.where(known, labels[i] == labels[j], 0.5)
        apart = 1 - together
        counts += np.outer(together, apart) + np.outer(apart, together)
    return counts


@given(labels=label_matrices_with_gaps())
def test_disagreements_are_those_of_all_pairs(labels):
    counts = disagreements(Ensemble(labels))
    np.testing.assert_array_equal(counts, by_pairs(labels))
    np.fill_diagonal(counts, 0)
    assert pick_clustering(labels) == counts.sum(axis=1).argmin()
