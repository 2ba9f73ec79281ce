"""SC: spectral clustering of the samples themselves.

A. Y. Ng, M. I. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.
This method does not use base clusterings and is a baseline for ensemble clustering. The graph links
nearest neighbours by a Gaussian kernel,

    W_ij = exp(−‖x_i − x_j‖² / (2σ²))   if i is among the k nearest neighbours of j, or vice versa.

What the paper leaves open
--------------------------
- k = 10 neighbours, and σ the mean distance between linked neighbours.
- If the graph is not connected, its components are decomposed one by one, so the leading
  eigenvalue of each component is never lost. Among equal eigenvalues, those of larger components
  come first.
- k-means uses the best of ten starts, or of ``n_starts``.
- All leading eigenvectors are used, as in the paper. Programs of ACMK's author leave out the
  first (``drop_first``), use the median of all distances for σ, and scale rows of X to unit
  length. The tables of ACMK use 5 neighbours and ten starts, which are nearest to the published
  numbers among seven settings (``acmk_protocol_sc``).
"""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from coassoc.ensemble import Ensemble
from coassoc.errors import MethodError
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, boolean, integer
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.numerics.threads import openmp_on_one_thread
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import k_means, unit_rows

#: Graphs up to this order are decomposed as dense arrays.
_DENSE_ORDER = 1000
#: Largest difference of two squared distances between rows of unit length that count as equal.
_TIE = 1e-9


class SC(ConsensusClusterer):
    """Spectral clustering of a Gaussian nearest-neighbour graph (Ng, Jordan & Weiss 2001).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    n_neighbors : int
        k ≥ 1, number of neighbours linked to each sample.
    n_starts : int
        Number of starts of the final k-means, of which the best is used.
    drop_first : bool
        Whether to leave out the leading eigenvector, which is uninformative for a connected graph,
        and to use the next one instead.

    Attributes
    ----------
    graph_ : (n, n) sparse array
        The graph W.

    Notes
    -----
    If no initial centroid of k-means comes from a component, the rows of the component are
    orthogonal to all initial centroids and therefore equally far from them. Rows that are equally
    far from several nearest centroids join the first of them. Otherwise rounding would assign these
    rows differently on each processor.
    """

    title: ClassVar = "Spectral clustering of a Gaussian nearest-neighbour graph of the features"
    paper: ClassVar = "Ng, Jordan & Weiss, NIPS 2001"
    cost: ClassVar = Cost(seconds=0.27, power=2, squares=2)
    revision = 2
    offers: ClassVar = ("graph_",)
    uses_features = True
    n_neighbors: int = integer(10, minimum=1)
    n_starts: int = integer(10, minimum=1)
    drop_first: bool = boolean(False)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.graph_ = gaussian_neighbor_graph(X, self.n_neighbors)
        first = int(self.drop_first and self.n_clusters < X.shape[0])
        vectors = graph_embedding(self.graph_, self.n_clusters + first)
        embedding = unit_rows(vectors[:, first:])
        labels = k_means(
            embedding,
            self.n_clusters,
            random_state,
            n_init=self.n_starts,
            init=_starts_without_ties,
        )
        return split_to(labels, self.n_clusters)


def _starts_without_ties(
    points: Array, n_clusters: int, random_state: np.random.RandomState
) -> Array:
    """K-means++ starts; if rows are equally far from several starts, the means after one step."""
    from sklearn.cluster import kmeans_plusplus
    from sklearn.metrics.pairwise import euclidean_distances

    starts, _ = kmeans_plusplus(points, n_clusters, random_state=random_state)
    distances = euclidean_distances(points, starts, squared=True)
    near = distances <= distances.min(axis=1, keepdims=True) + _TIE
    if (near.sum(axis=1) == 1).all():
        return starts
    first = near.argmax(axis=1)
    size = np.bincount(first, minlength=n_clusters)
    for k in np.flatnonzero(size):
        starts[k] = points[first == k].mean(axis=0)
    return starts


def gaussian_neighbor_graph(X: Any, n_neighbors: int) -> sp.csr_array:
    """Link each sample with its nearest neighbours by a Gaussian of their distance.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
    n_neighbors : int
        k; at most n − 1 are used.

    Returns
    -------
    (n, n) sparse array
        Symmetric, with an empty diagonal.
    """
    from sklearn.neighbors import kneighbors_graph

    n = X.shape[0]
    if n == 1:
        return sp.csr_array((1, 1))
    with openmp_on_one_thread():
        graph = sp.csr_array(kneighbors_graph(X, min(n_neighbors, n - 1), mode="distance"))
    sigma = graph.data.mean()
    graph.data = np.exp(-((graph.data / sigma) ** 2) / 2) if sigma > 0 else np.ones_like(graph.data)
    return graph.maximum(graph.T).tocsr()


def graph_embedding(W: sp.csr_array, n_components: int) -> Array:
    """Leading eigenvectors of D^{-1/2} W D^{-1/2}.

    Parameters
    ----------
    W : (n, n) sparse array
        Symmetric and non-negative.
    n_components : int
        Number of eigenvectors, those with the largest eigenvalues; at most n.

    Returns
    -------
    (n, n_components) array
        Orthonormal columns.

    Raises
    ------
    MethodError
        If the eigenvectors of a large component cannot be computed.
    """
    degree = np.asarray(W.sum(axis=1)).ravel()
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1.0))
    A = (W * scale * scale[:, None]).tocsr()
    count, component = connected_components(W, directed=False)
    values, columns = [], []
    for k in range(count):
        members = np.flatnonzero(component == k)
        largest, vectors = _component_eigenpairs(A[members][:, members], n_components)
        # Up to rounding, the first eigenvalue is 1. An isolated sample is a component too.
        largest[0] = 1.0
        values.append(np.column_stack((largest, np.full(len(largest), len(members)))))
        columns += [(members, vector) for vector in vectors.T]
    ranked = np.concatenate(values)
    order = np.lexsort((-ranked[:, 1], -ranked[:, 0]))[:n_components]
    embedding = np.zeros((len(degree), len(order)))
    for column, place in zip(embedding.T, order, strict=True):
        members, vector = columns[place]
        column[members] = vector
    return embedding


def _component_eigenpairs(A: sp.csr_array, n_components: int) -> tuple[Array, Array]:
    """Largest eigenvalues, in decreasing order, and eigenvectors of one component."""
    order = A.shape[0]
    k = min(n_components, order)
    if order <= _DENSE_ORDER or k >= order / 4:
        values, vectors = eigenpairs_within(A.toarray(), order - k, order - 1)
        return values[::-1].copy(), vectors[:, ::-1]
    start = np.random.default_rng(0).standard_normal(order)
    try:
        values, vectors = eigsh(A, k, which="LA", v0=start, ncv=max(2 * k + 1, 40), maxiter=5000)
    except ArpackNoConvergence as error:
        raise MethodError(
            f"SC: the leading eigenvectors for {order} samples did not converge. Choose another "
            "method."
        ) from error
    return values[::-1].copy(), vectors[:, ::-1]
