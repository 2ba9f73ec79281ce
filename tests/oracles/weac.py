"""WEAC and GP-MGLA on all samples and clusters, one pair at a time."""

from functools import partial

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from oracles.common import (
    average_linkage,
    clustering_of,
    connective_matrices,
    k_means,
    one_hot,
    transfer_cut_vectors,
)
from oracles.spectral import jaccard


def weights(labels, beta=2.0):
    nmi = partial(normalized_mutual_info_score, average_method="max")
    scores = np.array([[nmi(a, b) for b in labels.T] for a in labels.T])
    np.fill_diagonal(scores, 0)
    total = scores.sum(axis=1)
    return (total / total.max()) ** beta


def co_association(labels, w):
    return np.tensordot(w, connective_matrices(labels), axes=1) / w.sum()


def triples(labels, w):
    J = jaccard(labels)
    w = w[clustering_of(labels)]
    sums = np.array([np.minimum(a, J) @ w for a in J])
    S = sums / sums.max()
    np.fill_diagonal(S, 1)
    return S


def embedding(labels, w, c, alpha=0.5):
    """Transfer cut of the graph of all samples and clusters, at the samples."""
    links = alpha * one_hot(labels) * w[clustering_of(labels)]
    return transfer_cut_vectors(np.vstack((links, triples(labels, w))), c)[: len(labels)]


ORACLES = {
    "WEAC": lambda labels, c: average_linkage(co_association(labels, weights(labels)), c),
    "GP-MGLA": lambda labels, c: k_means(embedding(labels, weights(labels), c), c),
}
