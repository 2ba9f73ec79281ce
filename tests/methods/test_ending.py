"""The k-means at the end of a method, and its starts."""

import numpy as np
import pytest

from coassoc.partition.spectral import drawn_samples, k_means


def test_a_start_draws_each_sample_with_the_same_chance():
    points, r = np.array([[0.0], [1.0], [2.0]]), np.array([7.0, 2.0, 1.0])
    both_of_the_first = 0
    for seed in range(300):
        drawn = drawn_samples(r, points, 2, np.random.RandomState(seed))
        both_of_the_first += bool((drawn == 0).all())
    # 7/10 · 6/9 of the pairs of ten samples.
    assert both_of_the_first / 300 == pytest.approx(7 / 15, abs=0.1)


def test_no_cluster_stays_empty_where_drawn_samples_have_one_row():
    points, r = np.arange(5.0)[:, None], np.array([100.0, 1, 1, 1, 1])
    for seed in range(20):
        labels = k_means(points, 4, np.random.RandomState(seed), r, n_init=1, init="random")
        assert len(np.unique(labels)) == 4
