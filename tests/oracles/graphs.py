"""SCCABG on n × n and n × L arrays, with dense solvers throughout."""

import numpy as np

from oracles.common import components, one_hot


def embed(S, c):
    """Eigenvalues of the Laplacian of S and the eigenvectors of the c smallest."""
    values, vectors = np.linalg.eigh(np.diag(S.sum(axis=1)) - S)
    return values, vectors[:, :c]


def distances(F, G):
    return ((F[:, None] - G[None]) ** 2).sum(axis=2)


def adjusted(penalty, F, F_new, gaps, tol):
    """Penalty and vectors of the next round, and whether there are c components."""
    if gaps[0] > tol:
        return 2 * penalty, F_new, False
    if gaps[1] < 1e-11:
        return penalty / 2, F, False
    return penalty, F_new, True


def bipartite_components(H):
    n, L = H.shape
    links = np.zeros((n + L, n + L))
    links[:n, n:] = H
    return np.unique(components(links + links.T)[:n], return_inverse=True)[1]


def sccbg(labels, c, gamma=1e-5, mu=None):
    """S with W = 1 and the history (λ, ρ, sum of c squared singular values).

    With μ it is SCCABG: similarities of the clusters move, and only the last small edges go.
    """
    Z = one_hot(labels)
    A = Z.T @ Z
    S, lam, rho, history = Z, 1.0, 0.5, []
    D = np.zeros_like(Z)
    for _ in range(20):
        rows = np.where(S.sum(axis=1) > 0, S.sum(axis=1), 1)
        columns = np.where(S.sum(axis=0) > 0, S.sum(axis=0), 1)
        U, s, Vt = np.linalg.svd(S / np.sqrt(np.outer(rows, columns)), full_matrices=False)
        total, more = (s[:c] ** 2).sum(), (s[: c + 1] ** 2).sum()
        history.append((lam, rho, total))
        if total < c - 1e-7:
            lam *= 2
            D = distances(U[:, :c] / np.sqrt(rows)[:, None], Vt[:c].T / np.sqrt(columns)[:, None])
        elif more > c + 1 - 1e-7:
            lam /= 2
        else:
            break
        Q = np.eye(len(A)) + 2 * gamma * (np.diag(A.sum(axis=0)) - A)
        S = nonnegative_edges(Q, Z - lam / 4 * D, S)  # vectors of length √½
        if mu is None:
            S = np.where(S < 1e-4, 0, S)
        else:
            A = np.maximum(Z.T @ Z - mu * distances(S.T, S.T), 0)
        rho *= 2
    return np.where(S < 1e-4, 0, S), np.array(history)


def nonnegative_edges(Q, b, S):
    """Rows s ≥ 0 that minimise sᵀQs/2 − bᵀs, by Gauss–Seidel with projection, all at once."""
    S = S.copy()
    for _ in range(1000):
        before = S.copy()
        for a in range(len(Q)):
            rest = b[:, a] - S @ Q[a] + S[:, a] * Q[a, a]
            S[:, a] = np.maximum(rest / Q[a, a], 0)
        if np.abs(S - before).max() < 1e-15:
            break
    return S


ORACLES = {"SCCABG": lambda labels, c: bipartite_components(sccbg(labels, c, mu=1.0)[0])}
