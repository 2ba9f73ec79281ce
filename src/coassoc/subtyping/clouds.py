"""Test for groups: clusters of the data compared with clusters of null data without groups.

The statistic at k clusters is the within-cluster sum of squares of k-means, divided by the total
sum of squares, in the k − 1 leading principal components, which k centres span (C. Ding, X. He,
"K-means clustering via principal component analysis", ICML 2004); the two-cluster index of SigClust
(Y. Liu, D. N. Hayes, A. Nobel, J. S. Marron, "Statistical significance of clustering for
high-dimension, low-sample size data", JASA 103, 2008) is the statistic at k = 2 in all components.
Samples far from the mean are first moved towards it, so that outliers do not count as clusters.

Null data sets (clouds) have exactly the mean and the covariance of the data, and no groups. Some
are Gaussian; see :func:`coassoc.selection.gaussian_cloud`. If the data are Gaussian too, the data
and these clouds are exchangeable, so the test has exactly its nominal level. Others are uniform in
a box, which k-means splits better than any other distribution without a gap (R. Tibshirani, G.
Walther, T. Hastie, "Estimating the number of clusters in a data set via the gap statistic", JRSS B
63, 2001). Groups must stand out from both kinds. The number of groups is the one with the largest
gap between the data and the uniform clouds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from coassoc.numerics.batches import in_batch
from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import one_thread_per_library
from coassoc.pools.hartigan import Samples
from coassoc.selection.null import gaussian_cloud
from coassoc.subtyping.protocol import Progress, Protocol

Array = NDArray[np.float64]

#: Significance level of the verdict.
LEVEL = 0.05
#: Largest number of samples to compare with null data sets.
MOST_SAMPLES = 1000
#: Number of null data sets of each kind to draw by default if time allows, and the number that the
#: level needs.
_MOST, _LEAST = 99, round(1 / LEVEL) - 1
#: Number of starts of each k-means.
_STARTS = 5
#: Largest distance of a sample above the median, in standard deviations of the squared norm of a
#: Gaussian.
_NEAR = 3.0
#: Difference below which two values count as equal.
_EQUAL = 1e-12
#: Floating-point operations in about a second, and sweeps of a start of k-means.
_SECOND, _SWEEPS = 1e9, 20


@dataclass(frozen=True, eq=False)
class CloudTest:
    """How well k-means splits the data, compared with clouds without groups.

    Attributes
    ----------
    numbers : (K,) integer array
        Numbers of clusters.
    observed : (K,) array
        −log of the ratio of the within-cluster to the total sum of squares.
    null : (2, n_clouds, K) array
        The same for each Gaussian and each uniform cloud.
    """

    numbers: NDArray[np.intp]
    observed: Array
    null: Array

    @property
    def p(self) -> Array:
        """(K,) p-values: the larger one for Gaussian and for uniform clouds."""
        return _share_as_large(self._z()).max(axis=0)

    @property
    def p_best(self) -> float:
        """p-value corrected for the choice of k, from the largest z over k."""
        return float(_share_as_large(self._z().max(axis=2)).max())

    @property
    def gap(self) -> Array:
        """(K,) gap statistic: difference between the data and the mean of the uniform clouds."""
        return self.observed - self.null[1].mean(axis=0)

    @property
    def one_group(self) -> bool:
        """Whether there is no evidence of more than one group, at the level of 5 %."""
        return self.p_best > LEVEL

    @property
    def verdict(self) -> str:
        """The result of the test, in a sentence."""
        n_clouds = self.null.shape[1]
        numbers = (
            f"(p = {self.p_best:.3f}, {n_clouds} Gaussian and {n_clouds} uniform null data sets)"
        )
        if n_clouds < _LEAST:
            return (
                f"Not tested for groups, because {n_clouds} null data sets of each kind are too "
                f"few to reach p = {LEVEL}. Draw at least {_LEAST} null data sets of each kind."
            )
        if self.one_group:
            return f"No evidence of more than one group {numbers}."
        k = int(self.numbers[self.gap.argmax()])
        return f"More than one group {numbers}, most clearly at {k} clusters."

    def _z(self) -> Array:
        """(2, 1 + n_clouds, K) standard deviations above the mean, the data first.

        The data count among the clouds of either kind, so that all are treated alike.
        """
        data = np.broadcast_to(self.observed, (2, 1, len(self.observed)))
        values = np.concatenate((data, self.null), axis=1)
        spread = values.std(axis=1, keepdims=True)
        centred = values - values.mean(axis=1, keepdims=True)
        return centred / np.where(spread > _EQUAL, spread, np.inf)


def _share_as_large(values: Array) -> Array:
    """Fraction of the values along the second axis that are at least as large as the first one."""
    return np.mean(values >= values[:, :1] - _EQUAL, axis=1)


def cloud_test(
    X: Any, protocol: Protocol, n_clouds: int | None, progress: Progress | None = None
) -> CloudTest | None:
    """Compare the data with clouds.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        The data. If there are more than :data:`MOST_SAMPLES` samples, this number is drawn at
        random.
    protocol : Protocol
    n_clouds : int, optional
        Number of clouds of each kind; by default as many as take half as long as the resamples, or
        a second.
    progress : callable, optional
        Function that receives the number of finished clouds and the total.

    Returns
    -------
    CloudTest or None
        None for 0 clouds.
    """
    X = protocol.algorithm.coordinates(X)
    if n_clouds is None:
        n_clouds = _affordable(X.shape, protocol)
    if n_clouds == 0:
        return None
    if X.shape[0] > MOST_SAMPLES:
        generator = np.random.default_rng(seed_sequence(protocol.seed, "samples of clouds"))
        X = X[np.sort(generator.choice(X.shape[0], MOST_SAMPLES, replace=False))]
    scores = _scores(X)
    kinds = [gaussian_cloud(scores, random_state=protocol.seed), _uniform(scores, protocol.seed)]

    def value(cloud: Array) -> Array:
        return _split(cloud, protocol)

    null = []
    for of_both in in_batch(lambda c: [value(kind(c)) for kind in kinds], range(n_clouds)):
        null.append(of_both)
        if progress:
            progress(len(null), n_clouds)
    return CloudTest(np.array(protocol.numbers), value(scores), np.array(null).swapaxes(0, 1))


def _affordable(shape: tuple[int, int], protocol: Protocol) -> int:
    """Number of clouds of each kind; it depends only on sizes, so equal calls draw equal clouds."""
    n, d = shape
    r, clusters = min(n, d), sum(protocol.numbers)
    starts = getattr(protocol.algorithm, "n_init", 1)
    draws = protocol.n_draws * protocol.items * n * r * clusters * starts * _SWEEPS
    few = min(n, MOST_SAMPLES)
    narrow = min(few, d)
    k_means = _STARTS * _SWEEPS * few * sum(k * min(k - 1, narrow) for k in protocol.numbers)
    # A null data set of each kind: its decompositions, and k-means in its leading components.
    cloud = 25.0 * few * narrow * narrow + 2 * k_means
    return min(_MOST, int((draws / 2 + _SECOND) / cloud))


def _scores(X: Any) -> Array:
    """Principal components: orthogonal columns, the longest first."""
    with one_thread_per_library():  # the last digits of a product of matrices depend on the threads
        X = distance_coordinates(X - X.mean(axis=0)[None])
        left, lengths, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    kept = lengths > lengths[0] * max(X.shape) * np.finfo(float).eps
    return left[:, kept] * lengths[kept]


def _uniform(scores: Array, seed: int) -> Callable[[int], Array]:
    """Clouds of a uniform box with the mean and the covariance of the data.

    The sides of the box are proportional to the standard deviations of the data's principal
    components. The principal components of a sample from the box are then scaled to exactly these
    deviations.
    """
    lengths = np.linalg.norm(scores, axis=0)

    def draw(b: int) -> Array:
        generator = np.random.default_rng(seed_sequence(seed, "uniform cloud", b))
        sample = generator.uniform(-1, 1, scores.shape) * lengths
        sample -= sample.mean(axis=0)
        with one_thread_per_library():
            squares, axes = np.linalg.eigh(sample.T @ sample)
            components = sample @ axes[:, ::-1]
        return components * (lengths / np.sqrt(np.maximum(squares[::-1], _EQUAL * squares[-1])))

    return draw


def _split(scores: Array, protocol: Protocol) -> Array:
    """(K,) −log of the within-cluster sum of squares over the total one; see the module."""
    with one_thread_per_library():
        scores = _draw_in(scores)
        d = scores.shape[1]
        leading = (max(0, d - protocol.numbers[-1] + 1), d - 1)
        scores = scores @ eigh(scores.T @ scores, subset_by_index=leading)[1][:, ::-1]
    values = []
    for k in protocol.numbers:
        few = np.ascontiguousarray(scores[:, : k - 1])
        generator = np.random.default_rng(seed_sequence(protocol.seed, "clouds", k))
        within = Samples(few).cluster(k, _STARTS, generator)[1]
        values.append(-np.log(within / np.square(few).sum() + _EQUAL))
    return np.array(values)


def _draw_in(scores: Array) -> Array:
    """Samples with norms no larger than a Gaussian of their covariance would have; centred."""
    norms = np.square(scores).sum(axis=1)
    median = np.median(norms)
    if median == 0:  # most samples are equal
        return scores

    def within(bound: float) -> Array:
        near = scores * np.sqrt(np.minimum(1, bound / np.maximum(norms, bound)))[:, None]
        return near - near.mean(axis=0)

    core = within(median)
    product = core.T @ core
    # Variance of the squared norm of a Gaussian over its squared mean. The last term corrects the
    # excess that few samples cause.
    variance = 2 * (np.square(product).sum() / np.trace(product) ** 2 - 1 / (len(scores) - 1))
    return within(median * (1 + _NEAR * np.sqrt(max(variance, 0.0))))
