"""EAC, probability trajectories and LWGP as their papers print them, on dense arrays."""

import numpy as np

from oracles.common import (
    average_linkage,
    co_association,
    k_means,
    one_hot,
    transfer_cut_vectors,
    unit_rows,
)
from oracles.eccms import cluster_index


def probability_trajectories(labels, K=None, T=None):
    """PTS of the microclusters, from their trajectories side by side; and each sample's."""
    rows, sizes = np.unique(labels, axis=0, return_counts=True)
    member = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
    q = len(rows)
    default = max(1, min(20, int(np.sqrt(q) / 2)))
    K, T = K or default, T or default
    W = co_association(rows)
    np.fill_diagonal(W, 0)
    last = np.sort(W, axis=1)[:, ::-1][:, min(K, q) - 1]
    W = np.where(last[:, None] <= W, W, 0)
    W = np.maximum(W, W.T)
    Q = W * sizes
    isolated = Q.sum(axis=1) == 0
    Q = Q / np.where(isolated, 1, Q.sum(axis=1))[:, None]
    steps = [Q]
    while len(steps) < T:
        steps.append(steps[-1] @ Q)
    trajectories = unit_rows(np.hstack(steps))
    S = trajectories @ trajectories.T
    np.fill_diagonal(S, 1)
    S[isolated] = 1e-20
    S[:, isolated] = 1e-20
    return S, member


def pta(labels, n_clusters, method):
    S, member = probability_trajectories(labels)
    if len(S) <= n_clusters:
        return member
    return average_linkage(S, n_clusters, method)[member]


def lwgp(labels, n_clusters, theta=0.4):
    B = one_hot(labels) * cluster_index(labels, theta)
    return k_means(transfer_cut_vectors(B, n_clusters), n_clusters)


def ptgp(labels, n_clusters):
    S, member = probability_trajectories(labels)
    Z = one_hot(np.unique(labels, axis=0))
    return k_means(transfer_cut_vectors(S @ Z / Z.sum(axis=0), n_clusters), n_clusters)[member]


ORACLES = {
    "EAC-SL": lambda labels, c: average_linkage(co_association(labels), c, "single"),
    "EAC-CL": lambda labels, c: average_linkage(co_association(labels), c, "complete"),
    "PTA-AL": lambda labels, c: pta(labels, c, "average"),
    "PTA-CL": lambda labels, c: pta(labels, c, "complete"),
    "PTA-SL": lambda labels, c: pta(labels, c, "single"),
    "PTGP": ptgp,
    "LWGP": lwgp,
    "MDEC-BG": lambda labels, c: lwgp(labels, c, theta=1.0),
}
