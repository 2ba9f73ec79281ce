"""Final partitions: from a similarity, or an embedding, to labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix

__all__ = [
    "Merges",
    "canonical_labels",
    "cut",
    "k_means",
    "linkage_labels",
    "membership_labels",
    "merge_tree",
    "spectral_embedding",
    "spectral_labels",
    "split_to",
    "transfer_cut_embedding",
    "transfer_cut_labels",
    "unit_rows",
]

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


def canonical_labels(labels: NDArray) -> Labels:
    """Rename clusters to 0 … c−1 in order of first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def split_to(labels: Labels, n_clusters: int) -> Labels:
    """Split clusters of interchangeable samples until there are `n_clusters`.

    Used when more clusters are wanted than there are microclusters: any sample of the largest
    cluster may then be cut off, and the last one is.
    """
    labels = canonical_labels(labels)
    sizes = np.bincount(labels)
    while len(sizes) < n_clusters:
        labels[np.flatnonzero(labels == sizes.argmax())[-1]] = len(sizes)
        sizes = np.bincount(labels)
    return labels


# -- hierarchical agglomerative clustering ------------------------------------------------------


class Merges(NamedTuple):
    """A dendrogram over q items as q − 1 merges, every merge after those it builds on.

    Attributes
    ----------
    pairs : (q − 1, 2) integer array
        An item of each of the two clusters merged.
    heights : (q − 1,) array
        Their distance; never smaller than that of an earlier merge they contain.
    n_items : int
        q.
    """

    pairs: NDArray[np.intp]
    heights: Array
    n_items: int


def merge_tree(distances: Array, sizes: NDArray, method: str) -> Merges:
    """Agglomerate weighted items.

    Parameters
    ----------
    distances : (q, q) array
        Symmetric; the diagonal is not read. It is used as working memory and destroyed.
    sizes : (q,) array
        Number of samples each item stands for; only average linkage depends on it.
    method : {"average", "complete", "single"}
        Linkage criterion.

    Notes
    -----
    SciPy agglomerates items of weight one. For average linkage of heavier items all reciprocal
    nearest neighbours are merged together, round after round: average linkage is reducible, so
    that the dendrogram does not depend on the order of such merges.
    """
    if method == "average" and (np.asarray(sizes) != 1).any():
        return _average_merge_tree(distances, np.asarray(sizes, dtype=np.float64))
    return _scipy_merge_tree(distances, method)


def cut(merges: Merges, n_clusters: int) -> Labels:
    """Labels after undoing the last `n_clusters` − 1 merges: exactly that many clusters."""
    n_items = merges.n_items
    if n_clusters >= n_items:
        return np.arange(n_items)
    order = np.argsort(merges.heights, kind="stable")[: n_items - n_clusters]
    left, right = merges.pairs[order].T
    graph = sp.coo_array((np.ones(len(left)), (left, right)), shape=(n_items, n_items))
    return connected_components(graph, directed=False)[1].astype(np.intp)


def linkage_labels(similarity: InvariantMatrix, n_clusters: int, method: str = "average") -> Labels:
    """Hierarchical clustering of the samples with distance 1 − similarity.

    Microclusters are agglomerated with their sizes as weights. This equals agglomerating samples
    where the samples of a microcluster merge before anything else does, which holds when
    none of them is nearer to another sample than to each other; the microclusters for which it
    fails enter as single samples.

    Parameters
    ----------
    similarity : InvariantMatrix
        Symmetric, or symmetrised here; its diagonal is not read.
    n_clusters : int
        c, from 1 to n.
    method : {"average", "complete", "single"}
        Linkage criterion.

    Returns
    -------
    (n,) integer array
        Exactly c clusters, 0 … c−1 in order of first appearance.
    """
    similarity = _expand_loose(similarity.symmetrized())
    micro = similarity.microclusters
    merges = merge_tree(np.subtract(1.0, similarity.S), micro.sizes, method)
    labels = micro.expand(cut(merges, n_clusters))
    return split_to(labels, n_clusters)


def _expand_loose(similarity: InvariantMatrix) -> InvariantMatrix:
    """Replace microclusters that need not merge first by their single samples."""
    micro = similarity.microclusters
    S = similarity.S
    inside = np.diagonal(S).copy()
    np.fill_diagonal(S, -np.inf)
    nearest = S.max(axis=1)
    np.fill_diagonal(S, inside)
    loose = (micro.sizes > 1) & (nearest > inside)
    if not loose.any():
        return similarity
    samples = np.flatnonzero(loose[micro.assignment])
    kept = np.flatnonzero(~loose)
    source = np.concatenate((kept, micro.assignment[samples]))
    position = np.empty(micro.count, dtype=np.intp)
    position[kept] = np.arange(len(kept))
    assignment = position[micro.assignment]
    assignment[samples] = len(kept) + np.arange(len(samples))
    finer = Microclusters.from_assignment(assignment)
    return InvariantMatrix(S[np.ix_(source, source)], 0.0, finer)


