"""Graphs of other packages, and communities that do not depend on the seed."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from coassoc import ConfigError, DataError, Ensemble, graph_consensus, graphs
from coassoc.metrics import score_partition
from refusals import refused

igraph = pytest.importorskip("igraph", reason="pip install 'coassoc[cells]'")
networkx = pytest.importorskip("networkx")
EDGES = np.array([[0, 1], [1, 2], [2, 0], [4, 3]])
WEIGHTS = np.array([1.0, 2.0, 0.5, 3.0])


def planted(inside: float, outside: float, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Eight groups of 25 nodes whose edges have one chance inside and another between them."""
    truth, rng = np.arange(200) // 25, np.random.default_rng(seed)
    chance = np.where(truth[:, None] == truth, inside, outside)
    upper = sp.csr_array(np.triu(rng.random((200, 200)) < chance, 1).astype(float))
    return upper + upper.T, truth


def test_graphs_of_all_packages_are_the_same():
    matrix = sp.csr_array((WEIGHTS, EDGES.T), shape=(5, 5))
    expected = (matrix + matrix.T).toarray()
    loops = np.vstack((np.column_stack((EDGES, WEIGHTS)), [1, 1, 9]))
    given = [matrix + matrix.T, expected, weighted(WEIGHTS), loops]
    given.append(graphs.igraph_of(graphs.adjacency(loops)))
    given.append(networkx.Graph())
    given[-1].add_nodes_from("abcde")
    for (i, j), weight in zip(EDGES, WEIGHTS, strict=True):
        given[-1].add_edge("abcde"[i], "abcde"[j], weight=weight)
    for graph in given:
        np.testing.assert_array_equal(graphs.adjacency(graph).toarray(), expected)
    np.testing.assert_array_equal(graphs.adjacency(EDGES).toarray(), expected > 0)


def weighted(weights):
    graph = igraph.Graph(EDGES)
    graph.es["weight"] = weights
    return graph


@refused(
    DataError,
    (sp.csr_array(np.triu(np.ones((3, 3)))), "the matrix is not symmetric"),
    (igraph.Graph(EDGES, directed=True), "the graph is directed"),
    (np.ones((4, 5)), r"cannot read an array of shape \(4, 5\) and type float64 as a graph"),
    ([[0, 1.5]], r"has node 1\.5\. Number the nodes"),
    (EDGES + 1, "has node 1. Number the nodes"),
    ([[0, 1, -2]], "the weight -2. Weights must be finite"),
    ([[0, 1, np.nan]], "the weight nan"),
    (networkx.Graph([("a", "b", {"weight": 2}), ("b", "c")]), "the weight nan"),
    (pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]}), "two columns of integer nodes"),
    (igraph.Graph(), "the graph has no nodes"),
)
def test_what_is_no_graph_is_refused(graph):
    graphs.adjacency(graph)


def test_small_symmetric_arrays_are_matrices():
    triangle = 1 - np.eye(3)
    np.testing.assert_array_equal(graphs.adjacency(triangle).toarray(), triangle)
    edges = np.array([[0, 1, 2], [1, 2, 1], [2, 0, 3]])
    assert graphs.adjacency(edges).toarray()[0, 2] == 3


def test_a_data_frame_has_the_names_of_its_nodes():
    graph, truth = planted(0.4, 0.02)
    names = [f"node {i}" for i in range(200)]
    frame = pd.DataFrame(graph.toarray(), names, names)
    found, expected = graph_consensus(frame), graph_consensus(graph)
    assert found.nodes == names and score_partition(truth, found.labels)["ARI"] > 0.9
    np.testing.assert_array_equal(found.labels, expected.labels)
    edges = (graphs.adjacency(given).toarray() for given in (pd.DataFrame(EDGES), EDGES))
    np.testing.assert_array_equal(*edges)


def test_a_function_must_give_each_node_a_label():
    with pytest.raises(DataError, match=r"has the shape \(\). It must have one label for each of"):
        graph_consensus(EDGES, lambda weights, random_state: "x")


