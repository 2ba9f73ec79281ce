"""Similarities against the golden outputs and the plain transcriptions."""

from types import SimpleNamespace

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.similarity import (
    co_association,
    locally_weighted_co_association,
    probability_trajectory_similarity,
    propagated_cluster_similarity,
    trajectory_lengths,
)
from ensembles import noisy_ensemble, with_missing
from oracles import common


def test_co_association(golden):
    CA = co_association(golden.ensemble).to_dense()
    np.testing.assert_array_equal(CA, golden.outputs("eac")["CA"])
    LWCA = locally_weighted_co_association(golden.ensemble).to_dense()
    np.testing.assert_allclose(LWCA, golden.outputs("lwea")["LWCA_theta04"], atol=1e-14)


def test_probability_trajectories(golden):
    ensemble, expected = golden.ensemble, golden.outputs("pta")
    np.testing.assert_array_equal(ensemble.microclusters.assignment, expected["mc_of_object"])
    assert trajectory_lengths(ensemble) == expected["K"] == expected["T"]
    similarity = probability_trajectory_similarity(ensemble)
    np.testing.assert_allclose(similarity.S, expected["PTS"], atol=1e-13)
    shorter = probability_trajectory_similarity(ensemble, 5, 5)
    np.testing.assert_allclose(shorter.S, expected["PTS_K5T5"], atol=1e-13)


def with_strangers():
    """(40, 6) labels of which a fifth is missing, and two samples that never meet."""
    labels = with_missing(noisy_ensemble(40, 6, 3, seed=3), 0.2)
    labels[:2] = [[0, 0, 0, -1, -1, -1], [-1, -1, -1, 1, 1, 1]]
    return labels


def test_similarities_with_missing_labels():
    ensemble = Ensemble(with_strangers())
    CA = co_association(ensemble).to_dense()
    np.testing.assert_allclose(CA, common.co_association(ensemble.labels), atol=1e-15)
    LWCA = locally_weighted_co_association(ensemble, 0.7).to_dense()
    expected = common.locally_weighted_co_association(ensemble.labels, 0.7)
    np.testing.assert_allclose(LWCA, expected, atol=1e-14)


def test_clusters_that_overlap_no_other_are_similar_to_none():
    """The last samples are in clusters of the first base clustering alone."""
    labels = np.vstack([noisy_ensemble(30, 4, 3, seed=1), [[3, -1, -1, -1], [4, -1, -1, -1]]])
    G = propagated_cluster_similarity(Ensemble(labels))
    np.testing.assert_array_equal(G[3:5], 0)
    np.testing.assert_array_equal(G[:, 3:5], 0)
    others = np.delete(np.arange(len(G)), [3, 4])
    expected = propagated_cluster_similarity(Ensemble(labels[:-2]))
    np.testing.assert_allclose(G[np.ix_(others, others)], expected, atol=1e-13)
    np.testing.assert_array_equal(expected.diagonal(), 1)


@pytest.mark.parametrize(
    ("count", "length"), [(1, 1), (15, 1), (16, 2), (35, 2), (36, 3), (1599, 19), (10**5, 20)]
)
def test_walks_are_as_long_as_half_the_root_of_the_number(count, length):
    assert trajectory_lengths(SimpleNamespace(microclusters=SimpleNamespace(count=count))) == length
