"""HCLCE: every step against dense formulas, the constraints."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.hclce import HCLCE, fused_similarities, structured_graph
from ensembles import noisy_ensemble, of_method, same_partition
from oracles import hclce as oracle

structured_graph = of_method(structured_graph, "HCLCE")


#: Of 40 base clusterings the sets that agree need two words of digits.
ENSEMBLES = [(40, 6, 3, 0.2), (36, 10, 4, 0.3), (30, 2, 2, 0.1), (24, 1, 3, 0.1), (30, 40, 3, 0.1)]


@pytest.mark.parametrize(("n", "m", "c", "noise"), ENSEMBLES)
def test_structured_graphs_equal_dense_formulas(n, m, c, noise):
    labels = noisy_ensemble(n, m, c, seed=n, noise=noise)
    est = HCLCE(c, random_state=0).fit(labels)
    for order, M in est.views_.items():
        expected = oracle.structured(labels, order, c)
        np.testing.assert_allclose(M.to_dense(), expected, atol=1e-7, err_msg=f"order {order}")
        alone = HCLCE(c, view=order, random_state=0).fit(labels)
        np.testing.assert_array_equal(alone.affinity_.S, M.S)
    views = [M.to_dense() for M in est.views_.values()]
    np.testing.assert_allclose(est.affinity_.to_dense(), oracle.fused(views, c), atol=1e-7)


def test_more_components_than_wanted_stay_at_any_penalty():
    labels = noisy_ensemble(40, 6, 3, seed=4, noise=0.2)
    ensemble = Ensemble(labels)
    ((S_hat, _),) = fused_similarities(ensemble, (4,))
    M, (n_components, _) = structured_graph(S_hat, n_clusters=3, lam=1.0)
    assert n_components == ensemble.microclusters.count > 3
    # The transcription runs the schedule to its end.
    expected = oracle.structured(labels, 4, 3, lam=1.0)
    np.testing.assert_allclose(M.to_dense(), expected, atol=1e-9)


def test_the_largest_components_are_the_clusters_when_there_are_too_many():
    sizes = [9, 2, 7, 1, 5]
    est = HCLCE(3, random_state=0).fit(np.repeat(np.arange(5), sizes)[:, None])
    assert est.n_clusters_found_ == 5
    assert same_partition(est.labels_, np.repeat([0, 2, 1, 2, 2], sizes))


def test_unfinished_schedule_is_cut_by_spectral_clustering():
    labels = noisy_ensemble(60, 8, 3, seed=1, noise=0.3)
    est = HCLCE(3, lam=1e-9, max_iter=1, random_state=0).fit(labels)
    assert not est.converged_ and est.n_clusters_found_ < 3
    assert len(np.unique(est.labels_)) == 3
