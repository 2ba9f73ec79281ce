"""What a pool of base clusterings is like: fixed-point test, agreement with the classes, size.

The fixed-point test tells whether a pool was made by k-means on given features: after a converged
k-means every sample is nearest to the mean of its own cluster. A share of 1 proves that features
and pool belong together, in the same order and at the same scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.metrics import (
    adjusted_rand_index,
    contingency_table,
    normalized_mutual_information,
)
from coassoc.storage.records import Pool

#: Relative difference of two squared distances that counts as a tie.
TIE = 1e-9


def nearest_centroid_share(X: Any, labels: NDArray) -> NDArray[np.float64]:
    """Share of the samples that are nearest to the mean of their own base cluster.

    X is (n, d), dense or sparse; labels, (n, M) integers, have a base clustering per column.

    Returns
    -------
    (M,) array
        1 for every base clustering that is a fixed point of k-means on X. A mean as near as the
        nearest one counts.

    Raises
    ------
    DataError
        If X and the labels have different numbers of samples.
    """
    if X.shape[0] != len(labels):
        raise DataError(f"X has {X.shape[0]} samples, the base clusterings have {len(labels)}.")
    if sp.issparse(X):
        X = sp.csr_array(X)
        lengths = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    else:
        X = X - X.mean(axis=0)  # small numbers lose less in the differences below
        lengths = np.einsum("ij,ij->i", X, X)
    return np.array([_share(X, lengths, np.asarray(column, np.intp)) for column in labels.T])


def _share(X: Any, lengths: NDArray, labels: NDArray[np.intp]) -> float:
    """The share for one base clustering, from ‖x − c‖² = ‖x‖² − 2 x·c + ‖c‖²."""
    n = len(labels)
    sizes = np.bincount(labels)
    members = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(len(sizes), n))
    sums = members @ X
    centroids = (sums.toarray() if sp.issparse(sums) else sums) / np.maximum(sizes, 1)[:, None]
    norms = np.einsum("ij,ij->i", centroids, centroids)
    norms[sizes == 0] = np.inf
    distances = norms - 2 * np.asarray(X @ centroids.T)
    own = distances[np.arange(n), labels]
    return float(np.mean(own <= distances.min(axis=1) + TIE * (lengths + norms[labels])))


def agreement(labels: NDArray, y: NDArray) -> dict[str, NDArray[np.float64]]:
    """ARI and NMI (arithmetic mean) of each base clustering, a column, with the classes y."""
    tables = [contingency_table(y, column) for column in labels.T]
    return {
        "ari": np.array([adjusted_rand_index(table) for table in tables]),
        "nmi": np.array([normalized_mutual_information(table) for table in tables]),
    }


def microcluster_share(pool: Pool, m: int) -> NDArray[np.float64]:
    """n'/n of the ensemble of each repeat: distinct rows of labels among the samples."""
    n = len(pool.labels)
    return np.array(
        [Ensemble(pool.labels[:, draw]).microclusters.count / n for draw in pool.draws[m]]
    )


def describe_pool(pool: Pool, X: Any = None, sizes: Sequence[int] = (10, 20)) -> dict[str, Any]:
    """Quality of a pool: number of clusters, agreement, microclusters, fixed-point shares.

    X are the features the pool is thought to be made on, and n'/n is measured at ensembles of the
    sizes that the pool has draws of.

    Returns
    -------
    dict
        ``k`` (M,), ``ari`` and ``nmi`` (M,) where there are classes, ``microclusters`` (size →
        (repeats,)), ``fixed_point`` (M,) where X is given and has the pool's samples.
    """
    found: dict[str, Any] = {"k": pool.labels.max(axis=0).astype(int) + 1}
    if pool.y is not None:
        found |= agreement(pool.labels, pool.y)
    found["microclusters"] = {m: microcluster_share(pool, m) for m in sizes if m in pool.draws}
    if X is not None and X.shape[0] == len(pool.labels):
        found["fixed_point"] = nearest_centroid_share(X, pool.labels)
    return found
