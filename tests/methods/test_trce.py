"""TRCE against golden outputs and its dense transcription."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.trce import tri_level_graph
from ensembles import noisy_ensemble, same_partition, three_classes, with_defaults
from goldens import Golden
from oracles import graphs as oracle

tri_level_graph = with_defaults(tri_level_graph, "TRCE")


class TestTRCE:
    @pytest.mark.parametrize("golden", ["g57", "g60", "g143", "g150"], indirect=True)
    def test_golden(self, golden):
        expected = golden.outputs("trce")
        ensemble = Ensemble(golden.labels)
        expand = ensemble.microclusters.expand
        for i, gamma in enumerate(expected["gammas"], start=1):
            learned = tri_level_graph(ensemble, golden.n_clusters, float(gamma))
            assert learned.n_iter == expected[f"g{i}_fixed_iters"]
            np.testing.assert_allclose(expand(learned.w), expected[f"g{i}_fixed_w"], atol=1e-12)
            if f"g{i}_fixed_S" in expected:
                S = np.asarray(learned.S)
                np.testing.assert_allclose(S, expected[f"g{i}_fixed_S"], atol=1e-11)
            assert same_partition(expand(learned.component), expected[f"g{i}_fixed_labels"])

    @pytest.mark.parametrize("gamma", [1e-4, 0.01, 10])
    @pytest.mark.parametrize("seed", range(4))
    def test_transcription(self, seed, gamma):
        labels, c = three_classes(seed)
        S, w, alpha, history = oracle.trce(labels, c, gamma)
        ensemble = Ensemble(labels)
        learned = tri_level_graph(ensemble, c, gamma)
        np.testing.assert_allclose(learned.history["rho"], history[:, 0])
        np.testing.assert_allclose(learned.history["lam"], history[:, 1], rtol=1e-10)
        np.testing.assert_allclose(np.asarray(learned.S), S, atol=1e-8)
        np.testing.assert_allclose(ensemble.microclusters.expand(learned.w), w, atol=1e-8)
        np.testing.assert_allclose(learned.alpha, alpha, atol=1e-8)

    def test_works_where_a_tenth_of_the_instances_is_undisputed(self):
        golden = Golden("gdisc40")
        est = METHODS["TRCE"](n_clusters=golden.n_clusters).fit(golden.labels)
        assert est.n_clusters_found_ == golden.n_clusters and est.converged_

    def test_works_for_a_hundred_base_clusterings(self):
        labels = noisy_ensemble(40, 110, 3, seed=0)
        est = METHODS["TRCE"](n_clusters=3).fit(labels)
        assert same_partition(est.labels_, np.repeat(np.arange(3), 14)[:40])
