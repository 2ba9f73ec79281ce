"""Distinct values and distinct rows of a table of integers, in a few passes over it.

A row is packed into as few 64-bit words as its columns need, the first column in the highest bits,
so that words are ordered as rows are.
"""

import numpy as np
from numpy.typing import NDArray

_WORD = 64
#: Largest range of values that are counted in a table.
_WIDEST = 2**16


def distinct_values(labels: NDArray) -> tuple[NDArray[np.intp], NDArray]:
    """Position of each of (n,) labels among the distinct labels, and these in increasing order."""
    labels = labels.view(np.uint8) if labels.dtype == np.bool_ else labels
    if labels.dtype.kind in "iu" and len(labels):
        low = labels.min()
        width = 1 + int(labels.max()) - int(low)
        if width <= _WIDEST:
            codes = np.subtract(labels, low, dtype=labels.dtype if low >= 0 else np.int64)
            seen = np.zeros(width, dtype=np.intp)
            seen[codes] = 1
            # Adding the smallest value undoes an overflow of a signed type.
            values = np.flatnonzero(seen).astype(labels.dtype) + low
            return (np.cumsum(seen) - 1)[codes], values
    values, codes = np.unique(labels, return_inverse=True)
    return codes, values


def places_among_distinct(labels: NDArray) -> NDArray[np.intp]:
    """The positions of :func:`distinct_values`."""
    return distinct_values(labels)[0]


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
    order = np.lexsort(words.T[::-1])
    group = np.empty(len(words), dtype=np.intp)
    group[order] = np.cumsum(np.r_[False, (np.diff(words[order], axis=0) != 0).any(axis=1)])
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


def _words(labels: NDArray) -> NDArray[np.uint64]:
    """(n, w) words of the rows; a column that exceeds the rest of a word begins the next word."""
    words, free = [np.zeros(len(labels), dtype=np.uint64)], _WORD
    for column, largest in zip(labels.T, labels.max(axis=0).tolist(), strict=True):
        width = (int(largest) + 1).bit_length()
        if width > free:
            words, free = [*words, np.zeros(len(labels), dtype=np.uint64)], _WORD
        free -= width
        words[-1] |= (column + 1).astype(np.uint64) << np.uint64(free)
    return np.column_stack(words)
