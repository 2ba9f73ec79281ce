"""SPCE and TRCE, whose graphs have the clusters as components: golden outputs and endings."""

import numpy as np
import pytest

from coassoc.methods import METHODS
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.spce import self_paced_graph
from coassoc.methods.trce import tri_level_graph
from ensembles import same_partition, three_classes, with_defaults

tri_level_graph = with_defaults(tri_level_graph, "TRCE")


class TestSPCE:
    @pytest.mark.parametrize("i", range(1, 11))
    def test_golden(self, golden, i):
        expected, ensemble = golden.outputs("spce"), golden.ensemble
        gamma = expected[f"g{i}_gamma"] / ensemble.n_clusterings**2
        S, W, p, learned = self_paced_graph(ensemble, golden.n_clusters, float(gamma))
        np.testing.assert_array_equal(learned.history["q"], expected[f"g{i}_q"])
        np.testing.assert_array_equal(learned.history["lam"], expected[f"g{i}_lambda"])
        np.testing.assert_allclose(learned.history["rank_gap"], expected[f"g{i}_fn1"], atol=1e-11)
        np.testing.assert_allclose(p, expected[f"g{i}_p"], rtol=1e-12)
        for key, matrix in (("S", S), ("W", W)):
            if f"g{i}_{key}" in expected:
                np.testing.assert_allclose(np.asarray(matrix), expected[f"g{i}_{key}"], atol=1e-12)
        components = ensemble.microclusters.expand(learned.component)
        assert same_partition(components, expected[f"g{i}_labels"])
        assert learned.converged == (learned.n_components == golden.n_clusters)

    def test_more_components_than_clusters_are_joined(self):
        labels, c = three_classes(0)
        with pytest.warns(NotConvergedWarning, match="SPCE did not converge in 40 iterations"):
            est = METHODS["SPCE"](n_clusters=c, gamma=0.25, random_state=0).fit(labels)
        assert est.n_clusters_found_ > c
        assert same_partition(est.labels_, METHODS["SPCE"](n_clusters=c).fit_predict(labels))


class TestTRCE:
    @pytest.mark.parametrize("golden", ["g57", "g60", "g143", "g150"], indirect=True)
    def test_golden(self, golden):
        expected, expand = golden.outputs("trce"), golden.ensemble.microclusters.expand
        for i, gamma in enumerate(expected["gammas"], start=1):
            S, w, learned = tri_level_graph(golden.ensemble, golden.n_clusters, float(gamma))
            assert learned.n_iter == expected[f"g{i}_fixed_iters"]
            np.testing.assert_allclose(expand(w), expected[f"g{i}_fixed_w"], atol=1e-12)
            if f"g{i}_fixed_S" in expected:
                stored = expected[f"g{i}_fixed_S"]
                np.testing.assert_allclose(np.asarray(S), stored, atol=1e-11)
            assert same_partition(expand(learned.component), expected[f"g{i}_fixed_labels"])
