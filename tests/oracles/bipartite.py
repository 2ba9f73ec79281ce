"""HBGF, U-SENC, KCC and VOTE on all samples, graphs whole and sums over single samples."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from oracles.common import k_means, one_hot, spectral_vectors, transfer_cut_vectors, unit_rows


def bipartite_vectors(labels, c):
    """Unit rows of all vertices, samples first, by eigenvectors of the whole graph."""
    Z = one_hot(labels)
    n, L = Z.shape
    W = np.block([[np.zeros((n, n)), Z], [Z.T, np.zeros((L, L))]])
    return unit_rows(spectral_vectors(W, c))


def hbgf(labels, c):
    return k_means(bipartite_vectors(labels, c), c)[: len(labels)]


def utility(labels, partition, kind):
    """Sum over the base clusterings of U_c or U_H, constants of the base clusterings left out."""
    total = 0.0
    for column in labels.T:
        for k in np.unique(partition):
            inside = column[partition == k]
            p = np.bincount(inside) / len(inside)
            gains = p**2 if kind == "Uc" else xlogy(p, p)
            total += len(inside) / len(labels) * np.sum(gains)
    return total


def kcc(labels, c, kind, starts=10):
    """Sample by sample distances from distributions, from k-means of the rows of Z."""
    best = None
    for seed in range(starts):
        rng = np.random.default_rng(seed)
        seeds = labels[rng.choice(len(labels), c, replace=False)]
        partition = (labels[:, None] != seeds).sum(axis=2).argmin(axis=1)
        for _ in range(100):
            distance = np.full((len(labels), c), np.inf)
            for k in np.unique(partition):
                distance[:, k] = 0
                for column in labels.T:
                    p = np.bincount(column[partition == k], minlength=column.max() + 1)
                    p = p / p.sum()
                    with np.errstate(divide="ignore"):
                        distance[:, k] += (
                            1 - 2 * p[column] + np.sum(p**2) if kind == "Uc" else -np.log(p[column])
                        )
            moved = distance.argmin(axis=1)
            if (moved == partition).all():
                break
            partition = moved
        if best is None or utility(labels, partition, kind) > utility(labels, best, kind):
            best = partition
    return best


def align(column, partition, c):
    """Names of the clusters of one base clustering."""
    shared = one_hot(column[:, None]).T @ np.eye(c)[partition]
    if len(shared) > c:
        return shared.argmax(axis=1)
    rows, names = linear_sum_assignment(-shared)
    return names[np.argsort(rows)]


def ballot(labels, partition, c):
    """(n, c) votes after alignment with a partition."""
    names = [align(column, partition, c) for column in labels.T]
    return one_hot(labels) @ np.eye(c)[np.concatenate(names)]


def vote(labels, c):
    partition = k_means(one_hot(labels), c)
    for _ in range(100):
        votes = ballot(labels, partition, c)
        votes[np.arange(len(labels)), partition] += 0.5
        moved = votes.argmax(axis=1)
        if (moved == partition).all():
            break
        partition = moved
    return partition


ORACLES = {
    "HBGF": hbgf,
    "U-SENC": lambda labels, c: k_means(transfer_cut_vectors(one_hot(labels), c), c),
    "KCC-Uc": lambda labels, c: kcc(labels, c, "Uc"),
    "KCC-UH": lambda labels, c: kcc(labels, c, "UH"),
    "VOTE": vote,
}
