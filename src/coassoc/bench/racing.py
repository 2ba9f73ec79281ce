"""Successive halving: find the best point of a grid without scoring all points on all repeats.

All points are scored on the first few repeats. The better points are scored on twice as many
repeats, and so on, until the last few points are scored on all repeats. The repeats are the same
for all points, so points are compared on the same draws. The method is that of Karnin, Koren &
Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013, with the repeats of a table
as its budget.
"""

import math
from collections.abc import Callable, Sequence

#: Number of repeats in the first round. A single repeat says little and has no stability.
_FIRST = 2
#: Fraction of the points that stay after a round, and number of points to score on all repeats.
_STAY, _LAST = 1 / 2, 3


def rounds(n_points: int, n_repeats: int) -> list[tuple[int, int]]:
    """Number of points and of repeats in each round.

    Parameters
    ----------
    n_points, n_repeats : int
        Numbers of points and repeats of the full grid, at least 1.

    Returns
    -------
    list of (int, int)
        The first round has all points, the last has all repeats.
    """
    schedule, points, repeats = [], n_points, min(_FIRST, n_repeats)
    while repeats < n_repeats and points > _LAST:
        schedule.append((points, repeats))
        points, repeats = max(math.ceil(points * _STAY), _LAST), 2 * repeats
    return [*schedule, (points, n_repeats)]


def fits_of_race(n_points: int, n_repeats: int) -> int:
    """Number of fits in all rounds; the full grid takes ``n_points * n_repeats`` fits."""
    fits = before = 0
    for points, repeats in rounds(n_points, n_repeats):
        fits += points * (repeats - before)
        before = repeats
    return fits


def race(
    n_points: int, n_repeats: int, score: Callable[[int, int], Sequence[float]]
) -> dict[int, int]:
    """Score the points of a grid by successive halving.

    Parameters
    ----------
    n_points, n_repeats : int
        Numbers of points and repeats of the full grid.
    score : callable
        Function that maps a point and a number of repeats to the scores of the point on the first
        repeats. Larger scores are better. If there are several scores, a point stays if it is among
        the better points by any of them. NaN is worse than any number.

    Returns
    -------
    dict of int to int
        Point → number of repeats on which it was scored.
    """
    scored: dict[int, int] = {}
    staying = list(range(n_points))
    scores: list[Sequence[float]] = []
    for points, repeats in rounds(n_points, n_repeats):
        if scores:
            by_score = zip(*scores, strict=True)
            staying = sorted({p for values in by_score for p in _best(staying, values, points)})
        scores = [score(p, repeats) for p in staying]
        scored |= dict.fromkeys(staying, repeats)
    return scored


def _best(points: Sequence[int], scores: Sequence[float], n: int) -> list[int]:
    """The n points with the largest scores, the first of equal ones."""
    finite = [-math.inf if math.isnan(score) else score for score in scores]
    order = sorted(range(len(points)), key=lambda i: -finite[i])  # keeps the order of equal scores
    return [points[i] for i in order[:n]]
