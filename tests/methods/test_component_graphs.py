"""Graphs whose components are the clusters: golden outputs, plain formulas and endings."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.ceshl import structured_hypergraph
from coassoc.methods.gtlec import learn_graph_tensor, project_on_fantope
from coassoc.methods.sccabg import adaptive_bipartite_graph
from coassoc.methods.sccbg import edge_weights, structured_bipartite_graph
from coassoc.methods.spce import self_paced_graph
from coassoc.methods.trce import tri_level_graph
from coassoc.numerics.rank_constraint import bipartite_components
from ensembles import of_method, same_partition, three_classes
from goldens import FOLDER, Golden, assert_rows
from oracles import graphs
from oracles.common import one_hot

# -- STRUCTURED GRAPHS -----------------------------------------------------------------------------

# SPCE and TRCE, whose graphs have the clusters as components: golden outputs and endings.


self_paced_graph = of_method(self_paced_graph, "SPCE")
tri_level_graph = of_method(tri_level_graph, "TRCE")


@pytest.mark.parametrize("i", range(1, 11))
def test_golden_of_self_paced_graphs(golden, i):
    expected, ensemble = golden.outputs("spce"), golden.ensemble
    gamma = expected[f"g{i}_gamma"] / ensemble.n_clusterings**2
    options = {"n_clusters": golden.n_clusters, "gamma": float(gamma)}
    S, (n_components, component) = self_paced_graph(ensemble, **options)
    assert self_paced_graph.estimator.n_iter_ == len(expected[f"g{i}_lambda"])
    if f"g{i}_S" in expected:
        np.testing.assert_allclose(np.asarray(S), expected[f"g{i}_S"], atol=1e-12)
    components = ensemble.microclusters.expand(component)
    assert same_partition(components, expected[f"g{i}_labels"])
    assert self_paced_graph.estimator.converged_ == (n_components == golden.n_clusters)


def test_more_components_than_clusters_are_joined():
    labels, c = three_classes(0)
    with pytest.warns(NotConvergedWarning, match="SPCE did not converge in 40 iterations"):
        est = METHODS["SPCE"](n_clusters=c, gamma=0.25, random_state=0).fit(labels)
    assert est.n_clusters_found_ > c
    assert same_partition(est.labels_, METHODS["SPCE"](n_clusters=c).fit_predict(labels))


@pytest.mark.parametrize("golden", ["g57", "g60", "g143", "g150"], indirect=True)
def test_golden_of_tri_level_graphs(golden):
    expected, expand = golden.outputs("trce"), golden.ensemble.microclusters.expand
    for i, gamma in enumerate(expected["gammas"], start=1):
        S, w, (_, component) = tri_level_graph(
            golden.ensemble, n_clusters=golden.n_clusters, gamma=float(gamma)
        )
        assert tri_level_graph.estimator.n_iter_ == expected[f"g{i}_fixed_iters"]
        np.testing.assert_allclose(expand(w), expected[f"g{i}_fixed_w"], atol=1e-12)
        if f"g{i}_fixed_S" in expected:
            np.testing.assert_allclose(np.asarray(S), expected[f"g{i}_fixed_S"], atol=1e-11)
        assert same_partition(expand(component), expected[f"g{i}_fixed_labels"])


# -- CESHL -----------------------------------------------------------------------------------------

# CESHL against golden outputs and its dense transcription.


structured_hypergraph = of_method(structured_hypergraph, "CESHL")

#: In these settings of CESHL the program's L-BFGS-B leaves, by rounding, an entry of H that steps
#: onto a bound just beside it. That cuts the next step short, and its iterates go another way. With
#: the kernels of Sandybridge ours do so in the second one.
BESIDE_A_BOUND = {("g60", 5): 6e-3, ("g60", 7): 3e-3, ("g150", 1): 1e-6, ("g150", 6): 1e-4}


def test_golden_of_learned_hypergraphs(golden):
    expected = golden.outputs("ceshl")
    expand = golden.ensemble.microclusters.expand
    for i, lam in enumerate(expected["lambdas"], start=1):
        H, w, (_, component) = structured_hypergraph(
            golden.ensemble, n_clusters=golden.n_clusters, lam=float(lam)
        )
        np.testing.assert_allclose(w, expected[f"l{i}_w"], atol=1e-10)
        assert structured_hypergraph.estimator.n_iter_ == len(expected[f"l{i}_rho"])
        tol = BESIDE_A_BOUND.get((golden.name, i), 1e-9)
        if f"l{i}_H" in expected:
            np.testing.assert_allclose(expand(H), expected[f"l{i}_H"], atol=tol)
        assert same_partition(expand(component), expected[f"l{i}_labels"])


# -- SCCBG -----------------------------------------------------------------------------------------

# SCCBG and SCCABG against golden outputs and their dense transcription.
#
# The stored outputs of SCCABG are those of the authors' program under Octave 7.3, whose qp took the
# place of quadprog.


structured_bipartite_graph = of_method(structured_bipartite_graph, "SCCBG")
adaptive_bipartite_graph = of_method(adaptive_bipartite_graph, "SCCABG")


def check_golden(golden, expected, c):
    expand = golden.ensemble.microclusters.expand
    for i, gamma in enumerate(expected["gammas"], start=1):
        S, W = structured_bipartite_graph(golden.ensemble, n_clusters=c, gamma=float(gamma))
        assert (W == 1).all()  # no instance is left out
        assert structured_bipartite_graph.estimator.n_iter_ == len(expected[f"g{i}_rho"])
        if f"g{i}_S" in expected:
            np.testing.assert_allclose(expand(S), expected[f"g{i}_S"], atol=1e-9)
        assert same_partition(expand(bipartite_components(S)[1]), expected[f"g{i}_labels"])


def test_golden_of_bipartite_graphs(golden):
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
    parameters = {key: float(expected[f"{key}_{run}"]) for key in ("gamma", "mu")}
    S, W = adaptive_bipartite_graph(golden.ensemble, n_clusters=c, **parameters)
    assert (W == 1).all()  # no instance is left out
    estimator = adaptive_bipartite_graph.estimator
    assert estimator.n_iter_ == len(expected[f"trace_{run}"]) and estimator.converged_
    expand = golden.ensemble.microclusters.expand
    np.testing.assert_allclose(expand(S), expected[f"S_{run}"], atol=1e-9)
    components = graphs.bipartite_components(expected[f"S_{run}"])
    assert same_partition(expand(bipartite_components(S)[1]), components)


@pytest.mark.parametrize("gamma", [1e-2, 1.0])
def test_weights_are_stationary(gamma):
    rng = np.random.default_rng(0)
    Z = one_hot(three_classes(0)[0])
    A, S, rho = Z.T @ Z, rng.random(Z.shape), 0.5
    W = edge_weights(S, Z, A, gamma, rho)
    pairs = zip(S, Z, W, strict=True)
    squares = (((s - z) ** 2 * w, gamma * A * (s[:, None] - s) ** 2 @ w) for s, z, w in pairs)
    gradient = 2 * np.array([own + shared for own, shared in squares]) - rho
    assert W.min() >= 0 and W.max() == 1 and (gradient[W == 1] <= 1e-9).all()
    assert np.abs(W * gradient)[W < 1].max() < 1e-3


# -- GTLEC -----------------------------------------------------------------------------------------

# GTLEC against golden outputs, the dense transcription and what its projections must be.


learn_graph_tensor = of_method(learn_graph_tensor, "GTLEC")

FILES = sorted(path.stem for path in FOLDER.glob("*__gtlec_*.npz"))


@pytest.mark.parametrize("name", FILES)
def test_learned_graphs(name):
    ensemble, _, program = name.partition("__")
    golden = Golden(ensemble)
    expected = golden.outputs(program)
    parameters = {key: float(expected[key]) for key in ("alpha", "beta")}
    Z = learn_graph_tensor(golden.ensemble, n_clusters=golden.n_clusters, **parameters)
    assert_rows(Z[0], expected, "Z1", 1e-13)
    model = METHODS["GTLEC"](golden.n_clusters, random_state=0, **parameters)
    assert_rows(2 * model.fit(golden.ensemble).affinity_, expected, "S0", 1e-12)
    assert model.n_iter_ == len(expected["violations"]) and model.converged_


def test_equal_eigenvalues():
    np.testing.assert_allclose(project_on_fantope(np.eye(4), 2), np.eye(4) / 2, atol=1e-15)


def test_a_clustering_that_its_graph_equals_keeps_a_finite_weight():
    Z = learn_graph_tensor(Ensemble(np.arange(6)[:, None]), n_clusters=6)
    np.testing.assert_allclose(Z[0], np.eye(6), atol=1e-6)
