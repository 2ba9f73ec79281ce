"""RSEC as its paper prints it, on n × n arrays."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from sklearn.cluster import KMeans

from oracles.eccms import co_association


def shrink_singular_values(X, threshold):
    U, s, Vt = scipy.linalg.svd(X, lapack_driver="gesvd")
    kept = s > threshold
    return (U[:, kept] * (s[kept] - threshold)) @ Vt[kept], int(kept.sum())


def shrink_columns(X, threshold):
    length = np.linalg.norm(X, axis=0)
    return X * np.maximum(1 - threshold / np.where(length > 0, length, 1), 0)


def graph(J, H):
    values, vectors = np.linalg.eigh((J + J.T) / 2 + H @ H.T)
    large = abs(values) > 1e-4 * abs(values).max()
    R = vectors[:, large] * np.sqrt(abs(values[large]))
    length = np.linalg.norm(R, axis=1, keepdims=True)
    R /= np.where(length > 0, length, 1)
    return (R @ R.T) ** 4


def robust_representation(labels, c, lam1=1.0, lam2=0.3, rho=1.1, tol=1e-6, max_iter=500):
    """Z, E, H, the multipliers, D^{-1/2} H of the last update of Z, and the iterations."""
    S = co_association(labels)
    n = len(S)
    mu = 1.5 / np.linalg.norm(S, 2)
    Z, E, Y1, Y2 = (np.zeros((n, n)) for _ in range(4))
    H, B = np.zeros((n, c)), np.zeros((n, c))
    inverse = np.linalg.inv(S @ S + np.eye(n))
    n_iter, residual = 0, np.inf
    while n_iter < max_iter and residual > tol:
        n_iter += 1
        J, rank = shrink_singular_values(Z + Y2 / mu, lam1 / mu)
        Z = inverse @ (S @ S + J - S @ E + (S @ Y1 - Y2 + B @ B.T) / mu)
        E = shrink_columns(S - S @ Z + Y1 / mu, lam2 / mu)
        used = B
        if rank >= c:
            W = graph(J, H)
            degree = W.sum(axis=1)
            scale = 1 / np.sqrt(np.where(degree > 0, degree, 1))
            H = np.linalg.eigh(W * scale * scale[:, None])[1][:, -c:]
            B = H * scale[:, None]
        Y1 = Y1 + mu * (S - S @ Z - E)
        Y2 = Y2 + mu * (Z - J)
        mu *= rho
        residual_S = np.linalg.norm(S - S @ Z - E) / np.linalg.norm(S)
        residual = max(residual_S, np.linalg.norm(Z - J) / np.linalg.norm(Z))
    return Z, E, H, Y1, Y2, used, n_iter


def rsec_h(labels, c):
    H = robust_representation(labels, c)[2]
    return KMeans(c, n_init=10, random_state=0).fit_predict(H)


def rsec_z(labels, c):
    Z = robust_representation(labels, c)[0]
    W = (abs(Z) + abs(Z.T)) / 2
    scale = 1 / np.sqrt(W.sum(axis=1))
    U = np.linalg.eigh(W * scale * scale[:, None])[1][:, -c:]
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    return KMeans(c, n_init=10, random_state=0).fit_predict(U)


ORACLES = {"RSEC-H": rsec_h, "RSEC-Z": rsec_z}
