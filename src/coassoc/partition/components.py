"""Partitions from the connected components of a learned graph."""

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.partition.labels import Array, Labels
from coassoc.partition.spectral import k_means, unit_rows


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
