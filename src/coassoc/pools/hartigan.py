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

from typing import Any, NamedTuple

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
#: Numbers are scaled if the largest is beyond 2 to the power of ± this, so that squares neither
#: overflow nor vanish.
_RANGE = 400


class _Fit(NamedTuple):
    """Labels, their sum of squares, and its largest error, 0 for the one of plain sweeps."""

    labels: NDArray[np.int64]
    squares: float
    error: float


class Samples:
    """Samples to be clustered several times, with what these fits share.

    Parameters
    ----------
    X : (n, d) C-ordered array of finite numbers
    """

    def __init__(self, X: NDArray[np.float64]) -> None:
        largest = max(X.max(initial=0.0), -X.min(initial=0.0))
        exponent = int(np.frexp(largest)[1])
        # A power of two changes no digit.
        self._unit = 2.0 ** (exponent - 1) if abs(exponent) > _RANGE else 1.0
        self._X = X = X if self._unit == 1.0 else X / self._unit
        n, d = X.shape
        self._mean, self._scale, self._apart = np.zeros(d), 1.0, 0.0
        self._blocks = np.empty((0, d, _WIDTH), np.float32)
        self._norms = np.empty((0, _WIDTH), np.float32)
        if n >= _SCREENED:
            self._screen(largest / self._unit)

    def _screen(self, largest: float) -> None:
        """Prepare the screen: samples in single precision, centred and scaled to at most 1."""
        n, d = self._X.shape
        self._mean = self._X.mean(axis=0)
        centred = self._X - self._mean
        self._squares = float(np.vdot(centred, centred))
        self._scale = 1.0 / (max(centred.max(), -centred.min()) or 1.0)
        # Bounds on the distance of the two ways to compute a centre, from the rounding of sums of n
        # numbers and of n moves, and on the error of a sum of squares from these centres. The first
        # bound is large enough to cover costs that underflow, too.
        self._apart = 16 * n * _DOUBLE * largest * d**0.5
        self._error = 4 * self._X.size * _DOUBLE * self._squares
        self._error += 8 * self._apart * ((n * self._squares) ** 0.5 + n * self._apart)
        # Beyond, rounding could decide about all moves.
        if self._error < self._squares:
            rows = np.zeros((-(-n // _WIDTH) * _WIDTH, -(-d // _LANES) * _LANES), np.float32)
            np.multiply(centred, self._scale, out=rows[:n, :d], casting="same_kind")
            blocks = rows.reshape(-1, _WIDTH, rows.shape[1]).transpose(0, 2, 1)
            self._blocks = np.ascontiguousarray(blocks)
            self._norms = np.einsum("bfj,bfj->bj", self._blocks, self._blocks)

    def cluster(
        self, n_clusters: int, n_init: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], float]:
        """Labels by moves of single samples, and their sum of squares.

        See :class:`coassoc.pools.hartigan_kmeans.HartiganKMeans`, whose checks are left out.

        Parameters
        ----------
        n_clusters, n_init : int
        generator : Generator
            Generator for the starts.

        Returns
        -------
        (n,) integer array, float
        """
        n = len(self._X)
        fits = [self._fit(n_clusters, generator.permutation(n)) for _ in range(n_init)]
        largest = min((fit.squares + fit.error for fit in fits), default=0.0)
        best, least = np.zeros(n, dtype=np.int64), np.inf
        compared: list[_Fit] = []
        for fit in fits:
            if fit.squares - fit.error > largest:
                continue
            if len(self._blocks) and any(_are_equal(fit, other) for other in compared):
                continue
            compared.append(fit)
            squares = self._plain(fit.labels, 0) if fit.error else fit.squares
            if squares < least:
                best, least = fit.labels, squares
        return best, least * self._unit * self._unit

    def _fit(self, n_clusters: int, starts: NDArray[np.int64]) -> _Fit:
        """A fit that starts from the first samples that differ."""
        labels = np.zeros(len(self._X), dtype=np.int64)
        screen = self._blocks, self._norms
        n_left, squares = self._move(screen, starts, n_clusters, labels, _SWEEPS)
        if n_left:
            return _Fit(labels, self._plain(labels, n_left), 0.0)
        if len(self._blocks):
            return _Fit(labels, self._squares - squares, self._error)
        return _Fit(labels, squares, 0.0)

    def _plain(self, labels: NDArray[np.int64], n_sweeps: int) -> float:
        """Sum of squares after some more plain sweeps from these labels."""
        k = int(labels.max()) + 1
        no_screen = self._blocks[:0], self._norms[:0]
        return float(self._move(no_screen, labels[:0], k, labels, n_sweeps)[1])

    def _move(self, screen: Any, *fit: Any) -> Any:
        return _move_samples(self._X, self._mean, self._scale, self._apart, *screen, *fit)


def _are_equal(a: _Fit, b: _Fit) -> bool:
    """Whether two fits have the same clusters, which then have the same sum of squares."""
    k = int(a.labels.max()) + 1
    pairs = np.bincount(a.labels + b.labels * k)
    return np.count_nonzero(pairs) == k == int(b.labels.max()) + 1


@compiled(
    "Tuple((int64, float64))(f2, f1, f, f, float32[:, :, ::1], float32[:, ::1], i1, i, i1, i)"
)
def _move_samples(X, mean, scale, apart, blocks, norms, starts, n_clusters, labels, n_sweeps):
    """Write the labels after some sweeps, which are plain if there are no blocks.

    The first samples in `starts` that differ are the start. If there are none, the labels are.
    Returns the number of sweeps that are left to plain sweeps, and the sum of squares within the
    clusters after plain sweeps, or between them after screened ones.
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

    def round_centres(centres, mean, scale, rounded, centre_norms):
        """Write −2 times the centres in single precision, and their squared norms."""
        for c in range(len(centres)):
            norm = np.float32(0.0)
            for f in range(len(mean)):
                value = np.float32((centres[c, f] - mean[f]) * scale)
                norm += value * value
                rounded[c, f] = np.float32(-2.0) * value
            centre_norms[c] = norm

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
    if len(starts) == 0:
        k = n_clusters
    centres, sizes, first_sizes = first_centres[:k], np.empty(k), np.empty(k)
    plain, n_blocks = len(blocks) == 0, -(-n // _WIDTH)
    rounded = np.zeros((k, blocks.shape[1]), dtype=np.float32)
    centre_norms = np.empty(k, dtype=np.float32)
    squares = np.empty((k, _WIDTH), dtype=np.float32)
    own, least, root, gap = np.empty((4, _WIDTH), dtype=np.float32)
    mine = np.empty(_WIDTH, dtype=np.int32)
    none, huge = np.float32(0.0), np.float32(1e30)
    largest = none if plain else norms.max()
    # Bound on the error of a squared distance between points whose norms are at most the largest.
    # Single precision errs by 3 d + 27 units at most: d for each norm, d for the products in groups
    # of four, and the rest for the rounding of numbers and within a group.
    error = np.float32((8 * (d + 16) * _SINGLE + 4 * apart * scale) * largest)
    radius = np.sqrt(np.float64(largest))
    # Relative difference of costs that is certain in double precision.
    certain = max(1e-11, 16 * (d + 8) * _DOUBLE)

    # The nearest start.
    if not plain:
        round_centres(centres, mean, scale, rounded, centre_norms)
    for b in range(n_blocks if len(starts) else 0):
        if not plain:
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
            if not plain and least[j] - own[j] > np.float32(2.0) * error:
                labels[i] = mine[j]
                continue
            nearest = np.inf
            for c in range(k):
                away = distance(X[i], centres[c])
                if away < nearest:
                    nearest, labels[i] = away, c

    labels_before, n_moved = labels.copy(), n
    n_since, shrunk, slack = n + 1, 1.0, none
    # The last sweep is plain, so that there are never more of them.
    for sweep in range(n_sweeps if plain else n_sweeps - 1):
        if plain or n_since > n or shrunk > 2.0:
            average(X, labels, centres, sizes)
            first_sizes[:] = sizes
            n_since, shrunk = 0, 1.0
            if not plain:
                round_centres(centres, mean, scale, rounded, centre_norms)
        for c in range(k):
            first_sizes[c] = max(first_sizes[c], sizes[c])
            shrunk = max(shrunk, first_sizes[c] / sizes[c])
        labels_before[:] = labels
        n_moved = 0
        for b in range(n_blocks):
            width, n_moved_before = min(_WIDTH, n - b * _WIDTH), n_moved
            if not plain:
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
                # How far two distances may have come closer since the centres were rounded. Roots
                # and their difference round by less than 8e-6 radii.
                slack = np.float32(8e-6 * radius + 4 * apart * shrunk * scale)
            for j in range(width):
                if not plain and gap[j] > slack:
                    continue
                i = b * _WIDTH + j
                own_cluster, x = labels[i], X[i]
                if sizes[own_cluster] == 1.0:
                    continue
                saved = (
                    distance(x, centres[own_cluster])
                    * sizes[own_cluster]
                    / (sizes[own_cluster] - 1.0)
                )
                best, to = saved * (1.0 - _ROUNDING) if plain else np.inf, own_cluster
                second = best
                for c in range(k):
                    if c != own_cluster and (
                        plain or np.sqrt(max(squares[c, j] - error, none)) - root[j] <= slack
                    ):
                        cost = distance(x, centres[c]) * sizes[c] / (sizes[c] + 1.0)
                        if cost < best:
                            best, second, to = cost, best, c
                        elif cost < second:
                            second = cost
                if not plain and to != own_cluster:
                    farthest, off = max(saved, best), apart * shrunk
                    doubt = 8.0 * (np.sqrt(farthest) + off) * off + certain * farthest
                    if abs(best - saved) <= doubt or (best < saved and second - best <= doubt):
                        labels[:] = labels_before
                        return n_sweeps - sweep, 0.0
                if to != own_cluster and best < saved:
                    n_moved += 1
                    labels[i] = to
                    # How far the two means move. A distance counts √2 times at most. The factors of
                    # sizes change by less than 4 / smaller² times a distance of up to 2 radii, also
                    # if a cluster of one sample, which could not leave it, grows.
                    steps = np.sqrt(saved) / (sizes[own_cluster] - 1.0)
                    steps += 1.5 * np.sqrt(best) / (sizes[to] + 1.0)
                    smaller = min(sizes[own_cluster] - 2.0, sizes[to])
                    ratios = 8.0 / (smaller * smaller) if smaller > 0.0 else np.inf
                    sizes[own_cluster] -= 1.0
                    sizes[to] += 1.0
                    for c, sign in ((own_cluster, -1.0), (to, 1.0)):
                        centre, share = centres[c], sign / sizes[c]
                        for f in range(d):
                            away = x[f] - centre[f]
                            # A product is faster than the quotient, but rounds differently.
                            centre[f] += sign * (away / sizes[c]) if plain else away * share
                    shrunk = max(shrunk, first_sizes[own_cluster] / sizes[own_cluster])
                    slack += np.float32(
                        (1.6 * steps + 4 * apart * shrunk) * scale + radius * ratios
                    )
            if not plain and n_moved > n_moved_before:
                round_centres(centres, mean, scale, rounded, centre_norms)
        n_since += n_moved
        if n_moved == 0:
            break
    total = 0.0
    if not plain:
        for c in range(k):
            for f in range(d):
                total += sizes[c] * (centres[c, f] - mean[f]) ** 2
        return 1 if n_moved else 0, total
    if n_moved:
        average(X, labels, centres, sizes)
    for i in range(n):
        total += distance(X[i], centres[labels[i]])
    return 0, total
