"""RSEC as its paper prints it, on n × n arrays."""

import numpy as np

from oracles.common import (
    co_association,
    k_means,
    shrink_singular_values,
    spectral,
    spectral_vectors,
    unit_rows,
)


def shrink_columns(X, threshold):
    length = np.linalg.norm(X, axis=0)
    return X * np.maximum(1 - threshold / np.where(length > 0, length, 1), 0)


def graph(J, H):
    values, vectors = np.linalg.eigh((J + J.T) / 2 + H @ H.T)
    large = abs(values) > 1e-4 * abs(values).max()
    R = vectors[:, large] * np.sqrt(abs(values[large]))
    R = unit_rows(R)
    return (R @ R.T) ** 4


def robust_representation(labels, c, lam1=1.0, lam2=0.3, rho=1.1, tol=1e-6, max_iter=500):
    """Z, E, H and the number of iterations."""
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
        if rank >= c:
            W = graph(J, H)
            degree = W.sum(axis=1)
            H = spectral_vectors(W, c)
            B = H / np.sqrt(np.where(degree > 0, degree, 1))[:, None]
        Y1 = Y1 + mu * (S - S @ Z - E)
        Y2 = Y2 + mu * (Z - J)
        mu *= rho
        residual_S = np.linalg.norm(S - S @ Z - E) / np.linalg.norm(S)
        residual = max(residual_S, np.linalg.norm(Z - J) / np.linalg.norm(Z))
    return Z, E, H, n_iter


def rsec_h(labels, c):
    return k_means(robust_representation(labels, c)[2], c)


def rsec_z(labels, c):
    Z = robust_representation(labels, c)[0]
    return spectral(abs(Z), c)


ORACLES = {"RSEC-H": rsec_h, "RSEC-Z": rsec_z}
