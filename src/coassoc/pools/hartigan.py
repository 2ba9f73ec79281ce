"""Compiled k-means by moves of single samples, for many fits of few samples.

J. A. Hartigan, M. A. Wong, "Algorithm AS 136: a k-means clustering algorithm", Applied Statistics
28(1), 1979, define the optimum in which R's ``kmeans`` ends: no move of a single sample to another
cluster lowers the sum of squares. Every such optimum is also an optimum of Lloyd's iterations, but
the converse is often false (M. Telgarsky, A. Vattani, "Hartigan's method: k-means clustering
without Voronoi", AISTATS 2010).

In a sweep, few samples are near a move. Sweeps are therefore screened: single precision, for blocks
of samples at a time, shows which samples cannot move, with bounds on the rounding errors, and only
the others are examined in double precision. The means change with each move and are not computed
again in each sweep. Where such a mean might decide differently from a new one, plain sweeps take
over, so the labels are always those of plain sweeps.
"""

from typing import NamedTuple

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
#: Number of samples in a block of the screen, and least number of samples that are screened.
_WIDTH, _SCREENED = 64, 256
#: Units of rounding of double and of single precision.
_DOUBLE, _SINGLE = 2.0**-53, 2.0**-24
#: Relative difference of costs that is certain in double precision.
_CERTAIN = 1e-11
#: Numbers are scaled if the largest is beyond 2 to the power of ± this, so that squares neither
#: overflow nor vanish.
_RANGE = 400


class _Fit(NamedTuple):
    """Labels, their sum of squares, and its largest error, 0 for the one of plain sweeps."""

    labels: NDArray[np.int64]
    squares: float
    error: float = 0.0


