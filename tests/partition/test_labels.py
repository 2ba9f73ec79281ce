"""Numbers of clusters, and clusters cut to a wanted number."""

import numpy as np

from coassoc.partition.labels import canonical_labels, split_to


def test_canonical_labels():
    np.testing.assert_array_equal(canonical_labels(np.array([7, 2, 7, 9, 2])), [0, 1, 0, 2, 1])


def test_split_to_cuts_single_samples_off():
    labels = split_to(np.array([0, 0, 0, 1]), 4)
    assert sorted(np.bincount(labels)) == [1, 1, 1, 1]
    np.testing.assert_array_equal(split_to(np.array([0, 1, 1]), 2), [0, 1, 1])
