"""Projection on the symmetric doubly stochastic matrices, on microclusters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from coassoc.numerics.sparse import sparse_rows
from coassoc.numerics.threads import over_blocks, row_blocks

Array = NDArray[np.float64]

#: Largest distance of a row sum from 1, and largest number of Newton steps.
_TOL, _MOST_STEPS = 1e-10, 100
#: Rows that stay in cache while they are shifted.
_ROWS = 64


def doubly_stochastic_projection(
    B: Array, r: Array, e: Array, space: tuple[Array, Array], u: Array | None = None
) -> tuple[Array, Array, Array, float]:
    """Nearest symmetric, non-negative matrix with row sums of 1, in the Frobenius norm.

    With the sizes r of microclusters this is the projection of the n × n matrix
    P B Pᵀ + diag(P e), which has the same form.

    Parameters
    ----------
    B : (q, q) array
        Symmetric.
    r : (q,) array
        Positive sizes.
    e : (q,) array
        Diagonal correction.
    space : pair of (q, q) arrays
        They are overwritten, and one of them becomes S. New memory would take longer than a step.
    u : (q,) array, optional
        Multipliers to start from, such as those of a similar B.

    Returns
    -------
    S : (q, q) array
        The projection, S = max(B + u1ᵀ + 1uᵀ, 0).
    e : (q,) array
        Its diagonal correction, max(B_kk + e_k + 2u_k, 0) − S_kk.
    u : (q,) array
        Multipliers of the row sums.
    residual : float
        Largest distance of a row sum from 1.

    Notes
    -----
    The solution is max(B + u1ᵀ + 1uᵀ, 0), where u minimises the convex and piecewise quadratic
    φ(u) = ¼ ‖max(B + u1ᵀ + 1uᵀ, 0)‖_F² − Σ u, whose gradient is the excess of the row sums over 1.
    Newton's method with the support held fixed ends after finitely many steps at the exact u. Its
    systems are well conditioned after scaling by their diagonal: conjugate gradients take a dozen
    products with the 0/1 support, which is sparse near the solution.
    """
    dual = _RowSumDual(np.ascontiguousarray(B), e, r)
    u = dual.start() if u is None else u
    point, trial = map(dual.new_point, space)
    dual.move(point, u)
    step = 0
    while np.abs(point.excess).max() > _TOL and step < _MOST_STEPS:
        if not _damped_step(dual, point, dual.newton_direction(point), trial):
            break
        point, trial = trial, point
        step += 1
    residual = float(np.abs(point.excess).max())
    return point.S, point.diagonal - np.diagonal(point.S), point.u, residual


@dataclass
class _DualPoint:
    """Multipliers u with S, the diagonal, and the excess of the row sums that they give."""

    S: Array
    u: Array
    diagonal: Array
    excess: Array


class _RowSumDual:
    """The dual φ(u) of the projection, for the sizes r and the diagonal B_kk + e_k."""

    def __init__(self, B: Array, e: Array, r: Array) -> None:
        self.B, self.e, self.r = B, e, r

    def new_point(self, S: Array) -> _DualPoint:
        """A point to be filled by :meth:`move`."""
        empty = np.empty(len(self.r))
        return _DualPoint(S, empty, empty, empty)

    def start(self) -> Array:
        """Multipliers of the nearest symmetric matrix with row sums of 1, whatever its signs."""
        r, n = self.r, self.r.sum()
        sums = self.B @ r + self.e
        return (n + r @ sums) / (2 * n**2) - sums / n

    def move(self, point: _DualPoint, u: Array) -> None:
        """Put `point` at u."""
        sums = np.empty_like(u)

        def shift(rows: slice) -> None:
            """S = max(B + u1ᵀ + 1uᵀ, 0) on some rows, and its sums along them."""
            point.S[rows] = np.maximum(self.B[rows] + u + u[rows, None], 0.0)
            sums[rows] = point.S[rows] @ self.r

        over_blocks(shift, row_blocks(len(u), _ROWS))
        point.u = u
        # Added as in S, so that a sample without copies gets no correction.
        point.diagonal = np.maximum(np.diagonal(self.B) + u + u + self.e, 0.0)
        point.excess = sums - np.diagonal(point.S) + point.diagonal - 1

    def value(self, point: _DualPoint) -> float:
        """φ at a point."""

        def squares(rows: slice) -> Array:
            return (point.S[rows] * point.S[rows]) @ self.r

        sums = np.concatenate(over_blocks(squares, row_blocks(len(self.r), _ROWS)))
        square = self.r @ (sums - np.diagonal(point.S) ** 2 + point.diagonal**2)
        return float(square / 4 - self.r @ point.u)

    def newton_direction(self, point: _DualPoint) -> Array:
        """Solve (diag(t) + A N) x = −excess, A the support without its diagonal.

        t_k counts the other samples that a sample of microcluster k is linked to, those of k
        itself twice, as is the sample's own entry.
        """
        r = self.r
        A = sparse_rows(point.S)
        A.data[:] = 1.0
        inside = (np.diagonal(point.S) > 0).astype(np.float64)
        t = A @ r + (r - 2) * inside + 2 * (point.diagonal > 0)
        # A row without support has no curvature, so it moves by its own excess.
        scale = np.sqrt(r / np.where(t > 0, t, r))
        # Bipartite supports make the system singular. There is then no minimum before the support
        # changes. The shift allows a step long enough to reach this change.
        shift = 1 + 1e-5

        def product(y: Array) -> Array:
            y = y.ravel()
            y_scaled = scale * y
            return shift * y + scale * (A @ y_scaled - inside * y_scaled)

        system = LinearOperator(A.shape, product, dtype=np.float64)
        y, _ = cg(system, -scale * point.excess, rtol=1e-5, maxiter=200)
        return scale / r * y


def _damped_step(dual: _RowSumDual, point: _DualPoint, direction: Array, trial: _DualPoint) -> bool:
    """Step from `point` along `direction` to `trial`; False if rounding allows no improvement.

    The full step is taken where it halves the error of the row sums, as it does near the
    solution. Otherwise the length is halved until φ falls, or doubled while it falls further:
    where a row has too little support, φ is linear over long distances.
    """
    r, u = dual.r, point.u
    dual.move(trial, u + direction)
    if np.sqrt(r @ trial.excess**2) <= np.sqrt(r @ point.excess**2) / 2:
        return True
    value, slope = dual.value(point), (r * point.excess) @ direction

    def gain(length: float) -> float:
        """Decrease of φ, or −∞ if it is a tiny fraction of the decrease along the slope."""
        dual.move(trial, u + length * direction)
        fall = value - dual.value(trial)
        return fall if fall >= -1e-4 * length * slope else -np.inf

    length, fall = 1.0, gain(1.0)
    while fall == -np.inf and length > 1e-9:
        length /= 2
        fall = gain(length)
    if fall == -np.inf:
        return False
    while length >= 1 and gain(2 * length) > fall:
        length *= 2
        fall = gain(length)
    dual.move(trial, u + length * direction)
    return True
