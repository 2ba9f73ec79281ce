"""RCE as the paper prints it: every E⁽ⁱ⁾ and Ã as n × n arrays."""

import numpy as np
from scipy.special import rel_entr, xlogy

from oracles.common import connective_matrices, spectral


def error_matrix(A, connective, lam1):
    """Theorem 3: of the two candidates (17) and (18), the one with the smaller objective (14)."""
    a, b, c = A, A.T, connective
    x1 = (2 * lam1 * c - lam1 - 1 + np.sqrt((lam1 + 1) ** 2 - 2 * lam1 * (a + b))) / (2 * lam1)
    x2 = (lam1 - 2 * lam1 * c - 1 + np.sqrt((1 - lam1) ** 2 + 2 * lam1 * (a + b))) / (-2 * lam1)
    x1, x2 = np.minimum(x1, 0), np.maximum(x2, 0)

    def f(x):
        return 2 * lam1 * np.abs(x) - xlogy(a + b, c - x) - xlogy(2 - a - b, 1 - c + x)

    return np.where(f(x1) <= f(x2), x1, x2)


def divergence(A, cleaned):
    """Σ_pq KL of two matrices of Bernoulli probabilities."""
    return (rel_entr(A, cleaned) + rel_entr(1 - A, 1 - cleaned)).sum()


def update(A, C, D, m):
    """Eq. (11), entries at 0 and 1 kept."""
    C_plus, C_minus = np.maximum(C, 0), np.maximum(-C, 0)
    D_plus, D_minus = np.maximum(D, 0), np.maximum(-D, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        G = 2 * m / A + 2 * m / (1 - A) + C_plus / A + 2 * (D_plus @ A) / A
        B = m * np.log(A) - 2 * m / (1 - A) - m * np.log(1 - A)
        H = C_minus * A + 2 * (D_minus @ A) * A
        new = np.minimum((-B + np.sqrt(B**2 + 4 * G * H)) / (2 * G), 1)
    return np.where((A > 0) & (A < 1), new, A)


def robust_consensus(labels, lam1=0.1, lam2=0.1, mu=1e-3, n_outer=20, n_inner=20):
    """Algorithm 1; returns Ã and, per round, Eq. (4) + λ₂μ tr(S⁻¹) and the largest error."""
    n, m = labels.shape
    connective = connective_matrices(labels)
    A = sum(connective) / m
    S_inverse = np.zeros((n, n))
    trace = []
    for _ in range(n_outer):
        E = [error_matrix(A, c, lam1) for c in connective]
        cleaned = [c - e for c, e in zip(connective, E, strict=True)]
        with np.errstate(divide="ignore"):
            C = sum(np.log((1 - x) / x) for x in cleaned)
        for _ in range(n_inner):
            A = update(A, C, lam2 * S_inverse, m)
        sigma, V = np.linalg.eigh(A @ A.T)
        root = np.sqrt(np.maximum(sigma, 0) + mu)
        S_inverse = (V / root) @ V.T
        S = (V * root) @ V.T
        objective = sum(divergence(A, x) for x in cleaned)
        objective += lam1 * sum(np.abs(e).sum() for e in E)
        objective += lam2 * (np.trace(A.T @ S_inverse @ A) + np.trace(S) + mu * (1 / root).sum())
        trace.append((objective, max(np.abs(e).max() for e in E)))
    return A, np.array(trace).T


ORACLES = {"RCE": lambda labels, c: spectral(robust_consensus(labels)[0], c)}
