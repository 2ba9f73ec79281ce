"""Spectral partitions: embeddings, transfer cuts, and the final k-means."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.numerics.sparse import scaled_rows, with_short_indices
from coassoc.numerics.threads import openmp_on_one_thread
from coassoc.partition.labels import Array, Labels, labels_of_samples

#: Smallest singular value whose vectors count.
SMALLEST_VALUE = 1e-6
#: Size, relative to the largest eigenvalue, below which an eigenvalue is a rounding error and its
#: vectors are arbitrary.
ROUNDING = 1e-12


class FewPointsWarning(UserWarning):
    """k-means had fewer different points than requested clusters."""


class FewVectorsWarning(UserWarning):
    """A similarity has fewer eigenvalues above rounding error than requested eigenvectors."""


def unit_rows(X: Array) -> Array:
    """Scale rows to unit Euclidean length; zero rows stay zero."""
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0, length, 1.0)


def k_means(
    points: Array | sp.csr_array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
    weights: Array | None = None,
    n_init: int = 10,
    init: str | Callable[..., Array] = "k-means++",
) -> Labels:
    """k-means of the rows, the best of several starts, with fewer labels if rows coincide.

    If several initial samples belong to the same row, clusters can become empty. They then take
    over the rows furthest from their centroids, as is common in programs (D. Cai, "litekmeans",
    2011).

    Parameters
    ----------
    points : (q, d) array or sparse array
    n_clusters : int
        Number of clusters requested. There cannot be more clusters than rows.
    random_state : int or RandomState
        Seed of the starts.
    weights : (q,) array, optional
        Number of samples that each row represents.
    n_init : int
        Number of starts.
    init : {"k-means++", "random"} or callable
        Initial centroids: random samples that are far from each other (k-means++), random samples
        with equal probabilities, or a function of points, n_clusters and random_state that returns
        the centroids.

    Warns
    -----
    FewPointsWarning
        If so many rows coincide that there are fewer labels than rows and than requested clusters.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    if n_clusters >= points.shape[0]:
        return np.arange(points.shape[0])
    sparse = isinstance(points, sp.csr_array)
    if sparse:
        points = with_short_indices(points)
    start: Any = partial(drawn_samples, weights) if init == "random" else init
    # Copy dense points, because k-means would otherwise change them slightly.
    model = KMeans(
        n_clusters, init=start, n_init=n_init, random_state=random_state, copy_x=not sparse
    )
    with openmp_on_one_thread(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        labels = model.fit(points, sample_weight=weights).labels_.astype(np.intp)
    n_found = len(np.unique(labels))
    if n_found < n_clusters:
        clusters = "one cluster" if n_found == 1 else f"{n_found} clusters"
        warnings.warn(
            f"K-means found only {clusters} instead of {n_clusters}, because the embedding has too "
            "few distinct points. The remaining clusters are single rows of labels, split off "
            "arbitrarily.",
            FewPointsWarning,
            stacklevel=2,
        )
    return labels


def clustered_rows(ensemble: Ensemble, c: int, random_state: np.random.RandomState) -> Array:
    """(n', c) indicators of k-means of the rows of Z from one start."""
    points, weights = ensemble.microcluster_membership, ensemble.microclusters.r
    return np.eye(c)[k_means(points, c, random_state, weights=weights, n_init=1)]


def drawn_samples(
    weights: Array | None, points: Array, n_clusters: int, random_state: np.random.RandomState
) -> Array:
    """Rows of drawn samples; the samples are numbered by the cumulative weights of the rows."""
    ends = np.cumsum(np.ones(len(points)) if weights is None else weights)
    drawn = random_state.choice(int(ends[-1]), n_clusters, replace=False)
    return points[np.searchsorted(ends, drawn, side="right")]


def spectral_embedding(
    similarity: InvariantMatrix, n_components: int
) -> tuple[Array, Microclusters]:
    """Leading eigenvectors of D^{-1/2} W D^{-1/2} (Ng, Jordan & Weiss 2001), rows of unit length.

    Parameters
    ----------
    similarity : InvariantMatrix
        W, symmetric and non-negative.
    n_components : int
        Number of eigenvectors, those with the largest eigenvalues.

    Returns
    -------
    embedding : (q, k) array
        One row per microcluster; k is n_components or fewer.
    microclusters : Microclusters
        Microclusters of `similarity`, or single samples if an eigenvector varies inside a
        microcluster.

    Warns
    -----
    FewVectorsWarning
        If fewer eigenvalues than requested are above rounding error. The eigenvectors of the others
        are left out, because they are arbitrary and differ between processors.

    Notes
    -----
    An eigenvector that is not constant on microclusters sums to zero inside one of them, and its
    eigenvalue has as many copies as this microcluster has samples, minus one. Choosing only some of
    these copies would be arbitrary and would separate equal samples by rounding. In this case,
    constant eigenvectors are preferred.
    """
    micro = similarity.microclusters
    degree = similarity.row_sums()
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1.0))
    normalized = InvariantMatrix(
        similarity.S * scale * scale[:, None], similarity.e * scale**2, micro
    )
    values, vectors, inner = normalized.eigh(min(n_components, micro.count))
    # More copies of one eigenvalue than components change nothing at the cut.
    inner = np.repeat(inner, np.minimum(micro.sizes - 1, n_components + 1))
    if not micro.counted and _inner_vectors_lead(values, inner, n_components):
        micro = Microclusters.from_assignment(np.arange(micro.n_samples))
        values, vectors, _ = InvariantMatrix(normalized.to_dense(), 0.0, micro).eigh(n_components)
    carrying = np.abs(values) > ROUNDING * np.abs(values).max()
    if not carrying.all():
        warnings.warn(
            f"Only {carrying.sum()} of {n_components} eigenvalues of the similarity exceed "
            "rounding error. The spectral partition uses only their eigenvectors.",
            FewVectorsWarning,
            stacklevel=2,
        )
        # In a similarity of zeros nothing distinguishes the samples, so they are one point.
        vectors = vectors[:, carrying] if carrying.any() else np.zeros((len(vectors), 1))
    return unit_rows(vectors), micro


