"""Checks of the clusters: local optima, too few resamples, and ties of criteria."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import one_thread_per_library, over_blocks
from coassoc.selection.null import agreement
from coassoc.subtyping.algorithms import KMeans
from coassoc.subtyping.blocks import Block, ClusteredBlocks

#: Smallest fraction of resamples in a worse optimum, and largest ARI between two halves of the
#: resamples, that the report mentions.
_MANY_WORSE, _SAME_CLUSTERS = 0.05, 0.9
#: Smallest number of resamples for which two halves are compared.
_ENOUGH = 20
#: Relative difference of sums of squares, and difference of criteria, that may be rounding.
_ROUNDING = 1e-9
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
    return [
        *_local_optima(model, draws, labels),
        *_chance_of_draws(draws, cluster),
        *_ties(criteria),
    ]


def _local_optima(
    model: ClusteredBlocks, draws: dict[int, NDArray], labels: dict[int, NDArray[np.intp]]
) -> Iterator[str]:
    """Warn if the consensus has a lower sum of squares than k-means in many resamples."""
    if not isinstance(model.protocol.algorithm, KMeans):
        return
    shares = {
        k: np.concatenate(
            [
                _worse(block, drawn[block.places, columns], labels[k][block.places])
                for block, columns in model.columns()
            ]
        ).mean()
        for k, drawn in draws.items()
    }
    many = [f"{100 * share:.0f} % at {k}" for k, share in shares.items() if share > _MANY_WORSE]
    if many:
        yield (
            "In some resamples, k-means ended in a worse optimum than the consensus partition "
            f"({', '.join(many)} clusters). Increase the number of starts (n_init, --starts)."
        )


def _worse(block: Block, draws: NDArray, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(B,) whether the clusters have a lower sum of squares in a resample than its own labels."""
    X, protocol = block.data.X, block.protocol
    prepare = protocol.algorithm.prepare
    whole = _centred(prepare(X)) if protocol.features == 1 else None
    columns = np.ascontiguousarray(draws.T, dtype=np.int64)

    def is_worse(b: int) -> bool:
        drawn, clusters = columns[b], labels
        if whole is None:
            items = np.flatnonzero(drawn >= 0)
            drawn, clusters = drawn[items], labels[items]
            points = _centred(prepare(X[items][:, protocol.features_of(b, X.shape[1])]))
        else:
            points = whole
        reached, consensus, total = _squares_between(*points, drawn, clusters)
        return bool(consensus > reached + _ROUNDING * total)

    with one_thread_per_library():
        return np.array(over_blocks(is_worse, range(len(columns))))


def _centred(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Samples whose features have mean 0, and their squared norms."""
    X = X - X.mean(axis=0)
    return X, np.einsum("ij,ij->i", X, X)


@compiled("UniTuple(float64, 3)(f2, f1, i1, i1)")
def _squares_between(X, norms, drawn, labels):
    """Sums of squares between the clusters of two clusterings, and the total one.

    Samples with a negative label in `drawn` do not count.
    """

    def between(sums, sizes):
        """Sum of the squared norms of the sums, each divided by its size."""
        squares = 0.0
        for c in range(len(sums)):
            for f in range(sums.shape[1]):
                squares += sums[c, f] * sums[c, f] / max(sizes[c], 1.0)
        return squares

    n, d = X.shape
    p, q = drawn.max() + 1, labels.max() + 1
    sums, sizes = np.zeros((p * q, d)), np.zeros(p * q)
    squares = 0.0
    for i in range(n):
        if drawn[i] >= 0:
            cell = drawn[i] * q + labels[i]
            row, x = sums[cell], X[i]
            for f in range(d):
                row[f] += x[f]
            sizes[cell] += 1.0
            squares += norms[i]
    first, second, whole = np.zeros((p, d)), np.zeros((q, d)), np.zeros((1, d))
    n_first, n_second, n_whole = np.zeros(p), np.zeros(q), np.zeros(1)
    for cell in range(p * q):
        a, b = cell // q, cell % q
        n_first[a] += sizes[cell]
        n_second[b] += sizes[cell]
        n_whole[0] += sizes[cell]
        for f in range(d):
            first[a, f] += sums[cell, f]
            second[b, f] += sums[cell, f]
            whole[0, f] += sums[cell, f]
    mean = between(whole, n_whole)
    return between(first, n_first) - mean, between(second, n_second) - mean, squares - mean


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
