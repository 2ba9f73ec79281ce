"""Checks of samples before they are clustered: constant, on another scale, replicates, outliers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import pdist, squareform

from coassoc.errors import DataError
from coassoc.io.features import ANNOTATIONS
from coassoc.io.table import listed

Array = NDArray[np.float64]

#: Least number of features with which the values of a sample are compared with others.
_FEATURES = 20
#: Largest fraction of samples that are foreign to the others.
_FEW = 0.1
#: Largest number of replicates of a sample that are found, in addition to the sample.
_REPLICATES = 3
#: Least fraction of samples in such sets.
_SYSTEMATIC = 0.1
#: Neighbours whose distances give the dimension; expected number of false pairs; largest ratio of
#: the distances of a replicate and of the next neighbour.
_NEIGHBOURS, _FALSE, _CLOSE = 12, 0.001, 0.6
#: Least logarithm of the distance of an outlier, relative to the median one.
_FAR = np.log(2.5)


def check_samples(X: Any, names: Any, what: str) -> None:
    """Raise a DataError for samples that are constant, or annotations of the features.

    Annotations, such as the length of genes, have the name of one, or only whole numbers although
    the other samples have decimal numbers.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Numbers, NaN if missing.
    names : (n,) array or None
    what : str
        The table, for the message.
    """
    n, d = X.shape
    if d < _FEATURES or issparse(X):
        return
    names = np.arange(1, n + 1) if names is None else names
    constant = np.nanmax(X, axis=1) == np.nanmin(X, axis=1)
    if constant.any() and not np.isin(X, (0, 1)).all():
        raise DataError(
            f"{what}: all features of sample {listed(names[constant])} have the same value "
            f"({np.nanmax(X[constant.argmax()]):g}). Leave out such samples (--except for columns)."
        )
    whole = (np.isnan(X) | (np.round(X) == X)).all(axis=1)
    foreign = np.isin([str(name).lower() for name in names], [*ANNOTATIONS])
    if 0 < whole.mean() <= _FEW:
        foreign |= whole
    if foreign.any():
        raise DataError(
            f"{what}: {listed(names[foreign])} may be an annotation of the features instead of a "
            "sample, because of its name or its whole numbers. Leave it out (for columns, with "
            f"--except {','.join(map(str, names[foreign]))})."
        )


def replicates(D: Array) -> list[NDArray[np.intp]]:
    """Sets of two to four samples that are much nearer to each other than to all others.

    The list is empty if they are fewer than a tenth of the samples, as may happen by chance.

    In data of dimension m, the ratio of the distances to the j-th and the next neighbour is below t
    with probability t^(j m). The dimension is estimated from the ratios of the distances to the
    fifth and later neighbours (E. Levina, P. Bickel, "Maximum likelihood estimation of intrinsic
    dimension", NIPS 17, 2005), which replicates do not change.

    Parameters
    ----------
    D : (n, n) array
        Distances.
    """
    n = len(D)
    if n <= _NEIGHBOURS:
        return []
    order = np.argsort(D, axis=1, kind="stable")[:, : _NEIGHBOURS + 1]
    near = np.maximum(np.take_along_axis(D, order, axis=1), np.finfo(float).tiny)
    logs = np.log(near[:, -1:] / near[:, _REPLICATES + 2 : -1])
    dimension = 1 / max(float(logs.mean()), 1e-9)
    found = []
    for size in range(2, _REPLICATES + 2):
        close = min(_CLOSE, (_FALSE / n) ** (1 / (dimension * (size - 1))))
        is_near = near[:, size - 1] < close * near[:, size]
        for i in np.flatnonzero(is_near):
            members = np.sort(order[i, :size])
            same = all(np.array_equal(np.sort(order[j, :size]), members) for j in members)
            if same and is_near[members].all() and members[0] == i:
                found.append(members)
    return found if sum(map(len, found)) >= _SYSTEMATIC * n else []


def isolated(D: Array) -> NDArray[np.bool_]:
    """Whether a sample is far from all but one of the others.

    The logarithm of its distance to the second nearest sample is beyond five interquartile ranges,
    and that distance is more than 2½ times the median one.
    """
    second = np.log(np.maximum(np.partition(D, 2, axis=1)[:, 2], np.finfo(float).tiny))
    lower, median, upper = np.quantile(second, (0.25, 0.5, 0.75))
    return np.asarray(second > max(upper + 5 * (upper - lower), median + _FAR))


def distances(scores: Array) -> Array:
    """(n, n) distances between the rows."""
    return np.asarray(squareform(pdist(scores)))
