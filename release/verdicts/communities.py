"""Sentences of ``coassoc communities`` on graphs without and with planted communities."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import igraph
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.networks import lfr
from coassoc import communities
from coassoc.graphs import igraph_of
from coassoc.metrics import contingency_table, score_partition
from verdicts import Kind, Product, kind

Generator = np.random.Generator


class Drawn(NamedTuple):
    """A graph, and the partitions that were planted."""

    graph: Any
    planted: list[NDArray[np.intp]]


def none(model: Callable[..., igraph.Graph], *args: Any, **options: Any) -> Kind:
    """Graphs of a model of igraph, which have no communities."""

    def make(rng: Generator) -> Drawn:
        igraph.set_random_number_generator(random.Random(int(rng.integers(2**31))))
        return Drawn(model(*args, **options).simplify(), [])

    return kind(make, plain="none")


def weights(chance: NDArray, rng: Generator) -> sp.csr_array:
    """Edges with these probabilities."""
    upper = sp.csr_array(np.triu(rng.random(chance.shape) < chance, 1).astype(float))
    return upper + upper.T


def groups(sizes: list[int], inside: float, outside: float, plain: bool = True) -> Kind:
    """Groups with one probability of an edge inside and another between them."""

    def make(rng: Generator) -> Drawn:
        truth = np.repeat(np.arange(len(sizes)), sizes)
        same = truth[:, None] == truth
        return Drawn(weights(np.where(same, inside, outside), rng), [truth])

    return communities_in(make) if plain else kind(make, plain="none")


def communities_in(make: Callable[[Generator], Drawn]) -> Kind:
    """Graphs with planted communities."""
    return kind(make, plain="stable", open="union")


def networks(mixing: float, n: int = 200, plain: bool = True) -> Kind:
    """LFR networks."""

    def make(rng: Generator) -> Drawn:
        edges, truth = lfr(n, mixing, int(rng.integers(2**31)))
        return Drawn(igraph.Graph(len(truth), edges), [np.unique(truth, return_inverse=True)[1]])

    return communities_in(make) if plain else kind(make, "stable", open="none union")


def hierarchy(rng: Generator) -> Drawn:
    """Three groups of three groups of 15 nodes."""
    fine = np.arange(135) // 15
    level = (fine[:, None] // 3 == fine // 3).astype(int) + (fine[:, None] == fine)
    return Drawn(weights(np.array((0.01, 0.12, 0.7))[level], rng), [fine, fine // 3])


def weighted(strength: float) -> Callable[[Generator], Drawn]:
    """A complete graph with exponential weights, which are larger inside three groups."""

    def make(rng: Generator) -> Drawn:
        truth = np.arange(60) // 20
        drawn = rng.exponential(np.where(truth[:, None] == truth, strength, 1.0))
        upper = sp.csr_array(np.triu(drawn, 1))
        return Drawn(upper + upper.T, [truth] if strength > 1 else [])

    return make


def cliques(rng: Generator) -> Drawn:
    """Cliques of 5 to 9 nodes in a ring, neighbours with one edge."""
    sizes = rng.integers(5, 10, size=12)
    truth = np.repeat(np.arange(12), sizes)
    chance = (truth[:, None] == truth).astype(float)
    first = np.cumsum(sizes) - sizes
    chance[first, np.roll(first, 1) + 1] = chance[np.roll(first, 1) + 1, first] = 1
    return Drawn(weights(chance, rng), [truth])


def periphery(rng: Generator) -> Drawn:
    """A dense core of 30 nodes, and 120 nodes around it."""
    rank = np.where(np.arange(150) < 30, 0.6, 0.12)
    return Drawn(weights(np.outer(rank, rank) * 1.2, rng), [])


def circle(rng: Generator) -> Drawn:
    """Nodes on a circle, each linked with its three next neighbours on both sides."""
    return Drawn(igraph.Graph.Lattice([int(rng.integers(100, 200))], nei=3), [])


def lattice(rng: Generator) -> Drawn:
    """A rectangle of squares."""
    return Drawn(igraph.Graph.Lattice(rng.integers(8, 18, 2).tolist(), circular=False), [])


def star(rng: Generator) -> Drawn:
    """One node with all edges."""
    return Drawn(igraph.Graph.Star(int(rng.integers(20, 200))), [])


def unequal_weights(rng: Generator) -> Drawn:
    """A random graph with log-normal weights."""
    graph = weights(np.full((150, 150), 0.07), rng)
    upper = sp.triu(graph, 1)
    upper.data = rng.lognormal(sigma=1.5, size=upper.nnz)
    return Drawn(sp.csr_array(upper + upper.T), [])


def unequal_degrees(rng: Generator) -> Drawn:
    """Four groups of nodes whose expected degrees follow a power law."""
    truth = np.arange(160) // 40
    expected = rng.pareto(2.5, size=160) + 1
    expected *= 12 / expected.mean()
    affinity = np.where(truth[:, None] == truth, 3.4, 0.2)
    return Drawn(weights(np.outer(expected, expected) / expected.sum() * affinity, rng), [truth])


def caves(rng: Generator) -> Drawn:
    """Ten cliques of twelve nodes, of whose edges a fifth are rewired."""
    truth = np.arange(120) // 12
    upper = sp.csr_array(np.triu(truth[:, None] == truth, 1).astype(float))
    graph = igraph_of(upper + upper.T)
    igraph.set_random_number_generator(random.Random(int(rng.integers(2**31))))
    graph.rewire_edges(0.2)
    return Drawn(graph.simplify(), [truth])


def club(rng: Generator) -> Drawn:
    """Zachary's karate club, of which two edges in a hundred are rewired."""
    graph = igraph.Graph.Famous("Zachary")
    igraph.set_random_number_generator(random.Random(int(rng.integers(2**31))))
    graph.rewire(2)
    return Drawn(graph, [])


