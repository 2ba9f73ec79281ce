"""Agreements of rows of labels by compiled loops are those of a sparse product, to the last bit."""

import numpy as np
import pytest

from coassoc import Ensemble, similarity, use_threads
from coassoc.similarity import shared_weight


@pytest.mark.parametrize(
    ("n", "m", "n_labels", "missing"),
    [(90, 7, 4, 0.0), (90, 7, 4, 0.3), (40, 300, 2, 0.0), (400, 3, 255, 0.1), (700, 2, 256, 0.1)],
    ids=["complete", "missing", "more than 255 columns", "255 labels", "256 labels"],
)
def test_all_ways_give_the_same(n, m, n_labels, missing, monkeypatch):
    rng = np.random.default_rng(n)
    labels = np.where(rng.random((n, m)) < missing, -1, rng.integers(0, n_labels, (n, m)))
    labels[:n_labels, 0] = np.arange(n_labels)[:n]
    ensemble = Ensemble(labels[(labels >= 0).any(axis=1)])
    ones = np.ones(ensemble.n_clusters_total)
    for weights in (ones, ones / 3, rng.random(len(ones))):
        by_product = shared_weight(ensemble, weights)
        with monkeypatch.context() as patch, use_threads(3):
            patch.setattr(similarity, "MOST_BY_PRODUCT", 0)
            made = shared_weight(ensemble, weights)
        np.testing.assert_array_equal(made, by_product)
        np.testing.assert_array_equal(made, made.T)
