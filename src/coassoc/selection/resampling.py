"""Consensus partitions of an ensemble, and of draws from it, into several numbers of clusters."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.numerics.batches import in_batch
from coassoc.numerics.integers import is_integer
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.partition.linkage import cut_samples

#: Callable that returns an estimator for ``n_clusters`` and ``random_state``: ``METHODS[name]`` or
#: a class.
Factory = Callable[..., Any]


def partitions(
    method: Factory, ensemble: Ensemble, n_clusters: Sequence[int], random_state: int
) -> dict[int, NDArray[np.intp]]:
    """Consensus partitions into each of several numbers of clusters.

    A method that cuts a dendrogram is fitted once and cut at all numbers of clusters. Other methods
    are fitted for each number. The results are the same.

    Parameters
    ----------
    method : callable
        Callable that returns an estimator from ``n_clusters`` and ``random_state``.
    ensemble : Ensemble
    n_clusters : sequence of int
        Numbers of clusters.
    random_state : int
        The estimators' ``random_state``.

    Returns
    -------
    dict of int to (n,) integer array
    """
    first = method(n_clusters=n_clusters[0], random_state=random_state).fit(ensemble)
    dendrogram = getattr(first, "dendrogram_", None)
    if dendrogram is not None:
        microclusters = first.affinity_.microclusters
        return {c: cut_samples(dendrogram, microclusters, c) for c in n_clusters}
    fitted = (method(n_clusters=c, random_state=random_state).fit(ensemble) for c in n_clusters[1:])
    return {c: estimator.labels_ for c, estimator in zip(n_clusters, (first, *fitted), strict=True)}


def halves(ensemble: Ensemble, n_draws: int, random_state: int) -> list[NDArray[np.intp]]:
    """Random draws, without replacement, of half of the base clusterings (rounded up).

    Raises
    ------
    ConfigError
        If `n_draws` is not an integer of at least 2.
    DataError
        If there is only one base clustering, or samples are only counted.
    """
    if not is_integer(n_draws, 2):
        raise ConfigError(f"n_draws is {n_draws!r}. It must be an integer of at least 2.")
    m = ensemble.n_clusterings
    if ensemble.microclusters.counted:
        raise DataError(
            "labels: resampling needs every sample, but an ensemble from Ensemble.from_counts "
            "holds only counts. Pass one row for each sample."
        )
    if m < 2:
        raise DataError(
            "labels has only one base clustering. Pass at least two base clusterings to measure "
            "stability between resamples."
        )
    return [half(m, b, random_state) for b in range(n_draws)]


def half(m: int, b: int, random_state: int) -> NDArray[np.intp]:
    """The base clusterings of draw b, half of m (rounded up) in increasing order."""
    generator = np.random.default_rng(seed_sequence(random_state, "draw", b))
    return np.sort(generator.choice(m, -(-m // 2), replace=False))


def draw_partitions(
    method: Factory, ensemble: Ensemble, n_clusters: Sequence[int], n_draws: int, random_state: int
) -> dict[int, Ensemble]:
    """Consensus of random halves of the base clusterings, for each number of clusters.

    Parameters
    ----------
    method, ensemble, n_clusters
        As for :func:`partitions`.
    n_draws : int
        B, at least 2.
    random_state : int
        Seed of the draws and the fits.

    Returns
    -------
    dict of int to Ensemble
        For each number of clusters the B partitions as an ensemble. A sample that no base
        clustering of a draw labels is missing in the partition of that draw.

    Raises
    ------
    DataError
        If there is only one base clustering, or a sample is in no draw.
    """
    columns = halves(ensemble, n_draws, random_state)

    def draw(b: int) -> dict[int, NDArray[np.intp]]:
        labels = ensemble.labels[:, columns[b]]
        labelled = (labels >= 0).any(axis=1)
        drawn = Ensemble.from_clusterings(labels[labelled])
        consensus = partitions(method, drawn, n_clusters, seed_from_names(random_state, "fit", b))
        whole = {c: np.full(ensemble.n_samples, -1, dtype=np.intp) for c in n_clusters}
        for c, partition in consensus.items():
            whole[c][labelled] = partition
        return whole

    drawn = [*in_batch(draw, range(n_draws))]
    labels = {c: np.column_stack([each[c] for each in drawn]) for c in n_clusters}
    return {c: Ensemble.from_clusterings(labels[c]) for c in n_clusters}
