"""Numbers of clusters, and clusters cut to a wanted number."""

import numpy as np

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.partition.labels import labels_of_samples, split_to
from ensembles import same_partition


def test_split_to_cuts_single_samples_off():
    labels = split_to(np.array([0, 0, 0, 1]), 4)
    assert sorted(np.bincount(labels)) == [1, 1, 1, 1]
    np.testing.assert_array_equal(split_to(np.array([0, 1, 1]), 2), [0, 1, 1])


def test_distinct_rows_are_cut_off_whole_and_by_their_content():
    micro = Ensemble(np.array([[2], [0], [1], [2], [1], [3]])).microclusters
    few = labels_of_samples(np.array([0, 0, 0, 0]), micro, 3)
    assert same_partition(few, [1, 0, 0, 1, 0, 2])
    order = np.array([5, 3, 2, 0, 4, 1])
    shuffled = Microclusters.from_assignment(micro.assignment[order])
    again = labels_of_samples(np.array([0, 0, 0, 0]), shuffled, 3)
    assert same_partition(again, few[order])
    assert len(set(labels_of_samples(np.array([0, 0, 1, 1]), micro, 6))) == 6
