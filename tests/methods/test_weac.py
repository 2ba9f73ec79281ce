"""WEAC and GP-MGLA against golden outputs and plain sums over pairs."""

import numpy as np

from coassoc import Ensemble
from coassoc.methods.weac import (
    agreement_weighted_co_association,
    connected_triples,
    crowd_agreement,
    granularity_embedding,
)
from goldens import assert_rows


def test_golden_outputs(golden):
    expected, ensemble = golden.outputs("weac"), golden.ensemble
    agreement = crowd_agreement(ensemble)
    np.testing.assert_allclose(agreement, expected["ncai"], rtol=0, atol=1e-13)
    weights = agreement**2
    S = agreement_weighted_co_association(ensemble, weights)
    assert_rows(S, expected, "S", 1e-13)
    triples = connected_triples(ensemble, weights)
    np.testing.assert_allclose(triples, expected["SACT"], rtol=0, atol=1e-13)
    points = granularity_embedding(ensemble, weights, 0.5, golden.n_clusters)
    embedding, top = ensemble.microclusters.expand(points), expected["embedding"]
    np.testing.assert_allclose(embedding @ embedding.T, top @ top.T, rtol=0, atol=1e-8)


def test_base_clusterings_that_nobody_agrees_with():
    ensemble = Ensemble(np.column_stack([np.arange(4) // 2, np.arange(4) % 2]))
    np.testing.assert_array_equal(crowd_agreement(ensemble), [1, 1])
    np.testing.assert_array_equal(crowd_agreement(Ensemble(np.arange(4)[:, None])), [1])


def test_missing_labels_are_judged_by_common_samples():
    whole = np.column_stack([np.arange(8) // 4, np.arange(8) // 4, np.arange(8) % 2])
    gaps = whole.copy()
    gaps[[0, 1, 6, 7], 1] = -1
    np.testing.assert_allclose(crowd_agreement(Ensemble(gaps)), [1, 1, 0], atol=1e-12)
    S = agreement_weighted_co_association(Ensemble(gaps), np.array([1.0, 1.0, 2.0]))
    # Samples 0 and 1: together in the first of the clusterings 1 and 3 that have both.
    np.testing.assert_allclose(np.asarray(S)[0, 1], 1 / 3)
