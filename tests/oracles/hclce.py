"""HCLCE's fusion of one family as the paper prints it, on n × n arrays (Eqs. 9–12)."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def family(labels, order):
    """A¹ … A⁴ as a list of dense matrices; a pair counts as the mean of both products."""
    S = [(column[:, None] == column).astype(float) for column in labels.T]
    pairs = list(combinations(range(len(S)), 2)) or [(0, 0)]
    if order == 1:
        return S
    if order == 2:
        return [(S[i] @ S[j] + S[j] @ S[i]) / 2 for i, j in pairs]
    if order == 3:
        return [S[i] * S[j] for i, j in pairs]
    return [np.prod(S, axis=0)]


def fuse(labels, order, n_iter=2000):
    """Rows of Σ w_i A_i at unit length and w_i ∝ Tr(A_i Ŝ), to the fixed point."""
    A = family(labels, order)
    w = np.full(len(A), 1 / np.sqrt(len(A)))
    for _ in range(n_iter):
        total = sum(weight * matrix for weight, matrix in zip(w, A, strict=True))
        S_hat = total / np.linalg.norm(total, axis=1, keepdims=True)
        traces = np.array([np.trace(matrix @ S_hat) for matrix in A])
        new = traces / np.linalg.norm(traces)
        if np.abs(new - w).max() < 1e-13:
            break
        w = new
    return S_hat
