"""CEAM on n × n arrays."""

import numpy as np

from oracles.common import unit_rows


def normalized(W, m):
    d = 1 / np.sqrt(W.sum(axis=1) + m - 1)
    return np.diag(d) @ W @ np.diag(d), d


def nearest_links(F, n_neighbors):
    squares = ((F[:, None] - F) ** 2).sum(axis=2)
    last = np.sort(squares, axis=1)[:, min(n_neighbors, len(F) - 1)]
    near = squares <= last[:, None] + 1e-10 * (F**2).sum(axis=1).max()
    cosines = unit_rows(F) @ unit_rows(F).T
    return np.maximum(near * cosines, (near * cosines).T)


def final_graph(labels, alpha, n_neighbors, n_rounds):
    """The mean of the layers."""
    m = labels.shape[1]
    Y = [np.eye(column.max() + 1)[column] for column in labels.T]
    W, d = map(list, zip(*(normalized(y @ y.T, m) for y in Y), strict=True))
    F = [[y] * m for y in Y]
    for _ in range(n_rounds):
        for j in range(m):
            # All layers below each other, as one network of m n nodes.
            network = np.block(
                [[W[k] if k == l else np.diag(d[k] * d[l]) for l in range(m)] for k in range(m)]
            )
            start = np.tile(Y[j], (m, 1))
            spread = np.vstack(F[j])
            for _ in range(20):
                spread = alpha * network @ spread + (1 - alpha) * start
            F[j] = np.split(spread, m)
            W[j], d[j] = normalized(nearest_links(F[j][j], n_neighbors), m)
    return sum(W) / m
