"""Average and single linkage of rows of labels by their common labels.

No similarity matrix is formed.

A common label l adds w_l to the similarity of two samples. The similarity of two clusters A and B,
the mean over their samples, is then Σ_l w_l a_l b_l / (|A| |B|), where a_l and b_l are the numbers
of their samples with the label. A cluster is therefore stored as the list of its labels, and a
label as the list of its clusters, with these numbers.

If labels are missing, the similarity of two samples is divided by a d_pq that depends on the
patterns p and q of base clusterings that label the two samples. The mean is still an inner product,
Σ_l w_l Σ_pq a_lp b_lq / d_pq, where a_lp and b_lq are numbers of samples with the label and the
pattern. Each label of a cluster is therefore stored once for each of its patterns.

A search for the nearest cluster reads the lists of its labels, which have mn'/k entries if n' rows
have k labels in each of m columns. The chain makes about 3n' searches, so the linkage takes 3mn'²/k
additions: 5 · 10⁹ for n' = 10⁵, m = 20 and k from 50 to 300. It needs 36 bytes for each of the mn'
labels, and 8 P² bytes for P patterns. A label with many patterns adds P operations to a search for
each pattern.

Single linkage is a spanning tree that grows row by row. It reads the lists once and compares each
row outside the tree with each row inside, which takes n'²/2 comparisons of two numbers.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Patterns
from coassoc.numerics.compiled import compiled
from coassoc.partition.labels import Array

Integers = NDArray[np.intp]


def merge_rows(
    Z: sp.csr_array, sizes: Array, weights: Array, pattern: Integers, totals: Array, made_at: Array
) -> tuple[NDArray[np.int64], Array]:
    """Merge clusters of rows with distance 1 − Σ_l w_l Σ_pq a_lp b_lq / d_pq / (|A| |B|).

    Parameters
    ----------
    Z : (n', L) 0/1 array
        Labels of each row.
    sizes : (n',) array
        Number of samples of each row.
    weights : (L,) array
        Non-negative weights w.
    pattern : (n',) integer array
        Pattern of missing labels of each row.
    totals : (P, P) array
        d, positive for patterns of rows that share a label of positive weight.
    made_at : (n',) array
        Distance between the samples of a row. No merge is below this distance of its parts.

    Returns
    -------
    merges : (n' − 1, 2) integer array
        Pairs of rows whose clusters merge. The union is then the cluster of the first row, which is
        the later of the two.
    heights : (n' − 1,) array
        Their distances.

    Notes
    -----
    Among equally near clusters, the previous one of the chain is preferred, then the first one. If
    all weights are 1 and no label is missing, sums are integers, and equal means are also equal in
    floating point, as long as |A| |B| is below 2⁵³. If labels are missing, sums depend on the order
    of their terms. The previous cluster is then preferred if it is equally near up to a relative
    10⁻¹¹. Clusters without a common label merge last, in their order.
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
    pattern = pattern.astype(np.int32)
    # Without missing labels, sums stay integers if all weights are 1.
    share, total = np.ones((1, 1)), totals[0, 0]
    if len(totals) > 1:
        share = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        total = 1.0
    of_nodes = (Z.indices.astype(np.int32), np.repeat(pattern, np.diff(Z.indptr)))
    _merge_all(
        (first, *of_nodes, entry, following),
        (ends, members, lists.data, pattern[members], sizes[members]),
        (weights[weights > 0], share, total),
        (sizes.copy(), made_at.copy()),
        (merges, heights),
    )
    return merges, heights


def span_rows(
    Z: sp.csr_array, weights: Array, patterns: Patterns, divisors: Array
) -> tuple[NDArray[np.int64], Array]:
    """Spanning tree of rows with the largest similarities Σ_l w_l / d of the labels l in common.

    Parameters
    ----------
    Z : (n', L) 0/1 array
        Labels of each row.
    weights : (L,) array
        Non-negative weights w.
    patterns : Patterns
        Patterns of missing labels.
    divisors : (m,) array
        Divisors of the base clusterings; d is their sum over the base clusterings that label both
        rows.

    Returns
    -------
    edges : (n' − 1, 2) integer array
        Pairs of rows in order of decreasing similarity.
    similarities : (n' − 1,) array

    Notes
    -----
    The tree grows from the first row (R. C. Prim, "Shortest connection networks and some
    generalizations", Bell System Technical Journal 36(6), 1957). Among rows that are equally
    similar to it, the first one comes next and is joined to the first row to which it is so
    similar.
    """
    lists = Z.tocsc()
    edges = np.empty((Z.shape[0] - 1, 2), dtype=np.int64)
    similarities = np.empty(len(edges))
    indices = (part.astype(np.int32) for part in (Z.indptr, Z.indices, lists.indptr, lists.indices))
    seen_by = patterns.seen.T.copy()
    _span(*indices, weights, patterns.of, seen_by, divisors, edges, similarities)
    order = np.argsort(-similarities, kind="stable")
    return edges[order], similarities[order]


_NODES, _LISTS = "Tuple((s1, s1, s1, s1, s1))", "Tuple((s2, s1, s1, s1, f1))"


@compiled(f"void({_NODES}, {_LISTS}, Tuple((f1, f2, f)), Tuple((f1, f1)), Tuple((i2, f1)))")
def _merge_all(nodes, lists, factors, clusters, found):
    """Merge everything; write the merges and their heights. The others are working memory.

    The labels of cluster k are nodes in increasing order, linked from ``first[k]`` by `following`
    up to −1; a label has a node for each `pattern`. A node has a `label` and an `entry` of the list
    of the label. List l is from ``ends[l, 0]`` to before ``ends[l, 1]``: entries with a cluster
    (`member`), how many of its samples have the label and the pattern (`count`, `pattern_there`),
    and the `node` whose entry it is. `share` is 1 / d; with one pattern, d is `total`.
    """
    first, label, pattern, entry, following = nodes
    ends, member, node, pattern_there, count = lists
    weights, share, total = factors
    size, made_at = clusters
    merges, heights = found
    n, n_patterns = len(size), len(share)
    shared = np.zeros(n)  # sum of the similarities with one cluster, reset to zero between searches
    met = np.empty(n + 1, dtype=np.int32)  # the other clusters
    # Sums for a label over the samples of a cluster: Σ_p a_p / d_pq.
    sums = np.empty(n_patterns)
    slack = 1.0 + 1e-11 if n_patterns > 1 else 1.0

    def same_label(h, l):
        return h >= 0 and label[h] == l

    def add_shared(h, n_met):
        """Add the similarities by a label of one pattern or more; the first of its nodes is h."""
        l, n_own, toward = label[h], count[entry[h]], share[pattern[h]]
        weight, h = weights[l], following[h]
        if same_label(h, l):
            sums[:] = n_own * toward
            n_own, toward = 1.0, sums
        while same_label(h, l):
            sums[:] += count[entry[h]] * share[pattern[h]]
            h = following[h]
        for e in range(ends[l, 0], ends[l, 1]):
            other = member[e]
            before = shared[other]
            met[n_met] = other  # keep it if it is new
            n_met += before == 0.0
            # With one pattern, the value is the same to the last bit from both sides.
            shared[other] = before + weight * (n_own * toward[pattern_there[e]] * count[e])
        return h, n_met

    def nearest(k, previous):
        """The most similar cluster, −1 if none has a label in common, and the similarity."""
        n_met = 0
        h = first[k]
        while h >= 0:
            h, n_met = add_shared(h, n_met)
        shared[k] = 0.0
        best, similarity = previous, 0.0
        if previous >= 0:
            similarity = slack * shared[previous] / (size[k] * size[previous])
        for i in range(n_met):
            other = met[i]
            mean = shared[other] / (size[k] * size[other])
            shared[other] = 0.0
            if mean > similarity or (mean == similarity and previous != best and other < best):
                best, similarity = other, mean
        return best, similarity / slack if best == previous else similarity

    def precedes(a, b):
        return label[a] < label[b] or (label[a] == label[b] and pattern[a] < pattern[b])

    def unite(k, l):
        """Move the entries of cluster l to cluster k."""
        a, b = first[k], first[l]
        last = -1
        while a >= 0 or b >= 0:
            if b < 0 or (a >= 0 and precedes(a, b)):
                h, a = a, following[a]
            elif a < 0 or precedes(b, a):
                h, b = b, following[b]
                member[entry[h]] = k
            else:
                count[entry[a]] += count[entry[b]]
                # The last entry of the list takes the place of the entry of b.
                ends[label[b], 1] -= 1
                moved, place = ends[label[b], 1], entry[b]
                member[place], count[place] = member[moved], count[moved]
                node[place], pattern_there[place] = node[moved], pattern_there[moved]
                entry[node[place]] = place
                h, a, b = a, following[a], following[b]
            if last < 0:
                first[k] = h
            else:
                following[last] = h
            last = h
        size[k] += size[l]

    over = np.zeros(n, dtype=np.bool_)  # merged into another cluster, or without a common label
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
            # Rounding can make a union more similar to an earlier cluster of the chain than its
            # parts were.
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


@compiled("void(s1, s1, s1, s1, f1, i1, f2, f1, i2, f1)")
def _span(
    starts, label, list_starts, member, weights, pattern, seen_by, divisors, edges, similarities
):
    """Grow the tree; write its edges and similarities in that order."""
    n, (m, n_patterns) = len(starts) - 1, seen_by.shape
    total = np.empty(n_patterns)  # sums of the row that came last, for each pattern
    outside = np.arange(1, n)
    shared = np.zeros(n)  # sum of w_l with the row that came last, reset to zero between rounds
    best = np.full(n, -1.0)  # largest similarity with any row of the tree
    nearest = np.zeros(n, dtype=np.int64)
    last = np.int64(0)
    for t in range(n - 1):
        for h in range(starts[last], starts[last + 1]):
            for e in range(list_starts[label[h]], list_starts[label[h] + 1]):
                shared[member[e]] += weights[label[h]]
        total[:] = 0.0
        for j in range(m):
            if seen_by[j, pattern[last]]:
                total += divisors[j] * seen_by[j]
        chosen = 0
        for i in range(n - 1 - t):
            k = outside[i]
            similarity = shared[k]
            if similarity > 0.0:
                similarity /= total[pattern[k]]
            if similarity > best[k]:
                best[k], nearest[k] = similarity, last
            shared[k] = 0.0
            first = outside[chosen]
            if best[k] > best[first] or (best[k] == best[first] and k < first):
                chosen = i
        last = outside[chosen]
        outside[chosen] = outside[n - 2 - t]
        edges[t] = nearest[last], last
        similarities[t] = best[last]
