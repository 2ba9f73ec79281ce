"""DREC, ECPCS, LWSC, SEC, KC, SC, CSPA and MCLA as printed, on n × n arrays or all L clusters."""

import numpy as np
import pymetis

from oracles.common import (
    average_linkage,
    co_association,
    k_means,
    mean_over_own_clusters,
    one_hot,
    spectral,
    unit_rows,
)
from oracles.eccms import locally_weighted_co_association

# -- ECPCS --------------------------------------------------------------------------------------


def jaccard(labels):
    Z = one_hot(labels)
    shared = Z.T @ Z
    sizes = Z.sum(axis=0)
    return shared / (sizes[:, None] + sizes - shared)


def propagated_similarity(labels, n_steps=20):
    J = jaccard(labels)
    np.fill_diagonal(J, 0)
    total = J.sum(axis=1, keepdims=True)
    P = np.divide(J, total, out=np.zeros_like(J), where=total > 0)
    powers = [np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)]
    trajectories = unit_rows(np.hstack(powers))
    return trajectories @ trajectories.T


def enhanced_co_association(labels, n_steps=20):
    S = propagated_similarity(labels, n_steps)
    np.fill_diagonal(S, 1)
    return mean_over_own_clusters(labels, S)


def meta_clusters(labels, n_clusters, n_steps=20):
    """Meta-cluster of each cluster: regularised Ncut, discretised from the best of all starts."""
    S = propagated_similarity(labels, n_steps)
    W = np.where(S > 1e-6, S, 0)
    degree = W.sum(axis=1) + 1
    values, vectors = np.linalg.eigh((W + 0.5 * np.eye(len(W))) / np.sqrt(np.outer(degree, degree)))
    vectors = vectors[:, np.argsort(values)[::-1][:n_clusters]] / np.sqrt(degree)[:, None]
    V = unit_rows(vectors / np.linalg.norm(vectors, axis=0))
    best, best_error = None, np.inf
    for start in range(len(V)):
        rows = [start]
        overlap = np.zeros(len(V))
        for _ in range(1, V.shape[1]):
            overlap += np.abs(V @ V[rows[-1]])
            rows.append(int(np.argmin(overlap)))
        R = V[rows].T
        for _ in range(100):
            X = np.eye(V.shape[1])[np.argmax(V @ R, axis=1)]
            U, _, Qt = np.linalg.svd(V.T @ X)
            R = U @ Qt
        error = np.linalg.norm(X - V @ R)
        if error < best_error - 1e-12:
            best, best_error = X.argmax(axis=1), error
    return best


def vote(labels, meta):
    Z = one_hot(labels)
    return np.argmax(np.stack([Z[:, meta == k].mean(axis=1) for k in np.unique(meta)]), axis=0)


# -- DREC ---------------------------------------------------------------------------------------


def dense_representation(labels, lam=100.0, n_rounds=5):
    """Z on the microclusters, one linear system per column and round."""
    X = one_hot(labels)[np.unique(labels, axis=0, return_index=True)[1]].T
    X = X * np.sqrt(labels.shape[1] / X.sum(axis=0))
    q = X.shape[1]
    d = np.ones(q)
    for _ in range(n_rounds):
        systems = d[:, None, None] * (X.T @ X) + lam * np.eye(q)
        Z = np.linalg.solve(systems, (d * (X.T @ X)).T[:, :, None])[:, :, 0].T
        d = 0.5 / np.linalg.norm(X - X @ Z, axis=0)
    return Z


def representation_similarity(Z):
    U, sigma, _ = np.linalg.svd(Z)
    kept = sigma > 1e-4 * sigma[0]
    U = unit_rows(U[:, kept] * np.sqrt(sigma[kept]))
    return (U @ U.T) ** 4


def drec(labels, n_clusters):
    L = representation_similarity(dense_representation(labels))
    return spectral(L, n_clusters)[np.unique(labels, axis=0, return_inverse=True)[1]]


# -- SEC and SC ---------------------------------------------------------------------------------


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


# -- partitioning -------------------------------------------------------------------------------


def metis(weights, n_parts):
    """METIS on a dense matrix of integer weights."""
    rows, columns = np.nonzero(weights)
    pointers = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(weights)))))
    adjacency = pymetis.CSRAdjacency(pointers, columns)
    edges = weights[rows, columns].astype(np.int64)
    return np.array(pymetis.part_graph(n_parts, adjacency, eweights=edges, recursive=False)[1])


def cspa(labels, n_clusters):
    counts = one_hot(labels) @ one_hot(labels).T
    np.fill_diagonal(counts, 0)
    return metis(counts, n_clusters)


def mcla(labels, n_clusters):
    weights = np.floor(1000 * jaccard(labels))
    np.fill_diagonal(weights, 0)
    return vote(labels, metis(weights, n_clusters))


ORACLES = {
    "CA-SC": lambda labels, c: spectral(co_association(labels), c),
    "LWSC": lambda labels, c: spectral(locally_weighted_co_association(labels), c),
    "MDEC-SC": lambda labels, c: spectral(locally_weighted_co_association(labels, 1.0), c),
    "DREC": drec,
    "ECPCS-HC": lambda labels, c: average_linkage(enhanced_co_association(labels), c),
    "ECPCS-MC": lambda labels, c: vote(labels, meta_clusters(labels, c)),
    "SC": lambda labels, c, X: spectral(neighbor_graph(X), c),
    "SEC": lambda labels, c: k_means(weighted_points(labels)[0], c, weighted_points(labels)[1]),
    "KC": lambda labels, c: k_means(co_association(labels), c),
    "CSPA": cspa,
    "MCLA": mcla,
}
