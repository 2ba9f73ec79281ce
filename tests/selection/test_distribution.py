"""Distribution of the consensus index against the pairs of samples, one by one."""

import numpy as np
import pytest
from hypothesis import given

from coassoc import Ensemble
from coassoc.selection import consensus_distribution
from ensembles import label_matrices_with_gaps


def consensus_of_pairs(labels):
    """M_ij of every pair, from the definition."""
    shares = []
    for i in range(len(labels)):
        for j in range(i):
            both = (labels[i] >= 0) & (labels[j] >= 0)
            shares.append(np.mean(labels[i][both] == labels[j][both]))
    return np.array(shares)


@given(label_matrices_with_gaps(max_samples=14, max_clusterings=6, max_clusters=3))
def test_cdf_pac_and_area_are_those_of_the_pairs(labels):
    distribution = consensus_distribution(Ensemble(labels))
    M = consensus_of_pairs(labels)
    np.testing.assert_allclose(distribution.values, np.unique(M))
    for x in (0, 0.1, 0.25, 0.5, 0.9, 1):
        assert distribution.cdf(x) == pytest.approx(np.mean(M <= x))
    assert distribution.pac() == pytest.approx(np.mean((M > 0.1) & (M <= 0.9)))
    assert distribution.pac(0.3, 0.6) == pytest.approx(np.mean((M > 0.3) & (M <= 0.6)))
    # What lies below a distribution function from 0 to 1 is 1 less the mean.
    assert distribution.area == pytest.approx(1 - M.mean())


def test_pairs_that_no_clustering_has_both_of_are_left_out():
    labels = np.array([[0, -1], [0, 0], [-1, 0], [0, 1]])
    distribution = consensus_distribution(Ensemble(labels))
    # (0, 1), (0, 3): together in the one that has both; (1, 2) too; (1, 3): half; (2, 3): never.
    np.testing.assert_allclose(distribution.values, [0, 1 / 2, 1])
    np.testing.assert_allclose(distribution.cumulative, [1 / 5, 2 / 5, 1])
