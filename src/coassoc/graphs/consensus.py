"""The consensus of several clusterings of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.graphs.adjacency import adjacency, igraph_of, is_resolution, leiden, node_names
from coassoc.io.display import count_of, sizes_in_words
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.seeds import seed_from_names
from coassoc.partition.labels import canonical_labels, labels_by_size

#: Powers of the co-association. The largest one is chosen whose communities save nearly as much of
#: the description of the graph as those that save most.
_POWERS, _NEARLY = (0.0, 0.5, 1.0, 2.0, 4.0, np.inf), 0.93
#: A node is assigned if its certainty is larger.
_CERTAIN = 0.5
#: Iterations of Leiden. More take longer and give runs that differ less, but no better consensus.
ITERATIONS = 2


@dataclass(frozen=True, eq=False)
class GraphConsensus:
    """The result of :func:`graph_consensus`.

    Attributes
    ----------
    labels : (n,) integer array
        Community of each node; the largest is 0. A node is unassigned (−1) if its certainty is not
        above 0.5, or no other node of its community is assigned.
    certainty : (n,) array
        Fraction of the co-association of a node with its neighbours that is with its community.
    nodes : list or None
        Names of the nodes in the order of `labels`, if the graph or the clusterings have names.
    power : float
        Power of the co-association in the weights of the edges.
    co_association : (n, n) sparse array
        Fraction of the clusterings that join the ends of each edge.
    """

    labels: NDArray[np.intp]
    certainty: NDArray[np.float64]
    nodes: list[Any] | None
    power: float
    co_association: sp.csr_array

    def __repr__(self) -> str:
        alone = int((self.labels < 0).sum())
        left = f"; {count_of(alone, 'node')} unassigned" if alone else ""
        return (
            f"{count_of(len(self.labels), 'node')} in {sizes_in_words(self.labels)}{left}\n"
            f"power {self.power:g}; mean certainty {self.certainty.mean():.2f}"
        )


@integer_arguments("n_clusterings", "random_state")
def graph_consensus(
    graph: Any,
    clusterings: ArrayLike | Ensemble | None = None,
    *,
    resolution: float = 1.0,
    n_clusterings: int = 10,
    random_state: int = 0,
) -> GraphConsensus:
    """Combine several clusterings of a graph.

    The weight of each edge is multiplied by a power of the co-association of its ends. The power is
    the largest of 0, ½, 1, 2, 4 and infinity whose communities save at least 93 % as much of the
    description of the graph as those that save most (:func:`description_length`). With 0, an edge
    keeps its weight if any clustering joins its ends; with infinity, only if all clusterings do.
    Leiden clusters the graph with these weights, but expects the edges of the graph itself, so an
    edge that loses weight speaks against a community. A node that is alone then joins the community
    to which most of its co-association leads, and a node on which the clusterings do not agree
    remains unassigned. The consensus says nothing about whether there are communities;
    :func:`communities` does.

    Parameters
    ----------
    graph : (n, n) array or sparse matrix, igraph.Graph, networkx.Graph, or (edges, 2 or 3) array
        See :func:`adjacency`.
    clusterings : (n, m) table of labels, Ensemble, or list of clusterings, optional
        Clusterings of the nodes, m ≥ 2. The default is Leiden with m seeds. In a list, each
        clustering is a list of sets of nodes or an igraph VertexClustering. Rows with names are
        matched with the nodes; other rows are in the order of the nodes.
    resolution : float
        Resolution of Leiden.
    n_clusterings : int
        Number m of Leiden runs.
    random_state : int

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
    method", Complex Networks & Their Applications XIII, 2024, which clusters once.

    Examples
    --------
    Two triangles joined by an edge, of which one of three clusterings moves a node:

    >>> edges = [[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [3, 5], [4, 5]]
    >>> runs = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])
    >>> graph_consensus(edges, runs.T).labels
    array([0, 0, 0, 1, 1, 1])
    """
    if n_clusterings < 2:
        raise ConfigError(f"n_clusterings is {n_clusterings}. It must be at least 2.")
    if not is_resolution(resolution):
        raise ConfigError(
            f"resolution is {resolution!r}. It must be a finite, non-negative number."
        )
    weights, nodes = adjacency(graph), node_names(graph)
    if clusterings is not None:
        ensemble, nodes = _match_nodes(clusterings, nodes, weights.shape[0])
    else:
        whole = igraph_of(weights)
        seeds = [seed_from_names(random_state, "graph", 0, j) for j in range(n_clusterings)]
        runs = [leiden(whole, resolution, seed, ITERATIONS) for seed in seeds]
        ensemble = Ensemble.from_clusterings(np.column_stack(runs))
    shares = edge_co_association(weights, ensemble)
    seed, rows = seed_from_names(random_state, "graph", 1), ensemble.microclusters.count
    # Whether the clusterings are one partition of all nodes.
    same = not ensemble.has_missing and (ensemble.n_clusters_per_clustering == rows).all()
    strengths = np.asarray(weights.sum(axis=1))
    found: dict[float, NDArray[np.intp]] = {}
    for each in _POWERS:
        one = ensemble.labels[:, 0].astype(np.intp)
        if not same:
            factors = shares.copy()
            factors.data **= each
            factors.eliminate_zeros()
            links = igraph_of(sp.csr_array(factors.multiply(weights)))
            one = leiden(links, resolution, seed, ITERATIONS, strengths)
        found[each] = _attached(one, shares)
    lengths = {each: description_length(weights, labels) for each, labels in found.items()}
    least = min(lengths.values())
    chosen = max(each for each in found if lengths[each] <= max(_NEARLY * least, least))
    labels = canonical_labels(found[chosen])
    member = sp.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)))
    own = (shares @ member)[np.arange(len(labels)), labels]
    certainty = own / np.maximum(shares.sum(axis=1), np.finfo(float).tiny)
    kept = certainty > _CERTAIN
    kept &= np.bincount(labels, kept)[labels] > 1
    labels = labels_by_size(np.where(kept, labels, -1))
    return GraphConsensus(labels, certainty, nodes, chosen, shares)


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


def _attached(labels: NDArray[np.intp], shares: sp.csr_array) -> NDArray[np.intp]:
    """Let lone nodes join the community to which most of their co-association leads."""
    labels = labels.copy()
    while True:
        alone = np.flatnonzero(np.bincount(labels)[labels] == 1)
        member = sp.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)))
        sums = sp.coo_array(shares[alone] @ member)
        order = np.lexsort((sums.data, sums.row))
        order = order[np.isin(sums.col[order], labels[alone], invert=True)]
        most = dict(zip(alone[sums.row[order]], sums.col[order], strict=True))  # the last remains
        if not most:
            return labels
        labels[[*most]] = [*most.values()]


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


def description_length(weights: sp.csr_array, labels: NDArray[np.intp]) -> float:
    """Nats that describe a graph by communities, relative to a random graph with its degrees.

    The likelihood is that of a degree-corrected planted partition (Newman 2016): two nodes have an
    edge with a probability proportional to their degrees, and to one rate inside communities and
    another between them. Communities cost the logarithm of the number of partitions with their
    sizes, and of the number of such sizes (Peixoto 2017).

    Parameters
    ----------
    weights : (n, n) sparse array
        Symmetric. Weights count relative to their mean.
    labels : (n,) integer array
        −1 for a node without a community, which counts as one by itself.

    References
    ----------
    M. E. J. Newman, "Equivalence between modularity optimization and maximum likelihood methods for
    community detection", Physical Review E 94, 052315, 2016.
    T. P. Peixoto, "Nonparametric Bayesian inference of the microcanonical stochastic block model",
    Physical Review E 95, 012317, 2017.
    """
    n, alone = len(labels), labels < 0
    labels = np.where(alone, labels.max() + np.cumsum(alone), labels)
    edges = sp.coo_array(sp.triu(weights, 1))
    values = edges.data / (edges.data.sum() or 1.0) * edges.nnz
    ends = edges.coords
    degrees = np.bincount(np.concatenate(ends), np.tile(values, 2), n)
    sizes = np.bincount(labels)
    sizes, c = sizes[sizes > 0], np.count_nonzero(sizes)
    inside, total = values[labels[ends[0]] == labels[ends[1]]].sum(), values.sum()
    expected = (np.bincount(labels, degrees) ** 2).sum() / (4 * total) if total else 0.0
    observed = np.array([inside, total - inside])
    ratio = np.divide(observed, [expected, total - expected], where=observed > 0, out=np.ones(2))
    partition = gammaln(n + 1) - gammaln(sizes + 1).sum()
    choices = gammaln(n) - gammaln(c) - gammaln(n - c + 1)
    return float(partition + choices - xlogy(observed, ratio).sum())
