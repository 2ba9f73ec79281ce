"""CTS, SRS and ASRS, one pair of samples at a time."""

import numpy as np

from oracles.common import average_linkage, clustering_of, clusters_of, mean_over_own_clusters
from oracles.spectral import jaccard


def cluster_similarity(w, decay):
    np.fill_diagonal(w, 0)
    G = decay * w / w.max() if w.max() > 0 else np.zeros_like(w)
    np.fill_diagonal(G, 1)
    return G


def cts(labels, decay=0.8):
    J = jaccard(labels)
    np.fill_diagonal(J, 0)
    own = clustering_of(labels)
    shared = np.array([np.minimum(a, J).sum(axis=1) for a in J])
    w = np.where(own[:, None] == own, shared, 0)
    return mean_over_own_clusters(labels, cluster_similarity(w, decay))


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


def asrs(labels, decay=0.8):
    return mean_over_clusters(labels, asrs_clusters(labels, decay))


def srs(labels, decay=0.8, n_rounds=5):
    N = clusters_of(labels)
    L = N.max() + 1
    members = [np.flatnonzero((N == a).any(axis=1)) for a in range(L)]
    S, C = np.eye(len(labels)), np.eye(L)
    for _ in range(n_rounds - 1):
        next_S = mean_over_clusters(labels, decay * C)
        C = decay * np.array([[S[np.ix_(a, b)].mean() for b in members] for a in members])
        np.fill_diagonal(C, 1)
        S = next_S
    return S


ORACLES = {
    "LCE-CTS": lambda labels, c: average_linkage(cts(labels), c),
    "LCE-SRS": lambda labels, c: average_linkage(srs(labels), c),
    "LCE-ASRS": lambda labels, c: average_linkage(asrs(labels), c),
}
