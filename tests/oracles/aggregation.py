"""Clustering aggregation as the papers print it, on the distances of all pairs of samples.

Where BALLS would leave samples with equal rows by themselves they stay together.
"""

from functools import cache

import numpy as np
import scipy.cluster.hierarchy as hierarchy
from scipy.spatial.distance import squareform


def distances(labels):
    """X, where a coin decides what a missing label does not say."""
    labels = np.asarray(labels)
    known = labels >= 0
    both = known[:, None] & known
    parted = np.where(both, labels[:, None] != labels, 0.5).mean(axis=2)
    np.fill_diagonal(parted, 0)
    return parted


def disagreements(X, partition):
    """Sum over the pairs of samples, for one base clustering."""
    together = np.equal.outer(partition, partition)
    return np.triu(np.where(together, X, 1 - X), 1).sum()


def balls(labels, alpha=0.4):
    labels = np.asarray(labels)
    X = distances(labels)
    clusters = np.full(len(X), -1)
    for u in np.argsort(X.sum(axis=1), kind="stable"):
        if clusters[u] >= 0:
            continue
        free = clusters < 0
        ball = free & (X[u] <= 0.5 + 1e-9)
        others = ball & (np.arange(len(X)) != u)
        if others.any() and X[u][others].mean() > alpha + 1e-9:
            ball = free & (labels == labels[u]).all(axis=1)
        ball[u] = True
        clusters[ball] = clusters.max() + 1
    return clusters


def agglomerative(labels):
    tree = hierarchy.linkage(squareform(distances(labels), checks=False), "average")
    return hierarchy.fcluster(tree, 0.5 - 1e-9, "distance")


def furthest(labels):
    X = distances(labels)
    order = np.argsort(X.sum(axis=1), kind="stable")
    X = X[np.ix_(order, order)]
    centres = list(np.unravel_index(X.argmax(), X.shape))
    best = np.zeros(len(X), dtype=int)
    while True:
        partition = X[:, centres].argmin(axis=1)
        if disagreements(X, partition) >= disagreements(X, best):
            return best[np.argsort(order)]
        best = partition
        centres.append(X[:, centres].min(axis=1).argmax())


ORACLES = {
    "BALLS": lambda labels, c: balls(labels),
    "AGGLOMERATIVE": lambda labels, c: agglomerative(labels),
    "FURTHEST": lambda labels, c: furthest(labels),
}


@cache
def all_partitions(n):
    """(B_n, n) all partitions of n samples."""
    partitions = [[0]]
    while len(partitions[0]) < n:
        partitions = [[*known, k] for known in partitions for k in range(max(known) + 2)]
    return np.array(partitions)


def fewest(labels):
    """The fewest disagreements that any partition has."""
    X, partitions = distances(labels), all_partitions(len(labels))
    i, j = np.triu_indices(len(labels), 1)
    together = partitions[:, i] == partitions[:, j]
    return np.where(together, X[i, j], 1 - X[i, j]).sum(axis=1).min() * labels.shape[1]
