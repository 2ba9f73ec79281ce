"""k-means by moves of single samples."""

import numpy as np
import pytest

from coassoc.pools.hartigan import Samples
from coassoc.pools.hartigan_kmeans import HartiganKMeans

rng = np.random.default_rng(0)
GROUPS = rng.normal(size=(4, 6))[rng.integers(4, size=700)]
NOISE = rng.normal(size=(700, 6))


def test_the_best_of_several_starts_is_the_one_of_least_sum_of_squares():
    X = NOISE + 3 * GROUPS
    starts = np.random.default_rng(5)
    single = [Samples(X).cluster(4, 1, starts) for _ in range(6)]
    labels, squares = Samples(X).cluster(4, 6, np.random.default_rng(5))
    best = min(single, key=lambda fit: fit[1])
    assert squares == best[1]
    assert np.array_equal(labels, best[0])


def test_scale_of_samples_changes_no_label():
    labels, squares = Samples(NOISE).cluster(3, 2, np.random.default_rng(0))
    for exponent in (-700, -1000, 700, 1000):
        scaled = Samples(np.ldexp(NOISE, exponent)).cluster(3, 2, np.random.default_rng(0))
        assert np.array_equal(scaled[0], labels)
        assert scaled[1] == squares * 2.0**exponent * 2.0**exponent


def test_read_only_samples_are_clustered():
    X = NOISE.copy()
    X.flags.writeable = False
    assert np.array_equal(HartiganKMeans(3).fit_predict(X), HartiganKMeans(3).fit_predict(NOISE))


@pytest.mark.parametrize("n_clusters", [0, 2.5])
def test_impossible_number_of_clusters_is_rejected(n_clusters):
    with pytest.raises(ValueError, match="n_clusters"):
        HartiganKMeans(n_clusters).fit(NOISE)
