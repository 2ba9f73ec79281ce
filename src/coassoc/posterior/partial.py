"""The largest set of items whose partition has a given probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError
from coassoc.io.display import count_of, sizes_in_words
from coassoc.numerics.compiled import compiled
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import over_blocks
from coassoc.partition.labels import Labels, labels_by_size
from coassoc.posterior.draws import Draws

Array = NDArray[np.float64]

#: Largest number of first items, and number of changes of the best set.
_STARTS, _CHANGES = 500, 100
#: Number of draws to count before the next comparison with the level.
_BLOCK = 256
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
            f"Partial partition: at least {n_items} of {len(self.labels):,} in "
            f"{sizes_in_words(self.labels)}, with probability {self.probability:.3f}"
        )


def partial_partition(draws: Draws | ArrayLike, probability: float = 0.95) -> PartialPartition:
    """A large set of items that the draws partition in one way with a given probability.

    A draw agrees with a partition of some items if it has exactly this partition among these items.
    A greedy search starts from every item (from the 500 with the most certain relations if there
    are more) and adds the item, to a cluster or as a new cluster, for which most draws still agree,
    while at least the fraction `probability` of the draws agrees. Then items of the largest set are
    exchanged for others. Larger sets may exist. The aim is the same as for the partial estimates in
    D. B. Dahl's R package salso (CHiPS), but the algorithm differs.

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
    labels = np.ascontiguousarray(checked.rows.labels.T)
    weights = checked.rows.weights.astype(np.float64)
    certain = np.maximum(checked.rows.pairs, m - checked.rows.pairs)
    least = probability * m - _EQUAL

    def grow(inside: Labels, level: float, forbidden: int = -1) -> tuple[Labels, Labels, Array]:
        """Clusters of units, the units in the order of their addition, and numbers of draws."""
        bound = certain[inside >= 0].min(axis=0)
        bound[inside >= 0] = -1.0
        if forbidden >= 0:
            bound[forbidden] = -1.0
        clusters, order, kept = inside.copy(), np.empty(u, dtype=np.int64), np.empty(u)
        number = _grow(labels, weights, bound, level, clusters, order, kept)
        return clusters, order[:number], kept[:number]

    def size(end: tuple[Labels, Labels, Array]) -> tuple[int, float]:
        clusters, _, kept = end
        return int(counts[clusters >= 0].sum()), kept[-1] if len(kept) else float(m)

    def start(first: int) -> tuple[Labels, Labels, Array]:
        alone = np.full(u, -1)
        alone[first] = 0
        return grow(alone, least)

    firsts = np.argsort(-certain @ counts, kind="stable")[:_STARTS]
    best = max(over_blocks(start, firsts.tolist()), key=size)
    random = np.random.default_rng(seed_sequence(0, "partial partition"))
    for _ in range(_CHANGES):
        inside = np.flatnonzero(best[0] >= 0)
        if len(inside) in (1, u):
            break
        removed = random.choice(inside, random.integers(1, 1 + min(5, len(inside) - 1)), False)
        changed = best[0].copy()
        changed[removed] = -1
        end = grow(changed, least, removed[0])
        # Without the forbidden unit, or with it after others.
        end = grow(end[0], least) if size(end) < size(best) else end
        best = end if size(end) >= size(best) else best

    # The order within the set, and beyond it, is greedy.
    is_inside = best[0] >= 0
    inside = np.flatnonzero(is_inside)
    first = int(inside[certain[np.ix_(inside, inside)].sum(axis=1).argmax()])
    alone = np.full(u, -1)
    alone[first] = 0
    order, kept, clusters = [first], [float(m)], alone
    for allowed in (is_inside, is_inside | True):
        bound = certain[clusters >= 0].min(axis=0)
        bound[(clusters >= 0) | ~allowed] = -1.0
        added, shares = np.empty(u, dtype=np.int64), np.empty(u)
        number = _grow(labels, weights, bound, 0.0, clusters, added, shares)
        order += added[:number].tolist()
        kept += shares[:number].tolist()
    of_units = labels_by_size(np.where(is_inside, clusters, -1))
    items = np.concatenate([np.flatnonzero(checked.row == unit) for unit in order])
    shares = np.repeat(np.array(kept) / m, counts[order])
    share = shares[int(counts[inside].sum()) - 1]
    return PartialPartition(of_units[checked.row], float(share), items, shares)


@compiled("i(s2, f1, f1, f, i1, i1, f1)")
def _grow(labels, weights, bound, level, clusters, order, kept):
    """Add units to a partial partition while enough draws agree; return how many were added.

    Parameters
    ----------
    labels : (u, B) array
        Cluster of each unit in each draw.
    weights : (B,) array
    bound : (u,) array
        At least the number of draws that agree after the addition of a unit; below 0 for units that
        may not be added.
    level : float
        Smallest number of draws that agree.
    clusters : (u,) array
        Clusters of the units, or −1; changed in place.
    order, kept : (u,) arrays
        The added units, and the number of draws that agree after each.
    """
    u, m = labels.shape
    # For each cluster of each draw, its cluster in the partial partition, or −1.
    names = np.full((m, labels.max() + 1), -1, dtype=np.int32)
    active, n_active = np.arange(m).astype(np.int32), m
    total = weights.sum()
    has_members = np.zeros(u + 1, dtype=np.bool_)
    n_clusters = 0
    for i in range(u):
        if clusters[i] >= 0:
            left, own = 0, clusters[i]
            expected = own if has_members[own] else -1
            for a in range(n_active):
                b = active[a]
                if names[b, labels[i, b]] == expected:
                    names[b, labels[i, b]] = own
                    active[left] = b
                    left += 1
            n_active, has_members[own] = left, True
            total = weights[active[:n_active]].sum()
            n_clusters = max(n_clusters, own + 1)
    votes = np.zeros(u + 1)
    fresh, best = np.full(u, -1), np.zeros(u, dtype=np.int64)
    added = 0
    while True:
        # The number of draws only falls as other units are added, so an old one is a bound.
        while True:
            i = bound.argmax()
            if bound[i] < max(level, 0.0):
                return added
            if fresh[i] == added:
                break
            votes[: n_clusters + 1] = 0
            left, rest = 0, total
            while left < n_active and rest + votes[: n_clusters + 1].max() >= level:
                for a in range(left, min(left + _BLOCK, n_active)):
                    b = active[a]
                    votes[names[b, labels[i, b]] + 1] += weights[b]
                    rest -= weights[b]
                left += _BLOCK
            best[i] = votes[: n_clusters + 1].argmax() - 1
            bound[i], fresh[i] = votes[best[i] + 1], added
        own = best[i] if best[i] >= 0 else n_clusters
        left = 0
        for a in range(n_active):
            b = active[a]
            if names[b, labels[i, b]] == best[i]:
                names[b, labels[i, b]] = own
                active[left] = b
                left += 1
        n_active, total = left, bound[i]
        n_clusters = max(n_clusters, own + 1)
        clusters[i], order[added], kept[added] = own, i, bound[i]
        bound[i] = -1.0
        added += 1
