"""The filter of ACMK: Eq. (9) by quasi-Newton steps of low rank.

The matrices in the memory of L-BFGS gain columns over time. A narrower matrix stands for a matrix
with zeros in the columns that it lacks. All passes go over blocks of rows.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.linalg

from coassoc.methods.base import Array
from coassoc.numerics.threads import even_blocks, matmul, over_blocks

#: The author's settings of L-BFGS-B: few steps, a large tolerance of the gradient, and the default
#: ftol of the program.
PLAIN: dict[str, Any] = {
    "maxcor": 5,
    "maxiter": 20,
    "gtol": 1e-3,
    "ftol": 1e7 * np.finfo(float).eps,
}


class RowSpace:
    """An orthonormal basis B (n × q) of the rows of Δ = ΓBᵀ that grows by new directions.

    If k − 1 products with X in each of some `steps` would raise it above `most` of the n
    dimensions, it is the identity, and `B` is None.
    """

    def __init__(self, X: Array, order: int, steps: int, *, most: float = 1.0) -> None:
        n, d = X.shape
        self.X = X
        self.B: Array | None = None
        if d * (1 + steps * (order - 1)) < most * n:
            self.B = np.empty((n, 0))
            self.extend(X)
        self.width = n if self.B is None else self.B.shape[1]

    def coordinates(self, Y: Array) -> Array:
        """BᵀY."""
        return Y if self.B is None else matmul(self.B.T, Y)

    def add(self, Gamma: Array, M: Array) -> None:
        """M += ΓBᵀ."""

        def to_rows(I: slice) -> None:
            M[I] += Gamma[I] if self.B is None else Gamma[I] @ self.B[:, : Gamma.shape[1]].T

        over_blocks(to_rows, even_blocks(len(M)))

    def extend(self, Y: Array) -> None:
        """Let B span the columns of Y too, up to rounding."""
        if self.B is None:
            return
        size = np.linalg.norm(Y, axis=0).max(initial=0.0)
        for _ in range(2):  # a second time, to remove rounding errors
            Y = Y - matmul(self.B, matmul(self.B.T, Y))
        Q, R, _ = scipy.linalg.qr(Y, mode="economic", pivoting=True, check_finite=False)
        rank = np.count_nonzero(np.abs(np.diagonal(R)) > 1e-9 * size)
        self.B = np.hstack((self.B, Q[:, :rank]))
        self.width = self.B.shape[1]

    def widened(self, Gamma: Array) -> Array:
        """Γ with columns of zeros for the directions that came after it."""
        return Gamma if Gamma.shape[1] == self.width else combination(self.width, (1.0, Gamma))

    def compressed(self, *Gammas: Array) -> list[Array]:
        """The Γ in a new basis that holds X and the rows of all ΓBᵀ, to six digits."""
        Gammas = tuple(self.widened(Gamma) for Gamma in Gammas)
        if self.B is None:
            return list(Gammas)
        values, vectors = np.linalg.eigh(sum(matmul(Gamma.T, Gamma) for Gamma in Gammas))
        kept = vectors[:, values > 1e-12 * values.max(initial=0.0)]
        self.B = matmul(self.B, kept)
        self.extend(self.X)
        return [self.widened(matmul(Gamma, kept)) for Gamma in Gammas]


class FilterStep:
    """min v ‖(M+Δ)^k X − T‖² + (μ/2) ‖Δ‖² over Δ = Γ Bᵀ.

    This is (9) around M = C − Λ₁/μ, T the mean of the G⁽ᵐ⁾F⁽ᵐ⁾. The rows of every gradient lie in
    the span of the filtered X.
    """

    #: Many more steps barely change W and the partitions, see :mod:`coassoc.methods.acmk`.
    max_steps = 8
    #: Size of the gradient at the stop, relative to the size of its proximal term μΔ.
    tolerance = 0.2
    memory = 3

    def __init__(self, M: Array, T: Array, v: int, mu: float, order: int, space: RowSpace) -> None:
        self.M, self.T, self.v, self.mu, self.order = M, T, v, mu, order
        self.X, self.space = space.X, space
        # If Δ is a product of thin factors, AX needs no product with an n × n array.
        self.MX = None if space.B is None else matmul(M, self.X)

    def solve(self, Gamma: Array) -> tuple[Array, Array]:
        """Preconditioned L-BFGS from ΓBᵀ; returns the new Γ and (M+Δ)^k X."""
        value, Y = self.value(Gamma)
        gradient = self.gradient(Gamma, Y)
        self._set_preconditioner(Y)
        corrections = Corrections(self.memory)
        for _ in range(self.max_steps):
            if norm(gradient) <= self.tolerance * self.mu * norm(Gamma):
                break
            direction = corrections.direction(gradient, self._precondition)
            slope = float(inner_products([gradient], direction)[0])
            length, new_Gamma, new_value, Y = self._search(Gamma, direction, value, slope)
            if not new_value < value:
                break
            new_gradient = self.gradient(new_Gamma, Y)
            corrections.add(
                combination(direction.shape[1], (length, direction)),
                combination(self.space.width, (1.0, new_gradient), (-1.0, gradient)),
            )
            Gamma, value, gradient = new_Gamma, new_value, new_gradient
            if length < 1:
                self._set_preconditioner(Y)
        return Gamma, Y[-1]

    def plain_steps(self, Gamma: Array) -> tuple[Array, Array]:
        """L-BFGS-B from Δ = Γ, as the author's programs call it; returns the new Γ and (M+Δ)^k X.

        For a basis that is the identity; with few columns see :class:`ThinSteps`.
        """

        def value_and_gradient(x: Array) -> tuple[float, Array]:
            value, Y = self.value(x.reshape(Gamma.shape))
            return value, self.gradient(x.reshape(Gamma.shape), Y).ravel()

        from scipy.optimize import minimize  # slow to import, and planning needs no fit

        result = minimize(
            value_and_gradient, Gamma.ravel(), jac=True, method="L-BFGS-B", options=PLAIN
        )
        Gamma = result.x.reshape(Gamma.shape)
        return Gamma, self.value(Gamma)[1][-1]

    def value(self, Gamma: Array) -> tuple[float, list[Array]]:
        """The objective, and A^r X for r = 0 … k."""
        times_A, _ = self._products(Gamma)
        Y = [self.X]
        if self.MX is not None:
            Y.append(self.MX + matmul(Gamma, self.space.coordinates(self.X)[: Gamma.shape[1]]))
        while len(Y) <= self.order:
            Y.append(times_A(Y[-1]))
        return self.v * norm(Y[-1] - self.T) ** 2 + self.mu / 2 * norm(Gamma) ** 2, Y

    def gradient(self, Gamma: Array, Y: list[Array]) -> Array:
        """Eq. (10) times B: μΓ + Σ_r Q_r (Bᵀ A^{k-1-r} X)ᵀ with Q_r = 2v (Aᵀ)^r (A^k X − T)."""
        if self.order > 1:
            self.space.extend(np.hstack(Y[1 : self.order]))
        _, times_A_transposed = self._products(Gamma)
        Q = [2 * self.v * (Y[-1] - self.T)]
        for _ in range(self.order - 1):
            Q.append(times_A_transposed(Q[-1]))
        left = np.hstack(Q)
        right = self.space.coordinates(np.hstack(Y[self.order - 1 :: -1]))
        gradient = np.empty((len(Gamma), self.space.width))

        def of_rows(I: slice) -> None:
            np.matmul(left[I], right.T, out=gradient[I])
            gradient[I, : Gamma.shape[1]] += self.mu * Gamma[I]

        over_blocks(of_rows, even_blocks(len(Gamma)))
        return gradient

    def _products(self, Gamma: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
        """Products with A = M + ΓBᵀ and with Aᵀ."""
        M = self.M
        if self.space.B is None:
            A = combination(len(M), (1.0, M), (1.0, Gamma))
            return lambda Y: matmul(A, Y), lambda Q: matmul(A.T, Q)
        B = self.space.B[:, : Gamma.shape[1]]
        return (
            lambda Y: matmul(M, Y) + matmul(Gamma, matmul(B.T, Y)),
            lambda Q: matmul(M.T, Q) + matmul(B, matmul(Gamma.T, Q)),
        )

    def _search(
        self, Gamma: Array, direction: Array, value: float, slope: float
    ) -> tuple[float, Array, float, list[Array]]:
        """Step along the direction until the decrease is sufficient (Armijo)."""
        length = 1.0
        while True:
            new_Gamma = combination(direction.shape[1], (1.0, Gamma), (length, direction))
            new_value, Y = self.value(new_Gamma)
            if new_value <= value + 1e-4 * length * slope or length < 1e-8:
                return length, new_Gamma, new_value, Y
            # to the minimum of a parabola, between 1/10 and 1/2
            curved = 2 * (new_value - value - length * slope)
            finite = np.isfinite(new_value)
            length *= float(np.clip(-length * slope / curved, 0.1, 0.5)) if finite else 0.1

    def _set_preconditioner(self, Y: list[Array]) -> None:
        """Prepare (μI + 2v S Sᵀ)⁻¹ with S = √k (X, AX, …, A^{k-1}X), in coordinates of B.

        ‖Σ_r A^r Δ A^{k-1-r}X‖² ≤ ‖ΔS‖² for a filter of norm 1, so that the steps rarely overshoot.
        """
        S = np.sqrt(self.order) * self.space.coordinates(np.hstack(Y[: self.order]))
        wide = 2 * S.shape[1] > len(S)
        inner = matmul(S, S.T) if wide else matmul(S.T, S)
        ridge = self.mu / (2 * self.v) + np.finfo(float).eps * np.trace(inner)
        inner.flat[:: len(inner) + 1] += ridge
        factor = scipy.linalg.cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        if wide:
            inverse, _ = scipy.linalg.lapack.dpotri(factor, lower=True, overwrite_c=True)
            self.inverse = np.tril(inverse) + np.tril(inverse, -1).T
            self.inverse *= ridge / self.mu
            self.U = None
        else:
            self.U = scipy.linalg.solve_triangular(factor, S.T, lower=True, check_finite=False).T

    def _precondition(self, V: Array) -> Array:
        """Rows of V (μI + 2v S Sᵀ)⁻¹; directions newer than S are orthogonal to it."""
        result = V / self.mu
        if self.U is None:
            width = len(self.inverse)
            result[:, :width] = V[:, :width] @ self.inverse
        else:
            width = len(self.U)
            result[:, :width] -= result[:, :width] @ self.U @ self.U.T
        return result


class Corrections:
    """The last steps s and changes y of the gradient, and −Hg by them.

    R. H. Byrd, J. Nocedal, R. B. Schnabel, "Representations of quasi-Newton matrices and their use
    in limited memory methods", Math. Programming 63, 1994: with the s and y as columns of S and Y,
    R the upper triangle of SᵀY, D its diagonal and H₀ the preconditioner,

        a = −R⁻¹ Sᵀg,   r = −H₀(g + Y a),   −Hg = r + S R⁻ᵀ(D a − Yᵀr).

    Parameters
    ----------
    memory : int
        Number of pairs to keep. Pairs without positive curvature are not kept.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.S: list[Array] = []
        self.Y: list[Array] = []
        self.R = np.empty((0, 0))

    def add(self, s: Array, y: Array) -> None:
        """Store a pair, and drop the oldest one if there are too many."""
        oldest = len(self.S) + 1 - self.memory
        kept = slice(max(oldest, 0), None)
        S, Y = [*self.S[kept], s], [*self.Y[kept], y]
        column = inner_products(S, y)
        if column[-1] <= 1e-10 * norm(s) * norm(y):
            return
        R = np.zeros((len(S), len(S)))
        R[:-1, :-1], R[:, -1] = self.R[kept, kept], column
        self.S, self.Y, self.R = S, Y, R

    def direction(self, gradient: Array, precondition: Callable[[Array], Array]) -> Array:
        """−Hg; `precondition` multiplies some rows by H₀, from the right."""
        a = -scipy.linalg.solve_triangular(self.R, inner_products(self.S, gradient))
        r = np.empty_like(gradient)

        def of_rows(I: slice) -> list[float]:
            rows = -gradient[I]
            for factor, y in zip(a, self.Y, strict=True):
                rows[:, : y.shape[1]] -= factor * y[I]
            r[I] = precondition(rows)
            return [_dot(y[I], r[I]) for y in self.Y]

        Yr = _sums(over_blocks(of_rows, even_blocks(len(r))))
        c = scipy.linalg.solve_triangular(self.R, np.diagonal(self.R) * a - Yr, trans="T")
        return combination(r.shape[1], (1.0, r), *zip(c, self.S, strict=True))


