"""SCCBG against golden outputs and its dense transcription."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.sccbg import edge_weights, renewed_edges, structured_bipartite_graph
from ensembles import same_partition, three_classes, with_defaults
from oracles import graphs as oracle
from oracles.common import one_hot

structured_bipartite_graph = with_defaults(structured_bipartite_graph, "SCCBG")


class TestSCCBG:
    def test_golden(self, golden):
        self.check_golden(golden, golden.outputs("sccbg"), golden.n_clusters)

    @pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
    def test_golden_whose_penalty_is_halved(self, golden):
        """The program, with the singular vectors of the last graph that had few components."""
        expected = golden.outputs("sccbg_halved")
        assert (np.diff(expected["g1_lambda"]) < 0).any()
        self.check_golden(golden, expected, int(expected["n_clusters"]))

    def check_golden(self, golden, expected, c):
        ensemble = Ensemble(golden.labels)
        expand = ensemble.microclusters.expand
        for i, gamma in enumerate(expected["gammas"], start=1):
            learned = structured_bipartite_graph(ensemble, c, float(gamma))
            assert (learned.W == 1).all()
            np.testing.assert_array_equal(learned.history["lam"], expected[f"g{i}_lambda"])
            np.testing.assert_array_equal(learned.history["rho"], expected[f"g{i}_rho"])
            leading = c - learned.history["rank_gap"]
            np.testing.assert_allclose(leading, expected[f"g{i}_fn1"], atol=1e-9)
            if f"g{i}_S" in expected:
                np.testing.assert_allclose(expand(learned.S), expected[f"g{i}_S"], atol=1e-9)
            assert same_partition(expand(learned.component), expected[f"g{i}_labels"])

    @pytest.mark.parametrize("gamma", [0.0, 1e-5, 3e-4])
    @pytest.mark.parametrize("seed", range(4))
    def test_transcription(self, seed, gamma):
        labels, c = three_classes(seed)
        S, history = oracle.sccbg(labels, c, gamma)
        ensemble = Ensemble(labels)
        learned = structured_bipartite_graph(ensemble, c, gamma)
        assert (learned.W == 1).all()
        np.testing.assert_allclose(learned.history["lam"], history[:, 0])
        np.testing.assert_allclose(ensemble.microclusters.expand(learned.S), S, atol=1e-8)

    @pytest.mark.parametrize("gamma", [0.0, 1e-4, 1e-2, 1.0])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_edges_solve_their_quadratic_programs(self, gamma, weighted):
        rng = np.random.default_rng(0)
        labels, _ = three_classes(0)
        Z = one_hot(labels)
        W = rng.choice([0.0, 1e-3, 0.5, 1.0], Z.shape) if weighted else np.ones_like(Z)
        A, penalty = Z.T @ Z, rng.random(Z.shape) * rng.choice([0.1, 1, 10], (len(Z), 1))
        ends = np.cumsum(labels.max(axis=0) + 1)
        blocks = [slice(end - k, end) for end, k in zip(ends, labels.max(axis=0) + 1, strict=True)]
        S = renewed_edges(Z, Z, A, W, gamma, penalty, blocks)
        for s, z, w, d in zip(S, Z, W, penalty, strict=True):
            B = A * np.outer(w, w)
            gradient = 2 * w**2 * (s - z) + 4 * gamma * (B.sum(axis=1) * s - B @ s) + d
            assert s.min() >= 0
            assert gradient.min() > -1e-7
            assert np.abs(s * gradient).max() < 1e-7

    @pytest.mark.parametrize("gamma", [1e-2, 1.0])
    def test_weights_are_stationary(self, gamma):
        rng = np.random.default_rng(0)
        Z = one_hot(three_classes(0)[0])
        A, S, rho = Z.T @ Z, rng.random(Z.shape), 0.5
        W = edge_weights(S, Z, A, gamma, rho)
        H = [
            np.diag((s - z) ** 2) + gamma * A * (s[:, None] - s) ** 2
            for s, z in zip(S, Z, strict=True)
        ]
        Hw = np.stack([h @ w for h, w in zip(H, W, strict=True)])
        gradient = 2 * Hw - rho
        assert W.min() >= 0 and W.max() == 1
        assert (gradient[W == 1] <= 1e-9).all()
        assert np.abs(W * gradient)[W < 1].max() < 1e-3
        value = np.einsum("ij,ij->i", W, Hw) - rho * W.sum(axis=1)
        all_one = np.array([h.sum() for h in H]) - rho * W.shape[1]
        assert (value <= all_one).all()

    def test_a_large_gamma_still_gives_the_wanted_clusters(self):
        labels, c = three_classes(3)
        for gamma in (0.1, 10.0):
            est = METHODS["SCCBG"](n_clusters=c, gamma=gamma, random_state=0).fit(labels)
            np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))
