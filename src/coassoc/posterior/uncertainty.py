"""Uncertainty of a partition under a posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError
from coassoc.io.display import count_of, sizes_in_words
from coassoc.metrics import cross_table, match_clusters
from coassoc.partition.labels import Labels, labels_by_size
from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import Loss, expected_loss, losses_of_draws, partition_of
from coassoc.posterior.search import PointEstimate, point_estimate

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


@dataclass(frozen=True, eq=False)
class PartialPartition:
    """A partition of some of the items; see :func:`partial_partition`.

    Attributes
    ----------
    labels : (n,) integer array
        Cluster of each item, 0 … c−1 by size; −1 for items outside the partial partition.
    probability : float
        Fraction of the draws that have exactly these clusters among these items.
    order : (n,) integer array
        All items in the order of their addition.
    probabilities : (n,) array
        The fraction of draws after each addition.
    """

    labels: Labels
    probability: float
    order: Labels
    probabilities: Array

    def __repr__(self) -> str:
        n_items = count_of(int((self.labels >= 0).sum()), "item")
        return (
            f"Partial partition: {n_items} of {len(self.labels):,} in "
            f"{sizes_in_words(self.labels)}, with probability {self.probability:.3f}"
        )


def partial_partition(draws: Draws | ArrayLike, probability: float = 0.95) -> PartialPartition:
    """The largest set of items that a greedy search can partition with a given probability.

    A draw agrees with a partition of some items if it has exactly this partition among these items.
    The search starts with the item whose relations to other items are most certain. It then adds
    the item, to a cluster or as a new cluster, for which most draws still agree, while at least the
    fraction `probability` of the draws agrees. Larger sets may exist. The aim is the same as for
    the partial estimates in D. B. Dahl's R package salso (CHiPS), but the algorithm differs.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        Items × draws.
    probability : float
        Above 0 and at most 1.

    Raises
    ------
    ConfigError
        If `probability` is out of range.
    """
    if not 0 < probability <= 1:
        raise ConfigError(f"probability is {probability!r}. It must be above 0 and at most 1.")
    checked = Draws.of(draws)
    n = checked.n_items
    together = similarity_matrix(checked)
    first = int(np.maximum(together, 1 - together).sum(axis=1).argmax())
    labels, weights, partial = checked.labels, checked.rows.weights, np.full(n, -1)
    # For each cluster of each draw, its cluster in the partial partition, or −1; and the draws that
    # still contain the partial partition.
    names = np.full((len(weights), int(checked.rows.n_clusters.max())), -1, dtype=np.int32)
    active = np.arange(len(weights))
    names[active, labels[:, first]] = partial[first] = 0

    def best(item: int) -> tuple[int, int]:
        """The draws that agree if an item joins its best cluster, and the cluster (−1: new)."""
        kept = np.bincount(names[active, labels[active, item]] + 1, weights[active])
        return int(kept.max()), int(kept.argmax()) - 1

    # The fraction of an item only falls as other items are added. Its last computed value is
    # therefore an upper bound, and few fractions must be recomputed.
    bound, stands = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    bound[first] = -np.inf
    order, shares = [first], [1.0]
    for step in range(1, n):
        item = int(bound.argmax())
        while stands[item] < step:
            bound[item], stands[item] = best(item)[0], step
            item = int(bound.argmax())
        _, cluster = best(item)
        active = active[names[active, labels[active, item]] == cluster]
        if cluster < 0:
            cluster = int(partial.max()) + 1
            names[active, labels[active, item]] = cluster
        partial[item] = cluster
        order.append(item)
        shares.append(bound[item] / checked.rows.n_draws)
        bound[item] = -np.inf
    kept = sum(share >= probability - _EQUAL for share in shares)
    partial[order[kept:]] = -1
    return PartialPartition(
        labels_by_size(partial), float(shares[kept - 1]), np.array(order), np.array(shares)
    )


# -- chains ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ChainEstimates:
    """The estimates of single chains; see :func:`chain_estimates`.

    Attributes
    ----------
    chains : list
        Names of the chains in order.
    estimates : list of PointEstimate
    VI : (k, k) array
        Variation of information between each pair of estimates, in bits.
    """

    chains: list[Any]
    estimates: list[PointEstimate]
    VI: Array


def chain_estimates(
    draws: ArrayLike, chains: Sequence[Any] | NDArray[Any], loss: Loss = "VI", **search: Any
) -> ChainEstimates:
    """The estimate of each chain, and the distances between the estimates.

    Parameters
    ----------
    draws : (n, m) array-like
        Items × draws.
    chains : (m,) array-like
        The chain of each draw.
    loss, **search
        Arguments of :func:`point_estimate`.

    Raises
    ------
    ConfigError
        If the number of chain names differs from the number of draws.
    """
    table, names = np.asanyarray(draws), np.asarray(chains)  # a mask stays
    if names.shape != table.shape[1:]:
        raise ConfigError(
            f"chains have the shape {names.shape}. Pass one chain for each of the "
            f"{table.shape[1]:,} draws."
        )
    distinct = list(dict.fromkeys(names.tolist()))
    # Names for each draw show that the columns are draws, even in short chains.
    of_chains = [Draws.of(table[:, names == name], few=True) for name in distinct]
    estimates = [point_estimate(draws, loss, **search) for draws in of_chains]
    labels = [estimate.labels for estimate in estimates]
    single = [Draws.of(x[:, None], few=True) for x in labels]
    VI = np.array([[expected_loss(draw, y) for y in labels] for draw in single])
    return ChainEstimates(distinct, estimates, VI)
