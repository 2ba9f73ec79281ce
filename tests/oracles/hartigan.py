"""k-means by moves of single samples, by trying every move."""

import numpy as np


def sum_of_squares(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


def improving_moves(X, labels):
    """(sample, cluster) whose move lowers the sum of squares; a cluster keeps its last sample."""
    before = sum_of_squares(X, labels)
    moves = []
    for i in range(len(X)):
        for c in set(labels) - {labels[i]} if (labels == labels[i]).sum() > 1 else ():
            other = np.where(np.arange(len(X)) == i, c, labels)
            if sum_of_squares(X, other) < before - 1e-9 * max(before, 1):
                moves.append((i, c))
    return moves
