"""Graphs of igraph, networkx and SciPy, Leiden communities, and random graphs.

The package igraph comes with the extra ``[cells]``; networkx is never imported.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import ConfigError, DataError
from coassoc.numerics.arrays import plain_array
from coassoc.partition.labels import labels_by_size

if TYPE_CHECKING:
    import igraph


def adjacency(graph: Any) -> sp.csr_array:
    """Weights of the edges of an undirected graph.

    Parameters
    ----------
    graph : (n, n) array or sparse matrix, igraph.Graph, networkx.Graph, or (edges, 2 or 3) array
        A matrix must be symmetric. It may be a data frame with the nodes in its index and columns.
        An array with two or three columns is a list of edges between nodes 0, 1, … without gaps. A
        third column, or the attribute ``weight``, contains the weights; otherwise they are 1.
        Weights of the same edge are added, and loops are ignored. The nodes of a graph object keep
        their order.

    Returns
    -------
    (n, n) sparse array
        Symmetric.

    Raises
    ------
    DataError
        If `graph` is not such a graph or is directed, or if a weight is negative or missing.
    """
    if hasattr(graph, "to_numpy"):
        graph = graph.to_numpy()
    matrices = isinstance(graph, np.ndarray) or sp.issparse(graph)
    if matrices:
        plain_array("graph", graph.data if sp.issparse(graph) else graph)
    shape: tuple[int, ...] = graph.shape if matrices else ()
    if sp.issparse(graph) or (len(shape) == 2 and shape[0] == shape[1] and _is_matrix(graph)):
        matrix = sp.csr_array(graph, dtype=np.float64)
        if shape[0] != shape[1] or np.max(abs(matrix - matrix.T).data, initial=0) > 1e-12:
            raise DataError(
                "graph: the matrix is not symmetric. Pass A + A.T to make the graph undirected."
            )
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        return _checked(matrix)
    if hasattr(graph, "is_directed") and graph.is_directed():
        raise DataError(
            "graph: the graph is directed, and communities ignore directions. Pass "
            "graph.to_undirected() (networkx), or graph.as_undirected('each') (igraph)."
        )
    if hasattr(graph, "get_edgelist"):
        edges = np.array(graph.get_edgelist(), dtype=np.intp).reshape(-1, 2)
        weighted = "weight" in graph.es.attributes()
        return _graph_from_edges(edges, graph.es["weight"] if weighted else None, graph.vcount())
    if hasattr(graph, "adj") and hasattr(graph, "edges"):  # networkx
        place = {node: i for i, node in enumerate(graph)}
        edges = np.array([(place[a], place[b]) for a, b in graph.edges()], dtype=np.intp)
        weights = [weight for *_, weight in graph.edges.data("weight")]
        weighted = any(weight is not None for weight in weights)
        return _graph_from_edges(edges.reshape(-1, 2), weights if weighted else None, len(place))
    edges = np.asarray(graph)
    if edges.ndim != 2 or edges.shape[1] not in (2, 3) or edges.dtype.kind not in "iuf":
        raise DataError(
            f"graph: cannot read an array of shape {edges.shape} and type {edges.dtype} as a "
            "graph. Pass a square matrix, an igraph or networkx graph, or an array of edges with "
            "two columns of integer nodes and optionally a column of weights."
        )
    numbers = np.unique(edges[:, :2])
    wrong = numbers[numbers != np.arange(len(numbers))]
    if len(wrong):
        raise DataError(
            f"graph: the list of edges has node {wrong[0]}. Number the nodes 0, 1, … without gaps. "
            "For a graph with nodes without edges, pass a matrix or a graph object."
        )
    given = edges[:, 2] if edges.shape[1] == 3 else None
    return _graph_from_edges(edges[:, :2].astype(np.intp), given)


def _is_matrix(square: NDArray) -> bool:
    """Whether a square array is a matrix; two or three rows may also be a list of edges."""
    return len(square) > 3 or bool((square == square.T).all() and not np.diagonal(square).any())


def _graph_from_edges(
    nodes: NDArray[np.intp], weights: Any = None, n: int | None = None
) -> sp.csr_array:
    n = int(nodes.max(initial=-1)) + 1 if n is None else n
    values = np.ones(len(nodes)) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = nodes[:, 0] != nodes[:, 1]
    half = sp.coo_array((values[kept], tuple(nodes[kept].T)), shape=(n, n))
    return _checked(sp.csr_array(half + half.T))


def _checked(matrix: sp.csr_array) -> sp.csr_array:
    if not matrix.shape[0]:
        raise DataError("graph: the graph has no nodes. Pass a graph with at least one node.")
    wrong = matrix.data[~((matrix.data >= 0) & (matrix.data < inf))]
    if len(wrong):
        raise DataError(
            f"graph: an edge has the weight {wrong[0]:g}. Weights must be finite numbers of at "
            "least 0, because modularity is not defined for others. Replace negative weights with "
            "np.maximum(weights, 0) or np.abs(weights)."
        )
    return matrix


def node_names(graph: Any) -> list[Any] | None:
    """Names of the nodes in the graph's own order: networkx's, igraph's ``name``, or an index."""
    if hasattr(graph, "columns") and list(graph.index) == list(graph.columns):
        return list(graph.index)
    if hasattr(graph, "get_edgelist"):
        return list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    return list(graph) if hasattr(graph, "adj") and hasattr(graph, "edges") else None


