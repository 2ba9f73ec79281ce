"""Several weighted partitions that summarise a posterior with several modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError
from coassoc.io.display import count_of
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import over_blocks
from coassoc.partition.labels import Labels
from coassoc.posterior.draws import Draws, Units
from coassoc.posterior.losses import Loss, losses_of_draws
from coassoc.posterior.search import improve_labels, point_estimate

Array = NDArray[np.float64]

#: Mean loss, partitions, and the nearest partition to each draw.
_End = tuple[float, list[Labels], NDArray[np.intp]]
_Step = Callable[[Units, Labels], Labels]
#: Fewest draws, evenly spaced, and labels of them, from which all searches but the best learn.
_DRAWS, _LABELS = 400, 200_000
#: Number of the best searches that continue with all draws.
_BEST = 4
#: Smaller improvements of the mean loss do not count.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Representatives:
    """Partitions that represent a posterior; see :func:`representative_partitions`.

    Attributes
    ----------
    labels : (n, L) integer array
        Cluster of each item in each partition, with the partition of the largest weight first.
    weights : (L,) array
        Fraction of the draws that each partition represents.
    nearest : (m,) integer array
        The partition that represents each draw.
    expected_loss : float
        Mean loss between the draws and the partitions that represent them.
    found : (s,) array
        The mean loss at the end of each search, for the draws from which it learned.
    """

    labels: Labels
    weights: Array
    nearest: NDArray[np.intp]
    expected_loss: float
    found: Array

    def __repr__(self) -> str:
        numbers = self.labels.max(axis=0) + 1
        each = (f"{100 * w:.3g} % with {c}" for w, c in zip(self.weights, numbers, strict=True))
        return (
            f"{count_of(len(numbers), 'partition')} of {len(self.labels):,} items, with fractions "
            f"of the draws and numbers of clusters: {', '.join(each)}\n"
            f"expected loss {self.expected_loss:.6g}"
        )


def representative_partitions(
    draws: Draws | ArrayLike,
    n_partitions: int,
    loss: Loss = "VI",
    a: float = 1.0,
    n_starts: int = 64,
    random_state: int = 0,
    **search: Any,
) -> Representatives:
    """Several partitions that together represent a posterior with several modes.

    They minimise the expected loss between a draw and its nearest partition. For VI, the weighted
    set is the closest to the posterior in Wasserstein distance among sets of this size. The search
    starts from draws far from each other, as in k-means++. Draws are then assigned to the nearest
    partition, and each partition moves to a smaller expected loss under its draws, until the loss
    no longer falls. Such searches end in many local optima, so there are many, from some of the
    draws. A few continue with all draws, and the best of them with point estimates.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        Items × draws.
    n_partitions : int
        L. Compare `expected_loss` for several L; a partition that lowers it little is not needed.
    loss, a, **search
        Arguments of :func:`point_estimate`. "omARI.approx" is not allowed, because it is not
        defined for a single draw.
    n_starts : int
        Number of searches.
    random_state : int
        Seed.

    Raises
    ------
    ConfigError
        If a parameter has a value that is not allowed, or there are fewer different draws.

    References
    ----------
    C. Balocchi, S. Wade, "Understanding uncertainty in Bayesian cluster analysis",
    arXiv:2506.16295, 2025 (WASABI).

    Examples
    --------
    >>> draws = [[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]]  # four items, three draws
    >>> representative_partitions(draws, 2).weights.round(2)
    array([0.67, 0.33])
    """
    checked = Draws.of(draws)
    most = len(checked.rows.weights)
    if not 1 <= n_partitions <= most:
        raise ConfigError(
            f"n_partitions is {n_partitions}. Choose a number from 1 to {most:,}, because there "
            f"are {most:,} different draws."
        )
    if n_starts < 1 or loss == "omARI.approx":
        what = f"n_starts is {n_starts}" if n_starts < 1 else f"loss is {loss!r}"
        raise ConfigError(f"{what}. Choose at least one start, and a loss other than omARI.approx.")

    number = min(max(_DRAWS, _LABELS // len(checked.first)), checked.n_draws)
    spaced = np.linspace(0, checked.n_draws - 1, number)
    sample = checked.chosen(spaced.round().astype(np.intp))
    if n_partitions > len(sample.rows.weights):
        sample = checked

    def far_apart(random: np.random.Generator) -> list[Labels]:
        chosen: list[Labels] = []
        p = np.ones(sample.rows.n_draws)
        for _ in range(n_partitions):
            chosen.append(sample.labels[sample.rows.place[random.choice(len(p), p=p / p.sum())]])
            p = np.min([losses_of_draws(sample, labels, loss) for labels in chosen], axis=0)
            p[p < _EQUAL] = 0
        return chosen

    def estimate(rows: Units, _: Labels) -> Labels:
        subset = replace(checked, rows=rows)
        return point_estimate(subset, loss, a, random_state=random_state, **search).labels

    def sweeten(rows: Units, labels: Labels) -> Labels:
        random = np.random.default_rng(seed_sequence(random_state, "sweeten"))
        return improve_labels(rows, labels[checked.first], loss, a, random)[checked.row]

    def improve(draws: Draws, labels: list[Labels], step: _Step) -> _End:
        end: _End = np.inf, labels, np.full(draws.rows.n_draws, -1)
        while True:
            losses = np.array([losses_of_draws(draws, one, loss, a) for one in labels])
            nearest = losses.argmin(axis=0)
            mean = float(losses.min(axis=0).mean())
            if mean > end[0] - _EQUAL:
                return end
            is_same = (nearest == end[2]).all()
            end = mean, labels, nearest
            if is_same:
                return end
            own = [np.flatnonzero(nearest == l) for l in range(n_partitions)]
            labels = [
                step(draws.rows.chosen(mine), one) if len(mine) else one
                for mine, one in zip(own, labels, strict=True)
            ]

    def start(place: int) -> _End:
        seed = seed_sequence(random_state, "representatives", place)
        return improve(sample, far_apart(np.random.default_rng(seed)), sweeten)

    ends = over_blocks(start, range(n_starts))
    best = sorted(ends, key=lambda end: end[0])[:_BEST]
    ends_of_all = over_blocks(lambda end: improve(checked, end[1], sweeten), best)
    labels = min(ends_of_all, key=lambda end: end[0])[1]
    mean, labels, nearest = improve(checked, labels, estimate)
    shares = np.bincount(nearest, minlength=n_partitions) / checked.rows.n_draws
    order = np.argsort(-shares, kind="stable")
    rank = np.argsort(order)
    return Representatives(
        np.column_stack([labels[l] for l in order]).astype(np.intp),
        shares[order],
        rank[nearest],
        mean,
        np.array([end[0] for end in ends]),
    )
