"""SCCABG on n × L arrays, for γ so small that W = 1."""

import numpy as np
from scipy.optimize import lsq_linear

from oracles.common import one_hot
from oracles.graphs import bipartite_components, distances


def similarity(Z, S, mu):
    T = ((S[:, :, None] - S[:, None]) ** 2).sum(axis=0)
    return np.maximum(Z.T @ Z - mu * T, 0)


def sccabg(labels, c, gamma=1e-5, mu=1.0):
    """S and the history (λ, ρ, sum of c squared singular values)."""
    Z = one_hot(labels)
    S, A, lam, rho, history = Z, Z.T @ Z, 1.0, 0.5, []
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
        root = np.linalg.cholesky(
            np.eye(len(A)) + 2 * gamma * (np.diag(A.sum(axis=0)) - A), upper=True
        )
        b = np.linalg.solve(root.T, (Z - lam / 4 * D).T).T
        S = np.stack([lsq_linear(root, row, (0, np.inf), method="bvls", tol=1e-14).x for row in b])
        A, rho = similarity(Z, S, mu), rho * 2
    return np.where(S < 1e-4, 0, S), np.array(history)


ORACLES = {"SCCABG": lambda labels, c: bipartite_components(sccabg(labels, c)[0])}
