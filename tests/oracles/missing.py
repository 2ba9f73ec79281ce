"""What methods are made of where labels are missing, sample by sample and pair by pair."""

import math

import numpy as np


def clusters(labels):
    """(j, k) of each cluster k of each clustering j, in the order of the columns of Z."""
    return [(j, k) for j, column in enumerate(labels.T) for k in np.unique(column[column >= 0])]


def one_hot(labels):
    """Z: which samples each cluster has; a missing label is in none."""
    return np.column_stack([labels[:, j] == k for j, k in clusters(labels)]).astype(float)


def jaccard(labels):
    """Of the sets of samples that two clusters have."""
    sets = [set(np.flatnonzero(column)) for column in one_hot(labels).T]
    return np.array([[len(a & b) / len(a | b) for b in sets] for a in sets])


def transfer_cut_vectors(B, c):
    """Unit rows of D_x⁻¹ B V, V the generalised eigenvectors of Bᵀ D_x⁻¹ B (Li et al. 2012)."""
    inverse = np.diag(1 / B.sum(axis=1))
    W = B.T @ inverse @ B
    scale = np.diag(1 / np.sqrt(W.sum(axis=1)))
    rows = inverse @ B @ scale @ np.linalg.eigh(scale @ W @ scale)[1][:, ::-1][:, :c]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def co_association(labels):
    """Share of the clusterings that have both samples in which they share a cluster."""
    n = len(labels)
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = [(a, b) for a, b in zip(labels[i], labels[j], strict=True) if min(a, b) >= 0]
            A[i, j] = sum(a == b for a, b in both) / len(both) if both else 0.0
    return A


def cluster_index(labels, j, k, theta=0.4):
    """ECI of cluster k of clustering j, over the clusterings that have any of its samples."""
    members = labels[labels[:, j] == k]
    U, m = 0.0, 0
    for column in members.T:
        there = column[column >= 0]
        m += len(there) > 0
        for each in np.unique(there):
            p = np.mean(there == each)
            U -= p * math.log2(p)
    return math.exp(-U / (theta * m))


def locally_weighted_co_association(labels, theta=0.4):
    n = len(labels)
    A = np.zeros((n, n))
    for a in range(n):
        for b in range(n):
            both = [j for j in range(labels.shape[1]) if min(labels[a, j], labels[b, j]) >= 0]
            weights = [
                cluster_index(labels, j, labels[a, j], theta)
                for j in both
                if labels[a, j] == labels[b, j]
            ]
            A[a, b] = sum(weights) / len(both) if both else 0.0
    np.fill_diagonal(A, 1.0)
    return A
