"""Number and weight of the columns in which two rows of labels agree, for all pairs of rows."""

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.pairs import label_planes, pair_counts
from coassoc.numerics.threads import over_blocks, row_blocks

#: Number of rows in a block.
_ROWS = 64


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
