"""SPCE, TRCE, CESHL and SCCBG against golden outputs and their dense transcriptions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from coassoc import ConfigError, Ensemble
from coassoc.methods import METHODS
from coassoc.methods.ceshl import hyperedge_weights, structured_hypergraph
from coassoc.methods.sccbg import _edge_weights, _edges, _times_H, structured_bipartite_graph
from coassoc.methods.spce import self_paced_graph
from coassoc.methods.trce import tri_level_graph
from ensembles import EXTREME, label_matrices, noisy_ensemble, relabelled, same_partition, shuffled
from goldens import Golden
from oracles import graphs as oracle
from oracles.common import co_association, one_hot

#: In these settings of CESHL the program's L-BFGS-B leaves, by rounding, an entry of H that steps
#: onto a bound just beside it. That cuts the next step short, and its iterates go another way.
BESIDE_A_BOUND = {("g60", 5): 6e-3, ("g150", 1): 1e-6, ("g150", 6): 1e-4}

NAMES = ("SPCE", "TRCE", "CESHL", "SCCBG")
SEEDS = range(4)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def drawn(seed):
    """A noisy ensemble with some equal rows: labels and the number of classes."""
    return relabelled(noisy_ensemble(70, 7, 3, seed=seed, noise=0.12)), 3


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

    @pytest.mark.parametrize("seed", SEEDS)
    def test_transcription(self, seed):
        labels, c = drawn(seed)
        S, W, p, history = oracle.spce(labels, c)
        learned = self_paced_graph(Ensemble(labels), c, 0.09)
        np.testing.assert_allclose(learned.history["lam"], history[:, 1])
        np.testing.assert_allclose(np.asarray(learned.S), S, atol=1e-10)
        np.testing.assert_allclose(np.asarray(learned.W), W, atol=1e-10)
        np.testing.assert_allclose(learned.p, p, atol=1e-10)

    def test_more_components_than_clusters_are_joined(self):
        labels, c = drawn(0)
        with pytest.warns(ConvergenceWarning, match="SPCE did not converge in 40 iterations"):
            est = METHODS["SPCE"](n_clusters=c, gamma=0.25, random_state=0).fit(labels)
        assert est.n_clusters_found_ > c
        assert same_partition(est.labels_, METHODS["SPCE"](n_clusters=c).fit_predict(labels))

    def test_must_and_cannot_links(self):
        labels, c = drawn(1)
        S = np.asarray(METHODS["SPCE"](n_clusters=c).fit(labels).affinity_)
        CA = co_association(labels)
        assert (S[CA == 1] == 1).all() and (S[CA == 0] == 0).all()


class TestTRCE:
    @pytest.mark.parametrize("name", ["g60", "g150"])
    def test_golden(self, name):
        golden = Golden(name)
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
    @pytest.mark.parametrize("seed", SEEDS)
    def test_transcription(self, seed, gamma):
        labels, c = drawn(seed)
        S, w, alpha, history = oracle.trce(labels, c, gamma)
        ensemble = Ensemble(labels)
        learned = tri_level_graph(ensemble, c, gamma)
        np.testing.assert_allclose(learned.history["rho"], history[:, 0])
        np.testing.assert_allclose(learned.history["lam"], history[:, 1], rtol=1e-10)
        np.testing.assert_allclose(np.asarray(learned.S), S, atol=1e-8)
        np.testing.assert_allclose(ensemble.microclusters.expand(learned.w), w, atol=1e-8)
        np.testing.assert_allclose(learned.alpha, alpha, atol=1e-8)

    def test_every_base_clustering_counts(self):
        """The result does not hang on which of them comes last."""
        labels, c = drawn(2)
        there, here = (Ensemble(x) for x in (labels, labels[:, ::-1]))
        w = [e.microclusters.expand(tri_level_graph(e, c).w) for e in (there, here)]
        np.testing.assert_allclose(w[0], w[1], rtol=1e-9)

    def test_works_where_a_tenth_of_the_instances_is_undisputed(self):
        golden = Golden("gdisc40")
        est = METHODS["TRCE"](n_clusters=golden.n_clusters).fit(golden.labels)
        assert est.n_clusters_found_ == golden.n_clusters and est.converged_

    def test_works_for_a_hundred_base_clusterings(self):
        labels = noisy_ensemble(40, 110, 3, seed=0)
        est = METHODS["TRCE"](n_clusters=3).fit(labels)
        assert same_partition(est.labels_, np.repeat(np.arange(3), 14)[:40])


class TestCESHL:
    def test_golden(self, golden):
        expected = golden.outputs("ceshl")
        ensemble = Ensemble(golden.labels)
        expand = ensemble.microclusters.expand
        for i, lam in enumerate(expected["lambdas"], start=1):
            learned = structured_hypergraph(ensemble, golden.n_clusters, float(lam))
            np.testing.assert_allclose(learned.w, expected[f"l{i}_w"], atol=1e-10)
            np.testing.assert_array_equal(learned.history["rho"], expected[f"l{i}_rho"])
            tol = BESIDE_A_BOUND.get((golden.name, i), 1e-9)
            if f"l{i}_H" in expected:
                np.testing.assert_allclose(expand(learned.H), expected[f"l{i}_H"], atol=tol)
            fn1 = expected[f"l{i}_fn1"]
            np.testing.assert_allclose(learned.history["rank_gap"], fn1, atol=max(tol, 1e-7) * 10)
            assert same_partition(expand(learned.component), expected[f"l{i}_labels"])

    @pytest.mark.parametrize(
        ("seed", "lam"), [(0, 0.01), (1, 0.1), (3, 0.1), (5, 1.0), (4, 10.0), (3, 100.0), (2, 1e3)]
    )
    def test_transcription(self, seed, lam):
        """Settings in which no step of SciPy's L-BFGS-B hangs on rounding."""
        labels, c = drawn(seed)
        H, w, history = oracle.ceshl(labels, c, lam)
        learned = structured_hypergraph(Ensemble(labels), c, lam)
        np.testing.assert_allclose(learned.w, w, atol=1e-9)
        np.testing.assert_allclose(learned.history["rho"], history[:, 0])
        H_samples = Ensemble(labels).microclusters.expand(learned.H)
        np.testing.assert_allclose(H_samples, H, atol=1e-8)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_same_components_as_the_transcription(self, seed):
        labels, c = drawn(seed)
        H, _, _ = oracle.ceshl(labels, c, 1.0)
        components = oracle.bipartite_components(H)
        assert same_partition(METHODS["CESHL"](n_clusters=c).fit_predict(labels), components)

    def test_rounding_does_not_matter(self):
        """Here the transcription's H changes by 0.5 when samples are renumbered."""
        labels, c = drawn(0)
        order = np.random.default_rng(3).permutation(len(labels))
        there, here = (
            METHODS["CESHL"](n_clusters=c, lam=1000.0).fit(x).incidence_
            for x in (labels, labels[order])
        )
        np.testing.assert_allclose(there[order], here, atol=1e-6)

    def test_initial_weights_are_mean_co_associations(self, golden):
        w = hyperedge_weights(Ensemble(golden.labels), 1e9)
        np.testing.assert_allclose(w, golden.outputs("ceshl")["w_ini"], atol=1e-7)

    @given(label_matrices(max_samples=12), st.sampled_from([1e-3, 0.1, 1.0, 1e3]))
    @settings(max_examples=30, deadline=None)
    def test_weights_solve_their_quadratic_program(self, labels, lam):
        w = hyperedge_weights(Ensemble(labels), lam)
        np.testing.assert_allclose(w, oracle.hyperedge_weights(labels, lam), atol=1e-6)

    def test_learned_incidence_is_given_per_sample(self):
        labels, c = drawn(0)
        est = METHODS["CESHL"](n_clusters=c).fit(labels)
        assert est.incidence_.shape == (len(labels), len(est.cluster_weights_))
        assert same_partition(oracle.bipartite_components(est.incidence_), est.labels_)


