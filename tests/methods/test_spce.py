"""SPCE against golden outputs and its dense transcription."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.spce import self_paced_graph
from ensembles import same_partition, three_classes
from oracles import graphs as oracle


class TestSPCE:
    @pytest.mark.parametrize("i", range(1, 11))
    def test_golden(self, golden, i):
        expected = golden.outputs("spce")
        ensemble = Ensemble(golden.labels)
        gamma = expected[f"g{i}_gamma"] / ensemble.n_clusterings**2
        learned = self_paced_graph(ensemble, golden.n_clusters, float(gamma))
        np.testing.assert_array_equal(learned.history["q"], expected[f"g{i}_q"])
        np.testing.assert_array_equal(learned.history["lam"], expected[f"g{i}_lambda"])
        np.testing.assert_allclose(learned.history["rank_gap"], expected[f"g{i}_fn1"], atol=1e-11)
        np.testing.assert_allclose(learned.p, expected[f"g{i}_p"], rtol=1e-12)
        for key, matrix in (("S", learned.S), ("W", learned.W)):
            if f"g{i}_{key}" in expected:
                np.testing.assert_allclose(np.asarray(matrix), expected[f"g{i}_{key}"], atol=1e-12)
        components = ensemble.microclusters.expand(learned.component)
        assert same_partition(components, expected[f"g{i}_labels"])
        assert learned.converged == (learned.n_components == golden.n_clusters)

    @pytest.mark.parametrize("seed", range(4))
    def test_transcription(self, seed):
        labels, c = three_classes(seed)
        S, W, p, history = oracle.spce(labels, c)
        learned = self_paced_graph(Ensemble(labels), c, 0.09)
        np.testing.assert_allclose(learned.history["lam"], history[:, 1])
        np.testing.assert_allclose(np.asarray(learned.S), S, atol=1e-10)
        np.testing.assert_allclose(np.asarray(learned.W), W, atol=1e-10)
        np.testing.assert_allclose(learned.p, p, atol=1e-10)

    def test_more_components_than_clusters_are_joined(self):
        labels, c = three_classes(0)
        with pytest.warns(ConvergenceWarning, match="SPCE did not converge in 40 iterations"):
            est = METHODS["SPCE"](n_clusters=c, gamma=0.25, random_state=0).fit(labels)
        assert est.n_clusters_found_ > c
        assert same_partition(est.labels_, METHODS["SPCE"](n_clusters=c).fit_predict(labels))
