"""Uncertainty of a partition under a posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError
from coassoc.metrics import cross_table, match_clusters
from coassoc.partition.labels import Labels
from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import losses_of_draws, partition_of

Array = NDArray[np.float64]

#: Distances that differ by less are equal up to rounding.
_EQUAL = 1e-9


def similarity_matrix(draws: Draws | ArrayLike) -> Array:
    """Posterior similarities: the fraction of the draws that join two items.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        Items × draws.

    Returns
    -------
    (n, n) array
    """
    checked = Draws.of(draws)
    return checked.pairs / checked.rows.n_draws


def number_probabilities(draws: Draws | ArrayLike) -> dict[int, float]:
    """Posterior probability of each number of clusters, in increasing order."""
    checked = Draws.of(draws)
    shares = np.bincount(checked.rows.n_clusters, checked.rows.weights) / checked.rows.n_draws
    return {int(c): float(shares[c]) for c in np.flatnonzero(shares)}


# -- credible ball --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CredibleBall:
    """The draws nearest to an estimate; see :func:`credible_ball`.

    Attributes
    ----------
    radius : float
        Largest distance from the estimate to a draw in the ball.
    mass : float
        Fraction of the draws in the ball.
    inside : (m,) boolean array
    distances : (m,) array
        Distance of each draw from the estimate.
    horizontal, upper, lower : (q, n) integer arrays
        The distinct draws that are the bounds; more than one if several draws are equally far.
    """

    radius: float
    mass: float
    inside: NDArray[np.bool_]
    distances: Array
    horizontal: NDArray[np.int32]
    upper: NDArray[np.int32]
    lower: NDArray[np.int32]

    def __repr__(self) -> str:
        bounds = {"upper": self.upper, "lower": self.lower, "horizontal": self.horizontal}
        numbers = (f"{name} {each[0].max() + 1}" for name, each in bounds.items())
        return (
            f"Credible ball: {100 * self.mass:.1f} % of the draws within a radius of "
            f"{self.radius:.3g}\n"
            f"clusters at the bounds: {', '.join(numbers)}"
        )


def credible_ball(
    draws: Draws | ArrayLike,
    labels: ArrayLike,
    level: float = 0.95,
    loss: Literal["VI", "Binder"] = "VI",
) -> CredibleBall:
    """The smallest ball around an estimate that contains a given fraction of the posterior.

    The ball is B(ε) = {S : d(S, T) ≤ ε} with the smallest ε for which it contains at least the
    fraction `level` of the draws S. The bounds are draws inside the ball. The *horizontal* bounds
    are farthest from T. The *vertical upper* bounds have the fewest clusters, and the *vertical
    lower* bounds the most; if there are several such draws, the farthest are the bounds.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        Items × draws.
    labels : (n,) array-like
        T, such as the result of :func:`point_estimate`.
    level : float
        Greater than 0 and less than 1.
    loss : str
        d, "VI" or "Binder", which are metrics.

    Raises
    ------
    ConfigError
        If `level` or `loss` is not allowed.

    References
    ----------
    S. Wade, Z. Ghahramani, "Bayesian cluster analysis: point estimation and credible balls",
    Bayesian Analysis 13(2), 559-626, 2018, section 4.
    """
    if loss not in ("VI", "Binder"):
        raise ConfigError(
            f"loss is {loss!r}. It must be VI or Binder, because a credible ball needs a metric."
        )
    if not 0 < level < 1:
        raise ConfigError(f"level is {level!r}. It must be greater than 0 and less than 1.")
    checked = Draws.of(draws)
    distances = losses_of_draws(checked, labels, loss)
    order = np.sort(distances)
    radius = float(order[int(np.ceil(level * checked.rows.n_draws - _EQUAL)) - 1])
    inside = distances <= radius + _EQUAL
    chosen = np.unique(checked.rows.place[inside])
    away = np.empty(len(checked.rows.weights))
    away[checked.rows.place] = distances
    number = checked.rows.n_clusters

    def furthest(places: Labels) -> NDArray[np.int32]:
        return checked.labels[places[away[places] >= away[places].max() - _EQUAL]]

    return CredibleBall(
        radius,
        float(inside.mean()),
        inside,
        distances,
        horizontal=furthest(chosen),
        upper=furthest(chosen[number[chosen] == number[chosen].min()]),
        lower=furthest(chosen[number[chosen] == number[chosen].max()]),
    )


# -- items ----------------------------------------------------------------------------------------


def allocation_probabilities(draws: Draws | ArrayLike, labels: ArrayLike) -> Array:
    """Probability that each item is in each cluster of an estimate.

    The clusters of every draw are matched one to one with those of the estimate so that they share
    as many items as possible (the Hungarian algorithm). The probability of a cluster is the
    fraction of the draws in which the item is in the matched cluster.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        Items × draws.
    labels : (n,) array-like
        The estimate.

    Returns
    -------
    (n, c) array
        Columns are the clusters of the estimate in order of first appearance. A row sums to less
        than 1 if some draws have the item in a cluster without a match.
    """
    checked = Draws.of(draws)
    z = partition_of(labels, checked.n_items)
    c, items = int(z.max()) + 1, np.arange(checked.n_items)
    counts = np.zeros((checked.n_items, c + 1))
    for draw, weight in zip(checked.labels, checked.rows.weights, strict=True):
        q = int(draw.max()) + 1
        matched = match_clusters(cross_table(draw, z, (q, c)))
        counts[items, matched[draw]] += weight  # in the last column without a match
    return counts[:, :c] / checked.rows.n_draws
