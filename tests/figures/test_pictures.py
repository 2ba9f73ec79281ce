"""Pictures of a consensus: what is drawn where, and that it is drawn for many samples."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.confidence import sample_confidence
from coassoc.pages.pictures import (
    consensus_order,
    plot_confidence,
    plot_consensus_matrix,
    plot_diversity,
)
from ensembles import noisy_ensemble
from oracles.common import co_association


@pytest.fixture(scope="module")
def shuffled():
    """Base clusterings of four classes in random order, and the classes."""
    order = np.random.default_rng(0).permutation(120)
    return Ensemble(noisy_ensemble(120, 8, 4, seed=1)[order]), np.repeat(np.arange(4), 30)[order]


def test_order_goes_by_cluster_and_by_confidence(shuffled):
    ensemble, y = shuffled
    confidence = sample_confidence(ensemble, y)
    order = consensus_order(y, confidence)
    assert sorted(order) == list(range(120))
    assert y[order].tolist() == sorted(y)
    assert (np.diff(confidence[order].reshape(4, 30), axis=1) <= 0).all()


def test_matrix_is_the_ordered_co_association(shuffled):
    ensemble, y = shuffled
    axis = plot_consensus_matrix(ensemble, y).axes[0]
    order = consensus_order(y, sample_confidence(ensemble, y))
    expected = co_association(ensemble.labels)[np.ix_(order, order)]
    np.testing.assert_allclose(axis.images[0].get_array(), expected)
    assert len(axis.lines) == 2 * 3
    assert axis.get_title() == "120 samples in 4 clusters"


def test_pairs_that_never_met_are_no_number():
    labels = np.array([[0, -1], [0, -1], [-1, 0], [-1, 1], [0, 0]])
    drawn = plot_consensus_matrix(Ensemble(labels), [0, 0, 1, 1, 1]).axes[0].images[0].get_array()
    assert np.ma.count_masked(np.ma.masked_invalid(drawn)) == 2 * 2 * 2


def test_a_single_base_clustering_and_a_single_cluster_are_drawn():
    ensemble = Ensemble([[0], [0], [1]])
    assert plot_diversity(ensemble).axes[0].get_title().endswith("nan")
    matrix = plot_consensus_matrix(ensemble, [0, 0, 0])
    assert matrix.axes[0].get_title() == "3 samples in one cluster"
    plot_confidence(ensemble, [0, 0, 0])
    many = Ensemble(np.repeat(np.arange(3), 400)[:, None])
    picture = plot_consensus_matrix(many, np.repeat(np.arange(3), 400)).axes[0].images[0]
    assert picture.get_array().shape == (400, 400)
