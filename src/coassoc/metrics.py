"""Agreement of a partition with the classes, from their contingency table.

Each score costs O(n) for the table plus work on the table. The names are those in the tables of the
papers.

A data set may have several reference labellings, and noise points, which belong to no class. The
score is then the best one over the labellings, each of which is compared on the samples to which it
assigns a class. Gagolewski's benchmark suite uses the same rule.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import DataError
from coassoc.numerics.arrays import plain_array
from coassoc.numerics.distinct import merge_equal_rows, places_among_distinct

Table = NDArray[np.int64]


def contingency_table(classes: ArrayLike, clusters: ArrayLike) -> Table:
    """Number of samples in each class (rows) and cluster (columns).

    Parameters
    ----------
    classes, clusters : (n,) integer arrays
        Two partitions of the same samples; ids need not be contiguous.

    Raises
    ------
    DataError
        If the arrays differ in length or are empty.
    """
    classes, clusters = plain_array("classes", classes), plain_array("clusters", clusters)
    if classes.ndim != 1 or classes.shape != clusters.shape or not len(classes):
        raise DataError(
            f"The partitions have the shapes {classes.shape} and {clusters.shape}. Pass two "
            "non-empty lists of equal length."
        )
    return cross_table(places_among_distinct(classes), places_among_distinct(clusters))


def cross_table(
    rows: NDArray, columns: NDArray, shape: tuple[int, int] | None = None, sizes: Any = None
) -> Table:
    """Number of samples in each cell of a table, from the row and the column of each sample.

    Parameters
    ----------
    rows, columns : (n,) integer arrays
    shape : tuple of int, optional
        Default: the smallest shape that fits the integers.
    sizes : (n,) array, optional
        Number of samples that each pair of integers represents. Default: 1.
    """
    p, q = shape or (rows.max() + 1, columns.max() + 1)
    cells = np.multiply(rows, q, dtype=np.intp) + columns
    counts = np.bincount(cells, sizes, minlength=p * q).reshape(p, q)
    return counts.astype(np.int64, copy=False)


def match_clusters(table: NDArray) -> NDArray[np.intp]:
    """Column of each row in the best one-to-one match (Hungarian); −1 for an unmatched row."""
    from scipy.optimize import linear_sum_assignment  # slow to import

    match = np.full(len(table), -1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    match[rows] = columns
    return match


def accuracy(table: Table) -> float:
    """ACC: fraction of samples in the best one-to-one match of clusters to classes."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # imports no optimiser

    match = min_weight_full_bipartite_matching(csr_array(table + 1), maximize=True)  # 0 is no edge
    return float(table[match].sum() / table.sum())


def normalized_clustering_accuracy(table: Table) -> float:
    """NCA: mean fraction of a class in the best one-to-one match of clusters to classes.

    The score is adjusted for chance and weights all classes equally. With the contingency table c
    of p classes and q clusters, K = max(p, q) and σ a one-to-one match, it is

        (1/p · max over σ of Σᵢ c[i, σ(i)] / c[i, ·]  −  1/K) / (1 − 1/K).

    The benchmark suite first called it adjusted asymmetric accuracy (AAA). Its definition assumes
    as many clusters as classes. If the numbers differ, missing clusters or classes count as empty,
    and 1/K is still the expected fraction for clusters of equal size that are independent of the
    classes.

    References
    ----------
    Gagolewski (2025), "Normalised clustering accuracy: an asymmetric external cluster validity
    measure", Journal of Classification 42, 2–30.

    Returns
    -------
    float
        At most 1; negative if the match is worse than chance; 1 if there is one class and one
        cluster.
    """
    shares = table / table.sum(axis=1, keepdims=True)
    match = match_clusters(shares)
    matched = shares[match >= 0, match[match >= 0]].sum() / len(table)
    chance = 1 / max(table.shape)
    return 1.0 if chance == 1 else float((matched - chance) / (1 - chance))


def purity(table: Table) -> float:
    """Fraction of samples that belong to the largest class of their cluster."""
    return float(table.max(axis=0).sum() / table.sum())


def normalized_mutual_information(table: Table, normalization: str = "arithmetic") -> float:
    """Mutual information over a mean of the two entropies.

    Parameters
    ----------
    table : (p, q) array
        Contingency table.
    normalization : {"arithmetic", "max", "geometric"}
        The papers of EC-CMS and HCLCE use the arithmetic mean; those of LTA, RCE, TRCE and ACMK use
        the maximum.

    Returns
    -------
    float
        1 if both partitions have a single cluster; 0 if only one of them has.
    """
    n = table.sum()
    p_classes, p_clusters = table.sum(axis=1) / n, table.sum(axis=0) / n
    entropies = [-float(np.sum(p * np.log(p))) for p in (p_classes, p_clusters)]
    if max(entropies) == 0:
        return 1.0
    rows, columns = np.nonzero(table)
    joint = table[rows, columns] / n
    information = float(joint @ np.log(joint / (p_classes[rows] * p_clusters[columns])))
    mean = {
        "arithmetic": sum(entropies) / 2,
        "max": max(entropies),
        "geometric": float(np.sqrt(entropies[0] * entropies[1])),
    }[normalization]
    return min(max(information / mean, 0.0), 1.0) if mean > 0 else 0.0


