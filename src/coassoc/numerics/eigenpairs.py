"""A part of the eigenpairs of a symmetric matrix."""

from contextlib import suppress

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

#: Below this order, or above this fraction of the spectrum, LAPACK is as fast as Krylov subspaces.
_KRYLOV_ORDER, _KRYLOV_SHARE = 500, 1 / 50

#: Dimension of the Krylov subspace, number of restarts above which LAPACK is as fast again, and
#: largest accepted residual relative to the eigenvalue.
_KRYLOV_DIMENSION, _KRYLOV_RESTARTS, _KRYLOV_TOLERANCE = 40, 10, 1e-10

Array = NDArray[np.float64]


def eigenpairs_within(A: Array, first: int, last: int) -> tuple[Array, Array]:
    """Eigenpairs of a symmetric matrix by their positions in its spectrum.

    Parameters
    ----------
    A : (q, q) array
        Symmetric.
    first, last : int
        Positions of the eigenvalues, counted from 0 for the smallest.

    Returns
    -------
    values : (last − first + 1,) array
        Smallest first.
    vectors : (q, last − first + 1) array
        Orthonormal columns.
    """
    # Inverse iteration, which finds some of the vectors, may fail at a multiple eigenvalue with an
    # error or too few pairs. Divide and conquer, which finds all vectors, does not fail there.
    with suppress(np.linalg.LinAlgError):
        values, vectors = scipy.linalg.eigh(A, subset_by_index=(first, last), check_finite=False)
        if len(values) == last - first + 1:
            return values, vectors
    values, vectors = scipy.linalg.eigh(A, driver="evd", check_finite=False)
    return values[first : last + 1], vectors[:, first : last + 1]


def eigenpairs_above(A: Array, bound: float) -> tuple[Array, Array]:
    """Eigenpairs of a symmetric (q, q) matrix with values above `bound`, the smallest first.

    This is for bounds with more than a tenth of the spectrum above them. Finding all vectors by
    divide and conquer is then faster than finding a part of them, twice as fast for a third.
    """
    values, vectors = scipy.linalg.eigh(A, driver="evd", check_finite=False)
    first = int(np.searchsorted(values, bound, side="right"))
    return values[first:], vectors[:, first:]


def leading_eigenpairs(A: Array, n_largest: int) -> tuple[Array, Array]:
    """Algebraically largest eigenvalues, in decreasing order, and eigenvectors of a symmetric A.

    Parameters
    ----------
    A : (q, q) array
        Symmetric.
    n_largest : int
        Number of pairs, at most q.

    Returns
    -------
    values : (n_largest,) array
    vectors : (q, n_largest) array
        Orthonormal columns.

    Notes
    -----
    A few pairs of a large matrix come from Krylov subspaces. These may miss copies of a multiple
    eigenvalue; a search orthogonal to the vectors found must therefore not find a larger
    eigenvalue. Otherwise, and if the pairs are poorly separated from the next pair, LAPACK computes
    them.
    """
    order = len(A)
    if order >= _KRYLOV_ORDER and n_largest <= _KRYLOV_SHARE * order:
        pairs = _krylov_eigenpairs(A, n_largest)
        if pairs is not None:
            return pairs
    values, vectors = eigenpairs_within(A, order - n_largest, order - 1)
    return values[::-1], vectors[:, ::-1]


def _krylov_eigenpairs(A: Array, n_largest: int) -> tuple[Array, Array] | None:
    """The pairs from ARPACK, or None where they do not converge or one was missed."""
    # Reading one triangle takes half the time. BLAS expects columns, and A equals its transpose.
    triangle = np.asfortranarray(A.T if A.flags.c_contiguous else A)

    def times(x: Array) -> Array:
        return scipy.linalg.blas.dsymv(1.0, triangle, x)

    start, other_start = np.random.default_rng(0).standard_normal((2, len(A)))
    dimension = max(2 * n_largest + 1, _KRYLOV_DIMENSION)
    try:
        whole = LinearOperator(A.shape, times, dtype=A.dtype)
        values, vectors = eigsh(
            whole,
            n_largest,
            which="LA",
            v0=start,
            ncv=dimension,
            maxiter=_KRYLOV_RESTARTS,
            tol=_KRYLOV_TOLERANCE,
        )
        # Moving the eigenvalues found below all others leaves the missed ones on top. The first
        # start has no component in a missed copy, so the search needs a different start.
        size = 2 * np.abs(values).max()
        rest = LinearOperator(
            A.shape, lambda x: times(x) - vectors @ (size * (vectors.T @ x)), dtype=A.dtype
        )
        (missed,) = eigsh(rest, 1, which="LA", v0=other_start, tol=1e-4, return_eigenvectors=False)
    except ArpackError:
        return None
    order = np.argsort(values)[::-1]
    if missed > values[order[-1]] + 1e-8 * size:
        return None
    return values[order], vectors[:, order]
