"""Checks of the clusters: whether more resamples are needed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from coassoc.selection.null import agreement

#: Largest ARI between two halves of the resamples that the report mentions.
_SAME_CLUSTERS = 0.9
#: Smallest number of resamples for which two halves are compared.
_ENOUGH = 20


def different_halves(
    draws: dict[int, NDArray], cluster: Callable[[NDArray, int], NDArray[np.intp]]
) -> Iterator[str]:
    """Numbers of clusters at which the two halves of the resamples give different clusters.

    Parameters
    ----------
    draws : dict of int to (n, B) array
        Number of clusters → labels of the resamples.
    cluster : callable
        Function that maps (n, B') labels of some resamples and a number of clusters to a consensus.
    """
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