def _scipy_merge_tree(distances: Array, method: str) -> Merges:
    n_items = len(distances)
    if n_items == 1:
        return Merges(np.empty((0, 2), dtype=np.intp), np.empty(0), 1)
    np.fill_diagonal(distances, 0.0)
    tree = hierarchy.linkage(squareform(distances, checks=False), method)
    # SciPy numbers the cluster made by merge t as n_items + t; follow left children to an item.
    item = np.concatenate((np.arange(n_items), np.zeros(n_items - 1, dtype=np.intp)))
    children = tree[:, :2].astype(np.intp)
    for t, left in enumerate(children[:, 0].tolist()):
        item[n_items + t] = item[left]
    return Merges(item[children], tree[:, 2], n_items)


def _average_merge_tree(D: Array, weights: Array) -> Merges:
    """Average linkage by rounds of reciprocal nearest neighbours."""
    n_items = len(D)
    np.fill_diagonal(D, np.inf)
    items = np.arange(n_items)
    floor = np.zeros(n_items)  # height at which each active cluster was made
    pairs, heights = [], []
    while len(items) > 1:
        nearest = D.argmin(axis=1)
        a = np.flatnonzero(nearest[nearest] == np.arange(len(items)))
        a = a[a < nearest[a]]
        b = nearest[a]
        # Rounding may put a merge below the merges it contains; the tree must stay monotone.
        height = np.maximum(D[a, b], np.maximum(floor[a], floor[b]))
        pairs.append(np.column_stack((items[a], items[b])))
        heights.append(height)
        D, weights, kept = _merge_pairs(D, weights, a, b)
        floor[a] = height
        floor, items = floor[kept], items[kept]
        if len(a) * _FEW_PAIRS < len(items):
            chain = _average_chain(D, weights, items, floor)
            pairs.append(chain.pairs)
            heights.append(chain.heights)
            break
    return Merges(np.concatenate(pairs), np.concatenate(heights), n_items)


#: A round that merges less than this share of the clusters costs more than single merges do.
_FEW_PAIRS = 32


