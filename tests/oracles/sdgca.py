"""SDGCA on n × n arrays."""

import numpy as np

from oracles.common import average_linkage, co_association, one_hot
from oracles.spectral import enhanced_co_association


def normalized_co_association(labels, lam=0.09):
    m = labels.shape[1]
    Z = one_hot(labels)
    counts = np.repeat(labels.max(axis=0) + 1, labels.max(axis=0) + 1)
    reliability = np.zeros(len(counts))
    for c, inside in enumerate(Z.T.astype(bool)):
        U = 0.0
        for column in labels.T:
            p = np.bincount(column[inside]) / inside.sum()
            U -= np.sum(p[p > 0] * np.log2(p[p > 0]))
        if U > 0:
            U = U / np.log2(counts[c]) if counts[c] > 1 else np.inf
        reliability[c] = np.exp(-U / (lam * m))
    W = (Z * reliability) @ Z.T / m
    W /= W.max() if W.max() > 0 else 1
    np.fill_diagonal(W, 1)
    return W


def pairs(labels, W, theta):
    """M and Q."""
    Q = 1 - enhanced_co_association(labels)
    Q[Q < 0.8] = 0
    M = np.where(co_association(labels) >= theta, W, 0)
    M -= M.min()
    M = M / M.max() if M.max() > 0 else np.ones_like(M)
    M = np.where(M > 1e-12, 0.8 + 0.2 * M, 0)
    M[Q > 0] = 0
    return M, Q


def relations(labels, M, Q, eta, max_iter=300):
    """S, D and the norms of each iteration."""
    A = co_association(labels)
    links = np.where(A >= eta, A, 0)
    L = np.diag(links.sum(axis=1)) - links
    n, mu, trace = len(A), 1.0, []
    S, D, F, G, Y, X = (np.zeros((n, n)) for _ in range(6))
    for _ in range(max_iter):
        system = 2 * L + 2 * mu * np.eye(n)
        old_S, old_D = S, D
        S = np.linalg.solve(system, (2 * mu * F - D.T - Y).T).T
        F = np.where(M > 0, M, np.clip(S + Y / (2 * mu), 0, 1))
        F = (F + F.T) / 2
        D = np.linalg.solve(system, (2 * mu * G - S.T - X).T).T
        G = np.where(Q > 0, Q, np.clip(D + X / (2 * mu), 0, 1))
        G = (G + G.T) / 2
        Y, X = Y + mu * (S - F), X + mu * (D - G)
        mu = min(1.1 * mu, 1e6)
        trace.append([np.linalg.norm(gap) for gap in (S - old_S, D - old_D, S - F, D - G)])
        if max(trace[-1]) < 1e-3:
            break
    return S, D, np.array(trace)


def similarity(labels, lam=0.09, eta=0.75, theta=0.65):
    W = normalized_co_association(labels, lam)
    S, D, _ = relations(labels, *pairs(labels, W, theta), eta)
    S, D = np.clip(S, 0, 1), np.clip(D, 0, 1)
    excess = (S + S.T - D - D.T) / 2
    return np.where(excess >= 0, 1 - (1 - excess) * (1 - W), (1 + excess) * W)


ORACLES = {"SDGCA": lambda labels, c: average_linkage(similarity(labels), c)}
