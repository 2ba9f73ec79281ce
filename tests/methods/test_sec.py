"""SEC: weighted k-means on clusterings as points."""

import pytest

from coassoc.methods import METHODS
from ensembles import same_partition
from oracles import spectral as oracle


@pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
def test_sec_spread_is_that_of_k_means_on_all_samples(golden):
    labels, c = golden.labels, golden.n_clusters
    points, weights = oracle.weighted_points(labels)
    partition = METHODS["SEC"](n_clusters=c, random_state=0).fit_predict(labels)
    assert same_partition(partition, oracle.ORACLES["SEC"](labels, c))
    spread = oracle.weighted_spread(points, weights, partition)
    for sample in range(0, len(labels), 7):  # no single sample gains by moving
        for other in range(c):
            moved = partition.copy()
            moved[sample] = other
            assert oracle.weighted_spread(points, weights, moved) >= spread - 1e-12