class TestSCCBG:
    def test_golden(self, golden):
        expected = golden.outputs("sccbg")
        ensemble = Ensemble(golden.labels)
        expand = ensemble.microclusters.expand
        c = golden.n_clusters
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
    @pytest.mark.parametrize("seed", SEEDS)
    def test_transcription(self, seed, gamma):
        labels, c = drawn(seed)
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
        labels, _ = drawn(0)
        Z = one_hot(labels)
        W = rng.choice([0.0, 1e-3, 0.5, 1.0], Z.shape) if weighted else np.ones_like(Z)
        A, penalty = Z.T @ Z, rng.random(Z.shape) * rng.choice([0.1, 1, 10], (len(Z), 1))
        ends = np.cumsum(labels.max(axis=0) + 1)
        blocks = [slice(end - k, end) for end, k in zip(ends, labels.max(axis=0) + 1, strict=True)]
        S = _edges(Z, Z, A, W, gamma, penalty, blocks)
        for s, z, w, d in zip(S, Z, W, penalty, strict=True):
            B = A * np.outer(w, w)
            gradient = 2 * w**2 * (s - z) + 4 * gamma * (B.sum(axis=1) * s - B @ s) + d
            assert s.min() >= 0
            assert gradient.min() > -1e-7
            assert np.abs(s * gradient).max() < 1e-7

    @pytest.mark.parametrize("gamma", [1e-2, 1.0])
    def test_weights_are_stationary(self, gamma):
        rng = np.random.default_rng(0)
        Z = one_hot(drawn(0)[0])
        A, S, rho = Z.T @ Z, rng.random(Z.shape), 0.5
        W = _edge_weights(S, Z, A, gamma, rho)
        H = [
            np.diag((s - z) ** 2) + gamma * A * (s[:, None] - s) ** 2
            for s, z in zip(S, Z, strict=True)
        ]
        Hw = np.stack([h @ w for h, w in zip(H, W, strict=True)])
        np.testing.assert_allclose(_times_H(W, S, Z, A, gamma), Hw, atol=1e-9)
        gradient = 2 * Hw - rho
        assert W.min() >= 0 and W.max() == 1
        assert (gradient[W == 1] <= 1e-9).all()
        assert np.abs(W * gradient)[W < 1].max() < 1e-3
        value = np.einsum("ij,ij->i", W, Hw) - rho * W.sum(axis=1)
        all_one = np.array([h.sum() for h in H]) - rho * W.shape[1]
        assert (value <= all_one).all()

    def test_a_large_gamma_still_gives_the_wanted_clusters(self):
        labels, c = drawn(3)
        for gamma in (0.1, 10.0):
            est = METHODS["SCCBG"](n_clusters=c, gamma=gamma, random_state=0).fit(labels)
            np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))


