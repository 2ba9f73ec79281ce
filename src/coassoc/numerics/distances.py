"""Distances between rows, and fewer coordinates with the same distances."""

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

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
        X itself if d ≤ n; otherwise coordinates from the eigenpairs of X Xᵀ.
    """
    points = sp.csr_array(X, dtype=float) if sp.issparse(X) else np.asarray(X, dtype=float)
    n, d = points.shape
    if d <= n:
        return _dense(points)
    gram = _dense(points @ points.T)
    values, vectors = scipy.linalg.eigh(gram, overwrite_a=True, check_finite=False)
    kept = values > n * np.finfo(float).eps * values[-1]
    kept[-1] = True
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0)))


def _dense(X: Array | sp.csr_array) -> Array:
    return X.toarray() if isinstance(X, sp.csr_array) else X
