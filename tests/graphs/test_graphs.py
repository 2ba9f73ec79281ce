"""Graphs of other packages, the consensus of their clusterings, and whether it is stable."""

import random
from itertools import combinations
from math import comb, lgamma

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from coassoc import ConfigError, DataError, communities, graph_consensus, graphs
from coassoc.metrics import score_partition
from refusals import refused, refuses

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
    (igraph.Graph(EDGES, directed=True), r"directed, .* Pass graph.to_undirected\(\)"),
    (np.ones((4, 5)), r"cannot read an array of shape \(4, 5\) and type float64 as a graph"),
    ([[0, 1.5]], r"has node 1\.5\. Number the nodes"),
    (EDGES + 1, "has node 1. Number the nodes"),
    ([[0, 1, -2]], "the weight -2. Weights must be finite"),
    ([[0, 1, np.nan]], "the weight nan"),
    (networkx.Graph([("a", "b", {"weight": 2}), ("b", "c")]), "the weight nan"),
    (pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]}), "two columns of integer nodes"),
    (igraph.Graph(), "the graph has no nodes"),
    (np.empty((0, 0)), "the graph has no nodes"),
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


def score(truth, labels):
    """ARI, in which each unassigned node is a community by itself."""
    return score_partition(truth, np.where(labels < 0, -1 - np.arange(len(labels)), labels))["ARI"]


def test_a_node_between_two_communities_is_unassigned():
    path = np.column_stack((np.arange(5), np.arange(1, 6)))
    found = graph_consensus(path, np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]).T)
    assert found.labels.tolist() == [0, 0, 0, -1, 1, 1] and found.certainty[3] == 0.5
    assert "1 node unassigned" in repr(found)
    edgeless = graph_consensus(sp.csr_array((3, 3)))
    assert edgeless.labels.tolist() == [-1] * 3 and not edgeless.certainty.any()


def test_clusterings_with_random_labels_give_the_groups():
    rng, truth = np.random.default_rng(0), np.arange(200) // 25
    for inside, outside in ((0.5, 0.02), (0.28, 0.03)):
        graph, _ = planted(inside, outside)
        noise = rng.random((200, 10)) < 0.25
        runs = np.where(noise, rng.integers(8, size=(200, 10)), truth[:, None])
        assert score(truth, graph_consensus(graph, runs).labels) > 0.98
    # On edges that are not thresholded enough the groups are merged.
    assert graph_consensus(graph, np.tile(truth[:, None], 3)).labels.tolist() == truth.tolist()


@pytest.mark.parametrize("inside", [0.22, 0.28, 0.4])
def test_the_consensus_is_better_than_a_run_and_depends_less_on_the_seed(inside):
    graph, truth = planted(inside, 0.06)
    whole = graphs.igraph_of(graph)
    runs = [graphs.leiden(whole, 1.0, seed) for seed in range(8)]
    found = [graph_consensus(whole, random_state=seed).labels for seed in range(4)]
    np.testing.assert_array_equal(graph_consensus(whole, random_state=3).labels, found[3])

    def alike(labels):
        return np.mean([score(a, b) for a, b in combinations(labels, 2)])

    single, joint = ([score(truth, each) for each in labels] for labels in (runs, found))
    assert np.mean(joint) >= np.mean(single)
    if inside > 0.25:
        assert alike(found) >= alike(runs)


def test_communities_on_which_runs_agree_are_not_split():
    """Edges that some runs separate lose weight, but are no reason to split a community."""
    igraph.set_random_number_generator(random.Random(9))
    whole = graphs.igraph_of(graphs.adjacency(igraph.Graph.GRG(100, 0.16)))
    runs = [graphs.leiden(whole, 1.0, seed) for seed in range(8)]
    assert min(score(a, b) for a, b in combinations(runs, 2)) > 0.8
    found = graph_consensus(whole).labels
    alone = np.where(found < 0, found.max() + 1 + np.arange(100), found)
    assert whole.modularity(alone) > max(map(whole.modularity, runs)) - 0.01


def test_small_communities_are_not_merged():
    """Thirty cliques in a ring: modularity with resolution 1 merges neighbours."""
    truth = np.repeat(np.arange(30), 5)
    ring = (truth[:, None] == truth).astype(float) - np.eye(150)
    first = np.arange(0, 150, 5)
    ring[first, first - 1] = ring[first - 1, first] = 1
    assert score(truth, graphs.leiden(graphs.igraph_of(graphs.adjacency(ring)), 1.0, 0)) < 0.8
    assert score(truth, graph_consensus(ring, n_clusterings=30, random_state=2).labels) > 0.95


def test_the_length_of_a_description_is_that_of_the_formula():
    graph, truth = planted(0.4, 0.05)
    dense, c = graph.toarray(), 8
    degree, total = dense.sum(axis=1), dense.sum() / 2
    inside = sum(dense[a, b] for a, b in combinations(range(200), 2) if truth[a] == truth[b])
    expected = sum(degree[truth == k].sum() ** 2 for k in range(c)) / (4 * total)
    length = inside * np.log(inside / expected)
    length += (total - inside) * np.log((total - inside) / (total - expected))
    partitions = lgamma(201) - 8 * lgamma(26) + np.log(comb(199, 7))
    assert graphs.description_length(graph, truth) == pytest.approx(partitions - length)
    assert graphs.description_length(3 * graph, truth) == pytest.approx(partitions - length)
    assert graphs.description_length(graph, np.zeros(200, int)) == pytest.approx(0)
    alone = np.append(truth[:-1], -1)
    assert graphs.description_length(graph, alone) == pytest.approx(
        graphs.description_length(graph, np.append(truth[:-1], 8))
    )


