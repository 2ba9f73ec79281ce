"""Number of columns in which two rows of labels agree, for all pairs of rows."""

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.pairs import label_planes, pair_counts


def count_agreements(labels: NDArray) -> NDArray[np.float64]:
    """(q, q) number of columns in which two rows have the same label; −1 marks a missing label."""
    counts = np.empty((len(labels), len(labels)))
    for rows, together, _ in pair_counts(label_planes(labels)):
        counts[rows] = together
    return counts
