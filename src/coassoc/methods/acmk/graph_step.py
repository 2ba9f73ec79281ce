"""The graph of ACMK: Eq. (11) by projected Newton steps.

In compiled loops, here and in :mod:`.algorithm`, `root` is D^{-1/2} of all samples, and `first` the
number of the first of the rows given. R stands for C − A − Λ₁/μ with C = (I + D^{-1/2}WD^{-1/2})/2,
the residual of the filter in (8) with its multiplier; `weight` is 2λ + μ.
"""

import numpy as np

from coassoc.methods.base import Array
from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import even_blocks, over_blocks


def inverse_root(degree: Array) -> Array:
    """Diagonal of D^{-1/2}; 1 for a sample without neighbours."""
    return 1 / np.sqrt(np.where(degree > 0, degree, 1.0))


class GraphStep:
    """min (μ/2) ‖C − A − Λ₁/μ‖² + (λ+μ/2) ‖W − P‖² over 0 ≤ W ≤ 1, C = (I + D^{-1/2}WD^{-1/2})/2.

    This is (11) with its linear terms completed to squares.
    """

    max_steps = 20
    tolerance = 1e-6

    def __init__(self, A: Array, L1: Array, P: Array, lam: float, mu: float) -> None:
        self.A, self.L1, self.P = A, L1, P
        self.weight, self.mu = 2 * lam + mu, mu
        self.blocks = even_blocks(len(A))

    def solve(self, W: Array, spare: Array, degree: Array) -> tuple[Array, Array, Array]:
        """Projected diagonal Newton steps from W; returns W, the other array and the degrees."""
        value, pull = self.value(W, degree)
        for _ in range(self.max_steps):
            length = 1.0
            while True:
                slope, moved, size, new_degree = self.step(W, degree, pull, length, spare)
                new_value, new_pull = self.value(spare, new_degree)
                if new_value <= value + 1e-4 * slope or length < 1e-6:
                    break
                length /= 4
            if new_value > value:
                break
            W, spare = spare, W
            degree, value, pull = new_degree, new_value, new_pull
            if moved <= self.tolerance**2 * size:
                break
        return W, spare, degree

    def value(self, W: Array, degree: Array) -> tuple[float, Array]:
        """The objective, and the part of the gradient of each row from the degrees, in (12)."""
        root = inverse_root(degree)
        row_sums = np.zeros(len(W))

        def of_rows(I: slice) -> tuple[float, Array]:
            column_sums = np.zeros(len(W))
            parts = (X[I] for X in (W, self.A, self.L1, self.P))
            share = _graph_value(I.start, *parts, root, self.weight, self.mu, row_sums, column_sums)
            return share, column_sums

        shares, column_sums = zip(*over_blocks(of_rows, self.blocks), strict=True)
        return sum(shares), -self.mu / 4 * root**2 * (row_sums + sum(column_sums))

    def step(
        self, W: Array, degree: Array, pull: Array, length: float, W_new: Array
    ) -> tuple[float, float, float, Array]:
        """Write the end of a step into `W_new`.

        Returns
        -------
        tuple
            ⟨gradient, step⟩, ‖step‖², ‖W‖² and the new degrees.
        """
        root, degree_new = inverse_root(degree), np.empty(len(W))

        def of_rows(I: slice) -> tuple[float, float, float]:
            parts = (X[I] for X in (W, self.A, self.L1, self.P))
            return _newton_step(
                I.start, *parts, *(root, pull, self.weight, self.mu, length, W_new[I], degree_new)
            )

        slope, moved, size = np.sum(over_blocks(of_rows, self.blocks), axis=0)
        return slope, moved, size, degree_new


@compiled("f(i, f2, f2, f2, f2, f1, f, f, f1, f1)")
def _graph_value(first, W, A, L1, P, root, weight, mu, row_sums, column_sums):
    """Contribution of the rows to (11); sums of N_ij R_ij, N = D^{-1/2}WD^{-1/2}, are added up."""
    filter_part = graph_part = 0.0
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            N = root[first + i] * W[i, j] * root[j]
            R = N / 2 - A[i, j] - L1[i, j] / mu
            if j == first + i:
                R += 0.5
            filter_part += R**2
            graph_part += (W[i, j] - P[i, j]) ** 2
            row_sums[first + i] += N * R
            column_sums[j] += N * R
    return mu / 2 * filter_part + weight / 2 * graph_part


@compiled("UniTuple(f, 3)(i, f2, f2, f2, f2, f1, f1, f, f, f, f2, f1)")
def _newton_step(first, W, A, L1, P, root, pull, weight, mu, length, W_new, degree_new):
    """A Newton step of (11) with the gradient (12), entry by entry, cut off at 0 and 1.

    `pull` is the contribution of the degrees to the gradient of each row.

    Returns
    -------
    tuple of float
        ⟨gradient, step⟩, ‖step‖² and ‖W‖² of the rows.
    """
    slope = moved = size = 0.0
    for i in range(W.shape[0]):
        degree = 0.0
        for j in range(W.shape[1]):
            roots = root[first + i] * root[j]
            R = roots * W[i, j] / 2 - A[i, j] - L1[i, j] / mu
            if j == first + i:
                R += 0.5
            gradient = weight * (W[i, j] - P[i, j]) + mu / 2 * roots * R + pull[first + i]
            curvature = weight + mu / 4 * roots**2
            w = min(max(W[i, j] - length * gradient / curvature, 0.0), 1.0)
            slope += gradient * (w - W[i, j])
            moved += (w - W[i, j]) ** 2
            size += W[i, j] ** 2
            degree += w
            W_new[i, j] = w
        degree_new[first + i] = degree
    return slope, moved, size