def _pairs(counts: NDArray) -> float:
    counts = counts.astype(np.float64)
    return float(np.sum(counts * (counts - 1)) / 2)


def adjusted_rand_index(table: Table) -> float:
    """ARI of Hubert & Arabie (1985); 1 if both partitions are trivial in the same way."""
    together, in_class, in_cluster = _pair_counts(table)
    pairs = _pairs(table.sum(keepdims=True))
    expected = in_class * in_cluster / pairs if pairs else 0.0
    largest = (in_class + in_cluster) / 2
    return 1.0 if largest == expected else (together - expected) / (largest - expected)


def pairwise_ari(partitions: Iterable[NDArray], sizes: NDArray) -> NDArray[np.float64]:
    """ARI between all pairs of partitions of rows that stand for several samples.

    Parameters
    ----------
    partitions : iterable of (n',) integer arrays
        −1 marks a missing label. A pair is compared on the rows that both label.
    sizes : (n',) array
        Number of samples of each row.
    """
    from scipy.sparse import csr_array  # slow to import

    labels, sizes, _ = merge_equal_rows(np.column_stack([*partitions]), sizes)
    known = labels >= 0
    starts = np.cumsum([0, *np.maximum(labels.max(axis=0) + 1, 1)])
    cells = np.nonzero(known)[0], (labels + starts[:-1])[known]
    Z = csr_array((np.ones(len(cells[0])), cells), shape=(len(labels), starts[-1]))
    shared = (Z.T @ csr_array(Z * sizes[:, None])).toarray()

    def sums(table: NDArray, axis: int) -> NDArray:
        return np.add.reduceat(table, starts[:-1], axis=axis)

    def pairs(counts: NDArray) -> NDArray:
        return counts * (counts - 1) / 2

    common = sums(shared, 1)  # samples of each cluster that each partition labels
    together, own = sums(sums(pairs(shared), 0), 1), sums(pairs(common), 0)
    common = sums(common, 0)
    expected = own * own.T / np.maximum(pairs(common), 1)
    largest = (own + own.T) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        ari = np.where(largest == expected, 1.0, (together - expected) / (largest - expected))
    return np.where(common > 0, ari, 0.0)


def pairwise_scores(table: Table) -> tuple[float, float, float]:
    """F-score, precision and recall of co-clustered pairs of samples.

    Returns
    -------
    tuple of float
        Precision is 1 if no pair is co-clustered, and recall is 1 if no pair belongs to the same
        class.
    """
    together, in_class, in_cluster = _pair_counts(table)
    precision = together / in_cluster if in_cluster else 1.0
    recall = together / in_class if in_class else 1.0
    total = precision + recall
    return (2 * precision * recall / total if total else 0.0), precision, recall


def _pair_counts(table: Table) -> tuple[float, float, float]:
    return _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))


#: Every score of a partition, by its name in the score files and in the order of the papers'
#: tables. To add a metric, add a line with a function of the contingency table.
METRICS: dict[str, Callable[[Table], float]] = {
    "ACC": accuracy,
    "NMI": normalized_mutual_information,
    "NMI-max": lambda table: normalized_mutual_information(table, "max"),
    "NMI-geometric": lambda table: normalized_mutual_information(table, "geometric"),
    "Purity": purity,
    "ARI": adjusted_rand_index,
    "F-score": lambda table: pairwise_scores(table)[0],
    "Precision": lambda table: pairwise_scores(table)[1],
    "Recall": lambda table: pairwise_scores(table)[2],
    "NCA": normalized_clustering_accuracy,
}


def score_partition(classes: ArrayLike, clusters: ArrayLike) -> dict[str, float]:
    """All scores of a partition.

    Parameters
    ----------
    classes : (n,) integer array
        True classes.
    clusters : (n,) integer array
        Partition to be scored.

    Returns
    -------
    dict of str to float
        One value for each name in :data:`METRICS`.
    """
    table = contingency_table(classes, clusters)
    return {name: metric(table) for name, metric in METRICS.items()}


def score_against(truths: Sequence[NDArray], clusters: NDArray) -> dict[str, float]:
    """The best of each score over several reference labellings.

    Parameters
    ----------
    truths : sequence of (n,) integer arrays
        Classes; negative for noise points, which the scores of the labelling leave out.
    clusters : (n,) integer array
        Partition to be scored; samples with negative labels are left out.

    Returns
    -------
    dict of str to float
        One value for each name in :data:`METRICS`.

    Raises
    ------
    DataError
        If a labelling has no class for any sample.
    """
    tables = contingency_tables(truths, clusters)
    return {name: max(map(metric, tables)) for name, metric in METRICS.items()}


def best_score(
    metric: Callable[[Table], float], truths: Sequence[NDArray], clusters: NDArray
) -> float:
    """One of the scores of :func:`score_against`; NaN if there is no reference labelling."""
    return max(map(metric, contingency_tables(truths, clusters)), default=float("nan"))


def contingency_tables(truths: Sequence[NDArray], clusters: NDArray) -> list[Table]:
    """Contingency table with each labelling, on the samples that both label."""
    tables = []
    for truth in truths:
        both = (truth >= 0) & (clusters >= 0)
        # Most labellings have no noise points, and a copy costs as much as the table.
        pair = (truth, clusters) if both.all() else (truth[both], clusters[both])
        tables.append(contingency_table(*pair))
    return tables
