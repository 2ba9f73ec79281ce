"""Several weighted partitions that summarise a posterior with several modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError
from coassoc.io.display import count_of
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import over_blocks
from coassoc.partition.labels import Labels
from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import Loss, losses_of_draws
from coassoc.posterior.search import point_estimate

Array = NDArray[np.float64]

#: Mean loss, partitions, and the nearest partition to each draw.
_End = tuple[float, list[Labels], NDArray[np.intp]]
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
        The mean loss at the end of each search.
    """

    labels: Labels
    weights: Array
    nearest: NDArray[np.intp]
    expected_loss: float
    found: Array

    def __repr__(self) -> str:
        numbers = self.labels.max(axis=0) + 1
        each = (f"{100 * w:.0f} % with {c}" for w, c in zip(self.weights, numbers, strict=True))
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
    partition, and each partition becomes the point estimate of its draws, until the loss no longer
    falls. Such searches end in many local optima. Therefore each search uses one start of
    :func:`point_estimate`, and only the best search continues with all starts.

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

    def far_apart(random: np.random.Generator) -> list[Labels]:
        chosen: list[Labels] = []
        p = np.ones(checked.rows.n_draws)
        for _ in range(n_partitions):
            chosen.append(checked.labels[checked.rows.place[random.choice(len(p), p=p / p.sum())]])
            p = np.min([losses_of_draws(checked, labels, loss) for labels in chosen], axis=0)
            p[p < _EQUAL] = 0
        return chosen

    def estimate(nearest: NDArray[np.bool_], **more: Any) -> Labels:
        subset = Draws(checked.rows.chosen(np.flatnonzero(nearest)), checked.row)
        return point_estimate(subset, loss, a, random_state=random_state, **search | more).labels

    def improve(labels: list[Labels], **more: Any) -> _End:
        end: _End = np.inf, labels, np.zeros(checked.rows.n_draws, dtype=np.intp)
        while True:
            losses = np.array([losses_of_draws(checked, one, loss, a) for one in labels])
            nearest = losses.argmin(axis=0)
            mean = float(losses.min(axis=0).mean())
            if mean > end[0] - _EQUAL:
                return end
            end = mean, labels, nearest
            labels = [
                estimate(nearest == l, **more) if (nearest == l).any() else one
                for l, one in enumerate(labels)
            ]

    def start(place: int) -> _End:
        seed = seed_sequence(random_state, "representatives", place)
        return improve(far_apart(np.random.default_rng(seed)), n_starts=1)

    ends = over_blocks(start, range(n_starts))
    mean, labels, nearest = improve(min(ends, key=lambda end: end[0])[1])
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
