"""The filter of ACMK by its author's steps of L-BFGS-B, if X has few columns.

SciPy's routine would hold about thirty n × n arrays. For 4,000 samples of Pendigit it takes 5 times
as long, and 4.2 GB instead of 1.1 GB; all 10,992 samples would need about 30 GB. Here a step
Δ = aΔ₀ + ΓBᵀ from the centre is a number and a thin matrix, since gradients combine Δ, which starts
as Δ₀, and matrices whose rows lie in the span of the filtered X.
"""

from typing import NamedTuple, cast

import numpy as np

from coassoc.methods.acmk.filter_step import PLAIN, FilterStep, combination, inner_products
from coassoc.methods.base import Array
from coassoc.numerics.threads import even_blocks, matmul

#: L-BFGS-B's own search along a line: sufficient decrease, curvature, and bounds of the length.
_SEARCH = {"ftol": 1e-3, "gtol": 0.9, "xtol": 0.1, "stpmin": 0.0, "stpmax": 1e10}
#: One more than SciPy's L-BFGS-B tries, because the starting point counts as well.
_MOST_LENGTHS = 21


class Step(NamedTuple):
    """Δ = aΔ₀ + ΓBᵀ; columns that Γ lacks are zero."""

    a: float
    Gamma: Array


class ThinSteps:
    """Steps from Δ₀ to the minimum of (9), equal to those of SciPy's L-BFGS-B except for rounding.

    If a line search fails, SciPy's routine discards its memory and tries once more. Here the steps
    end.

    Attributes
    ----------
    problem : FilterStep
        (9) around its centre M.
    space : RowSpace
        The basis B, which comes to hold the filtered X of all evaluations.
    start, start_X, start_rows : (n, n), (n, d) and (n, q) arrays
        Δ₀, Δ₀X and Δ₀B, of the last `solve`.
    size : float
        ‖Δ₀‖².
    """

    def __init__(self, problem: FilterStep) -> None:
        self.problem, self.space = problem, problem.space

    @property
    def B(self) -> Array:
        """The basis of the row space, which is not the identity."""
        return cast(Array, self.space.B)

    def solve(self, start: Array) -> tuple[Array, Array]:
        """Take the author's steps; returns Δ, in place of Δ₀, and (M+Δ)^k X."""
        # This function is private to SciPy. It is imported here so that a SciPy without it breaks
        # no other part of the library.
        from scipy.optimize._dcsrch import DCSRCH

        self.start, self.size = start, float(np.vdot(start, start))
        self.start_X, self.start_rows = (matmul(start, Y) for Y in (self.space.X, self.B))
        step = Step(1.0, np.empty((len(start), 0)))
        value, gradient, AkX = self.evaluate(step)
        pairs: list[tuple[Step, Step]] = []
        for iteration in range(PLAIN["maxiter"]):
            if self.is_small(gradient):
                break
            direction = self.direction(gradient, pairs)
            slope = self.inner(gradient, direction)
            first = 1.0 if iteration else self.inner(direction, direction) ** -0.5
            line = _Line(self, step, direction)
            search = DCSRCH(line.value, line.slope, **_SEARCH)
            length, *_ = search(first, value, slope, _MOST_LENGTHS)
            if length is None:
                break
            before, gradient_before = value, gradient
            step, (value, gradient, AkX) = line.step, line.evaluation
            s = self.sum((length, direction))
            y = self.sum((1.0, gradient), (-1.0, gradient_before))
            if self.inner(s, y) > -np.finfo(float).eps * length * slope:
                pairs = [*pairs, (s, y)][-PLAIN["maxcor"] :]
            if before - value <= PLAIN["ftol"] * max(abs(before), abs(value), 1.0):
                break
        for I in even_blocks(len(start)):
            start[I] = self.rows(step, I)
        return start, AkX

    def evaluate(self, step: Step) -> tuple[float, Step, Array]:
        """The objective, its gradient, Eq. (10), and (M+Δ)^k X."""
        v, mu, order = self.problem.v, self.problem.mu, self.problem.order
        Y = [self.space.X, self.times_X(step)]
        while len(Y) <= order:
            Y.append(self.times(step, Y[-1]))
        if order > 1:
            self.extend(np.hstack(Y[1:-1]))
        residual = Y[-1] - self.problem.T
        Q = [2 * v * residual]
        while len(Q) < order:
            Q.append(self.times_transposed(step, Q[-1]))
        thin = matmul(np.hstack(Q), self.space.coordinates(np.hstack(Y[-2::-1])).T)
        Gamma = combination(self.space.width, (1.0, thin), (mu, step.Gamma))
        value = v * np.vdot(residual, residual) + mu / 2 * self.inner(step, step)
        return float(value), Step(mu * step.a, Gamma), Y[-1]

    def extend(self, Y: Array) -> None:
        """Let B span the columns of Y too, and know Δ₀B of the new ones."""
        width = self.space.width
        self.space.extend(Y)
        new = matmul(self.start, self.B[:, width:])
        self.start_rows = np.hstack((self.start_rows, new))

    def times_X(self, step: Step) -> Array:
        """(M+Δ)X."""
        coordinates = self.space.coordinates(self.space.X)[: step.Gamma.shape[1]]
        of_centre = cast(Array, self.problem.MX) + step.a * self.start_X
        return of_centre + matmul(step.Gamma, coordinates)

    def times(self, step: Step, Y: Array) -> Array:
        """(M+Δ)Y."""
        coordinates = self.space.coordinates(Y)[: step.Gamma.shape[1]]
        of_centre = matmul(self.problem.M, Y) + step.a * matmul(self.start, Y)
        return of_centre + matmul(step.Gamma, coordinates)

    def times_transposed(self, step: Step, Q: Array) -> Array:
        """(M+Δ)ᵀQ."""
        coordinates = matmul(step.Gamma.T, Q)
        of_centre = matmul(self.problem.M.T, Q) + step.a * matmul(self.start.T, Q)
        return of_centre + matmul(self.B[:, : len(coordinates)], coordinates)

    def direction(self, gradient: Step, pairs: list[tuple[Step, Step]]) -> Step:
        """−Hg by the two-loop recursion, from sᵀy/yᵀy times the identity."""
        r, factors = self.sum((-1.0, gradient)), []
        for s, y in reversed(pairs):
            factors.append(self.inner(s, r) / self.inner(s, y))
            r = self.sum((1.0, r), (-factors[-1], y))
        if pairs:
            s, y = pairs[-1]
            r = self.sum((self.inner(s, y) / self.inner(y, y), r))
        for (s, y), factor in zip(pairs, reversed(factors), strict=True):
            r = self.sum((1.0, r), (factor - self.inner(y, r) / self.inner(s, y), s))
        return r

    def inner(self, one: Step, other: Step) -> float:
        """⟨Δ, Δ'⟩."""
        crossed = one.a * inner_products([other.Gamma], self.start_rows)[0]
        crossed += other.a * inner_products([one.Gamma], self.start_rows)[0]
        thin = inner_products([one.Gamma], other.Gamma)[0]
        return float(one.a * other.a * self.size + crossed + thin)

    def sum(self, *terms: tuple[float, Step]) -> Step:
        """Sum of factors times steps."""
        return Step(
            sum(factor * step.a for factor, step in terms),
            combination(self.space.width, *((factor, step.Gamma) for factor, step in terms)),
        )

    def is_small(self, gradient: Step) -> bool:
        """Whether no entry of the gradient exceeds the author's bound."""
        return all(
            np.abs(self.rows(gradient, I)).max() <= PLAIN["gtol"]
            for I in even_blocks(len(self.start))
        )

    def rows(self, step: Step, I: slice) -> Array:
        """Rows of Δ."""
        Gamma = step.Gamma[I]
        return step.a * self.start[I] + Gamma @ self.B[:, : Gamma.shape[1]].T


class _Line:
    """The objective along a direction; a length is evaluated once for value and slope."""

    def __init__(self, steps: ThinSteps, origin: Step, direction: Step) -> None:
        self.steps, self.origin, self.direction = steps, origin, direction

    def value(self, length: float) -> float:
        self.step = self.steps.sum((1.0, self.origin), (length, self.direction))
        self.evaluation = self.steps.evaluate(self.step)
        return self.evaluation[0]

    def slope(self, length: float) -> float:
        return self.steps.inner(self.evaluation[1], self.direction)
