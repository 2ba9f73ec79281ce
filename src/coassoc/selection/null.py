"""Null distributions: whether base clusterings agree by chance, and whether data have clusters.

The module answers two questions, each with its own null hypothesis.

*Do the base clusterings agree more than expected by chance?* Under the null hypothesis, they keep
their cluster sizes and are independent of each other: each column of labels is permuted
independently. Base clusterings of data without clusters can agree too, because they share the
geometry of the data. A small p therefore does not imply that the data have clusters.

*Do the data have more structure than a Gaussian cloud?* Under the null hypothesis, the samples come
from a single Gaussian. Null data sets have the mean and the covariance of the data and are
clustered by the same generator (after John et al. 2020, whose null data sets have this covariance
only on average). This test needs the features.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.numerics.batches import in_batch
from coassoc.numerics.compiled import compiled
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.numerics.threads import one_thread_per_library

Array = NDArray[np.float64]

#: Function that computes base clusterings, an (n, m) table of labels, from (n, d) features and
#: ``random_state``.
Generator = Callable[..., ArrayLike]

#: Permutation tests subsample larger data to this many samples.
_MOST_SAMPLES = 20_000
#: Number of pairs of base clusterings that a test compares, unless there are more base clusterings.
_PAIRS = 1225
#: The test stops once this many permutations agree at least as much as the labels.
_ENOUGH = 20
#: Difference below which two values of a statistic count as equal.
_EQUAL = 1e-12


@dataclass(frozen=True)
class NullTest:
    """A statistic and its distribution under a null.

    Attributes
    ----------
    observed : float
        Statistic of the base clusterings; larger values differ more from the null.
    null : (B,) array
        Statistics of the draws from the null.
    """

    observed: float
    null: Array

    def __repr__(self) -> str:
        return (
            f"p = {self.p:.3g}: observed {self.observed:.3f}, mean {self.null.mean():.3f} over "
            f"{len(self.null)} draws from the null distribution"
        )

    @property
    def p(self) -> float:
        """(1 + number of draws that are not below the observed value) / (B + 1)."""
        reached = np.count_nonzero(self.null >= self.observed - _EQUAL)
        return (1 + reached) / (1 + len(self.null))


@integer_arguments("n_draws", "random_state")
def agreement_test(
    labels: ArrayLike | Ensemble, *, n_draws: int = 999, random_state: int = 0
) -> NullTest:
    """Test whether the base clusterings agree more than expected by chance.

    The statistic is :func:`agreement`. Under the null hypothesis, the base clusterings are
    independent and keep their cluster sizes. The test can also reject for base clusterings of data
    without clusters; :func:`structure_test` is stricter.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings, m ≥ 2. Missing labels are permuted with the others.
    n_draws : int
        B, number of permutations.
    random_state : int

    Raises
    ------
    DataError
        If no two base clusterings share two samples.
    """
    ensemble = Ensemble.of(labels)
    check_agreement(ensemble)
    rows, sizes = ensemble.distinct_labels, ensemble.microclusters.sizes
    draw, observed = permutations(rows, sizes, random_state, _MOST_SAMPLES)
    pairs = compared_pairs(rows.shape[1])
    null = np.array([agreement(draw(b), pairs) for b in range(n_draws)])
    return NullTest(agreement(observed, pairs), null)


def check_agreement(ensemble: Ensemble) -> None:
    """Raise DataError if there are no two base clusterings that could agree."""
    seen = (ensemble.distinct_labels >= 0).astype(np.float64)
    common = seen.T @ (seen * ensemble.microclusters.sizes[:, None])
    np.fill_diagonal(common, 0)
    if common.max() < 2:
        raise DataError(
            "labels: no two base clusterings share two samples, so their agreement is undefined. "
            "Pass at least two base clusterings whose samples have the same names."
        )


def agreement_and_p(
    rows: NDArray[np.int32], sizes: NDArray[np.intp], n_draws: int, random_state: int, most: int
) -> tuple[float, float]:
    """Agreement and :func:`agreement_test` p of counted rows, by as few permutations as can be.

    Labels that agree very well need no permutations. If no label is missing, the variance under the
    null hypothesis is known (:func:`null_variance`). If the observed value is z standard deviations
    above the mean, p is at most 1 / (1 + z²) for any distribution (Cantelli's inequality). This
    bound is returned if it is below 1 / (B + 1)², with B = `n_draws`. Otherwise permutations are
    drawn until 20 of them agree at least as well as the labels; if the last one is draw l, p is 20
    / l (Besag & Clifford 1991). If only g of B draws agree so well, p is (1 + g) / (B + 1). The
    level is exact except for the choice between the two ways, which adds less than 1 / (2 B³).

    References
    ----------
    J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2), 301-304, 1991.
    """
    draw, labels = permutations(rows, sizes, random_state, most)
    pairs = compared_pairs(rows.shape[1])
    observed = agreement(labels, pairs)
    variance = 0.0 if (labels < 0).any() or len(labels) < 4 else null_variance(labels, pairs)
    if observed > 0 and variance > 0:
        bound = variance / (variance + observed**2)
        if bound * (n_draws + 1) ** 2 < 1:
            return observed, bound
    reached = 0
    for b in range(n_draws):
        reached += agreement(draw(b), pairs) >= observed - _EQUAL
        if reached == _ENOUGH:
            return observed, reached / (b + 1)
    return observed, (1 + reached) / (n_draws + 1)


def compared_pairs(m: int) -> NDArray[np.int64]:
    """Pairs of m base clusterings that a test compares: all pairs if m ≤ 50, or else a sample.

    Each column of a larger number is compared with the next columns in a random order. In total,
    there are about 1,225 pairs, but at least one per column, so the time is linear in the number of
    columns.

    Returns
    -------
    (q, 2) integer array
    """
    if m * (m - 1) // 2 <= _PAIRS:
        return _all_pairs(m)
    order = np.random.default_rng(0).permutation(m)
    steps = range(1, -(-_PAIRS // m) + 1)
    return np.concatenate([np.column_stack((order, np.roll(order, step))) for step in steps])


def _all_pairs(m: int) -> NDArray[np.int64]:
    return np.column_stack(np.tril_indices(m, -1))


def null_variance(labels: ArrayLike, pairs: NDArray[np.int64]) -> float:
    """Variance of :func:`agreement` if the columns of labels are permuted at random.

    The ARI of a pair has mean 0 given either of its columns, so the ARIs of two pairs are
    uncorrelated, and the variance of their mean follows from the variance of each ARI. The latter
    is the variance of Σ_st A_st B_π(s)π(t) over permutations π, with A and B the co-memberships of
    two base clusterings (N. Mantel, "The detection of disease clustering and a generalized
    regression approach", Cancer Research 27, 1967).

    Parameters
    ----------
    labels : (n, m) integer array
        Labels of n ≥ 4 samples, none of them missing.
    pairs : (q, 2) integer array
        Pairs of columns that are compared.
    """
    columns = np.asarray(labels).T
    n = columns.shape[1]
    sizes = [np.bincount(column).astype(np.float64) for column in columns]
    # Numbers of ordered pairs of co-clustered samples, and of pairs of such pairs with one sample
    # in common.
    once = np.array([x @ (x - 1) for x in sizes])
    twice = np.array([x @ ((x - 1) * (x - 2)) for x in sizes])
    none = once**2 - 4 * twice - 2 * once
    a, b = pairs.T
    mean = once[a] * once[b] / (n * (n - 1))
    square = 2 * mean + 4 * twice[a] * twice[b] / (n * (n - 1) * (n - 2))
    square += none[a] * none[b] / (n * (n - 1) * (n - 2) * (n - 3))
    span = (once[a] + once[b]) / 2 - mean
    # The ARI of the other pairs does not depend on the order of the samples.
    most = n * (n - 1)
    differing = (once[a] < most) & (once[b] < most) & (once[a] + once[b] > 0)
    variances = (square - mean**2)[differing] / span[differing] ** 2
    return float(np.maximum(variances, 0).sum() / max(differing.sum(), 1) ** 2)


def permutations(
    rows: NDArray[np.int32], sizes: NDArray[np.intp], random_state: int, most: int
) -> tuple[Callable[[int], NDArray[np.int32]], NDArray[np.int32]]:
    """Base clusterings with the same cluster sizes that are independent of each other.

    Parameters
    ----------
    rows : (n', m) array
        Distinct rows of labels, negative if missing.
    sizes : (n',) array
        Number of samples with each row.
    random_state : int
    most : int
        Largest number of samples. From larger data, this number is drawn at random.

    Returns
    -------
    draw : callable
        Function that maps the number of a draw to (n, m) labels with independently permuted
        columns.
    observed : (n, m) array
        The labels that are permuted.
    """
    observed = np.repeat(rows, drawn_sizes(sizes, most, random_state), axis=0)
    columns = np.ascontiguousarray(observed.T)

    def draw(b: int) -> NDArray[np.int32]:
        generator = np.random.default_rng(seed_sequence(random_state, "draw", b))
        return generator.permuted(columns, axis=1).T

    return draw, observed


def drawn_sizes(sizes: NDArray[np.intp], most: int, random_state: int) -> NDArray[np.intp]:
    """Number of samples with each row, after drawing `most` samples if there are more."""
    if sizes.sum() <= most:
        return sizes
    generator = np.random.default_rng(seed_sequence(random_state, "samples"))
    return generator.multivariate_hypergeometric(sizes, most, method="marginals")


def agreement(labels: ArrayLike, pairs: NDArray[np.int64] | None = None) -> float:
    """Mean ARI of two base clusterings.

    Pairs are left out if one clustering is constant or both isolate every sample, because their ARI
    is the same for any order of the samples.

    Parameters
    ----------
    labels : (n, m) integer array
        Clusters as non-negative integers; negative if a label is missing. Two base clusterings are
        compared on the samples that both label.
    pairs : (q, 2) integer array, optional
        Pairs of columns to compare. Default: all pairs.

    Returns
    -------
    float
        0 if no pair can be compared.
    """
    columns = np.ascontiguousarray(np.asarray(labels).T, dtype=np.int32) + 1
    k = int(columns.max(initial=0)) + 1
    if pairs is None:
        pairs = _all_pairs(len(columns))
    return float(_mean_ari(columns, k, pairs))


@compiled("f(s2, i, i2)")
def _mean_ari(columns, k, chosen):
    """Mean adjusted Rand index of pairs of columns of labels below k, 0 if one is missing.

    A test compares a million pairs, so this loop replaces a table and a call of
    :func:`coassoc.metrics.adjusted_rand_index` for each pair. A sum of x (x - 1) grows by 2 x where
    x grows by 1.
    """
    m, n = columns.shape
    sizes = np.zeros((m, k), dtype=np.int64)
    for i in range(m):
        for s in range(n):
            sizes[i, columns[i, s]] += 1
    table = np.empty((k, k), dtype=np.int64)
    total, compared = 0.0, 0
    for i, j in chosen:
        table[:] = 0
        together = 0
        for s in range(n):
            count = table[columns[i, s], columns[j, s]]
            together += 2 * count
            table[columns[i, s], columns[j, s]] = count + 1
        # Missing labels have a row and a column of their own, which is cheaper than a condition.
        without_i, without_j = table[0], table[:, 0]
        together -= (without_i * (without_i - 1)).sum() + (without_j * (without_j - 1))[1:].sum()
        of_i, of_j = (sizes[i] - without_j)[1:], (sizes[j] - without_i)[1:]
        rows, cols = (of_i * (of_i - 1)).sum(), (of_j * (of_j - 1)).sum()
        pairs = float(of_i.sum()) * (of_i.sum() - 1)
        if rows < pairs and cols < pairs and rows + cols > 0:
            chance = float(rows) * cols / pairs
            total += (together - chance) / ((rows + cols) / 2 - chance)
            compared += 1
    return total / compared if compared else 0.0


@integer_arguments("n_draws", "random_state")
def structure_test(
    X: Any,
    generate: Generator,
    *,
    n_draws: int = 199,
    random_state: int = 0,
) -> NullTest:
    """Test whether the data have more structure than Gaussian data with equal mean and covariance.

    For Gaussian data of any size, dimension and covariance, p is uniform on its possible values;
    see :func:`gaussian_cloud`. A p near 1 means that the clusterings agree less than on Gaussian
    data, as with heavy tails. Such data are not Gaussian either, and the test says nothing about
    their structure.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        The features.
    generate : callable
        Function that computes (n, m) labels from (n, d) features and ``random_state``, such as
        ``partial(coassoc.pools.generation.generate_pool, size=20)``.
    n_draws : int
        B, number of null data sets.
    random_state : int

    References
    ----------
    C. R. John, D. Watson, D. Russ, K. Goldmann, M. Ehrenstein, C. Pitzalis, M. Lewis, M. Barnes,
    "M3C: Monte Carlo reference-based consensus clustering", Scientific Reports 10, 1816, 2020.
    """
    cloud = gaussian_cloud(X, random_state=seed_of_data(random_state, X))

    def value(features: Any) -> float:
        # One seed for all data sets. The base clusterings then have the same numbers of clusters,
        # whose effect on the agreement cancels.
        labels = Ensemble.from_clusterings(generate(features, random_state=random_state)).labels
        return agreement(labels)

    null = [*in_batch(lambda b: value(cloud(b)), range(n_draws))]
    return NullTest(value(X), np.array(null))


def seed_of_data(seed: int, X: Any) -> int:
    """A seed that also follows from the distances of the samples from their mean.

    With the same null draws for all data sets of a size, a test would have its level only on
    average over seeds.
    """
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    norms = np.sort(np.square(X - X.mean(axis=0)).sum(axis=1))
    return seed_from_names(seed, *np.rint(1e6 * norms / (norms[-1] or 1.0)).astype(int).tolist())


def gaussian_cloud(X: Any, *, random_state: int = 0) -> Callable[[int], Array]:
    """Gaussian null data sets with exactly the mean and covariance of the data.

    With the singular value decomposition X − mean = U S Vᵀ, a null data set is mean + Q S Vᵀ, where
    Q is drawn uniformly from the matrices with orthonormal columns of mean 0. This is the
    distribution of Gaussian data conditional on their sample mean and covariance, for any
    population mean and covariance. Under the null hypothesis, the data and the null data sets are
    therefore exchangeable, and a test based on them has exactly its nominal level. Draws from a
    Gaussian with the sample covariance do not have this property: its eigenvalues spread more than
    those of the population, especially in high dimensions, and the spread grows again with each
    draw.

    Returns
    -------
    callable
        Function that maps the number of a draw to an (n, d) array.
    """
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    mean = X.mean(axis=0)
    with one_thread_per_library():  # the last digits of a product of matrices depend on the threads
        _, spread, components = np.linalg.svd(X - mean, full_matrices=False)
    kept = spread > spread.max(initial=0.0) * max(X.shape) * np.finfo(float).eps
    axes = (spread[:, None] * components)[kept]

    def draw(b: int) -> Array:
        generator = np.random.default_rng(seed_sequence(random_state, "cloud", b))
        normal = generator.standard_normal((len(X), len(axes)))
        with one_thread_per_library():
            Q, R = np.linalg.qr(normal - normal.mean(axis=0))
            return mean + Q * np.sign(np.diag(R)) @ axes

    return draw
