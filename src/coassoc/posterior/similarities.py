"""The partition with the smallest loss, computed from a posterior similarity matrix.

With p_ij the probability that items i and j share a cluster, C_i the cluster of item i, and
b = 2 − a,

    Binder = (2 / n²) Σ_{i<j} (a p_ij if i and j are separated, else b (1 − p_ij))
    VI.lb  = (1 / n) Σ_i (a log₂ Σ_j p_ij + b log₂ |C_i| − 2 log₂ Σ_{j ∈ C_i} p_ij),

The first is the expected Binder loss. The second is the expected VI with the logarithm of each
expectation instead of the expectation of the logarithm (Wade & Ghahramani 2018). Apart from the
first term, which does not depend on the partition, it is a lower bound by Jensen's inequality. The
search starts from cuts of average and complete linkage and from random partitions, and moves items
one by one to the cluster with the smallest loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from coassoc.errors import ConfigError
from coassoc.evidence import Evidence
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.seeds import seed_sequence
from coassoc.partition.labels import canonical_labels
from coassoc.posterior.losses import table_of_sizes
from coassoc.posterior.search import PointEstimate

SIMILARITY_LOSSES = ("Binder", "VI.lb")


def similarity_loss(
    similarity: ArrayLike, labels: ArrayLike, loss: str = "VI.lb", a: float = 1.0
) -> float:
    """Expected Binder loss, or VI.lb in bits, of a partition.

    Parameters
    ----------
    similarity : (n, n) array, data frame or Evidence
        Posterior similarities.
    labels : (n,) array
    loss : {"VI.lb", "Binder"}
    a : float
        Cost, from 0 to 2, of separating two items that belong together; the opposite mistake costs
        2 − a.

    Raises
    ------
    ConfigError, DataError
        If an argument is not as described.
    """
    P, z = _checked(similarity, loss, a), canonical_labels(np.asarray(labels))
    together = z[:, None] == z
    if loss == "Binder":
        costs = np.where(together, (2 - a) * (1 - P), a * P)
        return float(costs.sum() / len(P) ** 2)  # each pair twice, and nothing on the diagonal
    own_sum, size = (P * together).sum(axis=1), together.sum(axis=1)
    bits = a * np.log2(P.sum(axis=1)) + (2 - a) * np.log2(size) - 2 * np.log2(own_sum)
    return float(bits.mean())


@integer_arguments("max_clusters", "n_starts", "random_state")
def similarity_estimate(
    similarity: ArrayLike,
    loss: str = "VI.lb",
    a: float = 1.0,
    max_clusters: int | None = None,
    n_starts: int = 8,
    random_state: int = 0,
) -> PointEstimate:
    """The partition with the smallest loss, from posterior similarities alone.

    If you have the draws, use :func:`~coassoc.posterior.point_estimate`, which uses more
    information.

    Parameters
    ----------
    similarity, loss, a
        As for :func:`similarity_loss`, with the same errors.
    max_clusters : int, optional
        Largest number of clusters; by default the similarities determine it.
    n_starts : int
        Number of random starts, in addition to the best cuts of average and complete linkage.
    random_state : int

    Returns
    -------
    PointEstimate

    Examples
    --------
    >>> P = [[1, 0.9, 0.2], [0.9, 1, 0.1], [0.2, 0.1, 1]]
    >>> similarity_estimate(P).labels
    array([0, 0, 1])
    """
    P = _checked(similarity, loss, a)
    n = len(P)
    most = min(n, max_clusters or n)
    random = np.random.default_rng(seed_sequence(random_state, "similarities"))
    starts = [random.integers(0, most, n) % random.integers(1, most + 1) for _ in range(n_starts)]
    for method in ("average", "complete") if n > 1 else ():
        tree = linkage(squareform(1 - P, checks=False), method)
        cuts = cut_tree(tree, range(1, min(most, max(n // 8, 10)) + 1)).T
        starts.append(min(cuts, key=lambda cut: similarity_loss(P, cut, loss, a)))
    ends = []
    for start in starts:
        z = canonical_labels(start).astype(np.int64)
        while _sweep(P, z, random.permutation(n), most, 2 - a, loss == "VI.lb"):
            pass
        ends.append((similarity_loss(P, z, loss, a), canonical_labels(z)))
    least, labels = min(ends, key=lambda end: end[0])
    return PointEstimate(labels, least, loss, a, np.array([end[0] for end in ends]))


def _checked(similarity: Any, loss: str, a: float) -> NDArray[np.float64]:
    if loss not in SIMILARITY_LOSSES or not 0 <= a <= 2:
        raise ConfigError(
            f"loss is {loss!r} and a is {a!r}. With similarities, loss must be Binder or VI.lb, "
            "and a must be a number from 0 to 2."
        )
    return np.asarray(Evidence(similarity))


def _sweep(
    P: NDArray[np.float64], z: NDArray[np.int64], order: Any, most: int, b: float, bound: bool
) -> bool:
    """Move items, in an order, each to its best cluster; whether any has moved."""
    n, start, f = len(z), z.copy(), table_of_sizes("VI", len(z))
    own_sum = (P * (z[:, None] == z)).sum(axis=1)
    for i in order:
        old, z[i] = z[i], n
        own_sum -= P[i] * (z == old)
        size, shared = (np.bincount(z, each, n + 1)[:n] for each in (None, P[i]))
        cost = b * size - 2 * shared
        if bound:
            grown = np.bincount(z, np.log2(1 + P[i] / own_sum), n + 1)[:n]
            cost = b * (f[size + 1] - f[size]) - 2 * (np.log2(1 + shared) + grown)
        if np.count_nonzero(size) >= most:
            cost[size == 0] = np.inf
        best = int(cost.argmin())
        best = old if cost[old] <= cost[best] + 1e-10 else best
        own_sum += P[i] * (z == best)
        z[i], own_sum[i] = best, 1 + shared[best]
    return not np.array_equal(z, start)
