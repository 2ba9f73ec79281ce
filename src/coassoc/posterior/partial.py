"""The largest set of items whose partition has a given probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError
from coassoc.io.display import count_of, sizes_in_words
from coassoc.numerics.compiled import compiled
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import over_blocks
from coassoc.partition.labels import Labels, labels_by_size
from coassoc.posterior.draws import Draws, Units

Array = NDArray[np.float64]

#: Largest number of first items, and number of changes of the best set.
_STARTS, _CHANGES = 500, 100
#: Number of first items in half of the draws, and by how much `held_out` may be below the request.
_HALVES, _SURPLUS = 10, 0.03
#: Fractions that differ by less are equal up to rounding.
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False)
class PartialPartition:
    """A partition of some of the items; see :func:`partial_partition`.

    Attributes
    ----------
    labels : (n,) integer array
        Cluster of each item, 0 … c−1 by size; −1 for items outside the partial partition.
    probability : float
        Fraction of the draws that have exactly these clusters among these items.
    held_out : float
        The mean fraction for sets that are chosen from the first or the last half of the draws, in
        the other half.
    order : (n,) integer array
        All items in the order of their addition.
    probabilities : (n,) array
        The fraction of draws after each addition.
    requested : float
        The smallest fraction that was allowed.
    """

    labels: Labels
    probability: float
    held_out: float
    order: Labels
    probabilities: Array
    requested: float

    @property
    def holds(self) -> bool:
        """Whether so many further draws are likely to have the clusters."""
        return self.held_out >= self.requested - _SURPLUS

    def __repr__(self) -> str:
        n_items = count_of(int((self.labels >= 0).sum()), "item")
        return (
            f"Partial partition: at least {n_items} of {len(self.labels):,} in "
            f"{sizes_in_words(self.labels)}, with probability {self.probability:.3f}"
            f"{'' if self.holds else f' ({self.held_out:.3f} in draws that did not choose it)'}"
        )


def partial_partition(draws: Draws | ArrayLike, probability: float = 0.95) -> PartialPartition:
    """A large set of items that the draws partition in one way with a given probability.

    A draw agrees with a partition of some items if it has exactly this partition among these items.
    A greedy search starts from every item (from the 500 with the most certain relations if there
    are more) and adds the item, to a cluster or as a new cluster, for which most draws still agree,
    while at least the fraction `probability` of the draws agrees. Then items of the largest set are
    exchanged for others. Larger sets may exist. The aim is the same as for the partial estimates in
    D. B. Dahl's R package salso (CHiPS), but the algorithm differs.

    The set is chosen for these draws, so fewer of further draws have its clusters. How many is
    estimated by sets that are chosen from half of the draws.

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
    counts, m, u = checked.rows.counts, checked.n_draws, len(checked.rows.counts)
    search = _Search(checked.rows, probability)
    best = search.best(search.firsts)
    random = np.random.default_rng(seed_sequence(0, "partial partition"))
    for _ in range(_CHANGES):
        inside = np.flatnonzero(best.clusters >= 0)
        if len(inside) in (1, u):
            break
        removed = random.choice(inside, random.integers(1, 1 + min(5, len(inside) - 1)), False)
        changed = best.clusters.copy()
        changed[removed] = -1
        end = search.grow(changed, allowed=np.arange(u) != removed[0])
        # Without the first of the removed units, or with it after others.
        if search.size(end) < search.size(best):
            end = search.grow(end.clusters)
        best = end if search.size(end) >= search.size(best) else best

    # The order within the set, and beyond it, is greedy.
    inside = np.flatnonzero(is_inside := best.clusters >= 0)
    first = int(inside[search.certain[np.ix_(inside, inside)].sum(axis=1).argmax()])
    own = search.start(first, 0.0, is_inside)
    every = search.grow(own.clusters, 0.0)
    order = [*own.order, *every.order[len(own.order) :]]
    shares = np.repeat([*own.kept, *every.kept[len(own.order) :]], counts[order]) / m
    halves = [
        _Search(checked.rows.chosen(half), probability)
        for half in np.array_split(np.arange(m), 2)
        if len(half)
    ]
    held_out = [
        other.grow(half.best(half.firsts[:_HALVES]).clusters, np.inf).kept[-1] / other.m
        for half, other in zip(halves, halves[::-1], strict=True)
    ]
    return PartialPartition(
        labels_by_size(own.clusters)[checked.row],
        float(shares[int(counts[inside].sum()) - 1]),
        float(np.mean(held_out)),
        np.concatenate([np.flatnonzero(checked.row == unit) for unit in order]),
        shares,
        probability,
    )


class _Set(NamedTuple):
    """Clusters of units, the units in the order of their addition, and numbers of draws."""

    clusters: Labels
    order: Labels
    kept: Array