def combination(width: int, first: tuple[float, Array], *others: tuple[float, Array]) -> Array:
    """Sum of factors times matrices, `width` columns."""
    factor, V = first
    result = np.empty((len(V), width))

    def of_rows(I: slice) -> None:
        n_vectors = V.shape[1]
        np.multiply(factor, V[I], out=result[I, :n_vectors])
        result[I, n_vectors:] = 0.0
        for a, W in others:
            result[I, : W.shape[1]] += a * W[I]

    over_blocks(of_rows, even_blocks(len(V)))
    return result


def inner_products(Vs: Sequence[Array], W: Array) -> Array:
    """⟨V, W⟩ = Σ_ij V_ij W_ij of each V."""
    return _sums(over_blocks(lambda I: [_dot(V[I], W[I]) for V in Vs], even_blocks(len(W))))


def norm(V: Array) -> float:
    """‖V‖, the Frobenius norm."""
    return float(np.sqrt(inner_products([V], V)[0]))


def _dot(V: Array, W: Array) -> float:
    common = min(V.shape[1], W.shape[1])
    return float(np.einsum("ij,ij->", V[:, :common], W[:, :common]))


def _sums(of_blocks: list[list[float]]) -> Array:
    """Sums over the blocks, in their order."""
    return np.array(of_blocks).sum(axis=0)
