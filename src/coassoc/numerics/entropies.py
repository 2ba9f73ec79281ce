"""Entropies of clusters over many base clusterings."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import over_blocks, row_blocks

Array = NDArray[np.float64]


def sums_of_entropies(
    Z: sp.csr_array, sizes: NDArray[np.intp], offsets: NDArray[np.intp]
) -> tuple[Array, NDArray[np.int64]]:
    """Entropy of each cluster, and the number of base clusterings that label any of its samples.

    Only a table of the n² / 2 terms −(x/s) log₂(x/s) and a row of counts are stored. Clusters with
    the same samples, which are frequent in many base clusterings, are computed once. Terms are
    added in the order of the clusters.

    Parameters
    ----------
    Z : (n', L) 0/1 array
        Membership of rows in clusters.
    sizes : (n',) integer array
        Number of samples of each row.
    offsets : (m + 1,) integer array
        First cluster of each base clustering, and L.

    Returns
    -------
    entropies : (L,) array
        Entropies in bits.
    seen : (L,) integer array
    """
    lists = Z.tocsc()
    members = np.split(lists.indices.astype(np.int64), lists.indptr[1:-1])
    first: dict[bytes, int] = {}
    same = np.array([first.setdefault(rows.tobytes(), len(first)) for rows in members])
    distinct = np.unique(same, return_index=True)[1]
    rows = np.full((Z.shape[0], len(offsets) - 1), -1, dtype=np.int32)
    row, cluster = Z.tocoo().coords
    rows[row, np.searchsorted(offsets, cluster, side="right") - 1] = cluster
    whole, starts = sizes.astype(np.int32), offsets.astype(np.int64)
    terms = _terms(int(sizes.sum()))

    def sums(block: slice) -> tuple[Array, NDArray[np.int64]]:
        chosen = [members[cluster] for cluster in distinct[block]]
        ends = np.cumsum([len(rows) for rows in chosen])
        there = np.concatenate(chosen)
        return _sum_terms(rows, whole, starts, terms, there, ends)

    entropies, seen = map(
        np.concatenate, zip(*over_blocks(sums, row_blocks(len(distinct))), strict=True)
    )
    return entropies[same], seen[same]


def _terms(n: int) -> Array:
    """(n + 1, n + 1) the terms by s and x; 0 where x is 0, and where it is above s."""
    terms = np.zeros((n + 1, n + 1))
    for s in range(1, n + 1):
        p = np.arange(1, s + 1) / s
        terms[s, 1 : s + 1] = -p * np.log2(p)
    return terms


@compiled("Tuple((f1, i1))(s2, s1, i1, f2, i1, i1)")
def _sum_terms(rows, sizes, offsets, terms, members, ends):
    """Entropies of the clusters whose rows are the parts of `members` up to each of `ends`."""
    m, start = rows.shape[1], 0
    entropies, counts_seen = np.zeros(len(ends)), np.zeros(len(ends), dtype=np.int64)
    shared = np.zeros(offsets[-1], dtype=np.int32)
    for c in range(len(ends)):
        for t in range(start, ends[c]):
            u = members[t]
            for j in range(m):
                if rows[u, j] >= 0:
                    shared[rows[u, j]] += sizes[u]
        start, total = ends[c], 0.0
        for j in range(m):
            seen = 0
            for l in range(offsets[j], offsets[j + 1]):
                seen += shared[l]
            counts_seen[c] += seen > 0
            for l in range(offsets[j], offsets[j + 1]):
                total += terms[seen, shared[l]]
                shared[l] = 0
        entropies[c] = total
    return entropies, counts_seen
