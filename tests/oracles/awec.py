"""AWEC on n × n arrays."""

import numpy as np

from oracles.common import average_linkage, co_association, simplex


def clipped(X, deviations):
    spread = deviations * X.std(ddof=1)
    return np.clip(X, X.mean() - spread, X.mean() + spread)


def scaled(X):
    X = X - np.diag(np.diag(X))
    root = 1 / np.sqrt(np.maximum(X.sum(axis=1), 1e-10))
    return X * root * root[:, None]


def first_order(labels, n_clusters):
    A = co_association(labels)
    n = len(A)
    wanted = min(int(n / (2 * n_clusters) + 0.5), n - 1)
    K = clipped(A, 4)
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    np.fill_diagonal(K, -np.inf)
    near = np.zeros((n, n))
    for j in range(n):
        if wanted:
            near[:, j] = K[:, j] >= np.sort(K[:, j])[-wanted] - 1e-9
    return scaled(clipped(A * (near + near.T), 3))


def second_order(T):
    X = T.T @ T
    positive = X[X > 0]
    if len(positive):
        deviation = positive.std(ddof=1) if len(positive) > 1 else 0
        X[X < (positive.mean() - deviation / 2) * (1 - 1e-9)] = 0
    return scaled(X)


def embedding(Z, n_clusters):
    """Distances of the rows of H, and by how much its eigenvalues and the next ones differ."""
    values, H = np.linalg.eigh(np.diag(Z.sum(axis=1)) - Z)
    gaps = np.diff(values[: n_clusters + 1])
    if n_clusters < len(values):
        H = H[:, values < values[n_clusters] - 1e-9]
    H = H[:, :n_clusters]
    return ((H[:, None] - H) ** 2).sum(axis=2), gaps[gaps > 1e-13]


def graph(C, distances, gamma):
    n = len(C)
    I = np.eye(n)
    Q = np.diag(C.sum(axis=0)) - C + gamma * I
    b = 2 * gamma * I - 1.1 * distances
    Z, q, eta = np.full((n, n), 1 / n), np.ones((n, n)), 10.0
    for _ in range(10):
        p = Z - (Q @ Z + q) / eta
        Z = simplex((p - q / eta - (Q @ p - b) / eta).T).T
        eta *= 1.5
        q = q + eta * (Z - p)
    return (Z + Z.T) / 2


def learn(labels, n_clusters, lam, gamma, max_iter=100):
    """C, Z, the topologies' weights, the residuals and the smallest gap of eigenvalues."""
    A = co_association(labels)
    n = len(A)
    T = [first_order(labels, n_clusters)]
    T.append(second_order(T[0]))
    C, F, Z = np.eye(n), np.eye(n), np.eye(n)
    E, Y, X = np.zeros((n, n)), np.ones((n, n)), np.ones((n, n))
    a, mu, residuals, gaps = [0.5, 0.5], 0.1, [], []
    distances = np.zeros((n, n))
    for _ in range(max_iter):
        G = Z / np.sqrt(np.maximum(np.abs(C.sum(axis=0)), 1e-10))[:, None]
        C = mu * (A - E + Y / mu) + mu * (F - X / mu) + G @ G.T + 2 * (a[0] * T[0] + a[1] * T[1])
        C /= 4.2
        E = (mu * (A - C) + Y) / (lam + mu)
        F = np.clip((C + C.T + (X + X.T) / mu) / 2, 0, 1)
        Z = graph(C, distances, gamma)
        squares = [np.sum(t * t) for t in T]
        if all(squares):
            shares = [np.sum(C * t) / s for t, s in zip(T, squares, strict=True)]
            beta = 2 * (sum(shares) - 1) / sum(1 / s for s in squares)
            a = [share - beta / (2 * s) for share, s in zip(shares, squares, strict=True)]
        distances, gap = embedding(Z, n_clusters)
        gaps.extend(gap)
        residuals.append([np.abs(A - C - E).max(), np.abs(C - F).max()])
        if max(residuals[-1]) < 1e-2:
            break
        Y, X = Y + mu * (A - C - E), X + mu * (C - F)
        mu *= 1.2
    return C, Z, np.array(a), np.array(residuals), min(gaps, default=1)


ORACLES = {"AWEC": lambda labels, c: average_linkage(learn(labels, c, 0.1, 50)[1], c)}
