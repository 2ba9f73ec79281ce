"""Distances between rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["squared_distances"]

Array = NDArray[np.float64]


def squared_distances(left: Array, right: Array) -> Array:
    """(p, q) array of ‖f_k − f_l‖², never negative, for rows f_k of `left` and f_l of `right`."""
    D = left @ (-2 * right.T)
    D += np.einsum("ij,ij->i", left, left)[:, None]
    D += np.einsum("ij,ij->i", right, right)
    return np.maximum(D, 0.0, out=D)
