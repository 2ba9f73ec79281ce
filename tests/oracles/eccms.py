"""EC-CMS, LWEA, EAC and PTA as the papers print them, on n × n arrays."""

import numpy as np

from oracles.common import average_linkage, co_association, one_hot


def cluster_index(labels, theta=0.4):
    Z = one_hot(labels)
    sizes = Z.sum(axis=0)
    p = (Z.T @ Z) / sizes[:, None]
    logs = np.zeros_like(p)
    np.log2(p, out=logs, where=p > 0)
    return np.exp((p * logs).sum(axis=1) / (theta * labels.shape[1]))


def locally_weighted_co_association(labels, theta=0.4):
    Z = one_hot(labels)
    A = (Z * cluster_index(labels, theta)) @ Z.T / labels.shape[1]
    np.fill_diagonal(A, 1.0)
    return A


def enhance(
    labels, alpha=0.8, lam=0.4, theta=0.4, lock=True, tol=1e-2, max_iter=100, A=None, CA=None
):
    """Algorithm 1; returns C, E, F and the trace of the five relative changes.

    A is the input and CA the co-association matrix; without them they are those of the labels.
    """
    A = locally_weighted_co_association(labels, theta) if A is None else A
    n = len(A)
    H = co_association(labels) if CA is None else CA.copy()
    H[H < alpha - 1e-12] = 0
    np.fill_diagonal(H, 0)
    omega = H > 0 if lock else np.zeros_like(H, dtype=bool)
    Phi = np.diag(H.sum(axis=1)) - H
    inverse = np.linalg.inv(2 * Phi + 2 * np.eye(n))
    C, E, F, Y1, Y2 = (
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros((n, n)),
        A.copy(),
        np.zeros((n, n)),
    )
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
        trace.append(
            [
                relative(C_new - C, C),
                relative(E_new - E, E),
                relative(F_new - F, F),
                relative(R1, Y1),
                relative(R2, Y2),
            ]
        )
        C, E, F, Y1, Y2 = C_new, E_new, F_new, Y1 + R1, Y2 + R2
        if max(trace[-1]) < tol:
            break
    return C, E, F, np.array(trace)


ORACLES = {
    "EAC-AL": lambda labels, c: average_linkage(co_association(labels), c),
    "LWEA": lambda labels, c: average_linkage(locally_weighted_co_association(labels), c),
    "EC-CMS": lambda labels, c: average_linkage(enhance(labels)[0], c),
}
