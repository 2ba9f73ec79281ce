"""RMSC as its paper prints it, on n × n × m arrays."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from sklearn.cluster import KMeans

from oracles.eccms import one_hot


def transition_matrices(labels):
    views = []
    for column in labels.T:
        S = one_hot(column[:, None]) @ one_hot(column[:, None]).T
        views.append(S / S.sum(axis=1, keepdims=True))
    return np.array(views)


def project_on_simplex(v):
    """Nearest point with v ≥ 0 and sum 1, by sorting (Duchi et al. 2008)."""
    u = np.sort(v)[::-1]
    theta = (np.cumsum(u) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - theta[u > theta][-1], 0)


def shrink_singular_values(X, threshold):
    U, s, Vt = scipy.linalg.svd(X, lapack_driver="gesvd")
    return (U * np.maximum(s - threshold, 0)) @ Vt


def objective(labels, P, lam):
    return np.linalg.norm(P, "nuc") + lam * np.abs(transition_matrices(labels) - P).sum()


def shared_transitions(labels, lam=0.05, mu=1.0, n_iter=50):
    """P after so many iterations, and the multipliers Y and Z."""
    views = transition_matrices(labels)
    m, n, _ = views.shape
    P = views.mean(axis=0)
    Q, Z = P, np.zeros((n, n))
    E, Y = views - P, np.zeros_like(views)
    for _ in range(n_iter):
        previous, Y_previous, Z_previous = P, Y, Z
        target = (Q - Z / mu + (views - E + Y / mu).sum(axis=0)) / (m + 1)
        P = np.apply_along_axis(project_on_simplex, 1, target)
        Q = shrink_singular_values(P + Z / mu, 1 / mu)
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
    return P, Y, Z


def chain_labels(P, c):
    """k-means of the leading eigenvectors of the chain symmetrised by its stationary law."""
    n = len(P)
    pi = np.linalg.solve(np.eye(n) - (1 - 1e-8) * P.T, np.full(n, 1e-8 / n))
    A = (pi[:, None] * P + P.T * pi) / 2
    scale = 1 / np.sqrt(A.sum(axis=1))
    U = np.linalg.eigh(A * scale * scale[:, None])[1][:, -c:]
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    return KMeans(c, n_init=10, random_state=0).fit_predict(U)


ORACLES = {"RMSC": lambda labels, c: chain_labels(shared_transitions(labels, n_iter=150)[0], c)}
