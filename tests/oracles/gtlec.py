"""GTLEC on n × n × m arrays, with a full eigendecomposition and one slice at a time."""

import numpy as np
import scipy.linalg
import scipy.optimize

from oracles.common import connective_matrices, shrink_fourier_slices, spectral


def fantope(A, c):
    """Nearest symmetric matrix with eigenvalues in [0, 1] and trace c, by a root in γ."""
    values, U = np.linalg.eigh(A)

    def excess(gamma):
        return np.clip(values + gamma, 0, 1).sum() - c

    low, high = -values.max(), 1 - values.min()
    gamma = high if excess(high) <= 0 else scipy.optimize.brentq(excess, low, high, xtol=1e-15)
    return (U * np.clip(values + gamma, 0, 1)) @ U.T


def learn(labels, c, alpha=0.05, beta=7.0, max_iter=32):
    """All Z_v and the largest row sums of |S − Z| and |S − G| per iteration."""
    H = connective_matrices(labels)
    m, n, _ = H.shape
    Z, G = np.tile(np.eye(n), (m, 1, 1)), np.tile(np.eye(n), (m, 1, 1))
    Y, L = np.zeros((m, n, n)), np.zeros((m, n, n))
    w = np.full(m, 1 / m)
    mu, rho, trace = 1e-5, 0.01, []
    for _ in range(max_iter):
        S = np.empty_like(Z)
        for v in range(m):
            B = 2 * w[v] * H[v] + mu * (Z[v] - Y[v] / mu) + rho * (G[v] - L[v] / rho)
            B /= 2 * w[v] + mu + rho
            S[v] = fantope((B + B.T) / 2, c)
            w[v] = 0.5 / max(np.linalg.norm(H[v] - S[v]), 1e-12)
        raised = S + Y / mu
        Z = np.sign(raised) * np.maximum(np.abs(raised) - alpha / mu, 0)
        Y += mu * (S - Z)
        T = S + L / rho
        G = np.moveaxis(shrink_fourier_slices(np.moveaxis(T, 0, 2), beta / rho), 2, 0)
        L += rho * (S - G)
        trace.append([np.abs(S - copy).sum(axis=2).max() for copy in (Z, G)])
        if max(trace[-1]) <= 1e-8:
            break
        mu, rho = 3 * mu, 3 * rho
    return Z, np.array(trace)


def affinity(labels, c, **parameters):
    W = np.abs(learn(labels, c, **parameters)[0]).sum(axis=0)
    np.fill_diagonal(W, 0)
    return W


ORACLES = {"GTLEC": lambda labels, c: spectral(affinity(labels, c), c)}
