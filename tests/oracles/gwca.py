"""GWCA as its paper prints it, on n × n arrays."""

import numpy as np
import scipy.special

from oracles.common import connective_matrices, simplex, spectral

#: φ of the Bregman divergence D(s, x) = φ(s) − φ(x) − φ'(x)(s − x), and φ'.
GENERATORS = {
    "euclidean": (lambda x: x**2, lambda x: 2 * x),
    "kullback-leibler": (lambda x: scipy.special.xlogy(x, x) - x, np.log),
    "logistic": (
        lambda x: scipy.special.xlogy(x, x) + scipy.special.xlogy(1 - x, 1 - x),
        scipy.special.logit,
    ),
}


def bregman(S, M, name):
    """Sum of D(S, M) over all entries; no entry of M where φ has a pole is exactly there."""
    phi, slope = GENERATORS[name]
    x = M if name == "euclidean" else np.clip(M, 1e-12, 1 - 1e-12)
    return np.sum(phi(S) - phi(x) - slope(x) * (S - x))


def objective(labels, M, w, penalty, name="euclidean"):
    views = connective_matrices(labels)
    total = sum(weight * bregman(S, M, name) for weight, S in zip(w, views, strict=True))
    return total + penalty * np.sum(w**2)


def aggregate(labels, eta=1.0, name="euclidean", n_iter=50):
    """w after so many changes, and the penalty η."""
    views = connective_matrices(labels)
    w = np.full(len(views), 1 / len(views))
    penalty = None
    for _ in range(n_iter):
        M = np.tensordot(w, views, 1)
        d = np.array([bregman(S, M, name) for S in views])
        penalty = penalty or eta * d.sum()
        w = simplex(-d[None] / (2 * penalty))[0] if penalty else w
    return w, penalty


def gwca(labels, c):
    w, _ = aggregate(labels)
    return spectral(np.tensordot(w, connective_matrices(labels), 1), c)


ORACLES = {"GWCA": gwca}
