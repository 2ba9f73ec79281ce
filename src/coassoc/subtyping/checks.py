"""Checks of the clusters: local optima, too few resamples, and ties of criteria."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.numerics.threads import row_blocks
from coassoc.selection.null import agreement
from coassoc.subtyping.algorithms import MANY, KMeans
from coassoc.subtyping.blocks import Block, ClusteredBlocks

#: Smallest fraction of resamples in a worse optimum, and largest ARI between two halves of the
#: resamples, that the report mentions.
_MANY_WORSE, _SAME_CLUSTERS = 0.05, 0.9
#: Smallest number of resamples for which two halves are compared.
_ENOUGH = 20
#: Relative difference of sums of squares, and difference of criteria, that may be rounding.
_ROUNDING = 1e-9
#: The same if k-means clusters random samples, whose means differ from those of all samples.
_SAMPLING = 0.01
#: Number of resamples whose sums of squares are computed at once.
_TOGETHER = 64
#: The best value of each criterion that has a fixed best value.
_BEST = {"PAC": min, "stability": max, "silhouette": max}


def warnings_of(
    model: ClusteredBlocks,
    draws: dict[int, NDArray],
    labels: dict[int, NDArray[np.intp]],
    criteria: pd.DataFrame,
    cluster: Callable[[NDArray, int], NDArray[np.intp]],
) -> list[str]:
    """Warnings about numbers of clusters whose clusters are unreliable.

    Parameters
    ----------
    model : ClusteredBlocks
    draws, labels : dict of int to array
        Number of clusters → (n, B) labels of the resamples, and (n,) clusters.
    criteria : DataFrame
    cluster : callable
        Function that maps (n, B') labels of some resamples and a number of clusters to a consensus.
    """
    rows = model.representatives
    return [
        *_local_optima(model, draws, labels),
        *_chance_of_draws({k: drawn[rows] for k, drawn in draws.items()}, cluster),
        *_ties(criteria),
    ]


def _local_optima(
    model: ClusteredBlocks, draws: dict[int, NDArray], labels: dict[int, NDArray[np.intp]]
) -> Iterator[str]:
    """Warn if the consensus has a lower sum of squares than k-means in many resamples."""
    if not isinstance(model.protocol.algorithm, KMeans):
        return
    worse = [_worse(model, block, columns, draws, labels) for block, columns in model.columns()]
    shares = zip(draws, np.concatenate(worse, axis=1).mean(axis=1), strict=True)
    many = [f"{100 * share:.0f} % at {k}" for k, share in shares if share > _MANY_WORSE]
    if many:
        yield (
            "In some resamples, k-means ended in a worse optimum than the consensus partition "
            f"({', '.join(many)} clusters). Increase the number of starts (n_init, --starts)."
        )


def _worse(
    model: ClusteredBlocks,
    block: Block,
    columns: slice,
    draws: dict[int, NDArray],
    labels: dict[int, NDArray[np.intp]],
) -> NDArray[np.bool_]:
    """(K, B) whether the clusters have a lower sum of squares in a resample than its own labels."""
    protocol = block.protocol
    kept = np.isin(block.places, model.representatives)
    X, places = block.data.X[kept], block.places[kept]
    relative = _ROUNDING if model.n_samples <= MANY else _SAMPLING
    worse = np.empty((len(draws), protocol.n_draws), dtype=bool)
    points = _centred(protocol.algorithm.prepare(X))
    for part in row_blocks(protocol.n_draws, _TOGETHER if protocol.features == 1 else 1):
        if protocol.features < 1:
            features = protocol.features_of(part.start, X.shape[1])
            points = _centred(protocol.algorithm.prepare(X[:, features]))
        for row, (k, drawn) in zip(worse, draws.items(), strict=True):
            few = drawn[places, columns][:, part]
            reached, consensus = _sums_of_squares(points, few, labels[k][places])
            row[part] = consensus < reached * (1 - relative)
    return worse


def _centred(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return X - X.mean(axis=0)


def _sums_of_squares(X: NDArray, draws: NDArray, labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """(2, B) within-cluster sums of squares of each resample, by its own labels and by `labels`."""
    i, b = np.nonzero(draws >= 0)
    squares = np.bincount(b, np.square(X).sum(axis=1)[i], draws.shape[1])
    within = []
    for clusters in (draws[i, b].astype(np.intp), labels[i]):
        shape = draws.shape[1], int(clusters.max()) + 1
        rows = np.ravel_multi_index((b, clusters), shape)
        members = sp.csr_array((np.ones(len(i)), (rows, i)), (np.prod(shape), len(X)))
        sizes = np.maximum(members.sum(axis=1), 1)
        between = np.square(members @ X).sum(axis=1) / sizes
        within.append(squares - between.reshape(shape).sum(axis=1))
    return np.array(within)


def _chance_of_draws(
    draws: dict[int, NDArray], cluster: Callable[[NDArray, int], NDArray[np.intp]]
) -> Iterator[str]:
    """Numbers of clusters at which the two halves of the resamples give different clusters."""
    differ = []
    for k, drawn in draws.items():
        halves = [drawn[:, start::2] for start in (0, 1)]
        whole = all((half >= 0).any(axis=1).all() for half in halves)
        if drawn.shape[1] >= _ENOUGH and whole:
            with warnings.catch_warnings(action="ignore"):  # of pairs that one half never contains
                pair = [cluster(half, k) for half in halves]
            ari = agreement(np.column_stack(pair))
            if ari < _SAME_CLUSTERS:
                differ.append(f"{k} (ARI {ari:.2f})")
    if differ:
        yield (
            f"Two halves of the resamples give different clusters at {', '.join(differ)}. "
            "Increase the number of resamples, because a different seed may change the clusters "
            "as well."
        )


def _ties(criteria: pd.DataFrame) -> Iterator[str]:
    """Criteria with the same best value at several numbers of clusters."""
    for name, best in _BEST.items():
        near = np.abs(criteria[name] - best(criteria[name])) < _ROUNDING
        if np.count_nonzero(near) > 1:
            tied = " and ".join(map(str, criteria.index[near]))
            yield (
                f"{name} is equally good at {tied} clusters, so its choice of the largest number "
                "is arbitrary."
            )
