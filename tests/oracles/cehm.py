"""CEHM on all samples; medoids by trying every set of clusters."""

from functools import partial
from itertools import combinations

import numpy as np

from oracles.common import one_hot
from oracles.spectral import jaccard


def support(labels, partition, c):
    """(n, c) sums over a sample's clusters of their shares in each consensus cluster."""
    Z, members = one_hot(labels), partition[:, None] == np.arange(c)
    return Z @ (Z.T @ members / Z.sum(axis=0)[:, None])


def cost(overlaps, medoids):
    """Sum of the distances of all clusters from the nearest medoid, for their Jaccard indices."""
    return (1 - overlaps[list(medoids)].max(axis=0)).sum()


def best_medoids(labels, c):
    overlaps = jaccard(labels)
    return min(combinations(range(len(overlaps)), c), key=partial(cost, overlaps))


def grow(labels, medoids, c):
    """The partition from which the last part starts."""
    n = len(labels)
    members = one_hot(labels)[:, list(medoids)]
    partition = np.where(members.sum(axis=1) == 1, members.argmax(axis=1), -1)
    assigned = int(np.sum(partition >= 0))
    step = max(int(np.sqrt(n)), -(-(n - assigned) // c))
    while assigned < n:
        U = support(labels, partition, c)
        top = np.sort(np.column_stack((U, np.zeros(n))), axis=1)
        margin = np.round(top[:, -1] - top[:, -2], 10)
        assigned = min(assigned + step, n)
        last = np.sort(margin)[::-1][assigned - 1]
        partition = np.where(margin >= last, U.argmax(axis=1), -1)
    return partition


def settle(labels, partition, c):
    for _ in range(100):
        moved = support(labels, partition, c).argmax(axis=1)
        if (moved == partition).all():
            break
        partition = moved
    return partition


ORACLES = {"CEHM": lambda labels, c: settle(labels, grow(labels, best_medoids(labels, c), c), c)}
