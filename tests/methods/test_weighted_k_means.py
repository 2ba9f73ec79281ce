"""SEC, KC and LWSC: methods that end in k-means and have no other parameter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.distance import cdist

from coassoc import Ensemble
from coassoc.errors import ConfigError
from coassoc.methods import METHODS
from coassoc.methods.kc import co_association_points
from coassoc.partition.spectral import spectral_embedding
from coassoc.similarity import locally_weighted_co_association
from ensembles import label_matrices, noisy_copies, same_partition
from goldens import STORED, stored_ensemble
from oracles import spectral as oracle
from oracles.common import co_association, spectral_vectors, unit_rows
from oracles.eccms import locally_weighted_co_association as locally_weighted


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("name", ["g60", "g150"])
def test_sec_spread_is_that_of_k_means_on_all_samples(name):
    labels, c = stored_ensemble(name)
    points, weights = oracle.weighted_points(labels)
    found = METHODS["SEC"](n_clusters=c, random_state=0).fit_predict(labels)
    assert same_partition(found, oracle.ORACLES["SEC"](labels, c))
    spread = oracle.weighted_spread(points, weights, found)
    for sample in range(0, len(labels), 7):  # no single sample gains by moving
        for other in range(c):
            moved = found.copy()
            moved[sample] = other
            assert oracle.weighted_spread(points, weights, moved) >= spread - 1e-12


@settings(max_examples=40, deadline=None)
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
    np.testing.assert_allclose(
        oracle.weighted_spread(points, weights, partition), total - inside, atol=1e-10
    )


@pytest.mark.parametrize("name", ["g60", "g150"])
def test_lwsc_is_spectral_clustering_of_the_dense_matrix(name):
    labels, c = stored_ensemble(name)
    found = METHODS["LWSC"](n_clusters=c, random_state=0).fit_predict(labels)
    assert same_partition(found, oracle.ORACLES["LWSC"](labels, c))


@pytest.mark.parametrize("theta", [0.1, 0.4, 2.0])
def test_lwsc_embedding(theta):
    labels, _ = noisy_copies(90, 5, 4, 0.15, seed=3)
    W = locally_weighted(labels, theta)
    embedding, micro = spectral_embedding(
        locally_weighted_co_association(Ensemble(labels), theta), 4
    )
    found = micro.expand(embedding)
    expected = unit_rows(spectral_vectors(W, 4))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)


@pytest.mark.parametrize("method", ["SEC", "KC", "LWSC"])
def test_clear_classes_are_found(method):
    labels, y = noisy_copies(200, 12, 4, 0.2, seed=5)
    assert same_partition(METHODS[method](n_clusters=4, random_state=1).fit_predict(labels), y)


def test_theta_must_be_positive():
    with pytest.raises(ConfigError, match="theta"):
        METHODS["LWSC"](theta=0).fit([[0], [1]])
