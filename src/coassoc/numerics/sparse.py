"""Sparse matrices that share their indices with another one, and products of tall ones."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled

Array = NDArray[np.float64]
#: Smallest number of entries for which a compiled loop is the faster way to multiply.
MANY = 2**18
#: Number of counts that share an integer, and number of bits of each.
_TOGETHER, _BITS = 3, 21


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


def common_entries(B: sp.csr_array, rows: NDArray[np.intp]) -> Array:
    """(len(rows), q) number of columns in which some rows and each of the q rows of 0/1 B are 1."""
    if B.nnz < MANY or B.indptr.dtype != np.int32 or np.diff(B.indptr).max() >= 2**_BITS:
        columns = np.zeros((B.shape[1], len(rows)))  # SciPy takes longer to pick a few rows
        for place, row in enumerate(rows):
            columns[B.indices[B.indptr[row] : B.indptr[row + 1]], place] = 1
        return np.ascontiguousarray((B @ columns).T)
    common = np.empty((len(rows), B.shape[0]))
    for first in range(0, len(rows), _TOGETHER):
        marks = np.zeros(B.shape[1], dtype=np.int64)
        few = rows[first : first + _TOGETHER]
        for place, row in enumerate(few):
            marks[B.indices[B.indptr[row] : B.indptr[row + 1]]] += 1 << _BITS * place
        sums = _add_marks(B.indptr, B.indices, marks)
        for place in range(len(few)):
            common[first + place] = sums >> _BITS * place & (1 << _BITS) - 1
    return common


@compiled("i1(s1, s1, i1)")
def _add_marks(starts, columns, marks):
    """Sum of the marks of the columns of each row."""
    sums = np.empty(len(starts) - 1, dtype=np.int64)
    for i in range(len(sums)):
        total = 0
        for e in range(starts[i], starts[i + 1]):
            total += marks[np.uint32(columns[e])]
        sums[i] = total
    return sums


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


def tall_product(B: sp.csr_array, C: sp.csr_array) -> Array:
    """Bᵀ C as an array, for matrices of many rows and few columns.

    SciPy's product of sparse matrices adds the same numbers in the same order, but takes several
    times as long if most entries of the result are not zero.
    """
    if not MANY <= max(B.nnz, C.nnz) < 2**31:
        return np.asarray((B.T @ C).toarray())
    product = np.zeros((C.shape[1], B.shape[1]))
    B, C = with_short_indices(B), with_short_indices(C)
    _add_products(C.data, C.indices, C.indptr, B.data, B.indices, B.indptr, product)
    return product.T  # by columns, as SciPy's is


@compiled("void(f1, s1, s1, f1, s1, s1, f2)")
def _add_products(b, b_columns, b_rows, c, c_columns, c_rows, product):
    for row in range(len(b_rows) - 1):
        for j in range(b_rows[row], b_rows[row + 1]):
            sums = product[b_columns[j]]
            for k in range(c_rows[row], c_rows[row + 1]):
                sums[c_columns[k]] += b[j] * c[k]


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
