"""Learned graphs whose components are the clusters: what the methods share, SPCE and TRCE.

These two are compared with golden outputs and their dense transcriptions.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.spce import self_paced_graph
from coassoc.methods.trce import tri_level_graph
from ensembles import label_matrices, noisy_ensemble, same_partition, three_classes, with_defaults
from goldens import Golden
from oracles import graphs as oracle

tri_level_graph = with_defaults(tri_level_graph, "TRCE")


@pytest.mark.parametrize("name", ["SPCE", "TRCE", "CESHL", "SCCBG"])
class TestStructuredGraphs:
    @given(labels=label_matrices(max_samples=14), c=st.integers(1, 6))
    @settings(max_examples=25)
    def test_small_ensembles(self, name, labels, c):
        c = min(c, len(labels))
        est = METHODS[name](n_clusters=c, random_state=0).fit(labels)
        np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))
        assert 1 <= est.n_clusters_found_ <= len(labels)

    def test_lanczos_gives_the_same_partition(self, name, monkeypatch):
        labels, c = three_classes(2)
        there = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        monkeypatch.setattr("coassoc.numerics.rank_constraint._DENSE_EIGENPROBLEM", 0)
        here = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        assert same_partition(there, here)


class TestSPCE:
    @pytest.mark.parametrize("i", range(1, 11))
    def test_golden(self, golden, i):
        expected, ensemble = golden.outputs("spce"), golden.ensemble
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
        with pytest.warns(NotConvergedWarning, match="SPCE did not converge in 40 iterations"):
            est = METHODS["SPCE"](n_clusters=c, gamma=0.25, random_state=0).fit(labels)
        assert est.n_clusters_found_ > c
        assert same_partition(est.labels_, METHODS["SPCE"](n_clusters=c).fit_predict(labels))


class TestTRCE:
    @pytest.mark.parametrize("golden", ["g57", "g60", "g143", "g150"], indirect=True)
    def test_golden(self, golden):
        expected, expand = golden.outputs("trce"), golden.ensemble.microclusters.expand
        for i, gamma in enumerate(expected["gammas"], start=1):
            learned = tri_level_graph(golden.ensemble, golden.n_clusters, float(gamma))
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
