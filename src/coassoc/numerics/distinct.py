"""Distinct values and distinct rows of a table of integers, in a few passes over it.

A row is packed into as few 64-bit words as its columns need, the first column in the highest bits,
so that words are ordered as rows are.
"""

import numpy as np
from numpy.typing import NDArray

_WORD = 64
#: Largest range of the values of a column that are counted in a table.
_WIDEST = 2**16
#: Number of rows whose values are marked at a time.
_TOGETHER = 4096


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
    low, high = table.min(axis=0), table.max(axis=0)
    width = 1 + max(int(b) - int(a) for a, b in zip(low, high, strict=True))
    if width > _WIDEST:
        return None
    codes = np.empty(table.shape, dtype=np.min_scalar_type(width - 1))
    # A difference may overflow the signed type. It is right in the unsigned type, and adding the
    # smallest value gives the right value again.
    np.subtract(table, low, out=codes, casting="unsafe")
    seen = np.zeros((table.shape[1], width), dtype=np.bool_)
    columns = np.arange(table.shape[1])
    for start in range(0, len(codes), _TOGETHER):  # temporary arrays remain in the cache
        seen[columns, codes[start : start + _TOGETHER]] = True
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
    words = _words(labels)
    order = np.lexsort(words[::-1])
    starts = np.zeros(len(labels), dtype=np.bool_)
    for word in words:
        ordered = word[order]
        starts[1:] |= ordered[1:] != ordered[:-1]
    group = np.empty(len(labels), dtype=np.intp)
    group[order] = np.cumsum(starts)
    return group


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


def _words(labels: NDArray) -> list[NDArray[np.uint64]]:
    """Each (n,) word of the rows; a column that exceeds the rest of a word begins the next word."""
    words, free = [np.zeros(len(labels), dtype=np.uint64)], _WORD
    for column, largest in zip(labels.T, labels.max(axis=0).tolist(), strict=True):
        width = (int(largest) + 1).bit_length()
        if width > free:
            words, free = [*words, np.zeros(len(labels), dtype=np.uint64)], _WORD
        free -= width
        words[-1] |= (column + 1).astype(np.uint64) << np.uint64(free)
    return words
