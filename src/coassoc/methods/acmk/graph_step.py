"""The graph of ACMK: Eq. (11) by projected Newton steps."""

import numpy as np

from coassoc.methods.acmk import kernels
from coassoc.methods.base import Array
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
        """The objective, and what the degrees add to the gradient of each row, in (12)."""
        root = inverse_root(degree)
        row_sums = np.zeros(len(W))

        def of_rows(I: slice) -> tuple[float, Array]:
            column_sums = np.zeros(len(W))
            parts = (X[I] for X in (W, self.A, self.L1, self.P))
            share = kernels.graph_value(
                I.start, *parts, root, self.weight, self.mu, row_sums, column_sums
            )
            return share, column_sums

        shares, column_sums = zip(*over_blocks(of_rows, self.blocks), strict=True)
        return sum(shares), -self.mu / 4 * root**2 * (row_sums + sum(column_sums))

    def step(
        self, W: Array, degree: Array, pull: Array, length: float, W_new: Array
    ) -> tuple[float, float, float, Array]:
        """Put the end of a step into `W_new`.

        Returns
        -------
        tuple
            ⟨gradient, step⟩, ‖step‖², ‖W‖² and the new degrees.
        """
        root, degree_new = inverse_root(degree), np.empty(len(W))

        def of_rows(I: slice) -> tuple[float, float, float]:
            parts = (X[I] for X in (W, self.A, self.L1, self.P))
            return kernels.graph_step(
                I.start, *parts, *(root, pull, self.weight, self.mu, length, W_new[I], degree_new)
            )

        slope, moved, size = np.sum(over_blocks(of_rows, self.blocks), axis=0)
        return slope, moved, size, degree_new
