"""HCLCE as the paper prints it, on n × n arrays and with every A_i written out."""

import itertools

import numpy as np
from scipy.optimize import brentq

from oracles.common import components, connective_matrices
from oracles.graphs import distances, embed


def family(labels, order):
    """A¹ … A⁴; the pair (1, 1) where there is one base clustering."""
    S, there = connective_matrices(labels), (labels.T >= 0).astype(float)
    has = [np.outer(row, row) for row in there]
    pairs = list(itertools.combinations(range(len(S)), 2)) or [(0, 0)]
    if order == 1:
        return scaled_up(list(S), has)
    if order == 2:
        crossed = [np.outer(there[i], there[j]) for i, j in pairs]
        A = [(S[i] @ S[j] + S[j] @ S[i]) / 2 for i, j in pairs]
        return scaled_up(A, [(X + X.T) / 2 for X in crossed])
    if order == 3:
        return scaled_up([S[i] * S[j] for i, j in pairs], [has[i] * has[j] for i, j in pairs])
    agree = np.prod([np.where(both > 0, own, 1) for own, both in zip(S, has, strict=True)], axis=0)
    return [agree * (np.sum(has, axis=0) > 0)]


def scaled_up(A, has):
    """A_i times the number of matrices, over the number of those that have an entry."""
    count = np.sum(has, axis=0)
    more = np.where(count > 0, len(A) / np.where(count > 0, count, 1), 0)
    return [matrix * more for matrix in A]


def fuse(A, tol=1e-12):
    """Algorithm 1: Ŝ and w by (10) and (12)."""
    w = np.full(len(A), 1 / np.sqrt(len(A)))
    for _ in range(1000):
        D = sum(weight * matrix for weight, matrix in zip(w, A, strict=True))
        S_hat = D / np.sqrt((D**2).sum(axis=1, keepdims=True))
        b = np.array([np.trace(matrix @ S_hat) for matrix in A])
        previous, w = w, b / np.sqrt((b**2).sum())
        if np.abs(w - previous).max() < tol:
            break
    return S_hat, w


def without_loops(K):
    others = K.sum(axis=1) - np.diag(K)
    return K - np.diag(np.diag(K) - np.minimum(np.diag(K), np.maximum(1 - others, 0)))


def project(B, tol=1e-11):
    """Problem (13): M = max(B + u1ᵀ + 1uᵀ, 0) with the u for which M1 = 1, by Newton's method."""
    n = len(B)
    u = np.zeros(n)

    def dual(u):
        M = np.maximum(B + u[:, None] + u, 0)
        return (M**2).sum() / 4 - u.sum(), M

    value, M = dual(u)
    for _ in range(500):
        excess = M.sum(axis=1) - 1
        if np.abs(excess).max() < tol:
            break
        support = (M > 0).astype(float)
        hessian = support + np.diag(support.sum(axis=1)) + 1e-10 * np.eye(n)
        step = -np.linalg.solve(hessian, excess)
        length = 1.0
        while length > 1e-12:
            new_value, new_M = dual(u + length * step)
            if new_value <= value + 1e-4 * length * (excess @ step) + 1e-13 * abs(value):
                break
            length /= 2
        u, value, M = u + length * step, new_value, new_M
    return M


def smallest_eigenvectors(M, c):
    values, vectors = embed(M, c)
    return vectors, values[:c].sum(), values[: c + 1].sum() if c < len(M) else 1.0


def structure(target, c, lam, max_iter=50, tol=1e-9):
    """Algorithms 2 and 3; `target` gives the matrix to approximate for the current M."""
    M = project(target(None))
    F, gap, next_gap = smallest_eigenvectors(M, c)
    for _ in range(max_iter):
        if gap < tol and next_gap > tol:
            break
        M = project(target(M) - lam / 2 * distances(F, F))
        F_new, gap, next_gap = smallest_eigenvectors(M, c)
        if gap > tol:
            F, lam = F_new, 2 * lam
        elif next_gap < tol:
            lam = lam / 2
    return M


def structured(labels, order, c, lam=0.1):
    S_hat = family(labels, 4)[0] if order == 4 else fuse(family(labels, order))[0]
    K = without_loops((S_hat + S_hat.T) / 2)
    return structure(lambda M: K, c, lam)


def diagonal_simplex_qp(p, q):
    """Minimise Σ p_i w_i² − 2 q_i w_i over the simplex, by a root in the multiplier."""

    def weights(multiplier):
        return np.maximum((q - multiplier) / p, 0)

    multiplier = brentq(lambda t: weights(t).sum() - 1, (q - p).min() - 1, q.max(), xtol=1e-15)
    w = weights(multiplier)
    return w / w.sum()


def fused(views, c, lam=0.1):
    p = np.array([np.trace(V @ V) for V in views])

    def target(M):
        M = sum(views) / len(views) if M is None else M
        w = diagonal_simplex_qp(p, np.array([np.trace(V @ M) for V in views]))
        return sum(share * V for share, V in zip(w, views, strict=True))

    return structure(target, c, lam)


def graph_labels(M, c):
    """Components of M; of more than c, all but the c − 1 largest are one cluster."""
    component = components(np.where(M > 1e-9, M, 0))
    order = np.argsort(-np.bincount(component), kind="stable")
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    return np.minimum(rank[component], c - 1)


def consensus(labels, c, lam=0.1):
    return graph_labels(fused([structured(labels, d, c, lam) for d in (1, 2, 3, 4)], c, lam), c)


ORACLES = {"HCLCE": consensus}