def igraph_of(matrix: sp.csr_array) -> igraph.Graph:
    """An igraph graph with the edge attribute ``weight``, from symmetric weights."""
    import igraph

    edges = sp.coo_array(sp.triu(matrix, 1))
    graph_of_edges = igraph.Graph(matrix.shape[0], np.column_stack(edges.coords).astype(np.int64))
    graph_of_edges.es["weight"] = edges.data
    return graph_of_edges


def is_resolution(value: Any) -> bool:
    """Whether a value is a finite, non-negative number."""
    return isinstance(value, Real) and 0 <= float(value) < inf


def checked_resolutions(resolutions: Any) -> list[float]:
    """The resolutions as a list; a ConfigError unless they are finite and differ as texts."""
    several = isinstance(resolutions, Iterable) and not isinstance(resolutions, str)
    given: list[Any] = [*resolutions] if several else []
    names = {f"{value:g}" for value in given if is_resolution(value)}
    if not given or len(names) < len(given):
        raise ConfigError(
            f"resolutions is {resolutions!r}. It must be a sequence of finite, non-negative "
            "numbers that differ in their first six digits, which name the columns."
        )
    return given


def leiden(
    graph: igraph.Graph,
    resolution: float,
    seed: int,
    n_iterations: int = -1,
    strengths: NDArray | None = None,
) -> NDArray[np.intp]:
    """Leiden communities by modularity with a resolution.

    The implementation is that of igraph, which takes a tenth of the time of leidenalg. By default,
    it is iterated until nothing improves. On large graphs without communities this takes minutes.
    Modularity expects edges in proportion to the `strengths` of the nodes; the default is the sum
    of the weights of their edges.

    Returns
    -------
    (n,) integer array
        The largest community is 0.
    """
    values = np.asarray(graph.strength(weights="weight") if strengths is None else strengths)
    rate = resolution / (values.sum() or 1.0)
    with _seeded(seed):
        partition = graph.community_leiden(
            "CPM", "weight", rate, n_iterations=n_iterations, node_weights=values.tolist()
        )
    return labels_by_size(np.asarray(partition.membership, dtype=np.intp))


def rewired(graph: igraph.Graph, seed: int) -> igraph.Graph:
    """A random simple graph with the same degrees and randomly assigned weights.

    Two random edges exchange their ends. This is repeated ten times for each edge of the graph.
    """
    copy = graph.copy()
    with _seeded(seed):
        copy.rewire(10 * copy.ecount())
    weights = np.random.default_rng(seed).permutation(np.array(graph.es["weight"]))
    copy.es["weight"] = weights
    return copy


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Inside this context, igraph, which has one generator per process, uses a seeded one."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)
