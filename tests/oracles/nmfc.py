"""NMFC as its paper prints it, on n × n arrays."""

import numpy as np

from oracles.common import co_association


def objective(labels, Q, D):
    return np.linalg.norm(co_association(labels) - Q @ D @ Q.T) ** 2


def update(A, Q, D):
    """One multiplicative update of Q, then of D."""
    AQD = A @ Q @ D
    Q = Q * np.sqrt(AQD / (Q @ Q.T @ AQD))
    overlap = Q.T @ Q
    # A product with D: where D is 0 it stays 0.
    D = D * np.sqrt((Q.T @ A @ Q) / (overlap @ D @ overlap))
    return Q, D


def factorize(labels, Q, tol=1e-5, max_iter=500):
    """Q, D and the objective after each iteration, from a positive Q with any column lengths."""
    A = co_association(labels)
    Q = Q / np.linalg.norm(Q, axis=0)
    D = np.diag(np.diag(Q.T @ A @ Q))
    trace = []
    while len(trace) < max_iter:
        Q, D = update(A, Q, D)
        trace.append(objective(labels, Q, D))
        if len(trace) > 1 and abs(trace[-2] - trace[-1]) <= tol * trace[-2]:
            break
    return Q, D, np.array(trace)


def nmfc(labels, c, n_init=10):
    rng = np.random.default_rng(0)
    runs = [factorize(labels, rng.random((len(labels), c))) for _ in range(n_init)]
    return min(runs, key=lambda run: run[2][-1])[0].argmax(axis=1)


ORACLES = {"NMFC": nmfc}
