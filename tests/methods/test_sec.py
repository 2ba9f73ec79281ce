"""SEC: weighted k-means on clusterings as points."""

import numpy as np
import pytest
from hypothesis import given, settings

from coassoc.methods import METHODS
from ensembles import label_matrices, same_partition
from oracles import spectral as oracle
from oracles.common import co_association


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


@settings(max_examples=40)
@given(label_matrices(max_samples=9, max_clusterings=3, max_clusters=3))
def test_sec_spread_is_the_normalised_cut(labels):
    # Σ w‖z/w − m‖² = constant − Σ_k (1_kᵀ Z Zᵀ 1_k) / (1_kᵀ w): both rank partitions alike.
    points, weights = oracle.weighted_points(labels)
    S = labels.shape[1] * co_association(labels)
    partition = METHODS["SEC"](n_clusters=2, random_state=0).fit_predict(labels)
    inside = sum(
        S[np.ix_(partition == k, partition == k)].sum() / weights[partition == k].sum()
        for k in range(2)
    )
    total = (weights * (points**2).sum(axis=1)).sum()
    spread = oracle.weighted_spread(points, weights, partition)
    np.testing.assert_allclose(spread, total - inside, atol=1e-10)
