"""SCCABG against golden outputs and its dense transcription.

The stored outputs are those of the authors' program under Octave 7.3, whose qp took the place of
quadprog.
"""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.sccabg import adaptive_bipartite_graph, cluster_similarity
from coassoc.methods.sccbg import structured_bipartite_graph
from ensembles import same_partition, three_classes, with_defaults
from goldens import Golden
from oracles import graphs as oracle
from oracles.common import one_hot

structured_bipartite_graph = with_defaults(structured_bipartite_graph, "SCCBG")

adaptive_bipartite_graph = with_defaults(adaptive_bipartite_graph, "SCCABG")


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("run", ["a", "b", "c"])
def test_golden(golden, run):
    expected = golden.outputs("sccabg")
    c = golden.n_clusters
    learned = adaptive_bipartite_graph(
        golden.ensemble, c, float(expected[f"gamma_{run}"]), float(expected[f"mu_{run}"])
    )
    lam, rho, total = expected[f"trace_{run}"].T
    np.testing.assert_array_equal(learned.history["lam"], lam)
    np.testing.assert_array_equal(learned.history["rho"], rho)
    np.testing.assert_allclose(c - learned.history["rank_gap"], total, atol=1e-9)
    expand = golden.ensemble.microclusters.expand
    np.testing.assert_allclose(expand(learned.S), expected[f"S_{run}"], atol=1e-9)
    components = oracle.bipartite_components(expected[f"S_{run}"])
    assert same_partition(expand(learned.component), components)
    assert (learned.W == 1).all() and learned.converged


@pytest.mark.parametrize(("gamma", "mu"), [(0.0, 1.0), (1e-5, 100.0), (3e-4, 0.1)])
@pytest.mark.parametrize("seed", range(3))
def test_transcription(seed, gamma, mu):
    labels, c = three_classes(seed)
    S, history = oracle.sccbg(labels, c, gamma, mu)
    ensemble = Ensemble(labels)
    learned = adaptive_bipartite_graph(ensemble, c, gamma, mu)
    assert (learned.W == 1).all()
    np.testing.assert_allclose(learned.history["lam"], history[:, 0])
    np.testing.assert_allclose(ensemble.microclusters.expand(learned.S), S, atol=1e-7)


def test_similarity_of_clusters():
    labels, _ = three_classes(1)
    ensemble = Ensemble(labels)
    rng = np.random.default_rng(0)
    Z, r = ensemble.microcluster_membership.toarray(), ensemble.microclusters.r
    S, W = rng.random(Z.shape), rng.random(Z.shape)
    A = cluster_similarity(one_hot(labels).T @ one_hot(labels), S, W, r, 0.3)
    expected = np.zeros_like(A)
    for size, s, w in zip(r, S, W, strict=True):
        expected += size * np.outer(w, w) * (s[:, None] - s) ** 2
    overlaps = one_hot(labels).T @ one_hot(labels)
    np.testing.assert_allclose(A, np.maximum(overlaps - 0.3 * expected, 0), atol=1e-9)
    assert (A == 0).any() and (A > 0).any()


def test_clusters_whose_edges_part_become_less_alike():
    golden = Golden("g60")
    fixed = structured_bipartite_graph(golden.ensemble, 3, 3e-4)
    moved = adaptive_bipartite_graph(golden.ensemble, 3, 3e-4, 100.0)
    assert np.abs(fixed.S - moved.S).max() > 1e-3
