"""Cluster ensembles by graph and hypergraph partitioning: CSPA, HGPA and MCLA.

A. Strehl, J. Ghosh, "Cluster ensembles – a knowledge reuse framework for combining multiple
partitions", JMLR 3, 2002. All three look for balanced parts: CSPA partitions the co-association
graph, HGPA the hypergraph whose edges are the clusters, and MCLA partitions the clusters into
meta-clusters, which then vote for the samples.

If labels are missing, a cluster consists of the samples with its label. In HGPA, they form its
edge. In MCLA, they count for the Jaccard coefficient and get its votes, and a sample gets no vote
from a base clustering that does not label it. CSPA rejects missing labels, because its edges count
clusterings.

What the paper leaves open
--------------------------
- Partitioners: METIS for graphs, parts at most 3 % above the mean weight, the smaller cut of
  k-way partitioning, which is weak on small dense graphs, and recursive bisection; Mt-KaHyPar in
  its deterministic mode for hypergraphs, with the same balance and the number of cut edges as
  objective. The labels depend on the versions of these libraries.
- Microclusters are vertices that weigh as many as their samples; large ones are cut into pieces
  of at most 3 % of a part, or balance could be out of reach. The CSPA edge between two vertices
  weighs as much as all edges between their samples.
- In MCLA the weight of a cluster is its number of samples, and the weight of an edge is ⌊1000 ×
  Jaccard⌋, because METIS needs integers. A sample joins the meta-cluster with the largest fraction
  of clusters that contain the sample.
- Partitioners are heuristics whose result depends on the order of vertices and edges. coassoc
  sorts both by numbers that do not depend on the numbering of samples, clusterings and clusters.
- If a partitioner leaves a part empty, the part with the largest weight is halved. A
  meta-cluster that wins no sample takes over the microcluster that it is closest to winning.
  ``n_clusters_found_`` is the number of parts or of winning meta-clusters before this step.
- Four published results remain unexplained: HGPA on Glass and Coil20, CSPA on Hitech, and MCLA
  on Tr31. Other balances, k-way partitioning or bisection alone, the best of ten cuts, and
  Mt-KaHyPar's other presets and objective do not explain them. hMETIS, which the program of
  Strehl and Ghosh calls, was not tried.
"""

from functools import cache
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import MethodError
from coassoc.evidence import Evidence
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.partition.labels import split_to, vote_labels
from coassoc.similarity import co_association, jaccard_of_clusters

#: Allowed excess of the weight of a part over the mean, and the largest vertex as a fraction of a
#: part.
_IMBALANCE = 0.03
#: Mt-KaHyPar adds weights in 32 bits.
_MOST_WEIGHT = 2**31 - 1
#: Number of steps of a similarity that is not a count, because METIS needs whole numbers.
_STEPS = 1000
#: Largest sum of edge weights. METIS adds edges in 64 bits, and half of this range leaves room for
#: rounding.
_MOST_CUT = 2**62


class CSPA(ConsensusClusterer):
    """Cluster-based similarity partitioning: METIS on co-association (Strehl & Ghosh 2002).

    `random_state` is the seed of METIS.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Cluster-based similarity partitioning"
    paper: ClassVar = "Strehl & Ghosh, JMLR 2002"
    cost: ClassVar = Cost(seconds=0.17, power=2, squares=2)
    reads_matrix: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        source, weights, assignment = vertices(ensemble, self.n_clusters)
        graph = co_association_graph(ensemble, source, weights)
        parts = _partition_graph(graph, weights, self.n_clusters, random_state)
        labels, self.n_clusters_found_ = fill_parts(parts, weights, self.n_clusters)
        return split_to(labels[assignment], self.n_clusters)


class HGPA(ConsensusClusterer):
    """Hypergraph partitioning with the clusters as hyperedges (Strehl & Ghosh 2002).

    `random_state` is the seed of the partitioner, whose deterministic mode makes little use of it.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Hypergraph partitioning"
    paper: ClassVar = "Strehl & Ghosh, JMLR 2002"
    cost: ClassVar = Cost(seconds=1.4, power=2, squares=0)
    takes_missing: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        source, weights, assignment = vertices(ensemble, self.n_clusters)
        pins = ensemble.microcluster_membership[source].tocsc()[:, _cluster_order(ensemble)]
        edges = np.split(pins.indices, pins.indptr[1:-1])
        parts = _partition_hypergraph(edges, weights, self.n_clusters, random_state)
        labels, self.n_clusters_found_ = fill_parts(parts, weights, self.n_clusters)
        return split_to(labels[assignment], self.n_clusters)