def test_random_graphs_keep_degrees_and_weights():
    graph, _ = planted(0.4, 0.05)
    graph.data = np.ones_like(graph.data)
    made = graphs.rewired(graphs.igraph_of(graph), 1)
    assert made.degree() == graphs.igraph_of(graph).degree() and made.is_simple()
    assert graphs.adjacency(made).toarray().tolist() != graph.toarray().tolist()


def test_co_association_is_that_of_the_edges():
    graph, _ = planted(0.4, 0.05)
    labels = np.random.default_rng(0).integers(-1, 4, size=(200, 6))
    labels[(labels < 0).all(axis=1)] = 0
    found = graphs.edge_co_association(graph, Ensemble(labels)).toarray()
    seen = (labels >= 0).astype(int)
    together = (labels[:, None] == labels) & (labels[:, None] >= 0)
    expected = together.sum(axis=2) / np.maximum(seen @ seen.T, 1)
    np.testing.assert_allclose(found, np.where(graph.toarray() > 0, expected, 0))


@pytest.mark.parametrize(
    ("chance", "least"), [(7 / 8, 1 / 3), (0.6, 2 / 3), (1 / 2, 2 / 3), (1 / 8, 1), (0.1, 1)]
)
def test_the_threshold_is_exact(chance, least):
    # A pair of four samples is in the cluster of three with one chance in two.
    assert graphs.null_threshold(Ensemble(np.array([[0, 0, 0, 1]] * 3).T), chance) == least


def test_a_clustering_of_one_node_has_no_pair_together():
    labels = np.array([[0, 0, 0, 1], [1, 0, 0, 0], [0, -1, -1, -1]]).T
    assert [graphs.null_threshold(Ensemble(labels), chance) for chance in (1 / 4, 0.2)] == [
        2 / 3,
        1,
    ]


def test_nodes_without_an_edge_above_the_threshold_are_communities_of_their_own():
    path = np.column_stack((np.arange(5), np.arange(1, 6)))
    runs = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]).T
    np.testing.assert_array_equal(graph_consensus(path, runs).labels, [0, 0, 0, 2, 1, 1])


@pytest.mark.filterwarnings("ignore:The consensus has 1")
def test_seeds_matter_less_and_planted_groups_are_found_better():
    graph, truth = planted(0.28, 0.06)
    made = graphs.igraph_of(graph)
    single = [graphs.leiden(made, 1.0, seed) for seed in range(10)]
    found = [graph_consensus(graph, random_state=seed) for seed in range(4)]
    assert all(one.converged and one.n_rounds > 0 for one in found)
    np.testing.assert_array_equal(graph_consensus(made, random_state=3).labels, found[3].labels)

    def alike(labels):
        return np.mean([score_partition(a, b)["NMI"] for a, b in combinations(labels, 2)])

    def right(labels):
        return [score_partition(truth, each)["NMI"] for each in labels]

    consensus = [one.labels for one in found]
    assert alike(consensus) > alike(single) + 0.1
    assert min(right(consensus)) > np.mean(right(single))


def test_clusterings_are_a_table_or_made_by_a_function():
    graph, truth = planted(0.5, 0.02)
    noisy = np.where(np.random.default_rng(0).random((200, 6)) < 0.1, 0, truth[:, None] + 1)
    for options in ({}, {"paths_of_two": True}, {"threshold": 0.5}):
        found = graph_consensus(graph, noisy, **options)
        several = np.bincount(found.labels)[found.labels] > 1
        assert score_partition(truth[several], found.labels[several])["ARI"] == 1
        assert several.mean() >= 0.96 and found.n_rounds == 1
        assert found.threshold == options.get("threshold", 5 / 6)
        more = found.co_association.nnz > graph.nnz
        assert more == ("paths_of_two" in options)
        links = graph + graph @ graph if more else graph
        assert found.co_association.nnz == (found.co_association * links).nnz
    calls = []

    def halves(weights, random_state):
        calls.append((weights.nnz, random_state))
        return np.arange(200) // 100

    found = graph_consensus(graph, halves, n_clusterings=3)
    assert found.labels.tolist() == halves(graph, 0).tolist() and found.n_rounds == 0
    assert len({seed for _, seed in calls[:3]}) == 3


