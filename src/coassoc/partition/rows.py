"""Average and single linkage of rows of labels by the labels that they have in common.

No matrix is made.

Let samples that share a label l be similar by w_l. The similarity of two clusters A and B, the mean
over their samples, is then Σ_l w_l a_l b_l / (|A| |B|), where a_l and b_l of their samples have the
label. So a cluster is kept as the list of its labels, and a label as the list of the clusters that
have it, with these numbers.

A search for the nearest cluster reads the lists of its labels: mn'/k entries where n' rows have k
labels in each of m columns. The chain makes about 3n' searches, so that the linkage takes 3mn'²/k
additions, 5 · 10⁹ at n' = 10⁵ with m = 20 and k from 50 to 300. Memory is 28 bytes for each of the
mn' labels.

Single linkage is a spanning tree that grows row by row; it reads the lists once and compares each
row outside with each inside, n'²/2 comparisons of two numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled

__all__ = ["merge_rows", "span_rows"]

Array = NDArray[np.float64]


def merge_rows(
    Z: sp.csr_array, sizes: Array, weights: Array, total: float, made_at: Array
) -> tuple[NDArray[np.int64], Array]:
    """Merge clusters of rows with distance 1 − Σ_l w_l a_l b_l / (|A| |B| total).

    Parameters
    ----------
    Z : (n', L) 0/1 array
        Labels of each row.
    sizes : (n',) array
        Number of samples of each row.
    weights : (L,) array
        w, not negative.
    total : float
        What similarities are divided by.
    made_at : (n',) array
        Distance between the samples of a row: no merge is below those of its parts.

    Returns
    -------
    merges : (n' − 1, 2) integer array
        Two rows, whose clusters merge. From then on the union is that of the first one, which is
        the later of the two.
    heights : (n' − 1,) array
        Their distances.

    Notes
    -----
    Of equally near clusters one prefers the previous one of the chain, then the one that comes
    first. Where all weights are 1, sums are whole numbers, and means that are equal are so in
    floating point too, as long as |A| |B| is below 2⁵³. Clusters that have no label in common merge
    last, in their order.
    """
    Z = sp.csr_array(Z[:, weights > 0])
    nodes = sp.csr_array((np.arange(Z.nnz, dtype=np.int32), Z.indices, Z.indptr), shape=Z.shape)
    lists = nodes.tocsc()
    entry = np.empty(Z.nnz, dtype=np.int32)
    entry[lists.data] = np.arange(Z.nnz)
    any_label = np.diff(Z.indptr) > 0
    following = np.arange(1, Z.nnz + 1, dtype=np.int32)
    following[Z.indptr[1:][any_label] - 1] = -1
    first = np.where(any_label, Z.indptr[:-1], -1).astype(np.int32)
    ends = np.column_stack((lists.indptr[:-1], lists.indptr[1:])).astype(np.int32)
    members = lists.indices.astype(np.int32)
    merges = np.empty((len(sizes) - 1, 2), dtype=np.int64)
    heights = np.empty(len(sizes) - 1)
    _merge_all(
        *(first, Z.indices.astype(np.int32), entry, following),
        *(ends, members, lists.data, sizes[members]),
        *(weights[weights > 0], total, sizes.copy(), made_at.copy()),
        *(merges, heights),
    )
    return merges, heights


def span_rows(Z: sp.csr_array, weights: Array) -> tuple[NDArray[np.int64], Array]:
    """Spanning tree of rows with the largest similarities Σ_l w_l of the labels l in common.

    Parameters
    ----------
    Z : (n', L) 0/1 array
        Labels of each row.
    weights : (L,) array
        w, not negative.

    Returns
    -------
    edges : (n' − 1, 2) integer array
        Two rows each, in order of decreasing similarity.
    similarities : (n' − 1,) array
        Their sums.

    Notes
    -----
    The tree grows from the first row (R. C. Prim, "Shortest connection networks and some
    generalizations", Bell System Technical Journal 36(6), 1957). Of rows that are equally similar
    to it the first one comes next, and is joined with the row that came first.
    """
    lists = Z.tocsc()
    edges = np.empty((Z.shape[0] - 1, 2), dtype=np.int64)
    similarities = np.empty(len(edges))
    each = (part.astype(np.int32) for part in (Z.indptr, Z.indices, lists.indptr, lists.indices))
    _span(*each, np.asarray(weights, dtype=np.float64), edges, similarities)
    order = np.argsort(-similarities, kind="stable")
    return edges[order], similarities[order]


_INTEGERS = "int32[::1], "
_NUMBERS = "float64[::1], "


@compiled(
    f"void({4 * _INTEGERS}int32[:, ::1], {2 * _INTEGERS}{2 * _NUMBERS}float64, {2 * _NUMBERS}"
    "int64[:, ::1], float64[::1])"
)
def _merge_all(
    first: Any,
    label: Any,
    entry: Any,
    following: Any,
    ends: Any,
    member: Any,
    node: Any,
    count: Any,
    weights: Any,
    total: Any,
    size: Any,
    made_at: Any,
    merges: Any,
    heights: Any,
) -> None:
    """Merge everything; write the merges and their heights. The others are working memory.

    The labels of cluster k are nodes in increasing order, linked from ``first[k]`` by `following`
    up to −1. A node has a `label` and an `entry` of the list of the label. List l is from
    ``ends[l, 0]`` to before ``ends[l, 1]``: entries with a cluster (`member`), how many of its
    samples have the label (`count`), and the `node` whose entry it is.
    """
    n = len(size)
    shared = np.zeros(n)  # Σ_l w_l a_l b_l with one cluster; zero between searches
    met = np.empty(n + 1, dtype=np.int32)  # the others

    def nearest(k, previous):  # type: ignore[no-untyped-def]
        """The most similar cluster, −1 if none has a label in common, and the similarity."""
        n_met = 0
        h = first[k]
        while h >= 0:
            weight, own = weights[label[h]], count[entry[h]]
            for e in range(ends[label[h], 0], ends[label[h], 1]):
                other = member[e]
                before = shared[other]
                met[n_met] = other  # stays if it is new
                n_met += before == 0.0
                # The same from both sides, to the last bit.
                shared[other] = before + weight * (own * count[e])
            h = following[h]
        shared[k] = 0.0
        best, similarity = previous, 0.0
        if previous >= 0:
            similarity = shared[previous] / (size[k] * size[previous])
        for i in range(n_met):
            other = met[i]
            mean = shared[other] / (size[k] * size[other])
            shared[other] = 0.0
            if mean > similarity or (mean == similarity and previous != best and other < best):
                best, similarity = other, mean
        return best, similarity

    def unite(k, l):  # type: ignore[no-untyped-def]
        """Move what cluster l has to cluster k."""
        a, b = first[k], first[l]
        last = -1
        while a >= 0 or b >= 0:
            if b < 0 or (a >= 0 and label[a] < label[b]):
                h, a = a, following[a]
            elif a < 0 or label[b] < label[a]:
                h, b = b, following[b]
                member[entry[h]] = k
            else:
                count[entry[a]] += count[entry[b]]
                # The last entry of the list takes the place of that of b.
                ends[label[b], 1] -= 1
                moved, place = ends[label[b], 1], entry[b]
                member[place], count[place] = member[moved], count[moved]
                node[place] = node[moved]
                entry[node[place]] = place
                h, a, b = a, following[a], following[b]
            if last < 0:
                first[k] = h
            else:
                following[last] = h
            last = h
        size[k] += size[l]

    over = np.zeros(n, dtype=np.bool_)  # merged into another one, or with nothing in common
    place = np.full(n, -1)  # in the chain
    chain = np.empty(n, dtype=np.int64)
    alone = np.empty(n, dtype=np.int64)  # clusters that have no label in common
    n_alone = length = start = t = 0
    while length or start < n:
        if length == 0:
            if over[start]:
                start += 1
                continue
            chain[0], place[start], length = start, 0, 1
        k = chain[length - 1]
        previous = chain[length - 2] if length > 1 else -1
        l, similarity = nearest(k, previous)
        if l < 0:
            alone[n_alone] = k
            n_alone += 1
            over[k] = True
            length = 0
        elif l != previous:
            # Rounding can make a union more similar to one further back than its parts were.
            while place[l] >= 0:
                length -= 1
                place[chain[length]] = -1
            chain[length], place[l] = l, length
            length += 1
        else:
            length -= 2
            place[k] = place[l] = -1
            k, l = max(k, l), min(k, l)
            unite(k, l)
            over[l] = True
            made_at[k] = max(1 - similarity / total, made_at[k], made_at[l])
            merges[t], heights[t] = (k, l), made_at[k]
            t += 1
    alone = np.sort(alone[:n_alone])
    for i in range(1, n_alone):
        merges[t] = alone[i], alone[i - 1]
        heights[t] = max(1.0, made_at[alone[i]], made_at[alone[i - 1]])
        made_at[alone[i]] = heights[t]
        t += 1


@compiled(f"void({4 * _INTEGERS}{_NUMBERS}int64[:, ::1], float64[::1])")
def _span(
    starts: Any,
    label: Any,
    list_starts: Any,
    member: Any,
    weights: Any,
    edges: Any,
    similarities: Any,
) -> None:
    """Grow the tree; write its edges and similarities in that order."""
    n = len(starts) - 1
    outside = np.arange(1, n)
    shared = np.zeros(n)  # Σ w_l with the row that came last; zero between rounds
    best = np.full(n, -1.0)  # largest with any row of the tree
    nearest = np.zeros(n, dtype=np.int64)
    last = np.int64(0)
    for t in range(n - 1):
        for h in range(starts[last], starts[last + 1]):
            for e in range(list_starts[label[h]], list_starts[label[h] + 1]):
                shared[member[e]] += weights[label[h]]
        chosen = 0
        for i in range(n - 1 - t):
            k = outside[i]
            if shared[k] > best[k]:
                best[k], nearest[k] = shared[k], last
            shared[k] = 0.0
            first = outside[chosen]
            if best[k] > best[first] or (best[k] == best[first] and k < first):
                chosen = i
        last = outside[chosen]
        outside[chosen] = outside[n - 2 - t]
        edges[t] = nearest[last], last
        similarities[t] = best[last]
