"""Hierarchical clustering of an invariant matrix, and cuts into exactly c clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from coassoc.ensemble import Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.partition.labels import canonical_labels

__all__ = ["Merges", "cut", "linkage_labels", "merge_tree"]

Array = NDArray[np.float64]

Labels = NDArray[np.intp]


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
