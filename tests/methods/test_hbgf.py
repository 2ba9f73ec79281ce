"""HBGF and U-SENC against the whole bipartite graph."""

import numpy as np

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.hbgf import bipartite_embedding


def test_singular_values_of_zero_are_left_out():
    ensemble = Ensemble([[0, 0], [0, 0], [1, 1], [1, 1]])
    samples, clusters = bipartite_embedding(ensemble, 4)
    assert samples.shape == (2, 2) and clusters.shape == (4, 2)


def test_parts_without_samples_are_counted_and_filled():
    # One sample in twelve stands apart, and one cluster more is wanted than there are kinds.
    labels = np.repeat([[0, 1, 0], [1, 0, 1]], [11, 1], axis=0)
    model = METHODS["HBGF"](3, random_state=0).fit(labels)
    assert len(np.unique(model.labels_)) == 3
    assert model.n_clusters_found_ == 2
