"""Parts of ASRS that the authors' program computes otherwise."""

import numpy as np

from oracles.common import clusters_of, one_hot


def jaccard(labels):
    Z = one_hot(labels)
    shared = Z.T @ Z
    sizes = Z.sum(axis=0)
    return shared / (sizes[:, None] + sizes - shared)


def cluster_similarity(w, decay):
    np.fill_diagonal(w, 0)
    G = decay * w / w.max() if w.max() > 0 else np.zeros_like(w)
    np.fill_diagonal(G, 1)
    return G


def asrs_clusters(labels, decay=0.8):
    J = jaccard(labels)
    np.fill_diagonal(J, 0)
    n_neighbours = np.maximum((J > 0).sum(axis=1), 1)
    return cluster_similarity(J @ J / np.outer(n_neighbours, n_neighbours), decay)


def mean_over_clusters(labels, G):
    """Mean of G over the pairs of clusters of two samples, 1 for a sample with itself."""
    N = clusters_of(labels)
    S = np.array([[G[np.ix_(a, b)].mean() for b in N] for a in N])
    np.fill_diagonal(S, 1)
    return S
