"""KC: k-means on the rows of the co-association matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.distance import cdist

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.kc import _samples, co_association_points, k_means_from_samples
from ensembles import label_matrices
from goldens import STORED, stored_ensemble
from oracles import spectral as oracle
from oracles.common import co_association


@settings(max_examples=60)
@given(label_matrices())
def test_points_are_as_far_apart_as_rows_of_the_co_association_matrix(labels):
    ensemble = Ensemble(labels)
    points = ensemble.microclusters.expand(co_association_points(ensemble))
    rows = co_association(labels)
    np.testing.assert_allclose(cdist(points, points), cdist(rows, rows), atol=1e-7)
    assert points.shape[1] <= min(ensemble.microclusters.count, ensemble.n_clusters_total)


@pytest.mark.parametrize("name", STORED)
def test_kc_spread_is_that_of_k_means_on_all_rows(name):
    labels, c = stored_ensemble(name)
    rows, ones = co_association(labels), np.ones(len(labels))
    found = METHODS["KC"](n_clusters=c, random_state=0).fit_predict(labels)
    expected = oracle.ORACLES["KC"](labels, c)
    assert oracle.weighted_spread(rows, ones, found) <= 1.0001 * oracle.weighted_spread(
        rows, ones, expected
    )


def test_a_start_draws_each_sample_with_the_same_chance():
    points, r = np.array([[0.0], [1.0], [2.0]]), np.array([7.0, 2.0, 1.0])
    both_of_the_first = 0
    for seed in range(300):
        drawn = _samples(np.cumsum(r), points, 2, np.random.RandomState(seed))
        both_of_the_first += bool((drawn == 0).all())
    # 7/10 · 6/9 of the pairs of ten samples.
    assert both_of_the_first / 300 == pytest.approx(7 / 15, abs=0.1)


def test_no_cluster_stays_empty_where_drawn_samples_have_one_row():
    points, r = np.arange(5.0)[:, None], np.array([100.0, 1, 1, 1, 1])
    for seed in range(20):
        found = k_means_from_samples(points, 4, np.random.RandomState(seed), r, n_init=1)
        assert len(np.unique(found)) == 4


def test_one_random_start_is_worse_than_ten_of_k_means_plus_plus():
    labels, c = stored_ensemble("g150")
    rows, ones = co_association(labels), np.ones(len(labels))

    def spread(**settings):
        found = METHODS["KC"](n_clusters=c, random_state=0, **settings).fit_predict(labels)
        return oracle.weighted_spread(rows, ones, found)

    assert spread(init="random", n_init=1) > spread()
