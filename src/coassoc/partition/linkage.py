"""Hierarchical clustering with few distinct samples, and cuts into exactly c clusters."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.evidence import Evidence
from coassoc.invariant import InvariantMatrix
from coassoc.partition.labels import Array, Labels, canonical_labels
from coassoc.similarity import CoAssociation

#: Linkage criteria: mean, largest or smallest distance between the samples of two clusters.
LINKAGES = ("average", "complete", "single")

#: Largest number of microclusters whose co-association matrix is computed for average or single
#: linkage. Above it, comparing clusters by their labels (:func:`links_rows`) is faster.
MOST_IN_MATRIX = 8192
#: Largest number of sets of missing labels for which a table of pairs is computed.
MOST_PATTERNS = 8192


class Dendrogram(NamedTuple):
    """All merges of n items of q kinds, in batches of equal merges.

    Batch t merges, for i = 0 … n_pairs[t] − 1, the cluster that contains item i of kind left[t]
    with the cluster that contains item shift[t] + i of kind right[t].

    Attributes
    ----------
    counts : (q,) integer array
        Number of items of each kind.
    left, right, shift, n_pairs : integer arrays, one entry per batch
        The clusters that merge. A batch comes after the batches whose clusters it merges.
    heights : array, one entry per batch
        Distance of the merged clusters, at least that of any batch whose clusters it merges.
    """

    counts: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    shift: NDArray[np.int64]
    n_pairs: NDArray[np.int64]
    heights: Array


def linkage_labels(similarity: InvariantMatrix, n_clusters: int, method: str = "average") -> Labels:
    """Hierarchical clustering of the samples with distance 1 − similarity.

    Parameters
    ----------
    similarity : InvariantMatrix
        Similarity matrix. It is symmetrised if necessary, and its diagonal is ignored.
    n_clusters : int
        c, from 1 to n.
    method : {"average", "complete", "single"}
        Linkage criterion.

    Returns
    -------
    (n,) integer array
        Exactly c clusters, 0 … c−1 in order of first appearance.
    """
    dendrogram = agglomerate_samples(similarity, method)
    return cut_samples(dendrogram, similarity.microclusters, n_clusters)


def agglomerate_samples(similarity: InvariantMatrix, method: str) -> Dendrogram:
    """Agglomerate the samples, or counted microclusters, with distance 1 − similarity.

    No matrix is formed if `similarity` is a co-association that ties equal rows and
    :func:`links_rows` is true.

    Parameters
    ----------
    similarity : InvariantMatrix
        See :func:`linkage_labels`.
    method : {"average", "complete", "single"}
        Linkage criterion.
    """
    micro = similarity.microclusters
    if (
        isinstance(similarity, CoAssociation)
        and similarity.ties_equal_rows
        and links_rows(similarity.ensemble, method)
    ):
        return agglomerate_rows(similarity, method)
    if micro.counted:
        return agglomerate(similarity.S, np.ones(micro.count), method, micro.sizes)
    return agglomerate(similarity.S, micro.sizes, method)


def links_rows(ensemble: Ensemble, method: str) -> bool:
    """Whether linkage of a co-association with this many rows avoids the matrix.

    It does for more than :data:`MOST_IN_MATRIX` microclusters, unless `method` is "complete". For
    "average", there must be at most :data:`MOST_PATTERNS` different sets of missing labels.
    """
    if (
        isinstance(ensemble, Evidence)
        or method == "complete"
        or ensemble.microclusters.count <= MOST_IN_MATRIX
    ):
        return False
    few = method == "single" or not ensemble.has_missing
    return few or len(ensemble.patterns.seen) <= MOST_PATTERNS


def agglomerate_rows(similarity: CoAssociation, method: str = "average") -> Dendrogram:
    """Linkage of samples by labels; see :func:`~.rows.merge_rows` and :func:`~.rows.span_rows`.

    The samples of a microcluster are merged first, because no other samples are more similar.

    Parameters
    ----------
    similarity : CoAssociation
        A co-association that ties equal rows.
    method : {"average", "single"}
        Linkage criterion.
    """
    from coassoc.partition.rows import merge_rows, span_rows

    ensemble, micro = similarity.ensemble, similarity.microclusters
    Z, patterns = ensemble.microcluster_membership, ensemble.patterns
    counts = np.ones_like(micro.sizes) if micro.counted else micro.sizes
    alike = np.flatnonzero(counts > 1)
    inside = np.where(counts > 1, 1 - similarity.inside, 0.0)
    if method == "average":
        totals = np.full((1, 1), similarity.total)
        if ensemble.has_missing:
            totals = patterns.totals(similarity.divisors)
        merges, heights = merge_rows(Z, micro.r, similarity.weights, patterns.of, totals, inside)
    else:
        merges, similarities = span_rows(Z, similarity.weights, patterns, similarity.divisors)
        heights = 1 - similarities
    ones = np.ones(len(merges), dtype=np.int64)
    return Dendrogram(
        counts,
        left=np.concatenate((alike, merges[:, 0])),
        right=np.concatenate((alike, merges[:, 1])),
        shift=np.concatenate((np.ones_like(alike), 0 * ones)),
        n_pairs=np.concatenate((counts[alike] - 1, ones)),
        heights=np.concatenate((inside[alike], heights)),
    )


def agglomerate(
    S: Array, counts: ArrayLike, method: str, sizes: ArrayLike | float = 1.0
) -> Dendrogram:
    """Agglomerate items, few of them distinct, with distance 1 − similarity.

    Parameters
    ----------
    S : (q, q) array
        Similarity between different items of each pair of kinds; (S + Sᵀ)/2 is used. The diagonal
        is used for kinds with several items.
    counts : (q,) integer array
        Number of items of each kind.
    method : {"average", "complete", "single"}
        Linkage criterion.
    sizes : (q,) array or number
        Number of samples that an item of each kind represents in means.

    Raises
    ------
    ValueError
        If a similarity is infinite or NaN.

    Notes
    -----
    Items of a kind are interchangeable, and so are all clusters with equal numbers of items of each
    kind. The state is therefore one row of distances D for each kind of cluster, with the number of
    such clusters; D_kk is the distance between two different clusters of kind k.

    Let k and l be nearest neighbours of each other. The three criteria are reducible: the distance
    of a merged cluster from a third cluster is at least the smaller distance of its two parts.
    Merging one k with one l therefore leaves the other clusters of the two kinds nearest neighbours
    of each other, and as many pairs merge at height D_kl as the rarer kind has clusters. If a
    kind's clusters are nearest to each other, all of them merge at height D_kk into one cluster,
    whose distances equal the distances of each. The new kind k ∪ l replaces the rarer kind, which
    is used up. There are therefore never more than q kinds, and one array holds all distances.

    Nearest neighbours are found by following chains (F. Murtagh, "A survey of recent advances in
    hierarchical clustering algorithms", Computer Journal 26(4), 1983), which gives the merges of
    the plain algorithm in another order. Among equally near clusters, a cluster prefers clusters of
    its own kind, then the previous cluster of the chain, then the first kind. The result depends on
    the order of the kinds, but not on the order of the items. A batch takes O(q). There are about q
    batches if most kinds stay together, and up to n − 1 if the clusters of large kinds join others
    one by one at growing distances.
    """
    D = _distances(S)
    if not np.isfinite(D.sum()):
        raise ValueError("Some similarities are missing or infinite. Pass finite numbers.")
    counts = np.array(counts, dtype=np.int64)
    size = np.broadcast_to(np.asarray(sizes, dtype=np.float64), counts.shape).copy()
    batches = np.array(_merge_all(D, counts.copy(), size, method)).reshape(-1, 5)
    left, right, shift, n_pairs = batches[:, :4].T.astype(np.int64)
    return Dendrogram(counts, left, right, shift, n_pairs, heights=batches[:, 4].copy())


def _distances(S: Array) -> Array:
    """1 − (S + Sᵀ)/2, in blocks of rows that stay in cache."""
    D = np.empty(S.shape)
    for start in range(0, len(S), _BLOCK):
        rows = slice(start, start + _BLOCK)
        D[rows] = 1 - (S[rows] + S[:, rows].T) / 2
    return D


#: Number of rows in a block of distances.
_BLOCK = 64


def cut(dendrogram: Dendrogram, n_clusters: int) -> Labels:
    """Clusters of the items without the last `n_clusters` − 1 merges.

    Returns
    -------
    (n,) integer array
        Exactly c clusters, or n if c > n. Items of the first kind come first, then those of the
        second kind, and so on.
    """
    counts = dendrogram.counts
    n_items = int(counts.sum())
    n_merges = max(n_items - n_clusters, 0)
    order = np.argsort(dendrogram.heights, kind="stable")
    n_pairs = dendrogram.n_pairs[order]
    before = np.cumsum(n_pairs) - n_pairs
    done = np.clip(n_merges - before, 0, n_pairs)
    pair = np.arange(n_merges) - np.repeat(before, done)
    first = np.cumsum(counts) - counts
    left = np.repeat(first[dendrogram.left[order]], done) + pair
    right = np.repeat((first[dendrogram.right] + dendrogram.shift)[order], done) + pair
    graph = sp.coo_array((np.ones(n_merges), (left, right)), shape=(n_items, n_items))
    return connected_components(graph, directed=False)[1].astype(np.intp)


def cut_samples(dendrogram: Dendrogram, microclusters: Microclusters, n_clusters: int) -> Labels:
    """:func:`cut` for the result of :func:`agglomerate_samples`.

    Returns
    -------
    (n,) integer array
        Clusters of the samples, 0 … c−1 in order of first appearance.
    """
    counts = dendrogram.counts
    item = microclusters.expand(np.cumsum(counts) - counts) + microclusters.place
    return canonical_labels(cut(dendrogram, n_clusters)[item])


def longest_lifetime(dendrogram: Dendrogram, similarity: InvariantMatrix) -> int:
    """The number of clusters with the longest range of thresholds (Fred & Jain 2005).

    The lifetime of c is the length of the range of distances at which the dendrogram of
    1 − similarity is cut into c clusters. The range starts at the distance at which no samples with
    equal rows are separated, which is 0 for plain co-associations. It ends at 1, the distance of
    samples that are never co-clustered.

    Parameters
    ----------
    dendrogram : Dendrogram
        Result of :func:`agglomerate_samples`.
    similarity : InvariantMatrix
        The similarity from which the dendrogram was computed.

    Returns
    -------
    int
        The largest of the numbers with the longest lifetime; 1 is possible.

    References
    ----------
    A. L. Fred, A. K. Jain, "Combining multiple clusterings using evidence accumulation", IEEE
    TPAMI 27(6), 2005.
    """
    first = 0.0
    if isinstance(similarity, CoAssociation):
        first = max(0.0, 1 - float(similarity.inside.min()))
    heights = np.sort(np.repeat(dendrogram.heights, dendrogram.n_pairs))
    lifetimes = np.diff(np.maximum(np.concatenate(([0.0], heights, [1.0])), first))
    longest = np.flatnonzero(lifetimes >= lifetimes.max() - _EQUAL)[0]
    return len(lifetimes) - int(longest)


#: Difference below which lifetimes count as equal.
_EQUAL = 1e-9


def _merge_all(
    D: Array, count: NDArray[np.int64], size: Array, method: str
) -> list[tuple[float, ...]]:
    """Merge everything; return left, right, shift, n_pairs and the height of each batch.

    D, `count`, the number of clusters of each kind, and `size`, the samples in one of them, are
    working memory.
    """
    kinds = np.arange(len(D))
    used_up = np.zeros(len(D))  # infinite for kinds that have no clusters any more
    batches: list[tuple[float, ...]] = []

    def record(k: int, l: int, shift: Any, n_pairs: Any) -> None:
        batches.append((kinds[k], kinds[l], shift, n_pairs, D[k, l]))

    def merge_inside(k: int) -> None:
        record(k, k, 1, count[k] - 1)
        size[k] *= count[k]
        count[k] = 1
        D[k, k] = np.inf

    alone = count == 1
    np.fill_diagonal(D, np.where(alone, np.inf, D.diagonal()))  # no other cluster of this kind
    for nearest in np.flatnonzero(~alone & (D.diagonal() == D.min(axis=1))).tolist():
        merge_inside(nearest)
    n_kinds = len(D)
    chain: list[int] = []
    while n_kinds > 1 or count.max() > 1:
        if not chain:
            if 2 * n_kinds <= len(D):
                kept = np.flatnonzero(count)
                D, used_up = D[np.ix_(kept, kept)], np.zeros(len(kept))
                count, size, kinds = count[kept], size[kept], kinds[kept]
            chain = [int(np.flatnonzero(count)[0])]
        k, previous = chain[-1], chain[-2] if len(chain) > 1 else chain[-1]
        row = D[k]
        l = int((row + used_up).argmin())
        if row[l] == row[previous]:
            l = previous
        if row[l] == row[k]:
            merge_inside(k)
        elif l != previous:
            chain.append(l)
        else:
            del chain[-2:]
            if count[k] > count[l] or (count[k] == count[l] and k < l):
                k, l = l, k
            # Each cluster of kind k merges with a cluster of kind l. Now k denotes the unions.
            count[l] -= count[k]
            record(k, l, count[l], count[k])
            row = _united(D[k], D[l], size[k], size[l], method)
            # The distances from a union to the former k and l make the distance of two unions.
            of_two = _united(row[k], row[l], size[k], size[l], method)
            row[k] = of_two if count[k] > 1 else np.inf
            D[k] = D[:, k] = row
            size[k] += size[l]
            if count[l] == 1:
                D[l, l] = np.inf
            elif count[l] == 0:
                used_up[l] = np.inf
                n_kinds -= 1
    return batches


def _united(a: Any, b: Any, size_a: float, size_b: float, method: str) -> Any:
    """Distances from a union whose parts are at the distances a and b."""
    if method == "average":
        mean = (size_a * a + size_b * b) / (size_a + size_b)
        # Rounding must not make this distance smaller than both old distances, or the union could
        # merge below its parts.
        return np.maximum(mean, np.minimum(a, b))
    return np.maximum(a, b) if method == "complete" else np.minimum(a, b)
