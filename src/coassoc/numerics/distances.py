"""Distances between rows, and fewer coordinates that keep them."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import DataError

__all__ = ["distance_coordinates", "squared_distances"]

Array = NDArray[np.float64]


def squared_distances(left: Array, right: Array) -> Array:
    """(p, q) array of ‖f_k − f_l‖², never negative, for rows f_k of `left` and f_l of `right`."""
    D = left @ (-2 * right.T)
    D += np.einsum("ij,ij->i", left, left)[:, None]
    D += np.einsum("ij,ij->i", right, right)
    return np.maximum(D, 0.0, out=D)


def distance_coordinates(X: ArrayLike | sp.sparray) -> Array:
    """Rows with the same inner products as those of X, in no more than n dimensions.

    Parameters
    ----------
    X : (n, d) array or sparse matrix

    Returns
    -------
    (n, r) array
        X itself where d ≤ n; otherwise from the eigenpairs of X Xᵀ.

    Raises
    ------
    DataError
        If X is not a two-dimensional array of finite numbers.
    """
    points = (
        sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    )
    if points.ndim != 2:
        raise DataError(f"X: expected a (samples, features) array, got shape {points.shape}.")
    if not np.isfinite(_entries(points)).all():
        raise DataError("X: every feature must be a finite number.")
    n, d = points.shape
    if d <= n:
        return _dense(points)
    gram = _dense(points @ points.T)
    values, vectors = scipy.linalg.eigh(gram, overwrite_a=True, check_finite=False)
    kept = values > n * np.finfo(float).eps * values[-1]
    kept[-1] = True
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0)))


def _entries(X: Array | sp.csr_array) -> NDArray:
    return X.data if isinstance(X, sp.csr_array) else X


def _dense(X: Array | sp.csr_array) -> Array:
    return X.toarray() if isinstance(X, sp.csr_array) else X
