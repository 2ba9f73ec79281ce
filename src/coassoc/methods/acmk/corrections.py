"""The memory of L-BFGS, for matrices whose columns grow in number.

A matrix that is narrower than another stands for one with zeros in the columns that it lacks. All
passes go over blocks of rows.
"""

from collections.abc import Callable, Sequence

import numpy as np
import scipy.linalg

from coassoc.methods.acmk import kernels
from coassoc.methods.base import Array
from coassoc.numerics.threads import even_blocks, over_blocks


class Corrections:
    """The last steps s and changes y of the gradient, and −Hg by them.

    R. H. Byrd, J. Nocedal, R. B. Schnabel, "Representations of quasi-Newton matrices and their use
    in limited memory methods", Math. Programming 63, 1994: with the s and y as columns of S and Y,
    R the upper triangle of SᵀY, D its diagonal and H₀ the preconditioner,

        a = −R⁻¹ Sᵀg,   r = −H₀(g + Y a),   −Hg = r + S R⁻ᵀ(D a − Yᵀr).

    Parameters
    ----------
    memory : int
        How many pairs are kept; those without positive curvature are not.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.S: list[Array] = []
        self.Y: list[Array] = []
        self.R = np.empty((0, 0))

    def add(self, s: Array, y: Array) -> None:
        """Remember a pair, and forget the oldest one where there are too many."""
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
                kernels.add_multiple(rows, -factor, y[I])
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
        known = V.shape[1]
        np.multiply(factor, V[I], out=result[I, :known])
        result[I, known:] = 0.0
        for a, W in others:
            kernels.add_multiple(result[I], a, W[I])

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
