"""Search for the partition with the smallest expected loss, from many starts.

The search is that of Dahl, Johnson & Müller (2022), with merges, other starts and faster updates:

- A *start* is one of these: all items in one cluster; items allocated one by one in random order,
  to any number of clusters or to few; the best of some draws; or a partition that is sweetened for
  Binder's loss with random costs.
- *Sweetening* moves each item, in random order, to the cluster with the smallest expected loss, or
  to a new cluster, until no move helps. Then clusters are merged if that helps, and so on.
- A *zealous update* dissolves one to three clusters and reallocates their items in random order. If
  the loss decreases, the result is kept and sweetened.

Every change of the loss is exact: the search keeps the sums of :mod:`coassoc.posterior.losses` for
all draws and updates them after each move.

Items that are equal in all draws move as one unit. Let x_t of them be in cluster t of T, together
with n_t other items, of which n_st are in their cluster s of a draw. For Binder and VI, the
expected loss is a constant plus the sum over t of b f(n_t + x_t) − 2 E[f(n_st + x_t)], where f'' is
1 or 1 / (x ln 2), n_st ≤ n_t and b ≤ 2. It is concave in each x_t, so it is smallest if one cluster
has all these items. omARI.approx is a quotient P / Q, and with its smallest value v, from 0 to 1,
P − v Q is concave in the same way. For NVI, ID, NID and omARI this is not proven, although no
counterexample is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError, TooLargeError
from coassoc.io.display import count_of, sizes_in_words
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import memory_of_machine, over_blocks
from coassoc.partition.labels import Labels, canonical_labels
from coassoc.posterior import kernels
from coassoc.posterior.draws import Draws, Units
from coassoc.posterior.losses import (
    ENTROPIES,
    Loss,
    check_loss,
    expected_loss,
    loss_of_sums,
    loss_of_units,
    mean_loss,
    table_of_sizes,
)

Array = NDArray[np.float64]

#: Number of places for clusters at the start, doubled whenever a search needs more.
_PLACES = 64
#: Number of the smallest clusters whose pairs are all tried for a merge.
_MERGED = 32
#: Number of zealous updates of a start, and largest number of clusters that an update dissolves.
_ZEALOUS, _DISSOLVED = 20, 3
#: Number of draws of which the best is a start, and number of draws by which the best is chosen.
_TRIED, _SAMPLE = 16, 256
#: Number of starts in the first round. Each later round is as large as all earlier rounds together.
_ROUND = 8
#: Pairs of units are counted if there are at most this many units, and at most this many units for
#: each distinct draw.
_PAIRS, _PAIRS_OF_DRAWS = 5000, 20
#: Number of draws for the search for these losses, if there are more: spaced evenly.
#: After this or a search for a similar loss, the best ends continue.
_SLOW, _DRAWS, _FINISHED = ("NVI", "ID", "NID", "omARI"), 1000, 3
#: Losses that need J of each draw, and similar losses whose search is faster.
_SIMILAR: dict[str, Loss] = {"NID": "ID", "omARI": "omARI.approx"}
#: Halvings of the range of a in the search for a number of clusters.
_HALVINGS = 8


@dataclass(frozen=True, eq=False)
class PointEstimate:
    """The partition that summarises a posterior.

    Attributes
    ----------
    labels : (n,) integer array
        Cluster of each item, 0 … c−1 by first appearance.
    expected_loss : float
        Expected loss of the partition under all draws.
    loss : str
    a : float
        The minimised loss; see :func:`point_estimate`.
    found : (s,) array
        Expected losses at the ends of the searches, in the order of their starts. If few searches
        reach the smallest loss, more starts may find a smaller one. For NVI, ID, NID and omARI, the
        best of these partitions are improved, and `expected_loss` may be smaller than all of these
        losses.
    is_stopped : bool
        Whether the time limit ended the search.
    """

    labels: Labels
    expected_loss: float
    loss: str
    a: float
    found: Array
    is_stopped: bool = False

    @property
    def n_best(self) -> int:
        """Number of searches that ended at the smallest loss."""
        return int((self.found < self.found.min() + 1e-9).sum())

    def __repr__(self) -> str:
        costs = "" if self.a == 1 else f" with a = {self.a:g}"
        return (
            f"Point estimate of {count_of(len(self.labels), 'item')}: "
            f"{sizes_in_words(self.labels)}\n"
            f"expected {self.loss}{costs} {self.expected_loss:.6g}; {self.n_best} of "
            f"{len(self.found)} searches ended at this partition"
            + ", but the time limit stopped the search early"
            * self.is_stopped
        )

    @property
    def n_clusters(self) -> int:
        """c, the number of clusters."""
        return int(self.labels.max()) + 1


@integer_arguments("max_clusters", "n_starts", "random_state")
def point_estimate(
    draws: Draws | ArrayLike,
    loss: Loss = "VI",
    a: float = 1.0,
    max_clusters: int | None = None,
    n_starts: int = 40,
    random_state: int = 0,
    *,
    n_clusters: int | None = None,
    seconds: float | None = None,
) -> PointEstimate:
    """The partition with the smallest expected loss under draws from a posterior.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        The cluster of each of n items in each of m draws, as non-negative integers or strings, with
        items in rows. (R packages have draws in rows.)
    loss : str
        "Binder", "VI" (variation of information), "NVI", "ID", "NID", "omARI" (one minus the
        adjusted Rand index) or "omARI.approx"; :mod:`coassoc.posterior.losses` has the equations.
    a : float
        For Binder and VI, the cost, from 0 to 2, of separating two items that a draw joins. The
        opposite mistake costs 2 − a, so a larger a gives fewer clusters.
    max_clusters : int, optional
        Largest number of clusters; by default the draws determine it.
    n_starts : int
        Largest number of starts. The search stops after 8, 16, 32, … starts if more than half of
        them reached the best partition.
    random_state : int
        Seed; results do not depend on the number of threads (:func:`coassoc.use_threads`).
    n_clusters : int, optional
        Requested number of clusters: only partitions with this number are compared.
    seconds : float, optional
        Time after which no start or update begins; at least one start runs. Results then depend on
        the machine.

    Returns
    -------
    PointEstimate
        With `labels` and `expected_loss`. The search is a heuristic: a partition with a smaller
        loss may exist.

    Raises
    ------
    DataError
        If there is no draw or item, or a label is missing.
    ConfigError
        If a parameter has a value that is not allowed.
    TooLargeError
        If the counts would not fit into memory.

    References
    ----------
    D. B. Dahl, D. J. Johnson, P. Müller, "Search algorithms and loss functions for Bayesian
    clustering", Journal of Computational and Graphical Statistics 31(4), 1189-1201, 2022.

    S. Wade, Z. Ghahramani, "Bayesian cluster analysis: point estimation and credible balls",
    Bayesian Analysis 13(2), 559-626, 2018.

    Examples
    --------
    >>> draws = [[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0]]  # four items, three draws
    >>> point_estimate(draws, "Binder").labels
    array([0, 0, 1, 1])
    """
    check_loss(loss, a)
    counts = {"max_clusters": max_clusters, "n_starts": n_starts, "n_clusters": n_clusters}
    for name, value in counts.items():
        if value is not None and value < 1:
            raise ConfigError(f"{name} is {value}. It must be at least 1.")
    checked = Draws.of(draws)
    deadline = np.inf if seconds is None else monotonic() + seconds
    most = min(checked.n_items, max_clusters or checked.n_items)
    if n_clusters is not None and n_clusters > most:
        raise ConfigError(
            f"n_clusters is {n_clusters}, more than the {most} clusters that are possible. Choose "
            "a smaller number, or a larger max_clusters."
        )
    numbers = (1, most) if n_clusters is None else (n_clusters, n_clusters)
    aim = _Aim(loss, a, *numbers)
    units = [checked.rows] if aim.fewest <= len(checked.rows.counts) else []
    if n_clusters is not None and len(checked.rows.counts) < checked.n_items:
        units.append(checked.items)  # it may be best to separate equal items
    found = [_search(checked, each, aim, n_starts, random_state, deadline) for each in units]
    return min(found, key=lambda estimate: estimate.expected_loss)


class _Aim(NamedTuple):
    """The loss, and the smallest and the largest number of clusters."""

    loss: Loss
    a: float
    fewest: int
    most: int


def _search(
    checked: Draws, units: Units, aim: _Aim, n_starts: int, random_state: int, deadline: float
) -> PointEstimate:
    """The best partition of all starts that begin before the deadline."""
    _prepare(units)
    # The search for a loss that needs J of each draw begins with a similar and faster one, and with
    # some of the draws.
    fast = aim._replace(loss=_SIMILAR[aim.loss]) if aim.loss in _SIMILAR else aim
    some = units
    if fast.loss == "omARI.approx" and not _by_pairs(units):
        fast = aim
    if aim.loss in _SLOW and units.n_draws > _DRAWS:
        some = units.chosen(np.linspace(0, units.n_draws - 1, _DRAWS).astype(np.intp))
        _prepare(some)
    is_rough = fast is not aim or some is not units
    starts = (_FIRST, _LATER) if aim.fewest == 1 else (_FIRST_OF_NUMBER, _LATER_OF_NUMBER)

    def begin(start: int) -> Labels | None:
        if start > 0 and monotonic() > deadline:
            return None
        random = np.random.default_rng(seed_sequence(random_state, "start", start))
        state = _State(some, fast)
        first, later = starts
        choose = first[start] if start < len(first) else later[start % len(later)]
        state.begin(choose(state, random), random)
        _sweeten(state, random)
        return canonical_labels(state.z)

    def go_on(start: int, labels: Labels) -> tuple[float, Labels]:
        random = np.random.default_rng(seed_sequence(random_state, "zealous", start))
        state = _State(some, fast)
        state.begin(labels)
        least, labels = _update_zealously(state, random, deadline)
        if is_rough:
            least = loss_of_units(units, labels, aim.loss, aim.a)
        return least, labels

    def finish(rank: int) -> tuple[float, Labels]:
        random = np.random.default_rng(seed_sequence(random_state, "finish", rank))
        state = _State(units, aim)
        state.begin(best[rank][1])
        _sweeten(state, random)
        return _update_zealously(state, random, deadline)

    # If several starts lead to the same partition, only one of them continues.
    ends: dict[bytes, tuple[float, Labels]] = {}
    results: list[tuple[float, Labels]] = []
    while (
        len(results) < n_starts and not _agree(results) and (not results or monotonic() < deadline)
    ):
        ahead = range(len(results), min(2 * len(results) or _ROUND, n_starts))
        begun = zip(ahead, over_blocks(begin, ahead), strict=True)
        sweetened = {start: labels for start, labels in begun if labels is not None}
        new = {
            labels.tobytes(): (start, labels)
            for start, labels in sweetened.items()
            if labels.tobytes() not in ends
        }
        gone_on = over_blocks(lambda block: go_on(*block), [*new.values()])
        ends |= dict(zip(new, gone_on, strict=True))
        results += [ends[labels.tobytes()] for labels in sweetened.values()]
    best = sorted(ends.values(), key=lambda end: end[0])[: _FINISHED if is_rough else 1]
    labels = best[0][1]
    if is_rough:
        labels = min(over_blocks(finish, range(len(best))), key=lambda end: end[0])[1]
    if units is checked.rows:
        labels = labels[checked.row]
    losses = np.array([value for value, _ in results])
    least = expected_loss(checked, labels, aim.loss, aim.a)
    return PointEstimate(labels, least, aim.loss, aim.a, losses, is_stopped=monotonic() > deadline)


def improve_labels(
    units: Units, labels: NDArray[Any], loss: Loss, a: float, random: np.random.Generator
) -> Labels:
    """Labels of units after moves and merges that lower the expected loss."""
    state = _State(units, _Aim(loss, a, 1, len(units.counts)))
    state.begin(labels.astype(np.int64))
    _sweeten(state, random)
    return canonical_labels(state.z)


def _agree(results: list[tuple[float, Labels]]) -> bool:
    """Whether more than half of the searches ended in the best partition."""
    least = min((value for value, _ in results), default=0.0)
    return 2 * sum(value < least + 1e-9 for value, _ in results) > len(results)


def _update_zealously(
    state: _State, random: np.random.Generator, deadline: float
) -> tuple[float, Labels]:
    """Dissolve clusters of a state and reallocate the items; the smallest loss and its labels."""
    least, labels = state.value(), state.z.copy()
    # With a requested number of clusters, one cluster alone would be founded again.
    is_fixed = state.aim.fewest > 1
    for _ in range(_ZEALOUS if is_fixed else min(_ZEALOUS, 2 * int(np.count_nonzero(state.size)))):
        if monotonic() > deadline:
            break
        clusters = np.flatnonzero(state.size)
        most = min(_DISSOLVED, len(clusters) if is_fixed else 1 + len(clusters) // 4)
        number = random.integers(min(1 + is_fixed, most), most + 1)
        chosen = random.choice(clusters, number, replace=False)
        items = random.permutation(np.flatnonzero(np.isin(state.z, chosen)))
        state.move(items, np.full(len(items), -1))
        state.sweep(items)
        if state.value() < least - 1e-12:
            least = _sweeten(state, random)
            labels = state.z.copy()
        else:
            state.begin(labels)
    return least, canonical_labels(labels)


def _sweeten(state: _State, random: np.random.Generator) -> float:
    """Move items and merge clusters until neither helps; return the loss."""
    while True:
        while state.sweep(random.permutation(state.n)):
            pass
        if not state.merge():
            return state.value()


# -- starts ---------------------------------------------------------------------------------------


def _none(state: _State, random: np.random.Generator) -> NDArray[np.int64]:
    return np.full(state.n, -1)


def _draw(state: _State, random: np.random.Generator) -> NDArray[np.int64]:
    """The best of some draws, picked as often as they were drawn."""
    units = state.units
    chosen = units.labels[units.place[random.choice(units.n_draws, _TRIED)]].astype(np.int64)
    sample = units.chosen(random.choice(units.n_draws, _SAMPLE))
    losses = [loss_of_units(sample, labels, state.aim.loss, state.aim.a) for labels in chosen]
    return state.largest(chosen[np.argmin(losses)])


def _by_cost(state: _State, random: np.random.Generator) -> NDArray[np.int64]:
    """A partition with about the requested number of clusters, from a cost that leads to it."""
    loss: Loss = "Binder" if state.aim.loss in ("Binder", "omARI", "omARI.approx") else "VI"
    low, high = 0.0, 2.0
    for _ in range(_HALVINGS):
        a = (low + high) / 2
        other = _State(state.units, _Aim(loss, a, 1, state.n))
        _sweeten(other, random)
        number = int(np.count_nonzero(other.size))
        if number == state.aim.most:
            break
        low, high = (a, high) if number > state.aim.most else (low, a)
    return state.largest(canonical_labels(other.z))


def _few_clusters(state: _State, random: np.random.Generator) -> NDArray[np.int64]:
    """Items allocated one by one, and sweetened, with at most as many clusters as some draw has."""
    units = state.units
    most = int(units.n_clusters[units.place[random.integers(units.n_draws)]])
    few = _State(units, state.aim._replace(most=min(most, state.aim.most)))
    _sweeten(few, random)
    return few.z


def _binder(state: _State, random: np.random.Generator) -> NDArray[np.int64]:
    """A partition with a small Binder loss for random costs."""
    other = _State(state.units, state.aim._replace(loss="Binder", a=random.uniform(0.7, 1.6)))
    _sweeten(other, random)
    return canonical_labels(other.z).astype(np.int64)


_FIRST = (lambda state, random: np.zeros(state.n, dtype=np.int64), _none, _draw)
_LATER = (_few_clusters, _draw, _few_clusters, _binder)
_FIRST_OF_NUMBER = (_by_cost, _none, _draw)
_LATER_OF_NUMBER = (_by_cost, _none, _draw, _binder)


# -- states ---------------------------------------------------------------------------------------


def _by_pairs(units: Units) -> bool:
    """Whether there are so few units that their pairs are counted."""
    return len(units.counts) <= min(_PAIRS, _PAIRS_OF_DRAWS * len(units.weights))


def _prepare(units: Units) -> None:
    """Compute the values that all threads read, before they start."""
    _ = units.clusters, units.starts, units.weights, units.pairs if _by_pairs(units) else None


@lru_cache(maxsize=2)
def _exact_table(loss: str, n: int) -> Array:
    """f(0) … f(n + 1) as multiples of a power of two.

    Sums of them have no rounding, and moving an item there and back changes nothing.
    """
    f = table_of_sizes(loss, n)
    unit = 2.0 ** (np.ceil(np.log2(f.max() + 2)) - 51)
    return np.rint(f / unit) * unit


class _State:
    """A partition under way, and the sums by which its expected loss changes.

    For omARI.approx, and for Binder's loss of few units, the pairs of units give the sums of A and
    J over the draws, and nothing is kept for each draw.
    """

    def __init__(self, units: Units, aim: _Aim) -> None:
        self.n = len(units.counts)
        self.units, self.aim = units, aim._replace(most=min(aim.most, self.n))
        kind = kernels.KINDS[aim.loss]
        if aim.loss == "Binder" and not _by_pairs(units):
            kind = kernels.LINEAR
        self.of_pairs = kind in kernels.OF_PAIRS
        self.n_kept = self.n if kind in kernels.OF_SUMS else 0
        places = min(_PLACES, self.aim.most)
        self.seen = np.zeros(0 if self.of_pairs else int(units.starts[-1]), dtype=np.int32)
        self._check_memory(places)
        is_bounded = self.of_pairs or (aim.loss in ENTROPIES and _by_pairs(units))
        self.pairs = units.pairs if is_bounded else np.empty((0, 0))
        weights = np.empty(0) if self.of_pairs else units.weights.astype(np.float64)
        self.f = _exact_table(aim.loss, units.n_items)
        counted = (units.clusters, units.counts, self.pairs)
        self.fixed = (*counted, weights, self.f, kind, 2.0 - aim.a)
        self.z, self.settled = np.full((2, self.n), -1)
        self.shared = np.zeros((places, len(self.seen)), dtype=np.int32)
        self.together = np.zeros((len(self.pairs), places))
        self.size, self.version = np.zeros((2, places), dtype=np.int64)
        self.A, self.J = np.zeros((2, len(weights)))
        self.totals = np.zeros(5)
        self.near = np.zeros((self.n_kept, places))
        self.stamp = np.full((self.n_kept, places), -1)

    def _check_memory(self, places: int) -> None:
        needed = places * (4 * len(self.seen) + 16 * self.n_kept)
        if needed > 1e6 * memory_of_machine():
            raise TooLargeError(
                f"The search needs {needed / 1000000000.0:,.0f} GB for the overlaps of {places:,} "
                f"clusters with the clusters of {len(self.units.weights):,} draws. Set "
                "max_clusters, or pass fewer draws."
            )

    def _grow(self) -> None:
        """Make room for more clusters."""
        places = min(2 * len(self.size), self.aim.most)
        self._check_memory(places)
        self.size, self.version = _grown(self.size, places), _grown(self.version, places)
        self.shared = _grown(self.shared, places, self.shared.shape[1])
        self.together = _grown(self.together, len(self.pairs), places)
        self.near = _grown(self.near, self.n_kept, places)
        self.stamp = _grown(self.stamp, self.n_kept, places)
        self.stamp[:, self.version == 0] = -1

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        moving = (self.z, self.shared, self.together, self.size, self.seen, self.A, self.J)
        return (*moving, self.totals, self.near, self.stamp, self.version, self.settled)

    def move(self, items: Labels, into: Labels) -> None:
        """Put units into clusters; −1 stands for none."""
        kernels.move(self.fixed, self._arrays, items, into)

    def sweep(self, order: Labels) -> int:
        """Move units, in an order, each to its best cluster; return how many have moved."""
        self.totals[2] = 0
        bounds = (self.aim.fewest, self.aim.most)
        place = kernels.sweep(self.fixed, self._arrays, order, 0, *bounds)
        while place < len(order):
            self._grow()
            place = kernels.sweep(self.fixed, self._arrays, order, place, *bounds)
        return int(self.totals[2])

    def begin(self, labels: NDArray[np.int64], random: np.random.Generator | None = None) -> None:
        """Set these labels, all below `most`; −1 stands for no cluster.

        If there are too few clusters, random items are taken out of them, to found new ones.
        """
        missing = self.aim.fewest - len(np.unique(labels[labels >= 0]))
        if random is not None and missing > 0:
            order = random.permutation(self.n)
            inside = order[labels[order] >= 0]
            others = np.delete(inside, np.unique(labels[inside], return_index=True)[1])
            labels = labels.copy()
            labels[others[:missing]] = -1
        while labels.max() >= len(self.size):
            self._grow()
        changed = np.flatnonzero(labels != self.z)
        self.move(changed, labels[changed])

    def largest(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """The labels of the largest clusters, as many as there may be, and −1 elsewhere."""
        order = np.argsort(-np.bincount(labels, self.units.counts), kind="stable")
        names = np.full(len(order), -1)
        names[order[: self.aim.most]] = np.arange(min(self.aim.most, len(order)))
        return names[labels]

    def merge(self) -> bool:
        """Merge clusters where that helps, each at most once; return whether any was."""
        clusters = np.flatnonzero(self.size)
        clusters = clusters[np.argsort(self.size[clusters], kind="stable")[:_MERGED]]
        first, second = np.triu_indices(len(clusters), 1)
        values = self._merged(clusters)[first, second]
        helpful = np.flatnonzero(values < self.value() - 1e-10)
        merged: set[int] = set()
        least = np.count_nonzero(self.size) - self.aim.fewest
        for pair in helpful[np.argsort(values[helpful], kind="stable")]:
            smaller, larger = clusters[first[pair]], clusters[second[pair]]
            if not {smaller, larger} & merged and len(merged) < 2 * least:
                items = np.flatnonzero(self.z == smaller)
                self.move(items, np.full(len(items), larger))
                merged |= {smaller, larger}
        return bool(merged)

    def value(self) -> float:
        """The expected loss, where all units are in clusters."""
        if self.of_pairs:
            return float(self._loss(self.totals[0], self.totals[3]))
        return mean_loss(self.units, self.aim.loss, self.A, self.totals[0], self.J, self.aim.a)

    def _loss(self, E: Any, J: Any) -> Any:
        """The expected loss for E and the sum of J over the draws."""
        loss, a, m = self.aim.loss, self.aim.a, self.units.n_draws
        return loss_of_sums(loss, self.totals[4] / m, E, J / m, self.units.n_items, a)

    def _merged(self, clusters: Labels) -> Array:
        """(q, q) expected losses if two clusters merge; those above the diagonal count."""
        if self.of_pairs:
            members = np.where(self.z[:, None] == clusters, self.units.counts[:, None], 0.0)
            sizes = self.size[clusters].astype(np.float64)
            E = self.totals[0] + np.outer(sizes, sizes)
            J = self.totals[3] + members.T @ self.together[:, clusters]
            return np.asarray(self._loss(E, J))
        values = np.full((len(clusters), len(clusters)), np.inf)
        f, size, aim, n_draws = self.f, self.size, self.aim, len(self.J)
        may_help = np.ones(values.shape, dtype=bool)
        if len(self.pairs):
            # If no draw joins items of two clusters, J stays the same, and the loss does not fall.
            members = (self.z[:, None] == clusters).astype(np.float64)
            may_help = members.T @ self.together[:, clusters] > 0
        for i, x in enumerate(clusters):
            places = np.flatnonzero(self.shared[x])
            draws = np.searchsorted(self.units.starts, places, "right") - 1
            for j in i + 1 + np.flatnonzero(may_help[i, i + 1 :]):
                y = clusters[j]
                E = self.totals[0] + f[size[x] + size[y]] - f[size[x]] - f[size[y]]
                both = (self.shared[x], self.shared[y])
                more = kernels.joint_of_merged(*both, places, draws, n_draws, f)
                values[i, j] = mean_loss(self.units, aim.loss, self.A, E, self.J + more, aim.a)
        return values


def _grown(array: NDArray[Any], *shape: int) -> NDArray[Any]:
    """A larger array with zeros after the entries of the given one."""
    grown = np.zeros(shape, dtype=array.dtype)
    grown[tuple(map(slice, array.shape))] = array
    return grown
