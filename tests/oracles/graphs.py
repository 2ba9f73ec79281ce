"""Eigenvectors, distances and components of graphs on dense arrays."""

import numpy as np

from oracles.common import components


def embed(S, c):
    """Eigenvalues of the Laplacian of S and the eigenvectors of the c smallest."""
    values, vectors = np.linalg.eigh(np.diag(S.sum(axis=1)) - S)
    return values, vectors[:, :c]


def distances(F, G):
    return ((F[:, None] - G[None]) ** 2).sum(axis=2)


def bipartite_components(H):
    n, L = H.shape
    links = np.zeros((n + L, n + L))
    links[:n, n:] = H
    return np.unique(components(links + links.T)[:n], return_inverse=True)[1]
