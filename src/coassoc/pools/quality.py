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
from coassoc.metrics import score_against
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
    labels = pool.labels
    found: dict[str, Any] = {"k": labels.max(axis=0).astype(int) + 1}
    if pool.references:
        scores = [score_against(pool.references, column) for column in labels.T]
        found["ari"] = np.array([each["ARI"] for each in scores])
        found["nmi"] = np.array([each["NMI"] for each in scores])
    found["microclusters"] = {
        m: np.array([Ensemble(labels[:, draw]).microclusters.count / len(labels) for draw in draws])
        for m, draws in pool.draws.items()
        if m in sizes
    }
    if X is not None and X.shape[0] == len(labels):
        found["fixed_point"] = nearest_centroid_share(X, labels)
    return found