class TestAll:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("labels", EXTREME.values(), ids=EXTREME.keys())
    @pytest.mark.filterwarnings("error")
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_extreme_ensembles(self, name, labels):
        n = len(labels)
        for c in sorted({1, min(2, n), min(3, n), (n + 1) // 2, max(n - 1, 1), n}):
            est = METHODS[name](n_clusters=c, random_state=0).fit(labels)
            np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))

    @pytest.mark.parametrize("name", NAMES)
    @given(labels=label_matrices(max_samples=14), c=st.integers(1, 6))
    @settings(max_examples=25, deadline=None)
    def test_small_ensembles(self, name, labels, c):
        c = min(c, len(labels))
        est = METHODS[name](n_clusters=c, random_state=0).fit(labels)
        np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))
        assert 1 <= est.n_clusters_found_ <= len(labels)

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("ensemble", ["g60", "g150", "drawn"])
    def test_numbering_does_not_matter(self, name, ensemble):
        if ensemble == "drawn":
            labels, c = drawn(1)
        else:
            labels, c = Golden(ensemble).labels, Golden(ensemble).n_clusters
        renumbered, order = shuffled(relabelled(labels), seed=4)
        there = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        here = METHODS[name](n_clusters=c, random_state=0).fit_predict(renumbered)
        assert same_partition(there[order], here)

    @pytest.mark.parametrize("name", NAMES)
    def test_lanczos_gives_the_same_partition(self, name, monkeypatch):
        labels, c = drawn(2)
        there = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        monkeypatch.setattr("coassoc.numerics.rank_constraint._DENSE_EIGENPROBLEM", 0)
        here = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        assert same_partition(there, here)

    @pytest.mark.parametrize("name", NAMES)
    def test_memory_stays_a_few_microcluster_matrices(self, name):
        labels = np.repeat(relabelled(noisy_ensemble(100, 8, 4, seed=1)), 20, axis=0)
        ensemble = Ensemble(labels)
        tracemalloc.start()
        METHODS[name](n_clusters=4, random_state=0).fit(ensemble)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < len(labels) ** 2 * 8 / 4

    @pytest.mark.parametrize(
        ("name", "parameters"),
        [
            ("SPCE", {"gamma": -0.1}),
            ("TRCE", {"gamma": 0.0}),
            ("TRCE", {"max_iter": 0}),
            ("CESHL", {"lam": 0.0}),
            ("CESHL", {"max_iter": 0}),
            ("SCCBG", {"gamma": -1e-5}),
            ("SCCBG", {"max_iter": 0}),
        ],
    )
    def test_refuses_impossible_parameters(self, name, parameters):
        (key,) = parameters
        with pytest.raises(ConfigError, match=f"{name}: {key} is"):
            METHODS[name](n_clusters=2, **parameters).fit(drawn(0)[0])
