"""Graphs of igraph, networkx and SciPy, and Leiden's communities in them.

The packages igraph and leidenalg come with the extra ``[cells]``; networkx is never imported.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError

if TYPE_CHECKING:
    import igraph

__all__ = ["adjacency", "igraph_of", "leiden", "rewired"]


def adjacency(graph: Any) -> sp.csr_array:
    """Weights of the edges of an undirected graph.

    Parameters
    ----------
    graph : sparse matrix, igraph.Graph, networkx.Graph, or (edges, 2 or 3) array
        A matrix is symmetric. The nodes of an edge list are 0, 1, …, those of a graph in its own
        order; a third column, or the attribute ``weight`` of all edges, has the weights, else they
        are 1. Weights of the same edge are added; loops are left out.

    Returns
    -------
    (n, n) sparse array
        Symmetric.

    Raises
    ------
    DataError
        If it is no such graph, is directed, or has a weight that is negative or no number.
    """
    if sp.issparse(graph):
        matrix = sp.csr_array(graph, dtype=np.float64)
        if matrix.shape[0] != matrix.shape[1] or abs(matrix - matrix.T).max() > 1e-12:
            raise DataError("graph: a matrix must be symmetric; A + A.T makes a graph undirected.")
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        return _checked(matrix)
    if hasattr(graph, "is_directed") and graph.is_directed():
        raise DataError("graph: it is directed; give an undirected one.")
    if hasattr(graph, "get_edgelist"):
        edges = np.array(graph.get_edgelist(), dtype=np.intp).reshape(-1, 2)
        weighted = "weight" in graph.es.attributes()
        return _of_edges(edges, graph.es["weight"] if weighted else None, graph.vcount())
    if hasattr(graph, "adj") and hasattr(graph, "edges"):  # networkx
        place = {node: i for i, node in enumerate(graph)}
        listed = [(place[a], place[b], weight) for a, b, weight in graph.edges.data("weight", 1.0)]
        table = np.array(listed, dtype=np.float64).reshape(-1, 3)
        return _of_edges(table[:, :2].astype(np.intp), table[:, 2], len(place))
    edges = np.asarray(graph)
    if edges.ndim != 2 or edges.shape[1] not in (2, 3) or edges.dtype.kind not in "iuf":
        raise DataError(
            "graph: expected a sparse matrix, a graph of igraph or networkx, or an array with two "
            f"columns of nodes and perhaps one of weights; got shape {edges.shape}."
        )
    nodes = edges[:, :2].astype(np.intp)
    if (nodes != edges[:, :2]).any() or nodes.min(initial=0) < 0:
        raise DataError("graph: nodes in a list of edges are the integers 0, 1, …")
    return _of_edges(nodes, edges[:, 2] if edges.shape[1] == 3 else None)


def _of_edges(nodes: NDArray[np.intp], weights: Any = None, n: int | None = None) -> sp.csr_array:
    n = int(nodes.max(initial=-1)) + 1 if n is None else n
    values = np.ones(len(nodes)) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = nodes[:, 0] != nodes[:, 1]
    half = sp.coo_array((values[kept], tuple(nodes[kept].T)), shape=(n, n))
    return _checked(sp.csr_array(half + half.T))


def _checked(matrix: sp.csr_array) -> sp.csr_array:
    if not np.isfinite(matrix.data).all() or matrix.data.min(initial=0) < 0:
        raise DataError("graph: weights of edges must be positive numbers.")
    return matrix


def igraph_of(matrix: sp.csr_array) -> igraph.Graph:
    """A graph of igraph with the edge attribute ``weight``, from symmetric weights."""
    import igraph

    edges = sp.coo_array(sp.triu(matrix, 1))
    made = igraph.Graph(matrix.shape[0], np.column_stack(edges.coords).astype(np.int64))
    made.es["weight"] = edges.data
    return made


def leiden(graph: igraph.Graph, resolution: float, seed: int) -> NDArray[np.intp]:
    """Leiden's communities by modularity with a resolution, until no round improves them.

    This is igraph's implementation, which takes a tenth of the time of leidenalg's.

    Returns
    -------
    (n,) integer array
        The largest community is 0.
    """
    with _seeded(seed):
        found = graph.community_leiden("modularity", "weight", resolution, n_iterations=-1)
    labels = np.asarray(found.membership, dtype=np.intp)
    order = np.argsort(-np.bincount(labels), kind="stable")
    return np.argsort(order)[labels]


def rewired(graph: igraph.Graph, seed: int) -> igraph.Graph:
    """A random simple graph with the same degrees; weights go to edges at random.

    Ends of two edges at a time are exchanged, ten times as often as there are edges.
    """
    made = graph.copy()
    with _seeded(seed):
        made.rewire(10 * made.ecount())
    weights = np.random.default_rng(seed).permutation(np.array(graph.es["weight"]))
    made.es["weight"] = weights
    return made


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """The random numbers of igraph, which are of the whole process, and Python's afterwards."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)
