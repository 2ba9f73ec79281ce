"""How often rows of labels agree, counted pair by pair of rows, many columns at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import over_blocks, tile_blocks

#: Rows of a tile, and tiles that a thread takes at a time.
_SIDE, _TOGETHER = 16, 8


def count_agreements(labels: NDArray[np.int32], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of the weights of the columns in which two rows have the same label.

    Parameters
    ----------
    labels : (n, m) int32 array
        A negative label is the same as none.
    weights : (m,) array of integers
        From 0 on, and less than 2³¹ in all.

    Returns
    -------
    (n, n) array
        Symmetric whole numbers.
    """
    n = len(labels)
    counts = np.empty((n, n))
    rows, whole = np.ascontiguousarray(labels), weights.astype(np.int32)
    over_blocks(lambda tiles: _count(rows, whole, tiles, counts), tile_blocks(n, _SIDE, _TOGETHER))
    return counts


@compiled("void(s2, s1, i2, f2)")
def _count(labels: Any, weights: Any, tiles: Any, counts: Any) -> None:
    for t in range(len(tiles)):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i + 1)):
                x, y = labels[i], labels[j]
                same = np.int64(0)
                for b in range(len(weights)):
                    same += weights[b] if x[b] == y[b] and x[b] >= 0 else np.int32(0)
                counts[i, j] = same
                counts[j, i] = same