class MCLA(ConsensusClusterer):
    """Meta-clustering: METIS on the clusters' Jaccard graph, then a vote (Strehl & Ghosh 2002).

    `random_state` is the seed of METIS.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Meta-clustering"
    paper: ClassVar = "Strehl & Ghosh, JMLR 2002"
    cost: ClassVar = Cost(seconds=0.18, power=2, squares=0, cluster_squares=3)
    takes_missing: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        order = _cluster_order(ensemble)
        graph = jaccard_graph(ensemble)[order][:, order]
        weights = ensemble.cluster_sizes[order].astype(np.int64)
        parts = _partition_graph(graph, weights, self.n_clusters, random_state)
        meta = parts[np.argsort(order)]
        labels, self.n_clusters_found_ = vote_labels(ensemble, meta, self.n_clusters)
        return labels


# -- graphs and hypergraphs ---------------------------------------------------------------------


def vertices(ensemble: Ensemble, n_clusters: int) -> tuple[Labels, NDArray[np.int64], Labels]:
    """Vertices light enough for balanced partitions into `n_clusters` parts.

    They are the microclusters, and pieces of large ones.

    Returns
    -------
    source : (q,) integer array
        Microcluster of each vertex.
    weights : (q,) integer array
        Number of samples in each vertex.
    assignment : (n,) integer array
        Vertex of each sample.
    """
    micro = ensemble.microclusters
    largest = max(1, int(_IMBALANCE * ensemble.n_samples / n_clusters))
    order = _microcluster_order(ensemble)
    pieces = np.ones_like(order) if micro.counted else -(-micro.sizes[order] // largest)
    source = np.repeat(order, pieces)
    # Deal the samples of a microcluster to its pieces in turn.
    place = np.argsort(order)[micro.assignment]
    first = np.cumsum(pieces) - pieces
    assignment = first[place] + micro.place % pieces[place]
    weights = np.bincount(assignment, minlength=len(source))
    return source, micro.sizes[order] if micro.counted else weights, assignment


def co_association_graph(
    ensemble: Ensemble, source: Labels, weights: NDArray[np.int64]
) -> sp.csr_array:
    """Number of (base clustering, sample, sample) triples in which two vertices share a cluster.

    The vertices are the result of :func:`vertices`.

    Returns
    -------
    (q, q) sparse integer array
        Without diagonal.
    """
    counts = co_association(ensemble).S[np.ix_(source, source)]
    counts *= ensemble.n_clusterings or _STEPS
    np.rint(counts, out=counts)
    # Integers below 2⁵³ are exact in floating point, so one array is enough.
    counts *= weights
    counts *= weights[:, None]
    np.fill_diagonal(counts, 0)
    if counts.sum() > _MOST_CUT:
        raise MethodError(
            f"The partitioner METIS cannot count the pairs of {ensemble.n_samples:,} samples. "
            "Choose another method."
        )
    return sp.csr_array(counts).astype(np.int64)


def jaccard_graph(ensemble: Ensemble) -> sp.csr_array:
    """⌊1000 × Jaccard coefficient⌋ of the clusters, an (L, L) sparse integer array, no diagonal."""
    weights = (1000 * jaccard_of_clusters(ensemble)).astype(np.int64)
    np.fill_diagonal(weights, 0)
    return sp.csr_array(weights)


def _cluster_order(ensemble: Ensemble) -> Labels:
    return np.lexsort(ensemble.cluster_keys)


def _microcluster_order(ensemble: Ensemble) -> Labels:
    if isinstance(ensemble, Evidence):
        return np.lexsort([S @ ensemble.microclusters.r for S in (ensemble.S, ensemble.S**2)])
    Z = ensemble.microcluster_membership
    return np.lexsort([ensemble.microclusters.sizes, *(Z @ k for k in ensemble.cluster_keys)])


# -- partitioners -------------------------------------------------------------------------------


def _seed(random_state: RandomState) -> int:
    return int(random_state.randint(2**31 - 1))


def _partition_graph(
    graph: sp.csr_array, weights: NDArray[np.int64], n_parts: int, random_state: RandomState
) -> Labels:
    """Parts of the vertices by METIS; some may stay empty."""
    n_vertices = graph.shape[0]
    if n_parts == 1 or n_parts >= n_vertices:
        return np.arange(n_vertices) % n_parts
    import pymetis

    graph.sort_indices()
    options = pymetis.Options(seed=_seed(random_state), ufactor=round(1000 * _IMBALANCE))
    adjacency = pymetis.CSRAdjacency(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))
    candidates = []
    for recursive in (False, True):
        try:
            cut, parts = pymetis.part_graph(
                n_parts,
                adjacency,
                vweights=weights,
                eweights=graph.data,
                recursive=recursive,
                options=options,
            )
        except RuntimeError as error:
            raise MethodError(
                f"The partitioner METIS failed: {error}. Choose another method."
            ) from error
        candidates.append((n_parts - len(np.unique(parts)), cut, np.asarray(parts, dtype=np.intp)))
    return min(candidates, key=lambda result: result[:2])[2]


def _partition_hypergraph(
    edges: list[NDArray], weights: NDArray[np.int64], n_parts: int, random_state: RandomState
) -> Labels:
    """Parts of the vertices by Mt-KaHyPar; some may stay empty."""
    n_vertices = len(weights)
    if n_parts == 1 or n_parts >= n_vertices:
        return np.arange(n_vertices) % n_parts
    if weights.sum() > _MOST_WEIGHT:
        raise MethodError(
            f"The partitioner Mt-KaHyPar takes at most {_MOST_WEIGHT:,} samples. Choose another "
            "method."
        )
    partitioner = mt_kahypar()
    import mtkahypar

    mtkahypar.set_seed(_seed(random_state))
    context = partitioner.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(n_parts, _IMBALANCE, mtkahypar.Objective.CUT)
    context.logging = False
    # An edge with a single vertex cannot be cut.
    edges = [edge.tolist() for edge in edges if len(edge) > 1]
    try:
        hypergraph = partitioner.create_hypergraph(
            context, n_vertices, len(edges), edges, weights.tolist(), [1] * len(edges)
        )
        parts = hypergraph.partition(context).get_partition()
    except (RuntimeError, ValueError, mtkahypar.SystemError) as error:
        raise MethodError(
            f"The partitioner Mt-KaHyPar failed: {error}. Choose another method."
        ) from error
    return np.asarray(parts, dtype=np.intp)


@cache
def mt_kahypar() -> Any:
    """The hypergraph partitioner; it can be started once per process."""
    try:
        import mtkahypar
    except ImportError as error:
        raise MethodError(
            "HGPA needs the partitioner Mt-KaHyPar. Install it with pip install "
            "'coassoc[partition]'."
        ) from error
    return mtkahypar.initialize(1, print_warnings=False)


def fill_parts(parts: Labels, weights: NDArray[np.int64], n_parts: int) -> tuple[Labels, int]:
    """Halve the heaviest parts until none of `n_parts` is empty, or all are single vertices."""
    parts = parts.copy()
    n_nonempty = len(np.unique(parts))
    for empty in np.setdiff1d(np.arange(n_parts), parts):
        count = np.bincount(parts, minlength=n_parts)
        if count.max() == 1:
            break
        heaviest = np.where(count > 1, np.bincount(parts, weights, n_parts), -1).argmax()
        members = np.flatnonzero(parts == heaviest)
        parts[members[len(members) // 2 :]] = empty
    return parts, n_nonempty
