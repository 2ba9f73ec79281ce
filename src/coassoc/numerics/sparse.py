"""Sparse matrices that share their indices with another one."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["scaled_columns", "scaled_rows", "with_short_indices"]

Array = NDArray[np.float64]


def scaled_rows(B: sp.csr_array, scale: Array) -> sp.csr_array:
    """diag(`scale`) B, whose indices are those of B."""
    data = np.repeat(scale, np.diff(B.indptr))
    data *= B.data
    return sp.csr_array((data, B.indices, B.indptr), shape=B.shape)


def scaled_columns(B: sp.csr_array, scale: Array) -> sp.csr_array:
    """B diag(`scale`), whose indices are those of B."""
    return sp.csr_array((B.data * scale[B.indices], B.indices, B.indptr), shape=B.shape)


def with_short_indices(B: sp.csr_array) -> sp.csr_array:
    """B with indices of 32 bits, the only ones that scikit-learn takes."""
    places = (indices.astype(np.int32, copy=False) for indices in (B.indices, B.indptr))
    return sp.csr_array((B.data, *places), shape=B.shape)
