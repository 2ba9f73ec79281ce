"""Distinct values and distinct rows of a table of integers, in a few passes over it.

A row is packed into as few 64-bit words as its columns need, the first column in the highest bits,
so that words are ordered as rows are. Equal rows are found by hashing; only the distinct ones are
sorted.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled

_WORD = 64
#: Largest range of the values of a column that are counted in a table.
_WIDEST = 2**16
#: Number of rows compared at a time.
_ROWS = 64


def by_column(extreme: Callable[..., NDArray], table: NDArray) -> NDArray:
    """``np.min`` or ``np.max`` of each column, computed on fewer and longer rows."""
    whole = len(table) - len(table) % _ROWS
    if whole and table.flags.c_contiguous:
        long = table[:whole].reshape(-1, _ROWS * table.shape[1])
        table = np.vstack((extreme(long, axis=0).reshape(_ROWS, -1), table[whole:]))
    return extreme(table, axis=0)


def distinct_values(table: NDArray) -> tuple[NDArray, list[NDArray]] | None:
    """Encode each column by the positions of its entries among its distinct values.

    Parameters
    ----------
    table : (n, m) array of numbers

    Returns
    -------
    codes : (n, m) array of uint8 or uint16
        Positions in `values`.
    values : list of m arrays
        Distinct values of each column in increasing order.
    None
        If the numbers are not integers, or the smallest and largest of a column are far apart.
    """
    if table.dtype.kind not in "iub":
        return None
    table = table.view(np.uint8) if table.dtype == np.bool_ else table
    low, high = by_column(np.min, table), by_column(np.max, table)
    width = 1 + max(int(b) - int(a) for a, b in zip(low, high, strict=True))
    if width > _WIDEST:
        return None
    codes = np.empty(table.shape, dtype=np.min_scalar_type(width - 1))
    # A difference may overflow the signed type. It is right in the unsigned type, and adding the
    # smallest value gives the right value again.
    np.subtract(table, low, out=codes, casting="unsafe")
    seen = np.zeros((table.shape[1], width), dtype=np.bool_)
    _mark(codes, seen)
    values = []
    for column, start, occurs in zip(codes.T, low, seen, strict=True):
        places = np.flatnonzero(occurs)
        values.append(places.astype(table.dtype) + start)
        if places[-1] >= len(places):
            column[:] = (np.cumsum(occurs) - 1).astype(codes.dtype)[column]
    return codes, values


def places_among_distinct(labels: NDArray) -> NDArray[np.intp]:
    """(n,) position of each of (n,) labels among the distinct labels in increasing order."""
    if labels.dtype.kind in "iu" and len(labels):
        # As in distinct_values; a table of one column would take three times as long.
        low = labels.min()
        width = 1 + int(labels.max()) - int(low)
        if width <= _WIDEST:
            codes = np.subtract(labels, low, dtype=labels.dtype if low >= 0 else np.int64)
            seen = np.zeros(width, dtype=np.intp)
            seen[codes] = 1
            return (np.cumsum(seen) - 1)[codes]
    return np.unique(labels, return_inverse=True)[1]


def distinct_rows(labels: NDArray) -> NDArray[np.intp]:
    """Group equal rows.

    Parameters
    ----------
    labels : (n, m) array of int8, int16 or int32
        Integers of at least −1.

    Returns
    -------
    (n,) integer array
        Group of each row, 0 … n'−1 in lexicographic order of the rows.
    """
    words = _words(np.ascontiguousarray(labels))
    group = np.empty(len(words), dtype=np.intp)
    first = np.empty(len(words), dtype=np.intp)
    n_groups = _group(words, group, first)
    order = np.lexsort(words[first[:n_groups]].T[::-1])
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[group]


def first_places(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Position of the first occurrence of each of the groups 0 … g−1 in (n,) groups."""
    first = np.empty(int(groups.max()) + 1, dtype=np.intp)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return first


def merge_equal_rows(
    labels: NDArray, sizes: NDArray
) -> tuple[NDArray, NDArray[np.int64], NDArray[np.intp]]:
    """Distinct rows of labels, their summed sizes, and the :func:`distinct_rows` of the labels."""
    groups = distinct_rows(labels)
    merged = np.bincount(groups, sizes).astype(np.int64)
    return labels[first_places(groups)], merged, groups


def _words(labels: NDArray) -> NDArray[np.uint64]:
    """(n, w) words of the rows; a column that exceeds the rest of a word begins the next word."""
    word, shift = np.zeros((2, labels.shape[1]), dtype=np.int64)
    last, free = 0, _WORD
    for j, largest in enumerate(by_column(np.max, labels).tolist()):
        width = (largest + 1).bit_length()
        if width > free:
            last, free = last + 1, _WORD
        free -= width
        word[j], shift[j] = last, free
    words = np.zeros((len(labels), last + 1), dtype=np.uint64)
    _pack(labels, word, shift, words)
    return words


@compiled("void(uint8[:, ::1], b2)", "void(uint16[:, ::1], b2)")
def _mark(codes, seen):
    n, m = codes.shape
    for i in range(n):
        for j in range(m):
            seen[j, codes[i, j]] = True


@compiled(
    *(
        f"void({kind}[:, ::1], int64[::1], int64[::1], uint64[:, ::1])"
        for kind in ("int8", "int16", "int32")
    )
)
def _pack(labels, word, shift, words):
    n, m = labels.shape
    for i in range(n):
        for j in range(m):
            words[i, word[j]] |= np.uint64(labels[i, j] + 1) << np.uint64(shift[j])


@compiled("i(uint64[:, ::1], i1, i1)")
def _group(words, group, first):
    """Number distinct rows in the order of their first appearance, and count them."""
    n, w = words.shape
    hashes = np.empty(n, dtype=np.uint64)
    # groups by their hash, with open addressing in a table that is at most half full
    slots = np.full(4096, -1)
    count = 0
    for i in range(n):
        code = np.uint64(0)
        for k in range(w):
            code = (code ^ words[i, k]) * np.uint64(0x9E3779B97F4A7C15)
            code ^= code >> np.uint64(32)
        place = np.int64(code & np.uint64(len(slots) - 1))
        while True:
            g = slots[place]
            same = g >= 0 and hashes[g] == code
            for k in range(w):
                same = same and words[first[g], k] == words[i, k]
            if same or g < 0:
                break
            place = (place + 1) % len(slots)
        if g < 0:
            g = count
            slots[place], first[g], hashes[g] = g, i, code
            count += 1
        group[i] = g
        if 2 * count > len(slots):
            slots = np.full(4 * len(slots), -1)
            for g in range(count):
                place = np.int64(hashes[g] & np.uint64(len(slots) - 1))
                while slots[place] >= 0:
                    place = (place + 1) % len(slots)
                slots[place] = g
    return count