@refused(
    (ConfigError, DataError),
    (graph_consensus, {"resolution": np.nan}, "resolution is nan. It must be a finite"),
    (graph_consensus, {"n_clusterings": 1}, "n_clusterings is 1. It must be at least 2"),
    (graph_consensus, {"clusterings": np.zeros((5, 2), int)}, "have 5 rows, but the graph has 200"),
    (communities, {"n_runs": 1}, "n_runs is 1. It must be at least 2"),
    (communities, {"n_draws": 0}, "n_draws is 0. It must be at least 1"),
    (communities, {"resolutions": [1, 1]}, "numbers that differ"),
)
def test_arguments_out_of_range_are_refused(call, options):
    call(planted(0.5, 0.02)[0], **options)


def test_a_node_without_labels_is_refused():
    table = np.array([[0, 0], [0, 0], [1, 1], [-1, -1], [1, 1]])
    for given in (table, [[{0, 1}, {2, 4}]] * 2):
        with pytest.raises(DataError, match=r": sample 3 has no label at all. Leave out such"):
            graph_consensus(EDGES, given)


def test_planted_communities_are_stable_and_keep_their_names():
    graph, truth = planted(0.5, 0.03)
    named = graphs.igraph_of(graph)
    named.vs["name"] = [f"node {i}" for i in range(200)]
    found = communities(named, resolutions=(0.5, 1, 2))
    assert score(truth, found.labels) > 0.95 and found.nodes == named.vs["name"]
    assert found.levels[1].nodes == found.nodes and found.certainty.min() > 0.5
    assert found.verdict.startswith("Stable communities at resolution 1 (8 communities of 25 nodes")
    again = communities(graph, resolutions=(0.5, 1, 2))
    np.testing.assert_array_equal(again.labels, found.labels)
    assert not np.array_equal(
        communities(graph, resolutions=(0.5, 1, 2), random_state=1).resolutions.table,
        again.resolutions.table,
    )


def test_a_community_of_the_same_number_in_all_runs_is_no_missing_label(recwarn):
    truth, rng = np.repeat([0, 1, 2], [70, 35, 15]), np.random.default_rng(0)
    upper = np.triu(rng.random((120, 120)) < np.where(truth[:, None] == truth, 0.4, 0.02), 1)
    found = communities((upper | upper.T).astype(float), resolutions=(0.5, 1.0))
    assert len(found.levels) == 2 and not recwarn
    assert max(score(truth, level.labels) for level in found.levels.values()) > 0.95


def test_levels_of_a_hierarchy_are_both_found():
    rng, fine = np.random.default_rng(0), np.arange(135) // 15
    level = (fine[:, None] // 3 == fine // 3).astype(int) + (fine[:, None] == fine)
    upper = np.triu(rng.random((135, 135)) < np.array((0.01, 0.12, 0.7))[level], 1)
    found = communities((upper | upper.T).astype(float), resolutions=(0.3, 0.7, 1.5, 2.5, 4))
    scores = [[score(t, one.labels) for one in found.levels.values()] for t in (fine, fine // 3)]
    assert min(map(max, scores)) > 0.95 and len(found.levels) == 2
    assert max(found.labels) > max([*found.levels.values()][1].labels)  # the finest first
    assert " and " in found.verdict


@pytest.mark.parametrize("name", ["weak", "tree", "grid", "star", "bipartite", "empty"])
def test_graphs_without_communities_have_none(name):
    igraph.set_random_number_generator(random.Random(1))
    graph = {
        "weak": lambda: planted(0.12, 0.08)[0],
        "tree": lambda: igraph.Graph.Barabasi(150, 1),
        "grid": lambda: igraph.Graph.Lattice([12, 12]),
        "star": lambda: igraph.Graph.Star(40),
        "bipartite": lambda: igraph.Graph.Random_Bipartite(60, 60, p=0.05),
        "empty": lambda: igraph.Graph(5),
    }[name]()
    found = communities(graph)
    assert found.verdict.startswith("No stable communities: ") and not found.levels
    assert (found.labels < 0).all() and np.isnan(found.certainty).all()


def test_agreement_on_random_graphs_is_no_sign_of_communities():
    """Components of a sparse random graph are found again, as on other such graphs."""
    igraph.set_random_number_generator(random.Random(3))
    pairs = igraph.Graph.K_Regular(60, 1)
    assert "no better than on random graphs with the same degrees" in communities(pairs).verdict


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
            refuses(DataError, said, graph_consensus, graph, given)
    matrix = graphs.adjacency(np.array([*CLIQUES, (0, 6)]))
    numbered = table.set_axis(range(12)).sample(frac=1, random_state=1)
    assert graph_consensus(matrix, numbered).labels.tolist() == [0] * 6 + [1] * 6
    assert graph_consensus(matrix, table).nodes == NAMES
    runs = [igraph.VertexClustering(graphs.igraph_of(matrix), [0] * 6 + [1] * 6)] * 2
    assert graph_consensus(matrix, runs).labels.tolist() == [0] * 6 + [1] * 6
    graph = networkx.Graph([(j, i) for i, j in CLIQUES])
    with pytest.raises(DataError, match="the nodes are named 0, 1, … but are not in this order"):
        graph_consensus(graph, table.to_numpy())
