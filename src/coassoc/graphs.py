"""Communities of igraph, networkx and SciPy graphs by Leiden, and their consensus.

The package igraph comes with the extra ``[cells]``; networkx is never imported.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, inf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.io.display import count_of, sizes_in_words
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.seeds import seed_from_names
from coassoc.partition.labels import labels_by_size
from coassoc.partition.picking import pick_clustering

if TYPE_CHECKING:
    import igraph

#: Two nodes are linked only if the probability that they share a cluster by chance, at least as
#: often as observed, is at most this.
_CHANCE = 0.05
#: Default threshold: the fraction of the clusterings that must join two nodes to link them, as in
#: Tabatabaee et al. (2024).
_SHARE = 0.8


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
    shape: tuple[int, ...] = graph.shape if matrices else ()
    if sp.issparse(graph) or (len(shape) == 2 and shape[0] == shape[1] and _is_matrix(graph)):
        matrix = sp.csr_array(graph, dtype=np.float64)
        if shape[0] != shape[1] or abs(matrix - matrix.T).max() > 1e-12:
            raise DataError(
                "graph: the matrix is not symmetric. Pass A + A.T to make the graph undirected."
            )
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        return _checked(matrix)
    if hasattr(graph, "is_directed") and graph.is_directed():
        raise DataError("graph: the graph is directed. Pass an undirected graph.")
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


def _node_names(graph: Any) -> list[Any] | None:
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


def leiden(graph: igraph.Graph, resolution: float, seed: int) -> NDArray[np.intp]:
    """Leiden communities by modularity with a resolution, until no round improves them.

    The implementation is that of igraph, which takes a tenth of the time of leidenalg.

    Returns
    -------
    (n,) integer array
        The largest community is 0.
    """
    with _seeded(seed):
        partition = graph.community_leiden("modularity", "weight", resolution, n_iterations=-1)
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


@dataclass(frozen=True, eq=False)
class GraphConsensus:
    """The result of :func:`graph_consensus`.

    Attributes
    ----------
    labels : (n,) integer array
        Community of each node; the largest is 0.
    nodes : list or None
        Names of the nodes in the order of `labels`, if the graph or the clusterings have names.
    threshold : float
        Smallest co-association of edges that remain after the first round.
    co_association : (n, n) sparse array
        Fraction of the clusterings of the first round that join the ends of each edge.
    n_rounds : int
        Number of rounds until all clusterings were the same.
    converged : bool
        Whether all clusterings were the same in the end.
    """

    labels: NDArray[np.intp]
    nodes: list[Any] | None
    threshold: float
    co_association: sp.csr_array
    n_rounds: int
    converged: bool

    def __repr__(self) -> str:
        end = "all clusterings agreed" if self.converged else "clusterings still differed"
        return (
            f"{count_of(len(self.labels), 'node')} in {sizes_in_words(self.labels)}\n"
            f"threshold {self.threshold:.2f}; {end} after {count_of(self.n_rounds, 'round')}"
        )


@integer_arguments("n_clusters", "random_state")
def graph_consensus(
    graph: Any,
    clusterings: ArrayLike | Ensemble | Callable[..., ArrayLike] | None = None,
    *,
    resolution: float = 1.0,
    n_clusterings: int = 10,
    threshold: float | None = None,
    paths_of_two: bool = False,
    max_rounds: int = 20,
    random_state: int = 0,
) -> GraphConsensus:
    """Communities of a graph that do not depend on the seed.

    Each edge is weighted by the co-association of its ends, and edges below the threshold are
    removed. The remaining graph is clustered again, by the same number of clusterings, until all
    clusterings agree (Lancichinetti & Fortunato 2012, with a matrix of all pairs of nodes). A node
    that loses all edges becomes a community by itself.

    Parameters
    ----------
    graph : (n, n) array or sparse matrix, igraph.Graph, networkx.Graph, or (edges, 2 or 3) array
        See :func:`adjacency`.
    clusterings : (n, m) table of labels, Ensemble, list of clusterings, or callable, optional
        Clusterings of the nodes, m ≥ 2, for the first round; Leiden runs the other rounds. In a
        list, each clustering is a list of sets of nodes or an igraph VertexClustering. A callable
        computes a clustering in every round, from a symmetric sparse matrix of weights and
        ``random_state``. The default is Leiden. Rows with names are matched with the nodes; other
        rows are in the order of the nodes.
    resolution : float
        Resolution of Leiden.
    n_clusterings : int
        Number of clusterings in each round; for a table, its m.
    threshold : float, optional
        Smallest fraction of clusterings that must join the ends of an edge. The default in each
        round is 0.8, or :func:`null_threshold` if that is larger.
    paths_of_two : bool
        Whether to also link nodes that have a common neighbour.
    max_rounds : int
    random_state : int

    Warns
    -----
    UserWarning
        If clusterings still differ after `max_rounds`; the result is then the clustering that is
        most similar to the others. Also if the result has more communities than any clustering.

    Raises
    ------
    ConfigError, DataError
        If an argument is out of range, or the clusterings do not match the nodes.

    References
    ----------
    A. Lancichinetti, S. Fortunato, "Consensus clustering in complex networks", Scientific Reports
    2, 336, 2012.
    A. Tandon, A. Albeshri, V. Thayananthan, W. Alhalabi, S. Fortunato, "Fast consensus clustering
    in complex networks", Physical Review E 99, 042301, 2019, which restricts the matrix to edges.
    Y. Tabatabaee, E. Wedell, M. Park, T. Warnow, "FastEnsemble: a new scalable ensemble clustering
    method", Complex Networks & Their Applications XIII, 2024, which introduces the threshold.

    Examples
    --------
    Two triangles joined by an edge, clustered by the constant Potts model in a third of the
    clusterings and by modularity in the others:

    >>> edges = [[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [3, 5], [4, 5]]
    >>> def mixture(weights, random_state):
    ...     if random_state % 3:
    ...         return leiden(igraph_of(weights), 1.0, random_state)
    ...     return igraph_of(weights).community_leiden("CPM", "weight", 0.4).membership
    >>> graph_consensus(edges, mixture).labels
    array([0, 0, 0, 1, 1, 1])
    """
    if threshold is not None and not 0 < threshold <= 1:
        raise ConfigError(f"threshold is {threshold}. It must be above 0 and at most 1.")
    if n_clusterings < 2:
        raise ConfigError(f"n_clusterings is {n_clusterings}. It must be at least 2.")
    if not is_resolution(resolution):
        raise ConfigError(
            f"resolution is {resolution!r}. It must be a finite, non-negative number."
        )
    weights = links = adjacency(graph)
    if paths_of_two:
        links = sp.csr_array(links + links @ links)
        links.setdiag(0)
        links.eliminate_zeros()
    nodes, n = _node_names(graph), links.shape[0]
    given = None
    if clusterings is not None and not callable(clusterings):
        given, nodes = _match_nodes(clusterings, nodes, n)
    m = n_clusterings if given is None else given.n_clusterings

    def cluster(weights: sp.csr_array, round: int) -> Ensemble:
        seeds = [seed_from_names(random_state, "graph", round, j) for j in range(m)]
        if callable(clusterings):
            columns = (_column(clusterings(weights, random_state=x), nodes, n) for x in seeds)
            return Ensemble.from_clusterings(np.column_stack([*columns]))
        weighted = igraph_of(weights)
        labels = np.column_stack([leiden(weighted, resolution, seed) for seed in seeds])
        return Ensemble.from_clusterings(labels)

    now = first = cluster(weights, 0) if given is None else given
    co_association = edge_co_association(links, first)
    rounds = 0
    at_first = _least(first, threshold)
    while not _all_same(now) and rounds < max_rounds:
        rounds += 1
        weights = _thresholded(edge_co_association(links, now), _least(now, threshold))
        now = cluster(weights, rounds)
    converged = _all_same(now)
    labels = now.labels[:, pick_clustering(now)]
    _say(converged, labels, first, max_rounds)
    ranks = labels_by_size(labels)
    return GraphConsensus(ranks, nodes, at_first, co_association, rounds, converged)


def _match_nodes(clusterings: Any, nodes: list[Any] | None, n: int) -> tuple[Ensemble, Any]:
    """Clusterings in the order of the nodes, and the names of the nodes."""
    if isinstance(clusterings, (list, tuple)) and any(_is_of_graph(one) for one in clusterings):
        columns = [_column(one, nodes, n) for one in clusterings]
        ensemble = Ensemble.from_clusterings(np.column_stack(columns))
        names = nodes
    else:
        ensemble = Ensemble.of(clusterings)
        names = None if ensemble.index is None else list(ensemble.index)
    if ensemble.n_clusterings < 2:
        raise DataError("clusterings: there is only one clustering. Pass at least two clusterings.")
    if len(ensemble.labels) != n:
        raise DataError(
            f"clusterings have {len(ensemble.labels)} rows, but the graph has {n} nodes. Pass one "
            "row for each node."
        )
    numbers = list(range(n))
    if names is None or names == numbers:
        if nodes is not None and nodes != numbers and {*nodes} == {*numbers}:
            raise DataError(
                "graph: the nodes are named 0, 1, … but are not in this order, so it is unclear "
                "which node each row of the clusterings belongs to. Pass a data frame whose index "
                "names the node of each row."
            )
        return ensemble, nodes
    node_names = numbers if nodes is None and {*names} == {*numbers} else nodes
    if node_names is None:
        return ensemble, names
    place = {name: row for row, name in enumerate(names)}
    missing = [node for node in node_names if node not in place]
    if missing or len({*node_names}) < n:
        what = f"no row is named {missing[0]!r}" if missing else "two nodes have the same name"
        raise DataError(
            f"clusterings: the rows have names, but {what}. Give the rows the names of the nodes, "
            "or pass an array whose rows are in the order of the nodes."
        )
    return Ensemble.from_clusterings(
        ensemble.labels[[place[node] for node in node_names]]
    ), node_names


def _is_of_graph(one: Any) -> bool:
    """Whether a clustering comes from igraph, or consists of sets of nodes, as in networkx."""
    sets = isinstance(one, (list, tuple)) and all(isinstance(s, (set, frozenset)) for s in one)
    return isinstance(one, (set, frozenset)) or sets or hasattr(one, "membership")


def _column(one: Any, nodes: list[Any] | None, n: int) -> ArrayLike:
    """Label of each node, −1 for a node in no set."""
    if hasattr(one, "membership"):
        return one.membership
    if not _is_of_graph(one):
        if np.shape(one) != (n,):
            raise DataError(
                f"clusterings: a clustering has the shape {np.shape(one)}. It must have one label "
                f"for each of {n} nodes."
            )
        return one
    if isinstance(one, (set, frozenset)):
        raise DataError(
            "clusterings: this list of sets is a single clustering. Pass a list of clusterings."
        )
    place = {node: i for i, node in enumerate(range(n) if nodes is None else nodes)}
    labels = np.full(n, -1)
    for label, members in enumerate(one):
        for node in members:
            if node not in place or labels[place[node]] >= 0:
                wrong = "is in two sets" if node in place else "is not a node of the graph"
                raise DataError(
                    f"clusterings: {node!r} {wrong}. Put each node into at most one set."
                )
            labels[place[node]] = label
    return labels


def _least(ensemble: Ensemble, threshold: float | None) -> float:
    """The given threshold, or else the larger one of 0.8 and the threshold of chance."""
    m = ensemble.n_clusterings
    return max(ceil(_SHARE * m) / m, null_threshold(ensemble)) if threshold is None else threshold


def edge_co_association(links: sp.csr_array, ensemble: Ensemble) -> sp.csr_array:
    """Fraction of the clusterings that join the ends of each edge.

    Parameters
    ----------
    links : (n, n) sparse array
        The edges as entries, in both directions.
    ensemble : Ensemble
        Clusterings of the n nodes. For an edge, only clusterings that label both ends count.

    Returns
    -------
    (n, n) sparse array
        No entry for an edge whose ends are never co-clustered.
    """
    coo = sp.coo_array(sp.triu(links, 1))
    ends = coo.coords
    together = np.zeros(len(ends[0]), dtype=np.int32)
    met = np.full(len(together), ensemble.n_clusterings, dtype=np.int32)
    for column in ensemble.labels.T:
        a, b = (np.ascontiguousarray(column)[end] for end in ends)
        both = (a >= 0) & (b >= 0)
        together += both & (a == b)
        met -= ~both
    shares = together / np.maximum(met, 1)
    matrix = sp.csr_array((shares, ends), shape=links.shape)
    return sp.csr_array(matrix + matrix.T)


def null_threshold(ensemble: Ensemble, chance: float = _CHANCE) -> float:
    """Smallest co-association that a pair reaches by chance with probability at most `chance`.

    Under the null hypothesis, the clusterings keep their cluster sizes and are independent of each
    other. The number of clusterings that co-cluster a given pair is then a sum of independent
    indicators with probabilities Σ_k n_k (n_k − 1) / (n (n − 1)). The result is an exact quantile
    of its distribution, so no permutations are needed.

    Returns
    -------
    float
        In (0, 1]; 1 if no smaller fraction is rare enough.
    """
    m = ensemble.n_clusterings
    of_count = np.ones(1)  # probabilities that 0, 1, … clusterings join the pair
    for column in ensemble.labels.T:
        sizes = np.bincount(column[column >= 0]).astype(np.float64)
        n = sizes.sum()
        p = float(sizes @ (sizes - 1) / (n * (n - 1))) if n > 1 else 0.0
        of_count = np.append(of_count * (1 - p), 0) + np.append(0, of_count * p)
    at_least = np.cumsum(of_count[::-1])[::-1]  # probability of at least this many
    rare = np.flatnonzero(at_least[1:] <= chance)
    return float((rare[0] + 1) / m) if len(rare) else 1.0


def _thresholded(shares: sp.csr_array, threshold: float) -> sp.csr_array:
    """The edges whose value reaches a threshold."""
    kept = shares.copy()
    kept.data[kept.data < threshold - 1e-12] = 0
    kept.eliminate_zeros()
    return kept


def _all_same(ensemble: Ensemble) -> bool:
    """Whether the clusterings are one partition of all nodes."""
    numbers = ensemble.n_clusters_per_clustering
    same = bool((numbers == ensemble.microclusters.count).all())
    return same and not ensemble.has_missing


def _say(converged: bool, labels: NDArray, first: Ensemble, max_rounds: int) -> None:
    if not converged:
        warnings.warn(
            f"The clusterings of the graph still differ after {max_rounds} rounds, so the result "
            "is the clustering that is most similar to the other clusterings. Try a higher "
            "threshold.",
            stacklevel=4,  # the caller of the decorated function
        )
    most, found = int(first.n_clusters_per_clustering.max()), labels.max() + 1
    if found > most:
        warnings.warn(
            f"The consensus has {found} communities, but no clustering has more than {most}. Try "
            "a lower threshold, which may join communities that edges link, or ignore the graph "
            "with coassoc.find_consensus.",
            stacklevel=4,  # the caller of the decorated function
        )
