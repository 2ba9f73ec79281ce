"""Partition by Yu & Shi's rotation of eigenvectors."""

import numpy as np
from numpy.typing import NDArray

from coassoc.partition.labels import Array, Labels
from coassoc.partition.spectral import unit_rows

#: Lengths and products that differ by less than this count as equal.
_NEAR = 1e-9
#: Largest number of alternations from one start.
_MOST = 20


def discretize(vectors: Array, starts: NDArray[np.intp], weights: Array | None = None) -> Labels:
    """Discretisation of eigenvectors by an orthogonal rotation (Yu & Shi, ICCV 2003).

    The algorithm alternates between the partition matrix X nearest to the rotated rows, by ‖X − V
    R‖ for rows V of unit length, and the rotation R nearest to this X. The initial rotation is
    built from one row of V and the rows most orthogonal to it. An empty cluster does not determine
    its column of R, which then points to the row farthest from the span of the other columns, the
    first of several.

    Parameters
    ----------
    vectors : (q, c) array
        Eigenvectors; any rotation of them gives the same partition.
    starts : (s,) integer array
        Rows to start from. The nearest partition over all starts is returned; partitions with c
        clusters are preferred to partitions with fewer.
    weights : (q,) array, optional
        Number of samples that each row represents.

    Returns
    -------
    (q,) integer array
        Values in 0 … c−1; clusters may be empty.
    """
    V = unit_rows(vectors)
    weighted = V if weights is None else V * np.asarray(weights)[:, None]
    candidates = [_rotate_from(V, weighted, start) for start in starts]
    return max(candidates, key=lambda result: (len(np.unique(result[0])), result[1]))[0]


def _rotate_from(V: Array, weighted: Array, start: int) -> tuple[Labels, float]:
    """Labels and Σ Ω, where ‖X − V R‖² = 2 (n − Σ Ω), from one starting row."""
    R = _start_rotation(V, start)
    labels, fit = np.full(len(V), -1, dtype=np.intp), -np.inf
    for _ in range(_MOST):
        # The first of equal products: a row taken twice for the first rotation makes two equal
        # columns, which matrix products of some processors round differently.
        products = V @ R
        largest = products > products.max(axis=1, keepdims=True) - _NEAR
        previous, labels = labels, largest.argmax(axis=1)
        if (labels == previous).all():
            break
        X = np.eye(V.shape[1])[labels]
        occupied = X.any(axis=0)
        U, omega, Vt = np.linalg.svd((X.T @ weighted)[occupied])
        fit = float(omega.sum())
        R[:, occupied] = (U @ Vt[: len(U)]).T
        if not occupied.all():
            R[:, ~occupied] = _towards_farthest(V, R[:, occupied], (~occupied).sum())
    return labels, fit


def _towards_farthest(V: Array, R: Array, count: int) -> Array:
    """Columns that continue R: each points to the row of V farthest from the previous columns.

    Two rows that form a cluster on their own are equally far, so rounding must not decide. A column
    is 0 if no row is left.
    """
    left = V - V @ R @ R.T
    columns = np.zeros((V.shape[1], count))
    for k in range(count):
        far = np.linalg.norm(left, axis=1)
        if far.max() < _NEAR:
            break
        row = np.flatnonzero(far > (1 - _NEAR) * far.max())[0]
        columns[:, k] = left[row] / far[row]
        left -= np.outer(left @ columns[:, k], columns[:, k])
    return columns


def _start_rotation(V: Array, start: int) -> Array:
    """Columns: the starting row of V, then repeatedly the row most orthogonal to all before."""
    R = np.zeros((V.shape[1], V.shape[1]))
    R[:, 0] = V[start]
    overlap = np.zeros(len(V))
    for k in range(1, V.shape[1]):
        overlap += np.abs(V @ R[:, k - 1])
        R[:, k] = V[overlap.argmin()]
    return R
