"""Compiled k-means by moves of single samples, for many fits of few samples.

J. A. Hartigan, M. A. Wong, "Algorithm AS 136: a k-means clustering algorithm", Applied Statistics
28(1), 1979, define the optimum in which R's ``kmeans`` ends: no move of a single sample to another
cluster lowers the sum of squares. Every such optimum is also an optimum of Lloyd's iterations, but
the converse is often false (M. Telgarsky, A. Vattani, "Hartigan's method: k-means clustering
without Voronoi", AISTATS 2010).
"""

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled

#: Sums have four parts, which a processor adds in parallel.
_LANES = 4
#: Largest number of sweeps through all samples. A sweep without a move comes long before this
#: limit, unless samples tie and rounding errors exceed `_ROUNDING`, far from the origin.
_SWEEPS = 1000
#: Relative difference of sums of squares that may be rounding alone.
_ROUNDING = 1e-12
#: Numbers are scaled if the largest is beyond 2 to the power of ± this, so that squares neither
#: overflow nor vanish.
_RANGE = 400


class Samples:
    """Samples to be clustered several times.

    Parameters
    ----------
    X : (n, d) C-ordered array of finite numbers
    """

    def __init__(self, X: NDArray[np.float64]) -> None:
        exponent = int(np.frexp(np.abs(X).max(initial=0.0))[1])
        # A power of two changes no digit.
        self._unit = 2.0 ** (exponent - 1) if abs(exponent) > _RANGE else 1.0
        self._X = X if self._unit == 1.0 else X / self._unit

    def cluster(
        self, n_clusters: int, n_init: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], float]:
        """Labels of the best of several starts, and their sum of squares."""
        X = self._X
        best, least = np.zeros(len(X), dtype=np.int64), np.inf
        for _ in range(n_init):
            labels = np.zeros_like(best)
            squares = _move_samples(X, generator.permutation(len(X)), n_clusters, labels)
            if squares < least:
                best, least = labels, squares
        return best, least * self._unit * self._unit


@compiled("f(f2, i1, i, i1)")
def _move_samples(X, starts, n_clusters, labels):
    """Write the labels after all sweeps, and return the sum of squares.

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
            centre, x = centres[labels[i]], X[i]
            for f in range(len(x)):
                centre[f] += x[f]
        for c in range(len(centres)):
            for f in range(X.shape[1]):
                centres[c, f] /= sizes[c]

    n = len(X)
    first_centres = np.empty((n_clusters, X.shape[1]))
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
            size, to = sizes[own_cluster], own_cluster
            saved = distance(X[i], centres[own_cluster]) * size / (size - 1.0)
            least = saved * (1.0 - _ROUNDING)
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
                for f in range(X.shape[1]):
                    centres[own_cluster, f] -= (X[i, f] - centres[own_cluster, f]) / (size - 1.0)
                    centres[to, f] += (X[i, f] - centres[to, f]) / sizes[to]
        if not moved:
            break
    average(X, labels, centres, sizes)
    squares = 0.0
    for i in range(n):
        squares += distance(X[i], centres[labels[i]])
    return squares