class Samples:
    """Samples to be clustered several times, with what these fits share.

    Parameters
    ----------
    X : (n, d) C-ordered array of finite numbers
    """

    def __init__(self, X: NDArray[np.float64]) -> None:
        exponent = int(np.frexp(np.abs(X).max(initial=0.0))[1])
        # A power of two changes no digit.
        self._unit = 2.0 ** (exponent - 1) if abs(exponent) > _RANGE else 1.0
        self._X = X = X if self._unit == 1.0 else X / self._unit
        n, d = X.shape
        self._screened = n >= _SCREENED
        if not self._screened:
            return
        self._blocks = np.empty((-(-n // _WIDTH), -(-d // _LANES) * _LANES, _WIDTH), np.float32)
        self._norms = np.empty((len(self._blocks), _WIDTH), np.float32)
        self._mean, frame = np.empty(d), np.empty(3)
        _fill_screen(X, self._mean, frame, self._blocks, self._norms)
        self._scale, largest, self._squares = map(float, frame)
        # Bounds on the distance of the two ways to compute a centre, from the rounding of sums of n
        # numbers and of n moves, and on the error of a sum of squares from these centres. The first
        # bound is large enough to cover costs that underflow, too.
        self._apart = 16 * n * _DOUBLE * largest * d**0.5
        self._error = 4 * X.size * _DOUBLE * self._squares
        self._error += 8 * self._apart * ((n * self._squares) ** 0.5 + n * self._apart)
        # Beyond, rounding could decide about all moves.
        self._screened = self._error < self._squares

    def cluster(
        self, n_clusters: int, n_init: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], float]:
        """Labels of the best of several starts, and their sum of squares."""
        X = self._X
        best, least = np.zeros(len(X), dtype=np.int64), np.inf
        if not self._screened:
            for _ in range(n_init):
                labels = np.zeros_like(best)
                starts = generator.permutation(len(X))
                squares = _move_samples(X, starts, n_clusters, labels, _SWEEPS)
                if squares < least:
                    best, least = labels, squares
            return best, least * self._unit * self._unit
        fits = [self._fit(n_clusters, generator.permutation(len(X))) for _ in range(n_init)]
        largest = min((fit.squares + fit.error for fit in fits), default=0.0)
        compared: list[_Fit] = []
        for fit in fits:
            if fit.squares - fit.error <= largest and not any(_are_equal(fit, x) for x in compared):
                compared.append(fit)
                squares = self._plain(fit.labels, 0) if fit.error else fit.squares
                if squares < least:
                    best, least = fit.labels, squares
        return best, least * self._unit * self._unit

    def _fit(self, n_clusters: int, starts: NDArray[np.int64]) -> _Fit:
        """A fit that starts from the first samples that differ."""
        labels = np.zeros(len(self._X), dtype=np.int64)
        n_left, squares = _screen_moves(
            self._X,
            self._mean,
            self._scale,
            self._apart,
            self._blocks,
            self._norms,
            starts,
            n_clusters,
            labels,
        )
        if n_left:
            return _Fit(labels, self._plain(labels, n_left))
        return _Fit(labels, self._squares - squares, self._error)

    def _plain(self, labels: NDArray[np.int64], n_sweeps: int) -> float:
        """Sum of squares after some more sweeps from these labels."""
        return float(_move_samples(self._X, labels[:0], int(labels.max()) + 1, labels, n_sweeps))


def _are_equal(a: _Fit, b: _Fit) -> bool:
    """Whether two fits have the same clusters, which then have the same sum of squares."""
    k = int(a.labels.max()) + 1
    pairs = np.bincount(a.labels + b.labels * k)
    return np.count_nonzero(pairs) == k == int(b.labels.max()) + 1


@compiled("f(f2, i1, i, i1, i)")
def _move_samples(X, starts, n_clusters, labels, n_sweeps):
    """Write the labels after some sweeps; return the sum of squares.

    The first samples in `starts` that differ are the start. If there are none, the labels are.
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
    if len(starts) == 0:
        k = n_clusters
    centres = first_centres[:k]
    sizes = np.empty(k)
    for i in range(n if len(starts) else 0):
        nearest = np.inf
        for c in range(k):
            away = distance(X[i], centres[c])
            if away < nearest:
                nearest, labels[i] = away, c
    moved = True
    for _ in range(n_sweeps):
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
    if moved:
        average(X, labels, centres, sizes)
    squares = 0.0
    for i in range(n):
        squares += distance(X[i], centres[labels[i]])
    return squares


@compiled("void(f2, f1, f1, float32[:, :, ::1], float32[:, ::1])")
def _fill_screen(X, mean, frame, blocks, norms):
    """Write the samples in single precision, centred and scaled to numbers of at most 1.

    `frame` becomes the scale, the largest number of X, and the sum of squares around the mean.
    """
    n, d = X.shape
    largest, spread, squares = 0.0, 0.0, 0.0
    mean[:] = 0.0
    for i in range(n):
        for f in range(d):
            mean[f] += X[i, f]
            largest = max(largest, abs(X[i, f]))
    for f in range(d):
        mean[f] /= n
    for i in range(n):
        for f in range(d):
            away = X[i, f] - mean[f]
            spread = max(spread, abs(away))
            squares += away * away
    scale = 1.0 / spread if spread > 0.0 else 1.0
    blocks[:] = np.float32(0.0)
    norms[:] = np.float32(0.0)
    for b in range(len(blocks)):
        start = b * _WIDTH
        for f in range(d):
            row, norm = blocks[b, f], norms[b]
            for j in range(min(_WIDTH, n - start)):
                row[j] = np.float32((X[start + j, f] - mean[f]) * scale)
            for j in range(_WIDTH):
                norm[j] += row[j] * row[j]
    frame[0], frame[1], frame[2] = scale, largest, squares


@compiled("Tuple((int64, float64))(f2, f1, f, f, float32[:, :, ::1], float32[:, ::1], i1, i, i1)")
def _screen_moves(
    X,
    mean,
    scale,
    apart,
    blocks,
    norms,
    starts,
    n_clusters,
    labels,
):
    """Write the labels that :func:`_move_samples` has after all sweeps or after some of them.

    Returns the number of sweeps that are left, and the sum of squares between the clusters if none
    is left.
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

    def round_centre(centre, mean, scale, rounded):
        """Write −2 times a centre in single precision; return its squared norm."""
        norm = np.float32(0.0)
        for f in range(len(mean)):
            value = np.float32((centre[f] - mean[f]) * scale)
            norm += value * value
            rounded[f] = np.float32(-2.0) * value
        return norm

    def square_distances(x, x_norms, rounded, centre_norms, squares):
        """Write the squared distances of a block from all centres."""
        for c in range(len(squares)):
            row = squares[c]
            for j in range(_WIDTH):
                row[j] = x_norms[j] + centre_norms[c]
            for f in range(0, x.shape[0], _LANES):
                u, v, w, z = rounded[c, f : f + _LANES]
                for j in range(_WIDTH):
                    row[j] += (x[f, j] * u + x[f + 1, j] * v) + (x[f + 2, j] * w + x[f + 3, j] * z)

    n, d = X.shape
    first_centres = np.empty((n_clusters, d))
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
    rounded = np.zeros((k, blocks.shape[1]), dtype=np.float32)
    centre_norms = np.empty(k, dtype=np.float32)
    squares = np.empty((k, _WIDTH), dtype=np.float32)
    own, least, root, gap = np.empty((4, _WIDTH), dtype=np.float32)
    mine = np.zeros(_WIDTH, dtype=np.int32)
    none, huge = np.float32(0.0), np.float32(1e30)
    for c in range(k):
        centre_norms[c] = round_centre(centres[c], mean, scale, rounded[c])
    largest = none
    for b in range(len(blocks)):
        for j in range(_WIDTH):
            largest = max(largest, norms[b, j])
    # Bound on the error of a squared distance between points whose norms are at most the largest.
    # Single precision errs by 3 d + 27 units at most: d for each norm, d for the products in groups
    # of four, and the rest for the rounding of numbers and within a group.
    error = np.float32((8 * (d + 16) * _SINGLE + 4 * apart * scale) * largest)

    # The nearest start.
    for b in range(len(blocks)):
        square_distances(blocks[b], norms[b], rounded, centre_norms, squares)
        own[:] = huge
        least[:] = huge
        for c in range(k):
            row, cluster = squares[c], np.int32(c)
            for j in range(_WIDTH):
                nearer = row[j] < own[j]
                least[j] = min(least[j], max(row[j], own[j]))
                mine[j] = cluster if nearer else mine[j]
                own[j] = min(own[j], row[j])
        for j in range(min(_WIDTH, n - b * _WIDTH)):
            i = b * _WIDTH + j
            if least[j] - own[j] > np.float32(2.0) * error:
                labels[i] = mine[j]
            else:
                nearest = np.inf
                for c in range(k):
                    away = distance(X[i], centres[c])
                    if away < nearest:
                        nearest, labels[i] = away, c

    sums, sizes, first_sizes = np.empty((k, d)), np.empty(k), np.empty(k)
    moved, previous = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    certain = max(_CERTAIN, 16 * (d + 8) * _DOUBLE)
    radius = np.sqrt(np.float64(largest))
    n_since, shrunk = n + 1, 1.0
    for sweep in range(_SWEEPS - 1):
        if n_since > n or shrunk > 2.0:
            sums[:] = 0.0
            sizes[:] = 0.0
            for i in range(n):
                sizes[labels[i]] += 1.0
                total, x = sums[labels[i]], X[i]
                for f in range(d):
                    total[f] += x[f]
            for c in range(k):
                first_sizes[c] = sizes[c]
                for f in range(d):
                    centres[c, f] = sums[c, f] / sizes[c]
                centre_norms[c] = round_centre(centres[c], mean, scale, rounded[c])
            n_since, shrunk = 0, 1.0
        for c in range(k):
            first_sizes[c] = max(first_sizes[c], sizes[c])
            shrunk = max(shrunk, first_sizes[c] / sizes[c])
        n_moved = 0
        for b in range(len(blocks)):
            width = min(_WIDTH, n - b * _WIDTH)
            square_distances(blocks[b], norms[b], rounded, centre_norms, squares)
            for j in range(width):
                mine[j] = labels[b * _WIDTH + j]
            own[:] = none
            least[:] = huge
            for c in range(k):
                # A cluster of one sample keeps it.
                leave = np.float32(sizes[c] / (sizes[c] - 1.0)) if sizes[c] > 1.0 else none
                join = np.float32(sizes[c] / (sizes[c] + 1.0))
                row, cluster = squares[c], np.int32(c)
                for j in range(_WIDTH):
                    is_own = np.float32(mine[j] == cluster)
                    own[j] += is_own * leave * row[j]
                    row[j] *= join
                    least[j] = min(least[j], row[j] + is_own * huge)
            for j in range(_WIDTH):
                root[j] = np.sqrt(max(own[j], none) + np.float32(2.0) * error)
                gap[j] = np.sqrt(max(least[j] - error, none)) - root[j]
            # How far two distances may have come closer since the centres were rounded. Roots and
            # their difference round by less than 8e-6 radii.
            slack = np.float32(8e-6 * radius + 4 * apart * shrunk * scale)
            n_moved_before = n_moved
            for j in range(width):
                if gap[j] > slack:
                    continue
                i = b * _WIDTH + j
                own_cluster, x = labels[i], X[i]
                if sizes[own_cluster] == 1.0:
                    continue
                saved = distance(x, centres[own_cluster]) * (
                    sizes[own_cluster] / (sizes[own_cluster] - 1.0)
                )
                best, second, to = np.inf, np.inf, own_cluster
                for c in range(k):
                    if c != own_cluster and (
                        np.sqrt(max(squares[c, j] - error, none)) - root[j] <= slack
                    ):
                        cost = distance(x, centres[c]) * (sizes[c] / (sizes[c] + 1.0))
                        if cost < best:
                            best, second, to = cost, best, c
                        elif cost < second:
                            second = cost
                if best == np.inf:
                    continue
                farthest, off = max(saved, best), apart * shrunk
                doubt = 8.0 * (np.sqrt(farthest) + off) * off + certain * farthest
                if abs(best - saved) <= doubt or (best < saved and second - best <= doubt):
                    for m in range(n_moved - 1, -1, -1):
                        labels[moved[m]] = previous[m]
                    return _SWEEPS - sweep, 0.0
                if best < saved:
                    moved[n_moved], previous[n_moved] = i, own_cluster
                    n_moved += 1
                    labels[i] = to
                    # How far the two means move. A distance counts √2 times at most. The factors of
                    # sizes change by less than 4 / smaller² times a distance of up to 2 radii, also
                    # if a cluster of one sample, which could not leave it, grows.
                    steps = np.sqrt(saved) / (sizes[own_cluster] - 1.0)
                    steps += 1.5 * np.sqrt(best) / (sizes[to] + 1.0)
                    smaller = min(sizes[own_cluster] - 2.0, sizes[to])
                    sizes[own_cluster] -= 1.0
                    sizes[to] += 1.0
                    for f in range(d):
                        sums[own_cluster, f] -= x[f]
                        sums[to, f] += x[f]
                    for c in (own_cluster, to):
                        share = 1.0 / sizes[c]
                        for f in range(d):
                            centres[c, f] = sums[c, f] * share
                    shrunk = max(shrunk, first_sizes[own_cluster] / sizes[own_cluster])
                    ratios = 8.0 / (smaller * smaller) if smaller > 0.0 else np.inf
                    slack += np.float32(
                        (1.6 * steps + 4 * apart * shrunk) * scale + radius * ratios
                    )
            if n_moved > n_moved_before:
                for c in range(k):
                    centre_norms[c] = round_centre(centres[c], mean, scale, rounded[c])
        n_since += n_moved
        if n_moved == 0:
            between = 0.0
            for c in range(k):
                for f in range(d):
                    between += sizes[c] * (centres[c, f] - mean[f]) ** 2
            return 0, between
    return 1, 0.0
