"""Number and weight of the columns in which two rows of labels agree, for all pairs of rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.pairs import label_planes, pair_counts
from coassoc.numerics.threads import over_blocks, row_blocks, tile_blocks

#: Number of rows in a block.
_ROWS = 64
#: Number of rows in a tile, and number of tiles that a thread takes at a time.
_SIDE, _TOGETHER = 16, 8


def count_agreements(labels: NDArray) -> NDArray[np.float64]:
    """(q, q) number of columns in which two rows have the same label; −1 marks a missing label."""
    counts = np.empty((len(labels), len(labels)))
    for rows, together, _ in pair_counts(label_planes(labels)):
        counts[rows] = together
    return counts


def weigh_agreements(
    labels: NDArray, first: NDArray, members: NDArray, weights: NDArray
) -> NDArray[np.float64]:
    """Sum of the weights of the labels that two rows have in common.

    Only rows with the label are processed, so the time decreases with the number of labels per
    column. Weights are added in the order of the columns.

    Parameters
    ----------
    labels : (q, m) integer array
        Labels 0 … L−1 of all columns together, no two columns with one in common; negative where
        a label is missing.
    first : (L + 1,) integer array
        Start of the rows with each label in `members`, and the end of the last rows.
    members : integer array
        Rows with each label, in increasing order.
    weights : (L,) array

    Returns
    -------
    (q, q) array
        Symmetric to the last bit.
    """
    sums = np.empty((len(labels), len(labels)))
    labels, first, members = (np.ascontiguousarray(x, np.int64) for x in (labels, first, members))
    weights = np.ascontiguousarray(weights, np.float64)
    over_blocks(
        lambda rows: _weigh(labels[rows], first, members, weights, sums[rows]),
        row_blocks(len(labels), _ROWS),
    )
    return sums


@compiled("void(i2, i1, i1, f1, f2)")
def _weigh(labels, first, members, weights, sums):
    for i in range(len(labels)):
        row = sums[i]
        for j in range(len(row)):
            row[j] = 0.0
        for k in range(labels.shape[1]):
            label = labels[i, k]
            if label >= 0:
                for place in range(first[label], first[label + 1]):
                    row[members[place]] += weights[label]


def weighted_agreements(labels: NDArray[np.int32], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of the weights of the columns in which two rows have the same label.

    Parameters
    ----------
    labels : (n, m) int32 array
        Labels; a negative label is missing.
    weights : (m,) array of integers
        Non-negative weights with a sum below 2³¹.

    Returns
    -------
    (n, n) array
        Symmetric array of integers.
    """
    n = len(labels)
    counts = np.empty((n, n))
    rows, whole = np.ascontiguousarray(labels), weights.astype(np.int32)
    over_blocks(
        lambda tiles: _add_weights(rows, whole, tiles, counts), tile_blocks(n, _SIDE, _TOGETHER)
    )
    return counts


@compiled("void(s2, s1, i2, f2)")
def _add_weights(labels, weights, tiles, counts):
    for t in range(len(tiles)):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i + 1)):
                x, y = labels[i], labels[j]
                same = np.int64(0)
                for b in range(len(weights)):
                    same += weights[b] if x[b] == y[b] and x[b] >= 0 else np.int32(0)
                counts[i, j] = same
                counts[j, i] = same
