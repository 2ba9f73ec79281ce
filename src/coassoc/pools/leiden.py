"""Leiden communities of a graph of nearest neighbours, as a clusterer for pools.

V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected
communities", Scientific Reports 9, 5233, 2019. The number of clusters is not requested but grows
with the resolution. The graph is that of J. H. Levine et al., "Data-driven phenotypic dissection of
AML reveals progenitor-like cells that correlate with prognosis", Cell 162(1), 2015 (PhenoGraph).

The packages igraph and leidenalg come with the extra ``[cells]``.
"""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import kneighbors_graph
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from coassoc.numerics.threads import one_thread_per_library


class Leiden(ClusterMixin, BaseEstimator):
    """Clusterer of features: nearest neighbours, and communities of their graph.

    Parameters
    ----------
    resolution : float
        γ > 0 of modularity. A larger γ gives more clusters.
    n_neighbors : int
        Number of neighbours of each sample, at most n − 1 for n samples.
    random_state : int
        Seed of Leiden's order.

    Attributes
    ----------
    labels_ : (n,) integer array
    """

    _parameter_constraints: ClassVar = {
        "resolution": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self, resolution: float = 1.0, n_neighbors: int = 15, random_state: int = 0
    ) -> None:
        self.resolution = resolution
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Find the communities of the samples.

        Parameters
        ----------
        X : (n, d) array or sparse matrix
        y : ignored
        """
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        graph = neighbor_graph(X, self.n_neighbors)
        self.labels_ = communities(graph, self.resolution, self.random_state)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def neighbor_graph(X: Any, n_neighbors: int) -> sp.csr_array:
    """Edges between neighbours, weighted by the number of shared neighbours.

    Two samples have an edge if one is among the nearest neighbours of the other. Its weight is the
    Jaccard coefficient of the sets of each with its neighbours.

    Returns
    -------
    (n, n) sparse array
        Symmetric.
    """
    n = X.shape[0]
    # the order of neighbours at the same distance depends on the threads
    with one_thread_per_library():
        near = sp.csr_array(kneighbors_graph(X, min(n_neighbors, n - 1)))
    sets = near + sp.eye_array(n, format="csr")
    shared = sp.csr_array(sets @ sets.T).multiply((near + near.T) > 0).tocsr()
    total = 2 * (min(n_neighbors, n - 1) + 1)
    shared.data = shared.data / (total - shared.data)
    return shared


def communities(graph: sp.csr_array, resolution: float, seed: int) -> NDArray[np.intp]:
    """Leiden communities by modularity with a resolution, until no round improves them.

    Parameters
    ----------
    graph : (n, n) sparse array
        Symmetric weights of edges.
    resolution : float
    seed : int

    Returns
    -------
    (n,) integer array
        The largest community is 0.
    """
    import igraph
    import leidenalg

    edges = sp.coo_array(sp.triu(graph, 1))
    weighted = igraph.Graph(graph.shape[0], np.column_stack(edges.coords).tolist())
    kind = leidenalg.RBConfigurationVertexPartition
    options: dict[str, Any] = {"resolution_parameter": resolution, "n_iterations": -1}
    # leidenalg takes only seeds that fit into a signed 32-bit integer.
    partition = leidenalg.find_partition(
        weighted, kind, weights=edges.data.tolist(), seed=seed % 2**31, **options
    )
    return np.asarray(partition.membership, dtype=np.intp)