def test_nothing_is_silent():
    graph, truth = planted(0.5, 0.02)
    with pytest.raises(ConfigError, match=r"threshold is 0. It must be above 0"):
        graph_consensus(graph, threshold=0)
    with pytest.raises(ConfigError, match=r"resolution is nan. It must be a finite"):
        graph_consensus(EDGES, resolution=np.nan)
    with pytest.raises(ConfigError, match=r"n_clusterings is 1. It must be at least 2"):
        graph_consensus(graph, n_clusterings=1)
    with pytest.raises(DataError, match="clusterings have 5 rows, but the graph has 200 nodes"):
        graph_consensus(graph, np.zeros((5, 2), int))
    pairs = np.column_stack([truth // 2, (truth + 1) % 8 // 2])
    with pytest.warns(UserWarning, match="has 8 communities, but no clustering has more t") as w:
        graph_consensus(graph, pairs, threshold=1)
    assert w[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        assert graph_consensus(graph, np.column_stack([truth, truth])).labels.max() == 7
    shuffled = iter(np.random.default_rng(0).permuted(np.tile(truth, (99, 1)), axis=1))
    with pytest.warns(UserWarning, match="The clusterings of the graph still differ after 2"):
        found = graph_consensus(graph, lambda weights, random_state: next(shuffled), max_rounds=2)
    assert not found.converged and found.n_rounds == 2


def test_a_node_without_labels_is_refused():
    table = np.array([[0, 0], [0, 0], [1, 1], [-1, -1], [1, 1]])
    sets = [[{0, 1}, {2, 4}]] * 2
    for given in (table, sets, lambda weights, random_state: table[:, 0]):
        with pytest.raises(DataError, match=r": sample 3 has no label at all. Leave out such"):
            graph_consensus(EDGES, given)


NAMES = [f"{side}{i}" for side in "ab" for i in range(6)]
CLIQUES = [pair for side in range(2) for pair in combinations(range(6 * side, 6 * side + 6), 2)]


def two_cliques(order):
    """Graphs of two cliques with a bridge, of igraph and networkx, nodes in this order."""
    place = {node: i for i, node in enumerate(order)}
    edges = [(NAMES[i], NAMES[j]) for i, j in [*CLIQUES, (0, 6)]]
    made = igraph.Graph([(place[a], place[b]) for a, b in edges])
    made.vs["name"] = order
    yield made
    graph = networkx.Graph()
    graph.add_nodes_from(order)
    graph.add_edges_from(edges)
    yield graph


def test_clusterings_are_matched_by_the_names_of_nodes():
    table = pd.DataFrame({"x": [0] * 6 + [1] * 6, "y": [0] * 6 + [1] * 6}, index=NAMES)
    sides = [{*NAMES[:6]}, {*NAMES[6:]}]
    mixed = [NAMES[i] for i in np.random.default_rng(0).permutation(12)]
    for graph in two_cliques(mixed):
        for given in (table, table.sample(frac=1, random_state=1), [sides, sides[::-1]]):
            found = graph_consensus(graph, given)
            assert found.nodes == mixed
            assert len({*zip([name[0] for name in mixed], found.labels, strict=True)}) == 2
        for given, said in (
            (table.rename({"a3": "c"}), "no row is named 'a3'"),
            (sides, "this list of sets is a single clustering"),
            ([[*sides, {"a0"}], sides], "'a0' is in two sets"),
            ([[*sides, {"c"}], sides], "'c' is not a node"),
            (table[["x"]], "there is only one clustering. Pass at least two"),
        ):
            with pytest.raises(DataError, match=said):
                graph_consensus(graph, given)
    matrix = graphs.adjacency(np.array([*CLIQUES, (0, 6)]))
    numbered = table.set_axis(range(12)).sample(frac=1, random_state=1)
    assert graph_consensus(matrix, numbered).labels.tolist() == [0] * 6 + [1] * 6
    assert graph_consensus(matrix, table).nodes == NAMES
    runs = [igraph.VertexClustering(graphs.igraph_of(matrix), [0] * 6 + [1] * 6)] * 2
    assert graph_consensus(matrix, runs).labels.tolist() == [0] * 6 + [1] * 6
    graph = networkx.Graph([(j, i) for i, j in CLIQUES])
    with pytest.raises(DataError, match="the nodes are named 0, 1, … but are not in this order"):
        graph_consensus(graph, table.to_numpy())
