"""Partitions from the connected components of a learned graph."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.partition.labels import Array, Labels, split_to
from coassoc.partition.spectral import k_means, unit_rows


def component_labels(
    ensemble: Ensemble,
    component: Labels,
    degree: Array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
    cut_graph: Callable[[], Labels],
) -> Labels:
    """Partition from the connected components of a graph, ideally `n_clusters` of them.

    If there are fewer components, the graph itself is cut. If there are more,
    :func:`merge_components` joins them.

    Parameters
    ----------
    ensemble : Ensemble
    component : (n',) integer array
        Component of each microcluster, 0, 1, …
    degree : (n',) array
        Sum of the edge weights of a sample of each microcluster.
    n_clusters : int
        c.
    random_state : int or RandomState
        Seed of k-means.
    cut_graph : callable
        Function that returns labels of the n samples by cutting the learned graph.
    """
    micro = ensemble.microclusters
    count = int(component.max()) + 1
    if count == n_clusters:
        return micro.expand(component)
    if micro.count <= n_clusters:
        return split_to(micro.assignment, n_clusters)
    if count < n_clusters:
        return cut_graph()
    joined = merge_components(ensemble, component, degree, n_clusters, random_state)
    return micro.expand(joined)


def merge_components(
    ensemble: Ensemble,
    component: Labels,
    degree: Array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
) -> Labels:
    """Join the components of a graph into fewer clusters by the co-association of samples.

    The spectral embedding of a graph W with more components than eigenvectors is not unique. The
    embedding of W + εÃ is unique, and for ε → 0 it becomes constant on the components. It consists
    of the solutions of L f = μ D f with the smallest μ, where L is the Laplacian of Ã summed over
    pairs of components, and D has the degrees of W summed over components.

    Parameters
    ----------
    ensemble : Ensemble
    component : (n',) integer array
        Component of each microcluster, 0, 1, …
    degree : (n',) array
        Degree in W of a sample of each microcluster.
    n_clusters : int
        c, at most the number of components.
    random_state : int or RandomState
        Seed of k-means.

    Returns
    -------
    (n',) integer array
        Cluster of each microcluster.
    """
    r = ensemble.microclusters.r
    size = np.bincount(component, weights=r).astype(np.float64)
    mass = np.bincount(component, weights=r * degree)
    # A component without edges keeps a place in the embedding by its size.
    scale = 1 / np.sqrt(np.where(mass > 0, mass, size))
    indicator = sp.csr_array((r, (component, np.arange(len(r)))))
    shared = (indicator @ ensemble.microcluster_membership).toarray()
    L = shared @ (-shared.T / ensemble.n_clusterings)
    L.flat[:: len(L) + 1] -= L.sum(axis=1)
    L *= scale
    L *= scale[:, None]
    _, vectors = eigenpairs_within(L, 0, n_clusters - 1)
    return k_means(unit_rows(vectors), n_clusters, random_state, weights=size)[component]
