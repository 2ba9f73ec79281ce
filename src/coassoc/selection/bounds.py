"""How many disagreements with the base clusterings any partition has at least.

With s_uv the base clusterings that have rows u and v together, less those that part them, and
r_u samples of row u, a partition has

    D = D₀ − Σ_{u<v} w_uv y_uv,    w_uv = r_u r_v s_uv,

where y_uv is 1 if it has u and v together and else 0, and D₀ are the disagreements of all rows
apart. What any y that is transitive reaches of the sum is at most the optimum of the linear program

    max Σ w_uv y_uv,    0 ≤ y ≤ 1,    y_uv + y_vt − y_ut ≤ 1 for all u, v, t

(M. Grötschel, Y. Wakabayashi, "A cutting plane algorithm for a clustering problem", Mathematical
Programming 45, 1989), and for any λ ≥ 0 of the triangles at most

    Σ λ + Σ_uv max(0, w_uv − (Aᵀλ)_uv),

A the rows of the constraints. This sum is the bound, whatever the solver found and however far.

- Of few rows, the program is solved by HiGHS with those triangles that a solution violates, and
  where the solution is fractional, branched on: y_uv = 1 or 0.
- Of more, λ comes from bad triangles, of which two pairs want to be together and the third apart:
  each takes in turn what is left to all three pairs. That is cycle packing with triangles alone
  (J.-H. Lange, A. Karrenbauer, B. Andres, "Partial optimality and fast lower bounds for weighted
  correlation clustering", ICML 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import MethodError, TooLargeError
from coassoc.methods import METHODS
from coassoc.methods.aggregation import disagreements_of
from coassoc.numerics.compiled import compiled
from coassoc.partition.picking import signed_agreements

__all__ = ["LowerBound", "lower_bound"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Most distinct rows for the linear program, and for bad triangles.
_FEW, _MOST = 500, 5000
#: Iterations of the simplex method and nodes of branching, after which the bound is what it is.
_ITERATIONS, _NODES = 20_000, 200
#: Triangles that are added at a time, and most of these with the same pair.
_ADDED, _OF_PAIR = 4000, 3
_FEASIBLE = 1e-6


@dataclass(frozen=True)
class LowerBound:
    """What :func:`lower_bound` finds.

    Attributes
    ----------
    disagreements : float
        No partition has fewer.
    exact : bool
        Whether some partition is known to have no more, so that this is the least.
    by : {"linear program", "triangles"}
    """

    disagreements: float
    exact: bool
    by: Literal["linear program", "triangles"]

    def within(self, disagreements: float) -> float:
        """Per cent that a partition with these disagreements can be above the best one."""
        if disagreements <= self.disagreements:
            return 0.0
        if self.disagreements == 0:
            return float("inf")
        return 100 * (disagreements - self.disagreements) / self.disagreements

    def words(self, disagreements: float) -> str:
        """The same in words."""
        per_cent = self.within(disagreements)
        if per_cent == 0:
            return "the fewest possible"
        if not np.isfinite(per_cent):
            return "not bounded from below"
        digits = f"{np.ceil(1e3 * per_cent) / 1e3:.3f}"
        return f"within {digits} % of the fewest possible"


def lower_bound(labels: ArrayLike | Ensemble, reached: float | None = None) -> LowerBound:
    """Bound from below the disagreements of all partitions with some base clusterings.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings, with at most 5,000 distinct rows; up to 500 by the linear program,
        beyond that by bad triangles.
    reached : float, optional
        Disagreements of a partition, which branching tries to prove the best; by default those of
        LOCALSEARCH.

    Raises
    ------
    TooLargeError
        If there are more rows.
    MethodError
        If the linear program is needed and highspy is not installed.

    Examples
    --------
    >>> lower_bound([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    LowerBound(disagreements=6.0, exact=True, by='linear program')
    """
    ensemble = Ensemble.of(labels)
    q, r = ensemble.microclusters.count, ensemble.microclusters.r
    if q > _MOST:
        raise TooLargeError(
            f"labels have {q:,} distinct rows; a bound is for {_MOST:,} at most, so leave samples "
            "out."
        )
    apart = disagreements_of(ensemble, np.arange(q))
    w = signed_agreements(ensemble) * r * r[:, None]
    np.fill_diagonal(w, 0)
    if reached is None:
        search: Any = METHODS["LOCALSEARCH"](random_state=0)
        reached = float(search.fit(ensemble).disagreements_)
    if q > _FEW:
        most, by = _packed(w), "triangles"
    else:
        most, by = _Branching(w, apart - reached).run(), "linear program"
    least = apart - max(_whole(most), 0.0)
    return LowerBound(float(least), bool(least >= reached), by)  # type: ignore[arg-type]


def _whole(most: float) -> float:
    """The largest sum of w up to a bound, a whole number, for all that rounding may have taken."""
    return float(np.floor(most + _FEASIBLE + 1e-12 * abs(most)))


# -- few rows: the linear program -----------------------------------------------------------------


class _Branching:
    """Branches of the linear program, whose triangles all share."""

    def __init__(self, w: Array, reached: float) -> None:
        self.reached, self.n = reached, len(w)
        self.pairs = np.triu_indices(self.n, 1)
        self.place = np.zeros(w.shape, dtype=np.int64)
        self.place[self.pairs] = np.arange(len(self.pairs[0]))
        self.place += self.place.T
        self.w = w[self.pairs]
        self.unit = max(float(np.abs(self.w).max(initial=0)), 1.0)
        self.triangles = np.empty((0, 3), dtype=np.int64)
        self.left = _ITERATIONS
        self.solver = _solver(-self.w / self.unit)

    def run(self) -> float:
        """The most that the sum of any partition is, and `reached` at the least."""
        branches: list[tuple[float, dict[int, float]]] = [(np.inf, {})]
        given_up = self.reached
        for _ in range(_NODES):
            if not branches:
                break
            fixed = branches.pop()[1]
            most, y, solved = self._solve(fixed)
            if _whole(most) <= self.reached:
                continue
            fractional = np.flatnonzero(np.minimum(y, 1 - y) > _FEASIBLE)
            if not solved or not len(fractional):
                given_up = max(given_up, most)
                if solved:  # a partition, and the best here unless the solver was not exact
                    self.reached = max(self.reached, float(np.rint(y) @ self.w))
            else:
                pair = int(fractional[np.abs(y[fractional] - 0.5).argmin()])
                branches += [(most, fixed | {pair: side}) for side in (0.0, 1.0)]
        return max([self.reached, given_up, *(most for most, _ in branches)])

    def _solve(self, fixed: dict[int, float]) -> tuple[float, Array, bool]:
        """A bound where some pairs are fixed, the solution, and whether it is transitive."""
        low, high = np.zeros(len(self.w)), np.ones(len(self.w))
        for pair, side in fixed.items():
            low[pair] = high[pair] = side
        pairs = np.arange(len(self.w), dtype=np.int32)
        self.solver.changeColsBounds(len(pairs), pairs, low, high)
        most = np.inf
        while True:
            self.solver.setOptionValue("simplex_iteration_limit", max(self.left, 0))
            self.solver.run()
            self.left -= max(self.solver.getInfo().simplex_iteration_count, 0)
            solution = self.solver.getSolution()
            y = np.clip(solution.col_value, 0, 1)
            most = min(most, self._bound(np.array(solution.row_dual), low, high))
            if _whole(most) <= self.reached:
                return most, y, True
            if self.left <= 0:
                return most, y, False
            added = self._violated(y)
            if not len(added):
                return most, y, True
            self._add(added)

    def _bound(self, duals: Array, low: Array, high: Array) -> float:
        share = np.maximum(-duals, 0.0) * self.unit
        taken = sum(
            sign * np.bincount(column, share, minlength=len(self.w))
            for sign, column in zip((1, 1, -1), self.triangles.T, strict=True)
        )
        rest = self.w - taken
        return float(share.sum() + np.maximum(low * rest, high * rest).sum())

    def _violated(self, y: Array) -> Integers:
        """(k, 3) pairs of the triangles that are violated most, few of the same pair."""
        Y = np.zeros((self.n, self.n))
        Y[self.pairs] = y
        triangles, sums = _violated_triangles(Y + Y.T, 1 + _FEASIBLE)
        u, v, t = triangles[np.argsort(-sums, kind="stable")].T
        sides = np.column_stack([self.place[u, v], self.place[v, t], self.place[u, t]])
        return sides[_few_of_each(sides, len(self.w), _OF_PAIR, _ADDED)]

    def _add(self, added: Integers) -> None:
        from highspy import kHighsInf

        k = len(added)
        starts, ones = np.arange(0, 3 * k, 3, dtype=np.int32), np.ones(k)
        signs = np.tile([1.0, 1.0, -1.0], k)
        sides = added.astype(np.int32).ravel()
        self.solver.addRows(k, -kHighsInf * ones, ones, 3 * k, starts, sides, signs)
        self.triangles = np.concatenate((self.triangles, added))


def _solver(costs: Array) -> Any:
    """HiGHS with variables from 0 to 1 and their costs."""
    try:
        import highspy
    except ImportError as error:
        raise MethodError(
            "A lower bound needs highspy; it comes with pip install 'coassoc[tables]'."
        ) from error
    solver, count = highspy.Highs(), len(costs)
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("solver", "simplex")
    solver.addVars(count, np.zeros(count), np.ones(count))
    solver.changeColsCost(count, np.arange(count, dtype=np.int32), costs)
    return solver


@compiled("Tuple((i2, f1))(f2, f)")
def _violated_triangles(Y: Any, most: Any) -> Any:
    """Triangles u, v, t with y_uv + y_vt − y_ut above `most`, and these sums."""
    n, count = len(Y), 0
    triangles, sums = np.empty((1024, 3), dtype=np.int64), np.empty(1024)
    for v in range(n):
        for u in range(n):
            if Y[u, v] + 1 <= most:
                continue
            for t in range(u):
                value = Y[u, v] + Y[v, t] - Y[u, t]
                if value > most:
                    if count == len(sums):
                        triangles = np.concatenate((triangles, np.empty_like(triangles)))
                        sums = np.concatenate((sums, np.empty_like(sums)))
                    triangles[count, 0], triangles[count, 1], triangles[count, 2] = u, v, t
                    sums[count] = value
                    count += 1
    return triangles[:count].copy(), sums[:count].copy()


@compiled("i1(i2, i, i, i)")
def _few_of_each(sides: Any, n_pairs: int, of_pair: int, most: int) -> Any:
    """The first triangles, `most` in all, and of a pair no more than `of_pair`."""
    used, count = np.zeros(n_pairs, dtype=np.int64), 0
    chosen = np.empty(min(most, len(sides)), dtype=np.int64)
    for k in range(len(sides)):
        if count < most and max(used[sides[k, 0]], used[sides[k, 1]], used[sides[k, 2]]) < of_pair:
            for side in sides[k]:
                used[side] += 1
            chosen[count] = k
            count += 1
    return chosen[:count].copy()


# -- many rows: bad triangles ---------------------------------------------------------------------


def _packed(w: Array) -> float:
    near = [np.flatnonzero(row > 0) for row in w]
    ends = np.cumsum([len(row) for row in near])
    rest = w.copy()
    taken = float(_pack(rest, np.concatenate(near), ends))
    return taken + float(np.maximum(rest, 0).sum()) / 2


@compiled("f(f2, i1, i1)")
def _pack(rest: Any, near: Any, ends: Any) -> float:
    """Take from the pairs of bad triangles, one after the other, what is left to all three."""
    taken, start = 0.0, 0
    for u in range(len(rest)):
        for t in range(u):
            k = start
            while rest[u, t] < 0 and k < ends[u]:
                v = near[k]
                share = min(rest[u, v], rest[v, t], -rest[u, t])
                if share > 0:
                    taken += share
                    rest[u, v] -= share
                    rest[v, t] -= share
                    rest[u, t] += share
                    rest[v, u], rest[t, v], rest[t, u] = rest[u, v], rest[v, t], rest[u, t]
                k += 1
        start = ends[u]
    return taken
