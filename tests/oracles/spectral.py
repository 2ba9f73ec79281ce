"""LWSC, CA-SC, SEC, KC and SC as printed, on n × n arrays."""

import numpy as np

from oracles.common import (
    co_association,
    k_means,
    locally_weighted_co_association,
    one_hot,
    spectral,
)


def weighted_points(labels):
    """The points z_i / w_i and weights w_i of SEC."""
    Z = one_hot(labels)
    w = (Z @ Z.T).sum(axis=1)
    return Z / w[:, None], w


def neighbor_graph(X, n_neighbors=10):
    n = len(X)
    k = min(n_neighbors, n - 1)
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    near = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1, kind="stable")[:, :k]
    linked = np.zeros((n, n), dtype=bool)
    linked[np.repeat(np.arange(n), k), near.ravel()] = True
    sigma = D[linked].mean()
    return np.where(linked | linked.T, np.exp(-(D**2) / (2 * sigma**2)), 0)


ORACLES = {
    "CA-SC": lambda labels, c: spectral(co_association(labels), c),
    "LWSC": lambda labels, c: spectral(locally_weighted_co_association(labels), c),
    "SC": lambda labels, c, X: spectral(neighbor_graph(X), c),
    "SEC": lambda labels, c: k_means(weighted_points(labels)[0], c, weighted_points(labels)[1]),
    "KC": lambda labels, c: k_means(co_association(labels), c),
}
