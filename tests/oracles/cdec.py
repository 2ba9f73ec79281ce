"""CDEC on n × n arrays."""

import numpy as np


def projectors(labels):
    """H_v of the columns, (m, n, n)."""
    Y = [np.eye(column.max() + 1)[column] for column in labels.T]
    return np.stack([y @ np.linalg.inv(y.T @ y) @ y.T for y in Y])


def objective(labels, partition, alpha, lam, gamma):
    [F] = projectors(np.unique(partition, return_inverse=True)[1][:, None])
    distance = np.linalg.norm(np.tensordot(alpha, projectors(labels), 1) - F) ** 2
    sizes = np.unique(partition, return_counts=True)[1]
    return distance + gamma * alpha @ alpha + lam * np.sum(sizes**2.0)


def moves(labels, partition):
    """The partitions with one group of equal rows elsewhere that keep all clusters."""
    for row in np.unique(labels, axis=0):
        for k in np.unique(partition):
            moved = np.where((labels == row).all(axis=1), k, partition)
            if len(np.unique(moved)) == len(np.unique(partition)):
                yield moved
