"""EC-CMS, LWEA, EAC and PTA as the papers print them, on n × n arrays."""

import numpy as np
from scipy.special import xlogy

from oracles.common import average_linkage, clustering_of, co_association, in_common, one_hot


def cluster_index(labels, theta=0.4):
    """ECI of each cluster, over the base clusterings that have any of its samples."""
    Z = one_hot(labels)
    sizes = Z.T @ (labels >= 0)
    p = Z.T @ Z / np.maximum(sizes, 1)[:, clustering_of(labels)]
    return np.exp(xlogy(p, p).sum(axis=1) / np.log(2) / (theta * (sizes > 0).sum(axis=1)))


def locally_weighted_co_association(labels, theta=0.4):
    Z = one_hot(labels)
    A = (Z * cluster_index(labels, theta)) @ Z.T / in_common(labels)
    np.fill_diagonal(A, 1.0)
    return A


def enhance(labels, alpha=0.8, lam=0.4, theta=0.4, lock=True, tol=1e-2, max_iter=100, A=None):
    """Algorithm 1 for A, else LWCA; returns C, E, F and the trace of the five relative changes."""
    A = locally_weighted_co_association(labels, theta) if A is None else A
    n = len(A)
    H = co_association(labels)
    H[H < alpha - 1e-12] = 0
    np.fill_diagonal(H, 0)
    omega = H > 0 if lock else np.zeros_like(H, dtype=bool)
    Phi = np.diag(H.sum(axis=1)) - H
    inverse = np.linalg.inv(2 * Phi + 2 * np.eye(n))
    C, E, F, Y2 = (np.zeros((n, n)) for _ in range(4))
    Y1 = A.copy()
    trace = []

    def relative(change, previous):
        size, moved = np.linalg.norm(previous), np.linalg.norm(change)
        rounding = 1e-13 * np.linalg.norm(A)
        if moved <= rounding:
            return 0.0
        return moved / size if size > rounding else np.inf

    for _ in range(max_iter):
        P1 = A - E + Y1
        P2 = F - Y2
        C_new = inverse @ (P1 + P2)
        E_new = (A - C_new + Y1) / (lam + 1)
        E_new[omega] = 0
        P3 = C_new + Y2
        F_new = np.clip((P3 + P3.T) / 2, 0, 1)
        R1, R2 = A - C_new - E_new, C_new - F_new
        changes = (C_new - C, C), (E_new - E, E), (F_new - F, F), (R1, Y1), (R2, Y2)
        trace.append([relative(*change) for change in changes])
        C, E, F, Y1, Y2 = C_new, E_new, F_new, Y1 + R1, Y2 + R2
        if max(trace[-1]) < tol:
            break
    return C, E, F, np.array(trace)


ORACLES = {
    "EAC-AL": lambda labels, c: average_linkage(co_association(labels), c),
    "LWEA": lambda labels, c: average_linkage(locally_weighted_co_association(labels), c),
    "MDEC-HC": lambda labels, c: average_linkage(locally_weighted_co_association(labels, 1.0), c),
    "EC-CMS": lambda labels, c: average_linkage(enhance(labels)[0], c),
}
