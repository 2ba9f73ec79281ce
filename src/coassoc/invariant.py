"""Exact algebra on matrices in which samples of a microcluster are interchangeable.

A matrix derived from the base clusterings alone has one value for each pair of microclusters, and
one more for the diagonal of each microcluster. With P the (n × n') assignment of samples to
microclusters,

    X = P S Pᵀ + diag(P e),

so S (n' × n') and e (n') determine the matrix. Such matrices are closed under sums, entrywise
functions, products and eigendecompositions, so n³ work becomes n'³ and n² memory becomes
n'², without any approximation.

In the formulas below, N = diag(r), where r has the sizes of the microclusters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Microclusters
from coassoc.errors import DataError

Array = NDArray[np.float64]


class InvariantEigen(NamedTuple):
    """Eigenpairs of a symmetric :class:`InvariantMatrix`.

    Attributes
    ----------
    values : (q,) array
        Eigenvalues whose eigenvectors are constant on microclusters, largest first.
    vectors : (n', q) array
        Values of these eigenvectors on the microclusters, with unit length over the *samples*.
    inner_values : (n',) array
        The remaining eigenvalues, e_k with multiplicity r_k − 1. Their eigenvectors are zero
        outside microcluster k and sum to zero inside it.
    """

    values: Array
    vectors: Array
    inner_values: Array


class InvariantMatrix:
    """The n × n matrix P S Pᵀ + diag(P e), stored as S and e.

    Parameters
    ----------
    S : (n', n') array
        Value for each pair of microclusters; its diagonal is the value between two *different*
        samples of one microcluster.
    e : (n',) array or float
        Diagonal correction: the entry of a sample with itself is ``S[k, k] + e[k]``.
    microclusters : Microclusters
        The groups of interchangeable samples.

    Notes
    -----
    For a microcluster of one sample, S_kk and e_k are not determined separately. The constructor
    then adds e_k to S_kk, without modifying the given arrays.
    """

    # NumPy scalars and arrays on the left must leave the operation to this class.
    __array_ufunc__ = None

    def __init__(self, S: ArrayLike, e: ArrayLike, microclusters: Microclusters) -> None:
        S = np.asarray(S, dtype=np.float64)
        n_micro = microclusters.count
        if S.shape != (n_micro, n_micro):
            raise DataError(
                f"S has the shape {S.shape}. It must be {(n_micro, n_micro)}, a row and a column "
                "for each microcluster."
            )
        e = np.broadcast_to(np.asarray(e, dtype=np.float64), n_micro)
        alone = (microclusters.sizes == 1) & (e != 0)
        if alone.any():
            S = S.copy()
            S[alone, alone] += e[alone]
            e = np.where(alone, 0.0, e)
        self.S = S
        self.e = e
        self.microclusters = microclusters

    @classmethod
    def from_diagonal(cls, d: ArrayLike, microclusters: Microclusters) -> InvariantMatrix:
        """The matrix diag(P d), from one number d per microcluster."""
        n_micro = microclusters.count
        return cls(np.zeros((n_micro, n_micro)), d, microclusters)

    @classmethod
    def identity(cls, microclusters: Microclusters) -> InvariantMatrix:
        """The n × n identity."""
        return cls.from_diagonal(1.0, microclusters)

    @classmethod
    def with_diagonal(
        cls, S: ArrayLike, diagonal: ArrayLike, microclusters: Microclusters
    ) -> InvariantMatrix:
        """The matrix with S off the diagonal and, for each microcluster, `diagonal` on it."""
        S = np.asarray(S, dtype=np.float64)
        return cls(S, np.asarray(diagonal) - np.diagonal(S), microclusters)

    # -- properties -------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return (self.microclusters.n_samples,) * 2

    @property
    def r(self) -> Array:
        """(n',) sizes of the microclusters."""
        return self.microclusters.r

    def diagonal(self) -> Array:
        """(n',) diagonal entry of the samples of each microcluster."""
        return np.diagonal(self.S) + self.e

    def to_dense(self) -> Array:
        """The n × n array; for tests and small n."""
        index = self.microclusters.assignment
        X = self.S[np.ix_(index, index)]
        X.flat[:: len(index) + 1] += self.e[index]
        return X

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        if copy is False:
            raise ValueError(
                "An InvariantMatrix has no dense array to share. Allow a copy with copy=None."
            )
        return self.to_dense().astype(dtype or np.float64, copy=False)

    def __repr__(self) -> str:
        n, n_micro = self.microclusters.n_samples, self.microclusters.count
        return f"InvariantMatrix({n}×{n} on {n_micro} microclusters)"

    # -- entrywise ----------------------------------------------------------------------------

    def map(self, function: Callable[..., Array], *others: InvariantMatrix) -> InvariantMatrix:
        """Apply an entrywise function of this matrix and `others`.

        Parameters
        ----------
        function : callable
            Takes as many equally shaped arrays as there are matrices and returns one such array.
        *others : InvariantMatrix
            Further matrices on the same microclusters.
        """
        matrices = (self, *others)
        for other in others:
            self._check_same_samples(other)
        return InvariantMatrix.with_diagonal(
            function(*(X.S for X in matrices)),
            function(*(X.diagonal() for X in matrices)),
            self.microclusters,
        )

    def __add__(self, other: InvariantMatrix) -> InvariantMatrix:
        if not isinstance(other, InvariantMatrix):
            return NotImplemented
        self._check_same_samples(other)
        return InvariantMatrix(self.S + other.S, self.e + other.e, self.microclusters)

    def __sub__(self, other: InvariantMatrix) -> InvariantMatrix:
        if not isinstance(other, InvariantMatrix):
            return NotImplemented
        self._check_same_samples(other)
        return InvariantMatrix(self.S - other.S, self.e - other.e, self.microclusters)

    def __neg__(self) -> InvariantMatrix:
        return InvariantMatrix(-self.S, -self.e, self.microclusters)

    def __mul__(self, other: float | InvariantMatrix) -> InvariantMatrix:
        """Entrywise product, as for NumPy arrays."""
        if isinstance(other, InvariantMatrix):
            return self.map(np.multiply, other)
        if not np.isscalar(other):
            return NotImplemented
        return InvariantMatrix(self.S * other, self.e * other, self.microclusters)

    __rmul__ = __mul__

    def __truediv__(self, scalar: float) -> InvariantMatrix:
        if not np.isscalar(scalar):
            return NotImplemented
        return InvariantMatrix(self.S / scalar, self.e / scalar, self.microclusters)

    @property
    def T(self) -> InvariantMatrix:
        """The transpose."""
        return InvariantMatrix(self.S.T, self.e, self.microclusters)

    def symmetrized(self) -> InvariantMatrix:
        """(X + Xᵀ) / 2."""
        return InvariantMatrix((self.S + self.S.T) / 2, self.e, self.microclusters)

    # -- sums and norms -----------------------------------------------------------------------

    def row_sums(self) -> Array:
        """(n',) sum of the row of each microcluster's samples, S r + e."""
        return self.S @ self.r + self.e

    def sum(self) -> float:
        """Sum of all n² entries."""
        return float(self.r @ self.row_sums())

    def inner(self, other: InvariantMatrix) -> float:
        """⟨X, Y⟩ = Σ_ij X_ij Y_ij."""
        self._check_same_samples(other)
        pairs = self.r @ (self.S * other.S) @ self.r
        inside = np.diagonal(self.S) * np.diagonal(other.S)
        return float(pairs + self.r @ (self.diagonal() * other.diagonal() - inside))

    def norm(self) -> float:
        """Frobenius norm, from Σ r_k r_l S_kl² − Σ r_k S_kk² + Σ r_k (S_kk + e_k)²."""
        return float(np.sqrt(max(self.inner(self), 0.0)))

    # -- linear algebra -----------------------------------------------------------------------

    def __matmul__(self, other: InvariantMatrix) -> InvariantMatrix:
        """(S₁, e₁)(S₂, e₂) = (S₁ N S₂ + S₁∘e₂ᵀ + e₁∘S₂, e₁∘e₂)."""
        if not isinstance(other, InvariantMatrix):
            return NotImplemented
        self._check_same_samples(other)
        S = (self.S * self.r) @ other.S
        if other.e.any():  # microclusters of one sample have no such eigenvectors
            S += self.S * other.e
        if self.e.any():
            S += self.e[:, None] * other.S
        return InvariantMatrix(S, self.e * other.e, self.microclusters)

    def eigh(self, n_largest: int | None = None) -> InvariantEigen:
        """Eigenpairs of a symmetric matrix.

        The eigenvectors that are constant on microclusters come from
        N^{1/2} S N^{1/2} + diag(e), after multiplication by N^{-1/2}.

        Parameters
        ----------
        n_largest : int, optional
            Number of eigenpairs with constant vectors to compute, the largest eigenvalues first.
            Default: all n'.
        """
        from coassoc.numerics.eigenpairs import leading_eigenpairs

        n_micro = self.microclusters.count
        root = np.sqrt(self.r)
        reduced = self.S * root * root[:, None]
        reduced.flat[:: n_micro + 1] += self.e
        n_pairs = n_micro if n_largest is None else min(n_largest, n_micro)
        values, vectors = leading_eigenpairs(reduced, n_pairs)
        return InvariantEigen(values, vectors / root[:, None], self.e)

    def _check_same_samples(self, other: InvariantMatrix) -> None:
        if other.microclusters is not self.microclusters:
            raise DataError(
                "The two matrices have different microclusters. Pass matrices of the same ensemble."
            )
