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


def test_blocks_have_the_labels_of_their_clusters(shuffled):
    ensemble, y = shuffled
    (bar,) = plot_consensus_matrix(ensemble, y + 5).axes[0].child_axes
    *shown, below = bar.texts
    assert [text.get_text() for text in shown] == ["5", "6", "7", "8"]
    assert [text.get_position()[1] for text in shown] == [14.5, 44.5, 74.5, 104.5]
    assert below.get_text() == "cluster" and len({*map(str, bar.patches)}) == 4
    many = plot_consensus_matrix(ensemble, np.arange(120)).axes[0].child_axes[0]
    assert 20 < len(many.texts) < 50 and len(many.patches) == 120


def test_matrix_is_the_ordered_co_association(shuffled):
    ensemble, y = shuffled
    axis = plot_consensus_matrix(ensemble, y).axes[0]
    order = consensus_order(y, sample_confidence(ensemble, y))
    expected = co_association(ensemble.labels)[np.ix_(order, order)]
    np.testing.assert_allclose(axis.images[0].get_array(), expected)
    assert len(axis.lines) == 2 * 3
    assert axis.get_title() == "120 samples in 4 clusters"


def test_many_samples_share_pixels(shuffled):
    ensemble, y = shuffled
    many = Ensemble(np.repeat(ensemble.labels, 20, axis=0))
    axis = plot_consensus_matrix(many, np.repeat(y, 20)).axes[0]
    drawn = axis.images[0].get_array()
    assert drawn.shape == (400, 400)
    borders = sorted({line.get_ydata()[0] for line in axis.lines[::2]})
    assert borders == [99.5, 199.5, 299.5]
    assert drawn[:100, :100].mean() > 3 * drawn[:100, 100:200].mean()


def test_pairs_that_never_met_are_no_number():
    labels = np.array([[0, -1], [0, -1], [-1, 0], [-1, 1], [0, 0]])
    drawn = plot_consensus_matrix(Ensemble(labels), [0, 0, 1, 1, 1]).axes[0].images[0].get_array()
    assert np.ma.count_masked(np.ma.masked_invalid(drawn)) == 2 * 2 * 2


def test_confidence_of_each_cluster_is_an_outline(shuffled):
    ensemble, y = shuffled
    axis = plot_confidence(ensemble, y).axes[0]
    names = [text.get_text() for text in axis.get_yticklabels()]
    assert names == ["cluster 0", "cluster 1", "cluster 2", "cluster 3"]
    confidence = sample_confidence(ensemble, y)
    for k, shape in enumerate(axis.collections[::2]):
        points = shape.get_paths()[0].vertices
        assert points[:, 0].max() == pytest.approx(confidence[y == k].max())
    below = int((confidence < 0).sum())
    assert axis.get_title().endswith(f"below 0: {below} of 120 samples")


def test_diversity_puts_alike_base_clusterings_side_by_side():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 3, (2, 60))
    ensemble = Ensemble(np.column_stack([one, other, one, other]))
    axis = plot_diversity(ensemble, ["a", "b", "c", "d"]).axes[0]
    names = [text.get_text() for text in axis.get_yticklabels()]
    assert {names[0], names[1]} in ({"a", "c"}, {"b", "d"})
    drawn = axis.images[0].get_array()
    assert drawn[0, 1] == pytest.approx(1) and drawn[1, 2] < 0.2


def test_a_single_base_clustering_and_a_single_cluster_are_drawn():
    ensemble = Ensemble([[0], [0], [1]])
    assert plot_diversity(ensemble).axes[0].get_title().endswith("nan")
    matrix = plot_consensus_matrix(ensemble, [0, 0, 0])
    assert matrix.axes[0].get_title() == "3 samples in one cluster"
    plot_confidence(ensemble, [0, 0, 0])
