"""SCCBG and SCCABG against golden outputs and their dense transcription.

The stored outputs of SCCABG are those of the authors' program under Octave 7.3, whose qp took the
place of quadprog.
"""

from itertools import pairwise

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.sccabg import adaptive_bipartite_graph
from coassoc.methods.sccbg import edge_weights, renewed_edges, structured_bipartite_graph
from ensembles import same_partition, three_classes, with_defaults
from oracles import graphs as oracle
from oracles.common import one_hot

structured_bipartite_graph = with_defaults(structured_bipartite_graph, "SCCBG")
adaptive_bipartite_graph = with_defaults(adaptive_bipartite_graph, "SCCABG")


def assert_rounds(history, c, lam, rho, leading):
    np.testing.assert_array_equal(history["lam"], lam)
    np.testing.assert_array_equal(history["rho"], rho)
    np.testing.assert_allclose(c - history["rank_gap"], leading, atol=1e-9)


def check_golden(golden, expected, c):
    expand = golden.ensemble.microclusters.expand
    for i, gamma in enumerate(expected["gammas"], start=1):
        S, W, learned = structured_bipartite_graph(golden.ensemble, c, float(gamma))
        assert (W == 1).all()  # no instance is left out
        rounds = (expected[f"g{i}_{key}"] for key in ("lambda", "rho", "fn1"))
        assert_rounds(learned.history, c, *rounds)
        if f"g{i}_S" in expected:
            np.testing.assert_allclose(expand(S), expected[f"g{i}_S"], atol=1e-9)
        assert same_partition(expand(learned.component), expected[f"g{i}_labels"])


def test_golden(golden):
    check_golden(golden, golden.outputs("sccbg"), golden.n_clusters)


@pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
def test_golden_whose_penalty_is_halved(golden):
    """The program, with the singular vectors of the last graph that had few components."""
    expected = golden.outputs("sccbg_halved")
    assert (np.diff(expected["g1_lambda"]) < 0).any()
    check_golden(golden, expected, int(expected["n_clusters"]))


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("run", ["a", "b", "c"])
def test_golden_of_adaptive_graphs(golden, run):
    expected, c = golden.outputs("sccabg"), golden.n_clusters
    parameters = (float(expected[f"{key}_{run}"]) for key in ("gamma", "mu"))
    S, W, learned = adaptive_bipartite_graph(golden.ensemble, c, *parameters)
    assert (W == 1).all()  # no instance is left out
    assert_rounds(learned.history, c, *expected[f"trace_{run}"].T)
    expand = golden.ensemble.microclusters.expand
    np.testing.assert_allclose(expand(S), expected[f"S_{run}"], atol=1e-9)
    components = oracle.bipartite_components(expected[f"S_{run}"])
    assert same_partition(expand(learned.component), components) and learned.converged


@pytest.mark.parametrize("gamma", [0.0, 1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_edges_solve_their_quadratic_programs(gamma, weighted):
    rng = np.random.default_rng(0)
    labels, _ = three_classes(0)
    Z = one_hot(labels)
    W = rng.choice([0.0, 1e-3, 0.5, 1.0], Z.shape) if weighted else np.ones_like(Z)
    A, penalty = Z.T @ Z, rng.random(Z.shape) * rng.choice([0.1, 1, 10], (len(Z), 1))
    blocks = [slice(*ends) for ends in pairwise(Ensemble(labels).offsets)]
    S = renewed_edges(Z, Z, A, W, gamma, penalty, blocks)
    for s, z, w, d in zip(S, Z, W, penalty, strict=True):
        B = A * np.outer(w, w)
        gradient = 2 * w**2 * (s - z) + 4 * gamma * (B.sum(axis=1) * s - B @ s) + d
        assert s.min() >= 0
        assert gradient.min() > -1e-7
        assert np.abs(s * gradient).max() < 1e-7


@pytest.mark.parametrize("gamma", [1e-2, 1.0])
def test_weights_are_stationary(gamma):
    rng = np.random.default_rng(0)
    Z = one_hot(three_classes(0)[0])
    A, S, rho = Z.T @ Z, rng.random(Z.shape), 0.5
    W = edge_weights(S, Z, A, gamma, rho)
    pairs = zip(S, Z, strict=True)
    H = [np.diag((s - z) ** 2) + gamma * A * (s[:, None] - s) ** 2 for s, z in pairs]
    Hw = np.stack([h @ w for h, w in zip(H, W, strict=True)])
    gradient = 2 * Hw - rho
    assert W.min() >= 0 and W.max() == 1
    assert (gradient[W == 1] <= 1e-9).all()
    assert np.abs(W * gradient)[W < 1].max() < 1e-3
    value = np.einsum("ij,ij->i", W, Hw) - rho * W.sum(axis=1)
    all_one = np.array([h.sum() for h in H]) - rho * W.shape[1]
    assert (value <= all_one).all()
