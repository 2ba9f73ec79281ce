"""GWCA as its paper prints it, on n × n arrays."""

import numpy as np

from oracles.common import connective_matrices, simplex, spectral


def aggregate(labels, eta=1.0, n_iter=50):
    """w after so many changes."""
    views = connective_matrices(labels)
    w = np.full(len(views), 1 / len(views))
    penalty = None
    for _ in range(n_iter):
        M = np.tensordot(w, views, 1)
        d = np.array([np.sum((S - M) ** 2) for S in views])
        penalty = penalty or eta * d.sum()
        w = simplex(-d[None] / (2 * penalty))[0] if penalty else w
    return w


def gwca(labels, c):
    w = aggregate(labels)
    return spectral(np.tensordot(w, connective_matrices(labels), 1), c)


ORACLES = {"GWCA": gwca}
