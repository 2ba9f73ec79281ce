"""Sparse matrices that share their indices with another one, and sparse parts of arrays."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled

Array = NDArray[np.float64]


def scaled_rows(B: sp.csr_array, scale: Array) -> sp.csr_array:
    """diag(`scale`) B, with the indices of B."""
    data = np.repeat(scale, np.diff(B.indptr))
    data *= B.data
    return sp.csr_array((data, B.indices, B.indptr), shape=B.shape)


def scaled_columns(B: sp.csr_array, scale: Array) -> sp.csr_array:
    """B diag(`scale`), with the indices of B."""
    return sp.csr_array((B.data * scale[B.indices], B.indices, B.indptr), shape=B.shape)


def with_short_indices(B: sp.csr_array) -> sp.csr_array:
    """B with indices of 32 bits, the only ones that scikit-learn accepts."""
    places = (indices.astype(np.int32, copy=False) for indices in (B.indices, B.indptr))
    return sp.csr_array((B.data, *places), shape=B.shape)


def sparse_rows(S: Array) -> sp.csr_array:
    """The positive entries of an array, found several times faster than by SciPy."""
    S = np.ascontiguousarray(S)
    ends = np.zeros(len(S) + 1, dtype=np.int64)
    np.cumsum(_positive_in_rows(S), out=ends[1:])
    short = ends.astype(np.int32 if ends[-1] < 2**31 else np.int64)
    data, columns = np.empty(ends[-1]), np.empty(ends[-1], dtype=short.dtype)
    _gather_positive(S, data, columns)
    return sp.csr_array((data, columns, short), shape=S.shape)


@compiled("i1(f2)")
def _positive_in_rows(S):
    counts = np.zeros(len(S), dtype=np.int64)
    for i in range(len(S)):
        count = 0
        for j in range(S.shape[1]):
            count += S[i, j] > 0
        counts[i] = count
    return counts


@compiled("void(f2, f1, s1)", "void(f2, f1, i1)")
def _gather_positive(S, data, columns):
    k = 0
    for i in range(len(S)):
        for j in range(S.shape[1]):
            if S[i, j] > 0:
                data[k], columns[k] = S[i, j], j
                k += 1


@compiled("void(f2, f2, float64[:, :])")
def times_few(A, B, product):
    """Write A B into `product`, for a matrix A with few nonzero entries.

    Parameters
    ----------
    A : (k, q) array
    B : (q, p) array
    product : (k, p) array
    """
    columns, weights = np.zeros(A.shape[1] + 3, dtype=np.int64), np.zeros(A.shape[1] + 3)
    for i in range(len(A)):
        count = 0
        for j in range(A.shape[1]):
            if A[i, j] != 0:
                columns[count], weights[count] = j, A[i, j]
                count += 1
        weights[count : count + 3] = 0.0  # four rows of B at a time
        row = product[i]
        row[:] = 0.0
        for k in range(0, count, 4):
            a, b, c, d = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
            p, q = B[columns[k]], B[columns[k + 1]]
            s, t = B[columns[k + 2]], B[columns[k + 3]]
            for j in range(len(row)):
                row[j] += a * p[j] + b * q[j] + c * s[j] + d * t[j]
