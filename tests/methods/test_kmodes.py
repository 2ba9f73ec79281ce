"""k-modes against modes and mismatches of single samples."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.kmodes import mismatches
from ensembles import label_matrices_with_gaps, noisy_copies


def cost(labels, partition):
    """Labels of samples other than the mode's, whichever of equally frequent ones that is."""
    return sum(
        np.sum(inside >= 0) - np.bincount(inside[inside >= 0], minlength=1).max()
        for k in np.unique(partition)
        for inside in labels[partition == k].T
    )


@given(labels=label_matrices_with_gaps(), data=st.data())
def test_distances_from_modes_sum_to_the_cost(labels, data):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    draws = st.lists(st.integers(0, 2), min_size=micro.count, max_size=micro.count)
    partition = np.array(data.draw(draws))
    far = mismatches(ensemble, partition, 3)[np.arange(micro.count), partition]
    assert micro.r @ far == cost(ensemble.labels, micro.expand(partition))


@pytest.mark.parametrize("noise", [0.3, 0.6])
def test_the_cost_is_the_least_of_all_partitions(noise):
    for seed in range(8):
        labels, _ = noisy_copies(8, 5, 2, noise, seed=seed)
        partitions = [np.array((0, *rest)) for rest in product((0, 1), repeat=7) if any(rest)]
        model = METHODS["K-modes"](2, random_state=0).fit(labels)
        least = min(cost(labels, partition) for partition in partitions)
        assert model.history_["objective"][-1] == least


def test_equally_frequent_labels_are_told_apart_by_their_whole_size():
    ensemble = Ensemble([[0, 0], [0, 1], [1, 1], [1, 2]])
    # The first two samples have labels 0 and 1 in the second clustering, and two samples have 1.
    partition = np.array([0, 0, 1, 1])[ensemble.microclusters.representatives]
    far = mismatches(ensemble, partition, 2)[ensemble.microclusters.assignment]
    np.testing.assert_array_equal(far[:, 0], [1, 0, 1, 2])
