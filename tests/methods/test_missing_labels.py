"""Methods where labels are missing, against plain transcriptions of their definitions."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from coassoc import Ensemble
from coassoc.methods import METHODS, partitioning
from coassoc.methods.cehm import hyperedge_medoids, spread, support
from coassoc.methods.hbgf import bipartite_embedding
from coassoc.methods.kc import co_association_points
from coassoc.methods.vote import aligned, votes
from coassoc.partition.votes import vote_labels
from ensembles import noisy_copies, same_partition
from oracles import missing as oracle
from oracles.common import average_linkage, k_means, spectral, spectral_vectors, unit_rows


@pytest.fixture(scope="module")
def labels():
    """(40, 7) noisy copies of a partition into four, a quarter of the labels missing."""
    found, _ = noisy_copies(40, 7, 4, 0.1, seed=2)
    gaps = np.random.default_rng(5).random(found.shape) < 0.25
    gaps[:, 0] = False
    return np.where(gaps, -1, found)


def fitted(name, labels, **parameters):
    return METHODS[name](n_clusters=4, random_state=0, **parameters).fit_predict(labels)


# EAC-CL differs from EAC-AL by its linkage alone, whose ties these few values make many.
@pytest.mark.parametrize("name", ["EAC-AL", "EAC-SL", "LWEA", "MDEC-HC"])
def test_linkage_of_shares_of_common_clusterings(name, labels):
    kind = "single" if name == "EAC-SL" else "average"
    theta = {"LWEA": 0.4, "MDEC-HC": 1.0}.get(name)
    A = (
        oracle.co_association(labels)
        if theta is None
        else oracle.locally_weighted_co_association(labels, theta)
    )
    assert same_partition(fitted(name, labels), average_linkage(A, 4, kind))


def test_spectral_clustering_of_the_same_matrices(labels):
    A = oracle.co_association(labels)
    assert same_partition(fitted("CA-SC", labels), spectral(A, 4))
    W = oracle.locally_weighted_co_association(labels, 0.4)
    assert same_partition(fitted("LWSC", labels), spectral(W, 4))


def test_k_means_of_the_rows_of_the_co_association_matrix(labels):
    ensemble = Ensemble(labels)
    points = ensemble.microclusters.expand(co_association_points(ensemble))
    rows = oracle.co_association(labels)
    np.testing.assert_allclose(cdist(points, points), cdist(rows, rows), atol=1e-10)


@pytest.mark.parametrize(("name", "theta"), [("LWGP", 0.4), ("MDEC-BG", 1.0), ("U-SENC", None)])
def test_transfer_cut_of_the_links_that_are_there(name, theta, labels):
    B = oracle.one_hot(labels)
    if theta is not None:
        B *= [oracle.cluster_index(labels, j, k, theta) for j, k in oracle.clusters(labels)]
    assert same_partition(fitted(name, labels), k_means(oracle.transfer_cut_vectors(B, 4), 4))


def test_the_bipartite_graph_of_the_links_that_are_there(labels):
    ensemble = Ensemble(labels)
    samples, clusters = bipartite_embedding(ensemble, 4)
    found = np.vstack((ensemble.microclusters.expand(samples), clusters))
    Z = oracle.one_hot(labels)
    n, L = Z.shape
    W = np.block([[np.zeros((n, n)), Z], [Z.T, np.zeros((L, L))]])
    expected = unit_rows(spectral_vectors(W, 4))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)


def test_clusters_are_hyperedges_over_the_samples_that_they_have(labels, monkeypatch):
    edges = []

    def partition(given, weights, n_parts, random_state):
        edges.extend(map(set, given))
        return np.arange(len(weights)) % n_parts

    monkeypatch.setattr(partitioning, "_partition_hypergraph", partition)
    fitted("HGPA", labels)
    assignment = partitioning.vertices(Ensemble(labels), 4).assignment
    expected = [set(assignment[column > 0]) for column in oracle.one_hot(labels).T]
    assert sorted(map(sorted, edges)) == sorted(map(sorted, expected))


def test_meta_clusters_by_the_samples_that_clusters_have(labels):
    ensemble = Ensemble(labels)
    expected = np.floor(1000 * oracle.jaccard(labels) + 1e-9)
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(partitioning.jaccard_graph(ensemble).toarray(), expected)
    meta = np.arange(ensemble.n_clusters_total) % 4
    Z = oracle.one_hot(labels)
    shares = np.column_stack([Z[:, meta == k].mean(axis=1) for k in range(4)])
    found, _ = vote_labels(ensemble, meta, 4)
    np.testing.assert_array_equal(shares[np.arange(40), found], shares.max(axis=1))


def test_a_sample_is_supported_by_the_clusters_that_have_it(labels):
    ensemble = Ensemble(labels)
    grown = spread(ensemble, hyperedge_medoids(ensemble, 4), 4)
    partition = ensemble.microclusters.expand(grown)
    Z = oracle.one_hot(labels)
    shares = np.column_stack([Z[partition == k].sum(axis=0) for k in range(4)])
    expected = Z @ (shares / Z.sum(axis=0)[:, None])
    found = ensemble.microclusters.expand(support(ensemble, grown, 4))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_missing_label_is_no_vote(labels):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    name = aligned(ensemble, np.arange(micro.count) % 4, 4)
    expected = np.zeros((40, 4))
    for column, (j, k) in enumerate(oracle.clusters(labels)):
        expected[labels[:, j] == k, name[column]] += 1
    np.testing.assert_array_equal(micro.expand(votes(ensemble, name, 4)), expected)
