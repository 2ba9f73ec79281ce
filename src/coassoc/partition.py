"""Final partitions: from a similarity, or an embedding, to labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.optimize import eigenpairs_within

__all__ = [
    "Merges",
    "canonical_labels",
    "component_labels",
    "cut",
    "discretize",
    "k_means",
    "linkage_labels",
    "merge_components",
    "membership_labels",
    "merge_tree",
    "spectral_embedding",
    "spectral_labels",
    "split_to",
    "transfer_cut_embedding",
    "transfer_cut_labels",
    "unit_rows",
    "vote_labels",
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
    return canonical_labels(labels)


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
    if n_clusters >= merges.n_items:
        return np.arange(merges.n_items)
    order = np.argsort(merges.heights, kind="stable")
    return _components(merges, order[: merges.n_items - n_clusters])


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
    distances = np.subtract(1.0, similarity.S)
    inside = np.diagonal(distances).copy()
    merges = merge_tree(distances, similarity.microclusters.sizes, method)
    return canonical_labels(_cut_samples(merges, inside, similarity.microclusters, n_clusters))


def _cut_samples(merges: Merges, inside: Array, micro: Microclusters, n_clusters: int) -> Labels:
    """Cut the dendrogram of the samples: r_k − 1 merges inside each microcluster, and `merges`.

    Merges inside a loose group of samples may be higher than merges of other microclusters, so
    that both kinds are undone in the order of their heights.
    """
    spare = micro.sizes - 1
    heights = np.concatenate((np.repeat(inside, spare), merges.heights))
    done = np.argsort(heights, kind="stable")[: micro.n_samples - n_clusters]
    n_inside = int(spare.sum())
    owner = np.repeat(np.arange(micro.count), spare)[done[done < n_inside]]
    kept = np.bincount(owner, minlength=micro.count) + 1
    labels = micro.expand(_components(merges, done[done >= n_inside] - n_inside))
    single = np.flatnonzero(micro.place >= micro.expand(kept))
    labels[single] = micro.count + np.arange(len(single))
    return labels


def _components(merges: Merges, done: NDArray[np.intp]) -> Labels:
    """Clusters of the items after the merges numbered in `done`."""
    left, right = merges.pairs[done].T
    graph = sp.coo_array((np.ones(len(left)), (left, right)), shape=(merges.n_items,) * 2)
    return connected_components(graph, directed=False)[1].astype(np.intp)


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
    if n_items == 1:
        return Merges(np.empty((0, 2), dtype=np.intp), np.empty(0), 1)
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
    if isinstance(points, sp.csr_array):
        # scikit-learn takes sparse arrays with 32-bit indices only.
        places = points.indices.astype("i4"), points.indptr.astype("i4")
        points = sp.csr_array((points.data, *places), shape=points.shape)
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


def transfer_cut_embedding(B: Array | sp.csr_array, weights: Array, n_components: int) -> Array:
    """Transfer cut of a bipartite graph between weighted items and clusters (Li et al. 2012).

    The eigenvectors of the small graph W_y = Bᵀ D_x⁻¹ B are carried to the items by D_x⁻¹ B.

    Parameters
    ----------
    B : (q, L) array or sparse array
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
    d_x = np.asarray(B.sum(axis=1)).ravel()
    inverse = 1 / np.where(d_x > 0, d_x, 1.0)
    F = _scaled_rows(B, np.sqrt(weights * inverse))
    W_y = F.T @ F if isinstance(F, np.ndarray) else (F.T @ F).toarray()
    d_y = W_y.sum(axis=1)
    scale = 1 / np.sqrt(np.where(d_y > 0, d_y, 1.0))
    L = len(W_y)
    k = min(n_components, L)
    _, vectors = eigenpairs_within(W_y * scale * scale[:, None], by_index=(L - k, L - 1))
    # The rows get unit length, so that their scale D_x⁻¹ can be left out unless they are zero.
    return unit_rows(np.asarray(B @ (vectors[:, ::-1] * scale[:, None])))


