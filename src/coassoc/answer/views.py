"""Views of measurements in which they are clustered: as they are, standardised, by direction."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

Array = NDArray[np.float64]

#: Views keep at most this many principal components.
_MOST_DIMENSIONS = 50
#: Tables with at least this many columns, of which most cells are 0, are counts of words or alike:
#: the direction of a row says more than its length.
_SPARSE_COLUMNS, _SPARSE_SHARE = 100, 0.5


def views_of(X: Any) -> dict[str, Array]:
    """The (n, d') views of the (n, d) measurements, by names.

    "raw" has the columns as they are and "standardised" with variance 1. Tables of at least 100
    columns without negative numbers, most of them 0, have "cosine" too, with rows of unit L2 norm.
    Each view is centred, reduced to at most 50 principal components, and scaled to a total variance
    of 1. A column that is constant carries nothing.
    """
    zeros = 1 - (X.count_nonzero() if issparse(X) else np.count_nonzero(X)) / np.prod(X.shape)
    dense = np.asarray(X.toarray() if issparse(X) else X, dtype=np.float64)
    # A power of two changes no digit, and keeps squares of large and tiny numbers finite.
    exponent = np.frexp(np.abs(dense).max(axis=0, initial=0.0))[1]
    spread = np.ldexp(dense, -exponent).std(axis=0)
    varies = spread > 1e-12
    scaled = np.ldexp(dense, -exponent)[:, varies]
    dense = np.ldexp(dense, -exponent.max(initial=0))[:, varies]
    views = {
        "raw": _reduced(dense),
        "standardised": _reduced((scaled - scaled.mean(axis=0)) / spread[varies]),
    }
    if dense.shape[1] >= _SPARSE_COLUMNS and zeros > _SPARSE_SHARE and (dense >= 0).all():
        norms = np.linalg.norm(dense, axis=1, keepdims=True)
        views["cosine"] = _reduced(dense / np.where(norms > 0, norms, 1.0))
    return views


def _reduced(X: Array) -> Array:
    """The leading principal components of X, with total variance 1."""
    X = X - X.mean(axis=0)
    if min(X.shape) == 0:
        return np.zeros((len(X), 1))
    if X.shape[1] > _MOST_DIMENSIONS:
        from sklearn.decomposition import PCA

        solver = "randomized" if min(X.shape) > 4 * _MOST_DIMENSIONS else "full"
        most = min(_MOST_DIMENSIONS, len(X) - 1)
        X = PCA(most, svd_solver=solver, random_state=0).fit_transform(X)
    total = X.var(axis=0).sum()
    return np.ascontiguousarray(X / np.sqrt(total) if total > 0 else X)