class _Search:
    """Greedy growth of partial partitions that at least a fraction of the draws has."""

    def __init__(self, units: Units, probability: float) -> None:
        self.counts, self.m = units.counts, units.n_draws
        self.labels = np.ascontiguousarray(units.labels.T)
        self.weights = units.weights.astype(np.float64)
        self.pairs, self.certain = units.pairs, np.maximum(units.pairs, self.m - units.pairs)
        self.least = probability * self.m - _EQUAL
        self.firsts = np.argsort(-self.certain @ self.counts, kind="stable")[:_STARTS].tolist()

    def grow(self, given: Labels, level: float | None = None, allowed: Any = True) -> _Set:
        """Add allowed units to the given ones while more draws than a level agree."""
        is_given = given >= 0
        bound = np.where(allowed, self.certain[is_given].min(axis=0), -1.0)
        bound[is_given] = np.inf
        u = len(given)
        clusters, order, kept = labels_by_size(given), np.empty(u, dtype=np.int64), np.empty(u)
        least = self.least if level is None else level
        fixed = (self.labels, self.weights, self.pairs)
        number = _grow(*fixed, bound, least, clusters, order, kept)
        return _Set(clusters, order[:number], kept[:number])

    def start(self, first: int, level: float | None = None, allowed: Any = True) -> _Set:
        """The set that grows from one unit."""
        return self.grow(np.where(np.arange(len(self.counts)) == first, 0, -1), level, allowed)

    def best(self, firsts: list[int]) -> _Set:
        """The largest of the sets that grow from these units."""
        return max(over_blocks(self.start, firsts), key=self.size)

    def size(self, end: _Set) -> tuple[int, float]:
        """Number of items, and number of draws."""
        return int(self.counts[end.order].sum()), end.kept[-1]


@compiled("i(s2, f1, f2, f1, f, i1, i1, f1)")
def _grow(labels, weights, pairs, bound, level, clusters, order, kept):
    """Add units to a partial partition while enough draws agree; return how many it has.

    Parameters
    ----------
    labels : (u, B) array
        Cluster of each unit in each draw.
    weights : (B,) array
    pairs : (u, u) array
        Number of draws that co-cluster two units.
    bound : (u,) array
        At least the number of draws that agree after the addition of a unit; infinite for units
        that already have a cluster, and below 0 for units that may not be added.
    level : float
        Smallest number of draws that agree.
    clusters : (u,) array
        Clusters of the units, or −1; changed in place.
    order, kept : (u,) arrays
        The units of the partition, and the number of draws that agree after each.
    """
    u, m = labels.shape
    is_active, agree, added = np.ones(m, dtype=np.bool_), weights.sum(), 0
    removed, n_removed = np.empty(m, dtype=np.int32), 0
    # A draw that agrees has all clusters, so there are not more than in a draw. In such draws, a
    # unit is in a cluster if it is with the first unit of this cluster. Per cluster and unit, these
    # draws are all draws with both without those that were removed, of which some are counted.
    most = min(labels.max() + 1, u)
    firsts, n_clusters = np.full(u + 1, -1), 0
    together, counted = np.empty((most, u)), np.empty((most, u), dtype=np.int32)
    while True:
        # The number of draws only falls as other units are added, so an old one is a bound.
        i = bound.argmax()
        own, enough = clusters[i], bound[i]
        if own < 0 and enough >= max(level, 0.0):
            start, enough = i, -1.0
            for j in range(-1, u):
                x = start if j < 0 else j
                if bound[x] < enough or (bound[x] == enough and x >= i):
                    continue
                into, alone, largest = n_clusters, agree, 0.0
                for k in range(n_clusters):
                    if together[k, x] > 0:
                        for a in range(counted[k, x], n_removed):
                            b = removed[a]
                            if labels[x, b] == labels[firsts[k], b]:
                                together[k, x] -= weights[b]
                        counted[k, x] = n_removed
                        alone -= together[k, x]
                        if together[k, x] > largest:
                            into, largest = k, together[k, x]
                if alone >= largest:
                    into, largest = n_clusters, alone
                bound[x] = largest
                if largest > enough or (largest == enough and x < i):
                    i, own, enough = x, into, largest
        if enough < max(level, 0.0):
            return added
        row = labels[i]
        is_new = firsts[own] < 0
        for k in range(n_clusters if is_new else 1):
            first = firsts[k] if is_new else firsts[own]
            if first < 0 or (is_new and pairs[first, i] == 0):
                continue
            other = labels[first]
            for b in range(m):
                if (row[b] == other[b]) == is_new and is_active[b]:
                    is_active[b] = False
                    agree -= weights[b]
                    removed[n_removed] = b
                    n_removed += 1
        if is_new and n_removed < m:
            firsts[own], together[own], counted[own] = i, pairs[i], 0
            n_clusters = max(n_clusters, own + 1)
        clusters[i], order[added], kept[added] = own, i, agree
        bound[i] = -1.0
        added += 1
