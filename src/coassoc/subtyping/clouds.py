"""Test for clusters: clusters of the data compared with clusters of null data.

The statistic at k clusters is the within-cluster sum of squares of k-means, divided by the total
sum of squares, in the k − 1 leading principal components, which k centres span (C. Ding, X. He,
"K-means clustering via principal component analysis", ICML 2004); the two-cluster index of SigClust
(Y. Liu, D. N. Hayes, A. Nobel, J. S. Marron, "Statistical significance of clustering for
high-dimension, low-sample size data", JASA 103, 2008) is the statistic at k = 2 in all components.
Samples far from the mean are first moved towards it, so that outliers do not count as clusters.

Null data sets (clouds) are Gaussian with exactly the mean and the covariance of the data; see
:func:`coassoc.selection.gaussian_cloud`. If the data are Gaussian too, the data and the clouds are
exchangeable, so the test has exactly its nominal level. Skewed features keep their skewness: their
margins are log-normal with the 10 %, 50 % and 90 % quantiles of the data, and the covariance is
that of the logarithms. More clusters than in null data are no evidence of separate groups, because
a curve, uniform data and replicates have them as well; see :mod:`coassoc.subtyping.gaps`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import issparse

from coassoc.numerics.batches import in_batch
from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import one_thread_per_library
from coassoc.pools.hartigan import Samples
from coassoc.selection.null import gaussian_cloud, seed_of_data
from coassoc.subtyping.protocol import Progress, Protocol

Array = NDArray[np.float64]

#: Significance level of the verdict.
LEVEL = 0.02
#: Least number of null data sets with which p can reach the level.
LEAST = round(1 / LEVEL) - 1
#: Number of starts of each k-means.
_STARTS = 5
#: Largest distance of a sample above the median, in standard deviations of the squared norm of a
#: Gaussian.
_NEAR = 3.0
#: Difference below which two values count as equal.
_EQUAL = 1e-12
#: The 90 % quantile of a Gaussian.
_Q90 = 1.2815515655446004
#: Features are skewed if the shape of the log-normal distribution is this many standard errors from
#: 0; the standard error for Gaussian data, times √n; largest shape.
_SKEWED, _ERROR, _LARGEST = 3.0, 1.62, 2.0
#: Largest absolute normal score of a skewed feature.
_FAR = 4.0


@dataclass(frozen=True, eq=False)
class CloudTest:
    """How well k-means splits the data, compared with null data sets.

    Attributes
    ----------
    values : (1 + n_clouds, K) array
        −log of the ratio of the within-cluster to the total sum of squares, for each number of
        clusters: for the data, and for each null data set.
    """

    values: Array

    @property
    def p(self) -> Array:
        """(K,) p-values."""
        return np.mean(self.values >= self.values[0] - _EQUAL, axis=0)

    @property
    def p_best(self) -> float:
        """p-value corrected for the choice of k, from the largest z over k."""
        spread = self.values.std(axis=0)
        z = (self.values - self.values.mean(axis=0)) / np.where(spread > _EQUAL, spread, np.inf)
        return float(np.mean(z.max(axis=1) >= z[0].max() - _EQUAL))

    @property
    def least_p(self) -> float:
        """Smallest p that is possible with this number of null data sets."""
        return 1 / len(self.values)

    @property
    def is_clustered(self) -> bool:
        """Whether the data are more clustered than the null data, at the level of 2 %."""
        return self.p_best <= LEVEL

    def __str__(self) -> str:
        return f"p = {self.p_best:.3f}, smallest possible {self.least_p:.3f}"


def cloud_test(
    X: Any, scores: Array, protocol: Protocol, n_clouds: int, progress: Progress
) -> CloudTest | None:
    """Compare the data with null data sets.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        The data.
    scores : (n, r) array
        Their principal components.
    protocol : Protocol
    n_clouds : int
        Number of null data sets, 0 or at least 49.
    progress : callable
        Function that receives the number of finished null data sets and the total.

    Returns
    -------
    CloudTest or None
        None for 0 null data sets.
    """
    if n_clouds == 0:
        return None
    draw = _null_data(X, scores, seed_of_data(protocol.seed, scores))
    values = [_split(scores, protocol)]
    for of_cloud in in_batch(lambda b: _split(draw(b), protocol), range(n_clouds)):
        values.append(of_cloud)
        progress(len(values) - 1, n_clouds)
    return CloudTest(np.array(values))


def principal_components(X: Any) -> Array:
    """(n, r) orthogonal columns, the longest first, whose rows have the distances of X."""
    with one_thread_per_library():  # the last digits of a product of matrices depend on the threads
        X = distance_coordinates(X - X.mean(axis=0)[None])
        left, lengths, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    kept = lengths > lengths[0] * max(X.shape) * np.finfo(float).eps
    return left[:, kept] * lengths[kept]


def _null_data(X: Any, scores: Array, seed: int) -> Callable[[int], Array]:
    """Function that maps the number of a null data set to its features or principal components."""
    X = np.asarray(X.toarray() if issparse(X) else X)
    low, median, high = np.quantile(X, (0.1, 0.5, 0.9), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shape = np.log((high - median) / (median - low)) / _Q90
    shape = np.clip(np.nan_to_num(shape), -_LARGEST, _LARGEST)
    skewed = np.abs(shape) * np.sqrt(len(X)) > _SKEWED * _ERROR
    if not skewed.any():
        return gaussian_cloud(scores, random_state=seed)
    # x = median + unit · (exp(shape · z) − 1) / shape, where z is Gaussian.
    shape, median = shape[skewed], median[skewed]
    unit = (high - low)[skewed] * shape / (2 * np.sinh(shape * _Q90))
    normal = X.copy()
    growth = np.maximum(1 + shape * (X[:, skewed] - median) / unit, np.exp(-_FAR * np.abs(shape)))
    normal[:, skewed] = np.log(growth) / shape
    draw = gaussian_cloud(normal, random_state=seed)

    def null_data(b: int) -> Array:
        cloud = draw(b)
        z = np.clip(cloud[:, skewed], -_FAR, _FAR)
        cloud[:, skewed] = median + unit * np.expm1(shape * z) / shape
        with one_thread_per_library():
            return distance_coordinates(cloud - cloud.mean(axis=0))

    return null_data


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