def _inner_vectors_lead(constant: Array, inner: Array, n_components: int) -> bool:
    """Whether eigenvectors inside microclusters are among the leading ones, and are certain.

    Parameters
    ----------
    constant : (k,) array
        Eigenvalues of the leading vectors that are constant on microclusters, the largest first.
    inner : array
        Eigenvalues of the others, each as often as it has vectors.
    n_components : int
        How many lead.
    """
    if len(constant) == n_components and not (inner > constant[-1] + ROUNDING).any():
        return False
    values = np.sort(np.concatenate((constant, inner)))[::-1]
    cut = values[n_components - 1 : n_components + 1]
    return len(cut) < 2 or cut[0] - cut[1] > ROUNDING


def spectral_labels(
    similarity: InvariantMatrix,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
) -> Labels:
    """Spectral clustering after Ng, Jordan & Weiss: :func:`spectral_embedding`, then k-means."""
    embedding, micro = spectral_embedding(similarity, n_clusters)
    labels = k_means(embedding, n_clusters, random_state, weights=micro.r)
    return labels_of_samples(labels, micro, n_clusters)


def transfer_cut_embedding(B: Array | sp.csr_array, weights: Array, n_components: int) -> Array:
    """Transfer cut of a bipartite graph between weighted items and clusters (Li et al. 2012).

    The eigenvectors of the small graph W_y = Bᵀ D_x⁻¹ B are carried to the items by D_x⁻¹ B. If
    there are fewer items than clusters, they are computed from the graph of the items, which has
    the same spectrum.

    Parameters
    ----------
    B : (q, L) array or sparse array
        Non-negative link of each item with each cluster.
    weights : (q,) array
        Number of samples that each item represents.
    n_components : int
        c, number of eigenvectors, including the trivial one.

    Returns
    -------
    (q, n_components) array
        Rows of unit length.
    """
    d_x = np.asarray(B.sum(axis=1)).ravel()
    inverse = 1 / np.where(d_x > 0, d_x, 1.0)
    root = np.sqrt(weights * inverse)
    F = B * root[:, None] if isinstance(B, np.ndarray) else scaled_rows(B, root)
    (q, L), W_y = B.shape, None
    if q >= L:
        W_y = F.T @ F if isinstance(F, np.ndarray) else (F.T @ F).toarray()
    d_y = F.T @ F.sum(axis=1) if W_y is None else W_y.sum(axis=1)
    scale = 1 / np.sqrt(np.where(d_y > 0, d_y, 1.0))
    if W_y is None:
        vectors, _ = right_vectors_of_few_rows(F * scale, n_components)
    else:
        k = min(n_components, L)
        vectors = eigenpairs_within(W_y * scale * scale[:, None], L - k, L - 1)[1][:, ::-1]
    # The rows get unit length, so that their scale D_x⁻¹ can be left out unless they are zero.
    return unit_rows(np.asarray(B @ (vectors * scale[:, None])))


def right_vectors_of_few_rows(N: Array | sp.csr_array, n_vectors: int) -> tuple[Array, Array]:
    """Right singular vectors of a matrix N with fewer rows than columns, by the vectors of N Nᵀ.

    Parameters
    ----------
    N : (q, L) array or sparse array
    n_vectors : int
        Number of vectors, those with the largest singular values.

    Returns
    -------
    vectors : (L, k) array
        Orthonormal columns; fewer than `n_vectors` if fewer singular values are above 0.
    values : (k,) array
        Their singular values, the largest first.
    """
    gram = N @ N.T
    gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
    q = len(gram)
    squares, vectors = eigenpairs_within(gram, max(q - n_vectors, 0), q - 1)
    values = np.sqrt(np.maximum(squares[::-1], 0.0))
    kept = values > SMALLEST_VALUE
    return np.asarray(N.T @ vectors[:, ::-1][:, kept]) / values[kept], values[kept]


def transfer_cut_labels(
    ensemble: Ensemble,
    B: Array | sp.csr_array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
    weighted: bool = True,
) -> Labels:
    """Transfer cut on the microclusters of an ensemble, then k-means of the embedding.

    Parameters
    ----------
    ensemble : Ensemble
    B : (n', L) array or sparse array
        Link of each microcluster with each cluster.
    n_clusters : int
        c.
    random_state : int or RandomState
        Seed of k-means.
    weighted : bool
        Whether microclusters are weighted by their sizes; otherwise their weight is one.
    """
    micro = ensemble.microclusters
    weights = micro.r if weighted else np.ones(micro.count)
    embedding = transfer_cut_embedding(B, weights, n_clusters)
    labels = k_means(embedding, n_clusters, random_state, weights=weights)
    return labels_of_samples(labels, micro, n_clusters)
