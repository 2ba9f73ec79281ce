"""WEAC and GP-MGLA on all samples and clusters, one pair at a time."""

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from oracles.common import average_linkage, connective_matrices, k_means, one_hot, unit_rows
from oracles.spectral import jaccard


def weights(labels, beta=2.0):
    m = labels.shape[1]
    scores = np.zeros((m, m))
    for j in range(m):
        for l in range(m):
            if j != l:
                scores[j, l] = normalized_mutual_info_score(
                    labels[:, j], labels[:, l], average_method="max"
                )
    total = scores.sum(axis=1)
    return (total / total.max()) ** beta


def co_association(labels, w):
    return np.tensordot(w, connective_matrices(labels), axes=1) / w.sum()


def triples(labels, w):
    J = jaccard(labels)
    w = np.repeat(w, labels.max(axis=0) + 1)
    sums = np.array([[np.sum(w * np.minimum(a, b)) for a in J] for b in J])
    S = sums / sums.max()
    np.fill_diagonal(S, 1)
    return S


def embedding(labels, w, c, alpha=0.5):
    """Transfer cut of the graph of all samples and clusters, at the samples."""
    links = alpha * one_hot(labels) * np.repeat(w, labels.max(axis=0) + 1)
    B = np.vstack((links, triples(labels, w)))
    W = B.T @ np.diag(1 / B.sum(axis=1)) @ B
    scale = np.diag(1 / np.sqrt(W.sum(axis=1)))
    V = scale @ np.linalg.eigh(scale @ W @ scale)[1][:, ::-1][:, :c]
    return unit_rows(B @ V / B.sum(axis=1)[:, None])[: len(labels)]


def gp_mgla(labels, c):
    return k_means(embedding(labels, weights(labels), c), c)


ORACLES = {
    "WEAC": lambda labels, c: average_linkage(co_association(labels, weights(labels)), c),
    "GP-MGLA": gp_mgla,
}
