"""What several transcriptions take: indicators, co-association, spectral embedding, cuts."""

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.linalg
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from scipy.special import xlogy
from sklearn.cluster import KMeans

# -- matrices of an ensemble --------------------------------------------------------------------


def one_hot(labels):
    """Z (n × L), all clusters side by side; a missing label is in none."""
    columns = [column[:, None] == np.unique(column[column >= 0]) for column in labels.T]
    return np.hstack(columns).astype(float)


def clustering_of(labels):
    """(L,) the base clustering of each column of Z."""
    counts = [len(np.unique(column[column >= 0])) for column in labels.T]
    return np.repeat(np.arange(labels.shape[1]), counts)


def clusters_of(labels):
    """(n, m) numbers of each sample's clusters among all L."""
    return labels + np.concatenate(([0], np.cumsum(labels.max(axis=0) + 1)[:-1]))


def in_common(labels):
    """(n, n) number of base clusterings that have both samples, 1 where there is none."""
    there = (labels >= 0).astype(float)
    return np.maximum(there @ there.T, 1)


def connective_matrices(labels):
    """(m, n, n): S⁽ʲ⁾_pq = 1 where base clustering j has p and q and puts them together."""
    S = [(column[:, None] == column) & (column >= 0) for column in labels.T]
    return np.stack(S).astype(float)


def co_association(labels):
    """Share of the clusterings that have both samples in which they share a cluster."""
    Z = one_hot(labels)
    return Z @ Z.T / in_common(labels)


def cluster_index(labels, theta=0.4):
    """ECI of each cluster, over the base clusterings that have any of its samples."""
    Z = one_hot(labels)
    sizes = Z.T @ (labels >= 0)
    p = Z.T @ Z / np.maximum(sizes, 1)[:, clustering_of(labels)]
    return np.exp(xlogy(p, p).sum(axis=1) / np.log(2) / (theta * (sizes > 0).sum(axis=1)))


def locally_weighted_co_association(labels, theta=0.4):
    Z = one_hot(labels)
    A = (Z * cluster_index(labels, theta)) @ Z.T / in_common(labels)
    np.fill_diagonal(A, 1.0)
    return A


# -- partitions of a similarity matrix ----------------------------------------------------------


def average_linkage(similarity, n_clusters, method="average"):
    distance = np.maximum(1 - (similarity + similarity.T) / 2, 0)
    np.fill_diagonal(distance, 0.0)
    tree = hierarchy.linkage(squareform(distance, checks=False), method)
    return hierarchy.cut_tree(tree, n_clusters).ravel()


def unit_rows(X):
    """Rows of length 1; a row of zeros stays."""
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0, length, 1)


def normalized(W):
    """D^{-1/2} W D^{-1/2}; a row of zeros stays."""
    degree = W.sum(axis=1)
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1))
    return W * scale * scale[:, None]


def spectral_vectors(W, n_components):
    """Eigenvectors of the largest eigenvalues of D^{-1/2} W D^{-1/2}, the largest first."""
    return np.linalg.eigh(normalized(W))[1][:, ::-1][:, :n_components]


def transfer_cut_vectors(B, n_components):
    """Unit rows of D_x⁻¹ B V, V the generalised eigenvectors of Bᵀ D_x⁻¹ B (Li et al. 2012)."""
    rows = B / B.sum(axis=1, keepdims=True)
    W = B.T @ rows
    vectors = spectral_vectors(W, n_components) / np.sqrt(W.sum(axis=1))[:, None]
    return unit_rows(rows @ vectors)


def k_means(points, n_clusters, weights=None):
    model = KMeans(n_clusters, n_init=10, random_state=0)
    return model.fit(points, sample_weight=weights).labels_


def spectral(W, n_clusters):
    """k-means of the embedding's unit rows (Ng, Jordan & Weiss 2001), for W as symmetrised."""
    return k_means(unit_rows(spectral_vectors((W + W.T) / 2, n_clusters)), n_clusters)


def components(S):
    return connected_components(S > 0, directed=False)[1]


# -- projections --------------------------------------------------------------------------------


def simplex(V):
    """Rows projected on {s ≥ 0, Σ s = 1} by sorting (Duchi et al. 2008)."""
    n = V.shape[1]
    ordered = -np.sort(-V, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1
    rank = (ordered - excess / np.arange(1, n + 1) > 0).sum(axis=1)
    theta = excess[np.arange(len(V)), rank - 1] / rank
    return np.maximum(V - theta[:, None], 0)


def shrink_singular_values(X, threshold):
    """Soft-thresholded singular values, and how many are left."""
    # gesvd, since the faster divide and conquer may fail where singular values coincide.
    U, s, Vt = scipy.linalg.svd(X, full_matrices=False, lapack_driver="gesvd")
    kept = s > threshold
    return (U[:, kept] * (s[kept] - threshold)) @ Vt[kept], int(kept.sum())
