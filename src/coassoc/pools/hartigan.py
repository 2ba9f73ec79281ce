"""Compiled k-means by moves of single samples, for many fits of few samples.

J. A. Hartigan, M. A. Wong, "Algorithm AS 136: a k-means clustering algorithm", Applied Statistics
28(1), 1979, define the optimum in which R's ``kmeans`` ends: no move of a single sample to another
cluster lowers the sum of squares. Every such optimum is also an optimum of Lloyd's iterations, but
the converse is often false (M. Telgarsky, A. Vattani, "Hartigan's method: k-means clustering
without Voronoi", AISTATS 2010).
"""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from coassoc.numerics.compiled import compiled

#: Sums have four parts, which a processor adds in parallel.
_LANES = 4
#: Largest number of sweeps through all samples. A sweep without a move comes long before this
#: limit.
_SWEEPS = 1000
#: Relative difference of sums of squares that may be rounding alone.
_ROUNDING = 1e-12


class HartiganKMeans(ClusterMixin, BaseEstimator):
    """k-means that ends where no move of a single sample lowers the sum of squares.

    The algorithm starts from distinct random samples and assigns each sample to the nearest of
    them. The samples are then visited in turn. Each moves to the cluster that lowers the sum of
    squares most, if there is one, until no sample moves.

    Parameters
    ----------
    n_clusters : int
        Number of clusters. If there are fewer distinct samples, this is the number of clusters.
    n_init : int
        Number of starts, of which the one with the smallest sum of squares is used.
    random_state : int
        Seed of the start.

    Attributes
    ----------
    labels_ : (n,) integer array
    """

    _parameter_constraints: ClassVar = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(self, n_clusters: int = 8, *, n_init: int = 1, random_state: int = 0) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : (n, d) array
        y : ignored
        """
        X = validate_data(self, X, dtype=np.float64, order="C")
        generator = np.random.default_rng(self.random_state)
        self.labels_, _ = cluster_by_moves(X, self.n_clusters, self.n_init, generator)
        return self


def cluster_by_moves(
    X: NDArray[np.float64], n_clusters: int, n_init: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], float]:
    """Labels of :class:`HartiganKMeans`, without its checks, and the sum of squares.

    Parameters
    ----------
    X : (n, d) C-ordered array of finite numbers
    n_clusters, n_init : int
    generator : Generator
        Generator for the starts.

    Returns
    -------
    (n,) integer array, float
    """
    best, least = np.zeros(len(X), dtype=np.int64), np.inf
    for _ in range(n_init):
        labels = np.zeros_like(best)
        squares = _move_samples(X, generator.permutation(len(X)), n_clusters, labels)
        if squares < least:
            best, least = labels, squares
    return best, float(least)


@compiled("f(f2, i1, i, i1)")
def _move_samples(X, starts, n_clusters, labels):
    """Write the labels; return the sum of squares.

    The first samples in `starts` that differ are the start.
    """

    def distance(x, centre):
        """Squared distance, summed in four parts."""
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        whole = len(x) - len(x) % _LANES
        for f in range(0, whole, _LANES):
            a += (x[f] - centre[f]) * (x[f] - centre[f])
            b += (x[f + 1] - centre[f + 1]) * (x[f + 1] - centre[f + 1])
            c += (x[f + 2] - centre[f + 2]) * (x[f + 2] - centre[f + 2])
            d += (x[f + 3] - centre[f + 3]) * (x[f + 3] - centre[f + 3])
        for f in range(whole, len(x)):
            a += (x[f] - centre[f]) * (x[f] - centre[f])
        return (a + b) + (c + d)

    def average(X, labels, centres, sizes):
        """Set the centres to the means of their clusters."""
        centres[:] = 0.0
        sizes[:] = 0.0
        for i in range(len(X)):
            sizes[labels[i]] += 1.0
            for f in range(X.shape[1]):
                centres[labels[i], f] += X[i, f]
        for c in range(len(centres)):
            for f in range(X.shape[1]):
                centres[c, f] /= sizes[c]

    n, n_features = X.shape
    first_centres = np.empty((n_clusters, n_features))
    k = 0
    for i in starts:
        new = True
        for c in range(k):
            new = new and distance(X[i], first_centres[c]) > 0.0
        if new:
            first_centres[k] = X[i]
            k += 1
            if k == n_clusters:
                break
    centres = first_centres[:k]
    sizes = np.empty(k)
    for i in range(n):
        nearest = np.inf
        for c in range(k):
            away = distance(X[i], centres[c])
            if away < nearest:
                nearest, labels[i] = away, c
    for _ in range(_SWEEPS):
        average(X, labels, centres, sizes)
        moved = False
        for i in range(n):
            own_cluster = labels[i]
            if sizes[own_cluster] == 1.0:
                continue
            saved = (
                distance(X[i], centres[own_cluster])
                * sizes[own_cluster]
                / (sizes[own_cluster] - 1.0)
            )
            least, to = saved * (1.0 - _ROUNDING), own_cluster
            for c in range(k):
                if c != own_cluster:
                    cost = distance(X[i], centres[c]) * sizes[c] / (sizes[c] + 1.0)
                    if cost < least:
                        least, to = cost, c
            if to != own_cluster:
                moved = True
                labels[i] = to
                sizes[own_cluster] -= 1.0
                sizes[to] += 1.0
                for f in range(n_features):
                    centres[own_cluster, f] -= (X[i, f] - centres[own_cluster, f]) / sizes[
                        own_cluster
                    ]
                    centres[to, f] += (X[i, f] - centres[to, f]) / sizes[to]
        if not moved:
            break
    squares = 0.0
    for i in range(n):
        squares += distance(X[i], centres[labels[i]])
    return squares
