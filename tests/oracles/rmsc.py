"""RMSC as its paper prints it, on n × n × m arrays."""

import numpy as np

from oracles.common import connective_matrices, shrink_singular_values, simplex, spectral


def shared_transitions(labels, lam=0.05, mu=1.0, n_iter=50):
    """P after so many iterations."""
    S = connective_matrices(labels)
    views = S / S.sum(axis=2, keepdims=True)
    m, n, _ = views.shape
    P = views.mean(axis=0)
    Q, Z = P, np.zeros((n, n))
    E, Y = views - P, np.zeros_like(views)
    for _ in range(n_iter):
        previous, Y_previous, Z_previous = P, Y, Z
        target = (Q - Z / mu + (views - E + Y / mu).sum(axis=0)) / (m + 1)
        P = simplex(target)
        Q, _ = shrink_singular_values(P + Z / mu, 1 / mu)
        X = views - P + Y / mu
        E = np.sign(X) * np.maximum(np.abs(X) - lam / mu, 0)
        Y = Y + mu * (views - P - E)
        Z = Z + mu * (P - Q)
        primal = np.sqrt(np.sum((Y - Y_previous) ** 2) + np.sum((Z - Z_previous) ** 2)) / mu
        dual = mu * np.sqrt(m + 1) * np.linalg.norm(P - previous)
        if primal > 10 * dual:
            mu *= 2
        elif dual > 10 * primal:
            mu /= 2
    return P


def chain_labels(P, c):
    """k-means of the leading eigenvectors of the chain symmetrised by its stationary law."""
    n = len(P)
    pi = np.linalg.solve(np.eye(n) - (1 - 1e-8) * P.T, np.full(n, 1e-8 / n))
    A = (pi[:, None] * P + P.T * pi) / 2
    return spectral(A, c)


ORACLES = {"RMSC": lambda labels, c: chain_labels(shared_transitions(labels, n_iter=150), c)}