def _is_union(labels: NDArray, truth: NDArray) -> bool:
    """Whether nine in ten nodes are with most of their planted community."""
    return bool(contingency_table(truth, labels).max(axis=1).sum() >= 0.9 * len(truth))


def said(drawn: Drawn) -> set[str]:
    """What the command says of a graph."""
    found = communities(drawn.graph)
    keys = {"stable" if found.levels else "none"}
    if found.levels and drawn.planted:
        labels = np.where(found.labels < 0, len(found.labels), found.labels)
        if max(score_partition(truth, labels)["ARI"] for truth in drawn.planted) < 0.9:
            keys.add("union" if _is_union(labels, drawn.planted[0]) else "other")
    return keys


BA, POWER = igraph.Graph.Barabasi, igraph.Graph.Static_Power_Law
PRODUCT = Product(
    "Communities",
    {
        "stable": "Stable communities at resolution …",
        "union": "Stable communities at resolution … (the finest are unions of planted ones)",
        "other": "Stable communities at resolution … (the finest are neither planted nor unions)",
        "none": "No stable communities: …",
    },
    {
        "random, mean degree 4": none(igraph.Graph.Erdos_Renyi, 200, m=400),
        "random, mean degree 12": none(igraph.Graph.Erdos_Renyi, 150, m=900),
        "random, dense": none(igraph.Graph.Erdos_Renyi, 100, p=0.3),
        "random regular": none(igraph.Graph.K_Regular, 150, 4),
        "power law": none(POWER, 200, 800, exponent_out=2.5),
        "preferential attachment": none(BA, 200, 3),
        "tree of hubs": none(BA, 150, 1),
        "uniform tree": none(igraph.Graph.Tree_Game, 150),
        "star": kind(star, plain="none"),
        "bipartite": none(igraph.Graph.Random_Bipartite, 70, 90, p=0.06),
        "square lattice": kind(lattice, plain="none"),
        "circle": kind(circle, plain="none"),
        "small world": none(igraph.Graph.Watts_Strogatz, 1, 160, 3, 0.2),
        "core and periphery": kind(periphery, plain="none"),
        "weighted noise": kind(weighted(1.0), plain="none"),
        "planted below the detectability threshold": groups([40] * 4, 0.12, 0.08, plain=False),
        "growing network": none(igraph.Graph.Growing_Random, 150, 3),
        "forest fire": none(igraph.Graph.Forest_Fire, 150, 0.2),
        "unequal weights": kind(unequal_weights, plain="none"),
        "random geometric": Kind(
            none(igraph.Graph.GRG, 150, 0.15).make, open=frozenset({"stable", "none"})
        ),
        "karate club": Kind(club, open=frozenset({"stable", "union", "other", "none"})),
        "four groups": groups([30] * 4, 0.35, 0.04),
        "two groups": groups([50] * 2, 0.2, 0.02),
        "sparse groups": groups([40] * 4, 0.16, 0.01),
        "unequal groups": groups([70, 35, 15], 0.4, 0.02),
        "LFR, mixing 0.1": networks(0.1),
        "LFR, mixing 0.2": networks(0.2),
        "LFR, mixing 0.3": networks(0.3),
        "LFR, mixing 0.4": networks(0.4, plain=False),
        "LFR, mixing 0.4, 500 nodes": networks(0.4, 500),
        "hierarchy": communities_in(hierarchy),
        "weighted groups": communities_in(weighted(3.0)),
        "ring of cliques": communities_in(cliques),
        "groups with unequal degrees": communities_in(unequal_degrees),
        "caves": communities_in(caves),
    },
    said,
    first=30_000,
)