def _scaled_rows(B: Array | sp.csr_array, scale: Array) -> Array | sp.csr_array:
    if isinstance(B, np.ndarray):
        return B * scale[:, None]
    return B.multiply(scale[:, None]).tocsr()


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
        Whether microclusters count with their sizes; otherwise they are items of weight one.
    """
    micro = ensemble.microclusters
    weights = micro.r if weighted else np.ones(micro.count)
    embedding = transfer_cut_embedding(B, weights, n_clusters)
    found = k_means(embedding, n_clusters, random_state, weights=weights)
    return split_to(micro.expand(found), n_clusters)


# -- discretisation -----------------------------------------------------------------------------


def discretize(
    vectors: Array, starts: NDArray[np.intp], weights: Array | None = None, max_iter: int = 20
) -> Labels:
    """Discretisation of eigenvectors by an orthogonal rotation (Yu & Shi, ICCV 2003).

    Alternates between the partition matrix X nearest to the rotated rows, ‖X − V R‖ for rows V of
    unit length, and the rotation R nearest to that X, from a rotation built on one row of V and the
    rows most orthogonal to it.

    Parameters
    ----------
    vectors : (q, c) array
        Eigenvectors; any rotation of them gives the same partition.
    starts : (s,) integer array
        Rows to start from. The nearest partition over all starts is returned, one with c clusters
        before any with fewer.
    weights : (q,) array, optional
        Number of samples each row stands for.
    max_iter : int
        Most alternations per start.

    Returns
    -------
    (q,) integer array
        Values in 0 … c−1; clusters may be empty.
    """
    V = unit_rows(vectors)
    weighted = V if weights is None else V * np.asarray(weights)[:, None]
    found = [_rotate_from(V, weighted, start, max_iter) for start in starts]
    return max(found, key=lambda result: (len(np.unique(result[0])), result[1]))[0]


def _rotate_from(V: Array, weighted: Array, start: int, max_iter: int) -> tuple[Labels, float]:
    """Labels and Σ Ω, where ‖X − V R‖² = 2 (n − Σ Ω), from one starting row."""
    R = _start_rotation(V, start)
    labels, fit = np.full(len(V), -1, dtype=np.intp), -np.inf
    for _ in range(max_iter):
        previous, labels = labels, (V @ R).argmax(axis=1)
        if (labels == previous).all():
            break
        X = np.eye(V.shape[1])[labels]
        U, omega, Vt = np.linalg.svd(X.T @ weighted)
        fit = float(omega.sum())
        R = (U @ Vt).T
    return labels, fit


def _start_rotation(V: Array, start: int) -> Array:
    """Columns: the starting row of V, then again and again the row most orthogonal to them."""
    R = np.zeros((V.shape[1], V.shape[1]))
    R[:, 0] = V[start]
    overlap = np.zeros(len(V))
    for k in range(1, V.shape[1]):
        overlap += np.abs(V @ R[:, k - 1])
        R[:, k] = V[overlap.argmin()]
    return R


# -- meta-clusters ------------------------------------------------------------------------------


def vote_labels(ensemble: Ensemble, meta: Labels, n_clusters: int) -> tuple[Labels, int]:
    """Let the clusters of each meta-cluster vote for the samples they contain.

    A sample joins the meta-cluster of whose clusters it is in the largest share, on ties the one
    whose clusters hold most samples in all. A meta-cluster that wins no sample takes over the
    microcluster it is closest to winning from a consensus cluster of several, so that `n_clusters`
    result.

    Parameters
    ----------
    ensemble : Ensemble
    meta : (L,) integer array
        Meta-cluster of each cluster, in 0 … c−1.
    n_clusters : int
        c, from 1 to n.

    Returns
    -------
    labels : (n,) integer array
        Exactly c consensus clusters.
    n_won : int
        How many meta-clusters won samples by their votes.
    """
    micro = ensemble.microclusters
    n_labels = min(n_clusters, micro.count)
    n_meta = max(n_labels, int(meta.max()) + 1)
    # Heaviest first: argmax takes the first of equals.
    heaviest = np.argsort(-np.bincount(meta, ensemble.cluster_sizes, n_meta), kind="stable")
    members = (meta[:, None] == heaviest).astype(np.float64)
    votes = ensemble.microcluster_membership @ members / np.maximum(members.sum(axis=0), 1)
    labels = votes.argmax(axis=1)
    won = np.unique(labels)
    _take_over(votes, labels, n_labels)
    return split_to(micro.expand(labels), n_clusters), len(won)


def _take_over(votes: Array, labels: Labels, n_labels: int) -> None:
    """Give losers of the vote one item each, in place, until `n_labels` labels are in use."""
    count = np.bincount(labels, minlength=votes.shape[1])
    items = np.arange(len(labels))
    for k in np.flatnonzero(count == 0)[: n_labels - np.count_nonzero(count)]:
        margin = votes[items, labels] - votes[:, k]
        margin[count[labels] == 1] = np.inf
        taken = margin.argmin()
        count[labels[taken]] -= 1
        count[k] += 1
        labels[taken] = k


# -- connected components of a learned graph ----------------------------------------------------


def component_labels(
    ensemble: Ensemble,
    component: Labels,
    degree: Array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
    cut_graph: Callable[[], Labels],
) -> Labels:
    """Partition from the connected components of a graph that was to have `n_clusters` of them.

    With fewer components the graph itself is cut; with more they are joined by
    :func:`merge_components`.

    Parameters
    ----------
    ensemble : Ensemble
    component : (n',) integer array
        Component of each microcluster, 0, 1, …
    degree : (n',) array
        Sum of the edge weights of a sample of each microcluster.
    n_clusters : int
        c.
    random_state : int or RandomState
        Seed of k-means.
    cut_graph : callable
        Labels of the n samples from cutting the learned graph.
    """
    micro = ensemble.microclusters
    count = int(component.max()) + 1
    if count == n_clusters:
        return micro.expand(component)
    if micro.count <= n_clusters:
        return split_to(micro.assignment, n_clusters)
    if count < n_clusters:
        return cut_graph()
    joined = merge_components(ensemble, component, degree, n_clusters, random_state)
    return micro.expand(joined)


def merge_components(
    ensemble: Ensemble,
    component: Labels,
    degree: Array,
    n_clusters: int,
    random_state: np.random.RandomState | int | None,
) -> Labels:
    """Join the components of a graph into fewer clusters, by the samples' co-associations.

    The spectral embedding of a graph W with more components than eigenvectors is not determined.
    That of W + εÃ is, and for ε → 0 it becomes constant on the components: the solutions of
    L f = μ D f with the smallest μ, L the Laplacian of Ã summed over pairs of components and D
    the degrees of W summed over components.

    Parameters
    ----------
    ensemble : Ensemble
    component : (n',) integer array
        Component of each microcluster, 0, 1, …
    degree : (n',) array
        Degree in W of a sample of each microcluster.
    n_clusters : int
        c, at most the number of components.
    random_state : int or RandomState
        Seed of k-means.

    Returns
    -------
    (n',) integer array
        Cluster of each microcluster.
    """
    r = ensemble.microclusters.r
    size = np.bincount(component, weights=r).astype(np.float64)
    mass = np.bincount(component, weights=r * degree)
    # A component without edges keeps a place in the embedding by its size.
    scale = 1 / np.sqrt(np.where(mass > 0, mass, size))
    indicator = sp.csr_array((r, (component, np.arange(len(r)))))
    shared = (indicator @ ensemble.microcluster_membership).toarray()
    L = shared @ (-shared.T / ensemble.n_clusterings)
    L.flat[:: len(L) + 1] -= L.sum(axis=1)
    L *= scale
    L *= scale[:, None]
    _, vectors = eigenpairs_within(L, by_index=(0, n_clusters - 1))
    return k_means(unit_rows(vectors), n_clusters, random_state, weights=size)[component]


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