def _merge_pairs(
    D: Array, weights: Array, a: Labels, b: Labels
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Put clusters b into clusters a, all pairs at once, and drop b."""
    share = (weights[a] / (weights[a] + weights[b]))[:, None]
    # Columns first, then rows: pairs of merged clusters average over all four parts.
    D[:, a] = D[:, a] * share.T + D[:, b] * (1 - share.T)
    D[a] = D[a] * share + D[b] * (1 - share)
    weights = weights.copy()
    weights[a] += weights[b]
    kept = np.ones(len(D), dtype=bool)
    kept[b] = False
    D = D[np.ix_(kept, kept)]
    np.fill_diagonal(D, np.inf)
    return D, weights[kept], kept


def _average_chain(D: Array, weights: Array, items: Labels, floor: Array) -> Merges:
    """Average linkage by following nearest-neighbour chains, one merge at a time."""
    n_active = len(items)
    weights, floor = weights.copy(), floor.copy()
    active = np.ones(n_active, dtype=bool)
    pairs = np.empty((n_active - 1, 2), dtype=np.intp)
    heights = np.empty(n_active - 1)
    chain: list[int] = []
    for t in range(n_active - 1):
        if not chain:
            chain.append(int(active.argmax()))
        while True:
            top = chain[-1]
            nearest = int(D[top].argmin())
            # Prefer the previous element on ties, or the chain would run in circles.
            if len(chain) > 1 and D[top, chain[-2]] <= D[top, nearest]:
                nearest = chain[-2]
                break
            chain.append(nearest)
        del chain[-2:]
        keep, drop = sorted((top, nearest))
        heights[t] = max(D[keep, drop], floor[keep], floor[drop])
        floor[keep] = heights[t]
        pairs[t] = items[keep], items[drop]
        row = (weights[keep] * D[keep] + weights[drop] * D[drop]) / (weights[keep] + weights[drop])
        weights[keep] += weights[drop]
        active[drop] = False
        row[drop] = row[keep] = np.inf
        D[keep], D[:, keep] = row, row
        D[drop], D[:, drop] = np.inf, np.inf
    return Merges(pairs, heights, n_active)


# -- embeddings ---------------------------------------------------------------------------------


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
) -> Labels:
    """k-means of the rows, the best of `n_init` k-means++ starts; fewer labels where rows coincide.

    Parameters
    ----------
    points : (q, d) array or sparse array
    n_clusters : int
        Clusters wanted; no more than there are rows are made.
    random_state : int or RandomState
        Seed of the starts.
    weights : (q,) array, optional
        Number of samples each row stands for.
    n_init : int
        Restarts.
    """
    from sklearn.cluster import KMeans

    if n_clusters >= points.shape[0]:
        return np.arange(points.shape[0])
    model = KMeans(n_clusters, n_init=n_init, random_state=random_state)
    return model.fit(points, sample_weight=weights).labels_.astype(np.intp)


def spectral_embedding(
    similarity: InvariantMatrix, n_components: int
) -> tuple[Array, Microclusters]:
    """Leading eigenvectors of D^{-1/2} W D^{-1/2} (Ng, Jordan & Weiss 2001), rows of unit length.

    Parameters
    ----------
    similarity : InvariantMatrix
        W, symmetric and non-negative.
    n_components : int
        How many eigenvectors, those of the largest eigenvalues.

    Returns
    -------
    embedding : (q, n_components) array
        One row per microcluster.
    microclusters : Microclusters
        Those of `similarity`; single samples where an eigenvector varies inside a microcluster.
    """
    micro = similarity.microclusters
    degree = similarity.row_sums()
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1.0))
    normalized = InvariantMatrix(
        similarity.S * scale * scale[:, None], similarity.e * scale**2, micro
    )
    eigen = normalized.eigh(min(n_components, micro.count))
    inner = eigen.inner_values[micro.sizes > 1]
    threshold = eigen.values[-1] if micro.count >= n_components else -np.inf
    if micro.count < n_components or (inner > threshold + 1e-12).any():
        singles = Microclusters.from_assignment(np.arange(micro.n_samples))
        dense = InvariantMatrix(normalized.to_dense(), 0.0, singles)
        return unit_rows(dense.eigh(n_components).vectors), singles
    return unit_rows(eigen.vectors), micro


def spectral_labels(
    similarity: InvariantMatrix,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
) -> Labels:
    """Spectral clustering after Ng, Jordan & Weiss: :func:`spectral_embedding`, then k-means."""
    embedding, micro = spectral_embedding(similarity, n_clusters)
    found = k_means(embedding, n_clusters, random_state, weights=micro.r)
    return split_to(micro.expand(found), n_clusters)


def transfer_cut_embedding(B: sp.csr_array, weights: Array, n_components: int) -> Array:
    """Transfer cut of a bipartite graph between weighted items and clusters (Li et al. 2012).

    The eigenvectors of the small graph W_y = Bᵀ D_x⁻¹ B are carried to the items by D_x⁻¹ B.

    Parameters
    ----------
    B : (q, L) sparse array
        Non-negative link of each item with each cluster.
    weights : (q,) array
        Number of samples each item stands for.
    n_components : int
        c, number of eigenvectors, the trivial one included.

    Returns
    -------
    (q, n_components) array
        Rows of unit length.
    """
    B = sp.csr_array(B)
    d_x = np.asarray(B.sum(axis=1)).ravel()
    transition = B.multiply(1 / np.where(d_x > 0, d_x, 1.0)[:, None]).tocsr()
    W_y = (B.multiply(weights[:, None]).tocsr().T @ transition).toarray()
    W_y = (W_y + W_y.T) / 2
    d_y = W_y.sum(axis=1)
    scale = 1 / np.sqrt(np.where(d_y > 0, d_y, 1.0))
    L = len(W_y)
    k = min(n_components, L)
    _, vectors = scipy.linalg.eigh(
        W_y * scale * scale[:, None], subset_by_index=(L - k, L - 1), check_finite=False
    )
    return unit_rows(transition @ (vectors[:, ::-1] * scale[:, None]))


def transfer_cut_labels(
    ensemble: Ensemble,
    B: sp.csr_array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
    weighted: bool = True,
) -> Labels:
    """Transfer cut on the microclusters of an ensemble, then k-means of the embedding.

    Parameters
    ----------
    ensemble : Ensemble
    B : (n', L) sparse array
        Link of each microcluster with each cluster.
    n_clusters : int
        c.
    random_state : int or RandomState
        Seed of k-means.
    weighted : bool
        Whether microclusters count with their sizes; otherwise they are items of weight one.
    """
    micro = ensemble.microclusters
    weights = micro.r if weighted else np.ones(micro.count)
    embedding = transfer_cut_embedding(B, weights, n_clusters)
    found = k_means(embedding, n_clusters, random_state, weights=weights)
    return split_to(micro.expand(found), n_clusters)


def membership_labels(U: Array) -> tuple[Labels, int]:
    """The column each row prefers, such that every column is preferred by some row.

    A column that is nowhere the largest takes over the row in which it comes nearest to the
    largest, in proportion, from a label with several rows.

    Parameters
    ----------
    U : (q, c) array
        Non-negative memberships, c ≤ q.

    Returns
    -------
    labels : (q,) integer array
        All of 0 … c−1.
    n_preferred : int
        How many columns are the largest of some row.
    """
    labels = U.argmax(axis=1)
    count = np.bincount(labels, minlength=U.shape[1])
    n_preferred = int(np.count_nonzero(count))
    largest = U[np.arange(len(U)), labels]
    share = U / np.where(largest > 0, largest, 1.0)[:, None]
    for k in np.flatnonzero(count == 0):
        candidates = np.where(count[labels] > 1, share[:, k], -1.0)
        taken = candidates.argmax()
        count[labels[taken]] -= 1
        labels[taken] = k
        count[k] = 1
    return labels, n_preferred
