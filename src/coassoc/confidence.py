"""Confidence of samples and clusters, and agreement of the base clusterings.

Everything is computed from the base clusterings alone, on microclusters.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble, Patterns
from coassoc.errors import DataError
from coassoc.evidence import Evidence
from coassoc.metrics import METRICS
from coassoc.numerics.arrays import plain_array
from coassoc.numerics.distinct import places_among_distinct
from coassoc.numerics.threads import row_blocks

Array = NDArray[np.float64]

#: Smaller distances count as 0, because sums over base clusterings have rounding errors.
_ROUNDING = 1e-13
#: Number of pairs of a microcluster and a cluster that are processed at once, so that they stay in
#: cache.
_PAIRS = 4096

#: Symmetric scores by which two base clusterings are compared.
AGREEMENTS = ("NMI", "ARI")


def item_consensus(ensemble: ArrayLike | Ensemble, labels: ArrayLike) -> Array:
    """Mean co-association of each sample with each cluster (Monti et al. 2003).

    The item consensus of sample i with cluster C is

        m_i(C) = Σ_{j ∈ C, j ≠ i} Ã_ij / |C − {i}|,

    where Ã is the co-association matrix. It is 0 for the own cluster of a sample that is alone in
    it. If labels are missing, Ã_ij is computed from the base clusterings that label both samples,
    and is 0 if there are none.

    Parameters
    ----------
    ensemble : Ensemble, or (n, m) table of labels
    labels : (n,) array
        A partition of the samples into c clusters.

    Returns
    -------
    (n, c) array
        Columns in increasing order of the labels.

    Raises
    ------
    DataError
        If `labels` is not one label per sample.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering: a resampling-based method
    for class discovery and visualization of gene expression microarray data", Machine Learning
    52, 91–118, 2003.
    """
    ensemble = Ensemble.of(ensemble)
    cluster = _numbered(ensemble, labels)
    counts = ensemble.microclusters.counts(cluster)
    sums = ensemble.microclusters.expand(_sums(ensemble, counts))
    _mean_over_others(sums, cluster, counts.sum(axis=0))
    return sums


def _mean_over_others(sums: Array, cluster: NDArray, sizes: Array) -> None:
    """Divide sums by the sizes of the clusters, without the sample itself in its own cluster."""
    own_cluster = np.arange(len(cluster)), cluster
    with_others = (sums[own_cluster] - 1.0) / np.maximum(sizes - 1.0, 1.0)[cluster]
    sums /= np.maximum(sizes, 1.0)
    sums[own_cluster] = with_others


def memberships(ensemble: ArrayLike | Ensemble, labels: ArrayLike) -> Array:
    """Soft memberships of the samples in the clusters.

    Like :func:`item_consensus`, but counting the sample itself and normalised to sum to one,

        u_i(C) = a_i(C) / Σ_C' a_i(C'),  a_i(C) = Σ_{j ∈ C} Ã_ij / |C|.

    Parameters
    ----------
    ensemble, labels
        As in :func:`item_consensus`, with the same errors.

    Returns
    -------
    (n, c) array
        Not negative, with rows that sum to 1; columns in increasing order of the labels.
    """
    ensemble = Ensemble.of(ensemble)
    counts = ensemble.microclusters.counts(_numbered(ensemble, labels))
    shares = _sums(ensemble, counts) / counts.sum(axis=0)
    return ensemble.microclusters.expand(shares / shares.sum(axis=1, keepdims=True))


def membership_entropy(memberships: ArrayLike) -> Array:
    """How evenly each sample is divided among the clusters.

    Parameters
    ----------
    memberships : (n, c) array
        Rows that sum to 1, such as the result of :func:`memberships`.

    Returns
    -------
    (n,) array in [0, 1]
        −Σ_C u_i(C) log u_i(C) / log c: 0 for a sample that belongs to a single cluster, and 1 for a
        sample that belongs equally to all clusters. With one cluster, all values are 0.
    """
    u = np.asarray(memberships, dtype=np.float64)
    entropy = -np.sum(u * np.log(u, out=np.zeros_like(u), where=u > 0), axis=1)
    return np.asarray(entropy / np.log(max(u.shape[1], 2)))


def sample_confidence(ensemble: ArrayLike | Ensemble, labels: ArrayLike) -> Array:
    """How much closer each sample is to its own cluster than to the nearest other cluster.

    With m_i(C) of :func:`item_consensus` and C_i the cluster of sample i,

        m_i(C_i) − max_{C ≠ C_i} m_i(C).

    Parameters
    ----------
    ensemble, labels
        As in :func:`item_consensus`, with the same errors.

    Returns
    -------
    (n,) array in [−1, 1]
        1 if all base clusterings keep the sample with its cluster and away from all others;
        negative if it is closer to another cluster. A sample that is alone in its cluster gets the
        neutral value 0, as in Rousseeuw's silhouette. If there is only one cluster, nothing is
        subtracted.
    """
    ensemble = Ensemble.of(ensemble)
    own_mean, nearest, alone = _own_and_nearest(ensemble, labels)
    return np.where(alone, 0.0, own_mean - nearest)


def sample_silhouette(ensemble: ArrayLike | Ensemble, labels: ArrayLike) -> Array:
    """Silhouette of each sample with the distance 1 − Ã (Rousseeuw 1987).

    With m_i(C) of :func:`item_consensus`, let a = 1 − m_i(C_i) be the mean distance from the own
    cluster and b = 1 − max m_i(C) the mean distance from the nearest other cluster. The silhouette
    is

        (b − a) / max(a, b).

    Parameters
    ----------
    ensemble : Ensemble, or (n, m) table of labels
    labels : (n,) array
        A partition of the samples into at least two clusters.

    Returns
    -------
    (n,) array in [−1, 1]
        0 for a sample that is alone in its cluster, and if both distances are 0.

    Raises
    ------
    DataError
        If `labels` is not one label per sample, or has a single cluster.

    References
    ----------
    P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis", Journal of Computational and Applied Mathematics 20, 53–65, 1987.
    """
    ensemble = Ensemble.of(ensemble)
    if len(np.unique(labels)) < 2:
        raise DataError(
            "labels has only one cluster. Pass labels with at least two clusters, because a "
            "silhouette compares clusters."
        )
    return silhouette_of_margins(*_own_and_nearest(ensemble, labels))


def silhouette_of_margins(own: Array, nearest: Array, alone: NDArray[np.bool_]) -> Array:
    """(n,) silhouettes, from the results of :func:`margins`."""
    larger = np.maximum(1 - own, 1 - nearest)
    defined = ~alone & (larger > _ROUNDING)
    return np.divide(own - nearest, larger, out=np.zeros(len(own)), where=defined)


def _own_and_nearest(
    ensemble: Ensemble, labels: ArrayLike
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """:func:`margins` of the item's consensus.

    Samples of a microcluster and a cluster are alike, so that each such pair is judged once.
    """
    cluster = _numbered(ensemble, labels)
    counts = ensemble.microclusters.counts(cluster)
    sizes, sums, (rows, clusters) = counts.sum(axis=0), _sums(ensemble, counts), counts.nonzero()
    own_mean, nearest = np.empty((2, len(rows)))
    for block in row_blocks(len(rows), _PAIRS):
        consensus = sums[rows[block]]
        _mean_over_others(consensus, clusters[block], sizes)
        own_mean[block], nearest[block], _ = margins(consensus, clusters[block], sizes)
    numbered = sp.csr_array((np.arange(len(rows)), counts.indices, counts.indptr), counts.shape)
    pair = np.asarray(numbered[ensemble.microclusters.assignment, cluster])
    return own_mean[pair], nearest[pair], sizes[cluster] == 1


def margins(
    consensus: Array, cluster: NDArray[np.intp], sizes: NDArray
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Consensus of each sample with its own and the nearest other cluster, and whether it is alone.

    Parameters
    ----------
    consensus : (n, c) array
        Consensus of each sample with each cluster.
    cluster : (n,) integer array
        0 … c−1.
    sizes : (c,) array

    Returns
    -------
    own, nearest : (n,) array
        If there is only one cluster, `nearest` is 0.
    alone : (n,) boolean array
    """
    place = np.arange(len(cluster)), cluster
    others = consensus.copy()
    others[place] = -np.inf if consensus.shape[1] > 1 else 0
    return consensus[place], others.max(axis=1), sizes[cluster] == 1


def group_consensus(ensemble: ArrayLike | Ensemble, groups: ArrayLike) -> Array:
    """Fraction of base clusterings that co-cluster samples of two groups, for all pairs of groups.

    The fraction is taken over all pairs of different samples, one from each group, and all base
    clusterings that label both. For complete labels, it is the mean co-association. No n × n matrix
    is formed, so 50,000 samples take about a second.

    Parameters
    ----------
    ensemble : Ensemble, or (n, m) table of labels
    groups : (n,) array
        Group of each sample.

    Returns
    -------
    (g, g) array
        Symmetric; groups in increasing order. 1 on the diagonal for a group of one sample; NaN for
        two groups that no base clustering labels together.

    Raises
    ------
    DataError
        If `groups` is not one group per sample.
    """
    ensemble = Ensemble.of(ensemble)
    counts = ensemble.microclusters.counts(_numbered(ensemble, groups))
    if isinstance(ensemble, Evidence):
        sizes = counts.sum(axis=0)
        together = counts.T @ _sums(ensemble, counts) - np.diag(sizes)
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        return np.divide(together, pairs, out=np.ones(pairs.shape), where=pairs > 0)
    seen, pattern = ensemble.patterns
    of_pattern = sp.csr_array((np.ones(len(pattern)), (pattern, np.arange(len(pattern)))))
    patterns = (of_pattern @ counts).T  # samples of each group and pattern
    in_cluster, in_clustering = _shared(ensemble, counts), (patterns @ seen).T
    itself = np.diag(patterns @ seen.sum(axis=1))
    together = in_cluster.T @ in_cluster - itself
    common = in_clustering.T @ in_clustering - itself
    alone = np.flatnonzero(counts.sum(axis=0) == 1)
    together[alone, alone] = common[alone, alone] = 1.0
    return np.divide(together, common, out=np.full(common.shape, np.nan), where=common > 0)


class ClusterConfidence(NamedTuple):
    """The result of :func:`cluster_confidence`, with clusters in increasing order of labels.

    Attributes
    ----------
    sizes : (c,) integer array
        Number of samples.
    tightness : (c,) array
        Mean co-association of pairs of samples in the cluster; NaN for a cluster of one sample.
    stability : (c,) array
        Mean Jaccard coefficient with the most similar cluster of each base clustering; NaN where
        only similarities are known.
    """

    sizes: NDArray[np.intp]
    tightness: Array
    stability: Array


def cluster_confidence(ensemble: ArrayLike | Ensemble, labels: ArrayLike) -> ClusterConfidence:
    """Tightness and stability of each cluster of a partition.

    The tightness of cluster C is its cluster consensus (Monti et al. 2003),

        m(C) = Σ_{i < j ∈ C} Ã_ij / (|C| (|C| − 1) / 2).

    The stability is defined as by Hennig (2007), but with base clusterings instead of clusterings
    of resampled data. It is the mean, over the base clusterings, of max_B |C ∩ B| / |C ∪ B|, where
    B runs over the clusters of a base clustering. An incomplete base clustering is compared on the
    samples that it labels, and is skipped if it labels no sample of C. A base clustering that is
    much finer or coarser than the partition lowers the stability even if the two are nested.

    Parameters
    ----------
    ensemble : Ensemble, or (n, m) table of labels
    labels : (n,) array
        A partition of the samples.

    Raises
    ------
    DataError
        If `labels` is not one label per sample.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52, 91–118,
    2003.
    C. Hennig, "Cluster-wise assessment of cluster stability", Computational Statistics & Data
    Analysis 52(1), 258–271, 2007.
    """
    ensemble = Ensemble.of(ensemble)
    counts = ensemble.microclusters.counts(_numbered(ensemble, labels))
    sizes = counts.sum(axis=0)
    within = counts.multiply(_sums(ensemble, counts)).sum(axis=0) - sizes
    pairs = sizes * (sizes - 1)
    tightness = np.divide(within, pairs, out=np.full(len(sizes), np.nan), where=pairs > 0)
    is_ensemble = not isinstance(ensemble, Evidence)
    stability = _stability(ensemble, counts) if is_ensemble else np.full(len(sizes), np.nan)
    return ClusterConfidence(sizes.astype(np.intp), tightness, stability)


def _stability(ensemble: Ensemble, counts: sp.csr_array) -> Array:
    """(c,) mean over the base clusterings of the largest Jaccard coefficient."""
    first = ensemble.offsets[:-1]
    shared = _shared(ensemble, counts)
    seen = np.add.reduceat(shared, first, axis=0)
    union = ensemble.cluster_sizes[:, None] + seen[ensemble.clustering_of_cluster] - shared
    best = np.maximum.reduceat(shared / union, first, axis=0)
    return np.asarray(best.sum(axis=0) / (seen > 0).sum(axis=0))


def pairwise_agreement(ensemble: ArrayLike | Ensemble, score: str = "NMI") -> Array:
    """Agreement of each pair of base clusterings, on the samples that both label.

    Parameters
    ----------
    ensemble : Ensemble, or (n, m) table of labels
    score : {"NMI", "ARI"}
        See :mod:`coassoc.metrics`.

    Returns
    -------
    (m, m) array
        Symmetric with 1 on the diagonal; NaN for two clusterings that share no sample.

    Raises
    ------
    DataError
        If `score` is neither of the two.
    """
    ensemble = Ensemble.of(ensemble)
    _check_score(score)
    shared = ensemble.cluster_intersections.toarray()
    agreement = np.eye(ensemble.n_clusterings)
    blocks = [slice(*ends) for ends in pairwise(ensemble.offsets)]
    for j, rows in enumerate(blocks):
        for k, columns in enumerate(blocks[:j]):
            agreement[j, k] = agreement[k, j] = _score(shared[rows, columns], score)
    return agreement


def _check_score(score: str) -> None:
    if score not in AGREEMENTS:
        raise DataError(f"score is {score!r}. It must be one of {', '.join(AGREEMENTS)}.")


def _score(table: Array, score: str) -> float:
    """Score of a table of which whole rows or columns may be empty."""
    counts = table[table.any(axis=1)][:, table.any(axis=0)].astype(np.int64)
    return METRICS[score](counts) if counts.size else float("nan")


def agreement_with_base(
    ensemble: ArrayLike | Ensemble, labels: ArrayLike, score: str = "NMI"
) -> Array:
    """Agreement of a partition with each base clustering, on the samples that the latter labels.

    Parameters
    ----------
    ensemble : Ensemble, or (n, m) table of labels
    labels : (n,) array
        A partition of the samples.
    score : {"NMI", "ARI"}
        Strehl & Ghosh (2002) call the mean of the NMI the average normalised mutual information of
        a consensus.

    Returns
    -------
    (m,) array

    Raises
    ------
    DataError
        If `labels` is not one label per sample, or `score` is neither of the two.

    References
    ----------
    A. Strehl, J. Ghosh, "Cluster ensembles – a knowledge reuse framework for combining multiple
    partitions", Journal of Machine Learning Research 3, 583–617, 2002.
    """
    ensemble = Ensemble.of(ensemble)
    _check_score(score)
    counts = ensemble.microclusters.counts(_numbered(ensemble, labels))
    shared = _shared(ensemble, counts)
    tables = np.split(shared, ensemble.offsets[1:-1])
    return np.array([_score(table, score) for table in tables])


def diversity(agreement: Array) -> float:
    """1 − mean agreement of two different base clusterings (Fern & Brodley 2003, with NMI).

    Parameters
    ----------
    agreement : (m, m) array
        Result of :func:`pairwise_agreement`; NaN entries are left out.

    Returns
    -------
    float
        NaN if no two base clusterings can be compared.

    References
    ----------
    X. Z. Fern, C. E. Brodley, "Random projection for high dimensional data clustering: a cluster
    ensemble approach", ICML 2003.
    """
    pairs = agreement[np.triu_indices(len(agreement), 1)]
    pairs = pairs[~np.isnan(pairs)]
    return float(1 - pairs.mean()) if len(pairs) else float("nan")


def _numbered(ensemble: Ensemble, labels: ArrayLike) -> NDArray[np.intp]:
    """The partition's clusters as 0 … c − 1 in increasing order of their labels."""
    labels = plain_array("labels", labels)
    shape = ensemble.microclusters.assignment.shape
    if labels.shape != shape:
        of = "rows" if ensemble.microclusters.counted else "samples"
        raise DataError(
            f"labels has the shape {labels.shape}, but there are {shape[0]} {of}. Pass one label "
            f"for each of the {of}."
        )
    return places_among_distinct(labels)


def _shared(ensemble: Ensemble, counts: sp.csr_array) -> Array:
    """(L, c) number of samples that each of all base clusters shares with each cluster."""
    return np.asarray((ensemble.microcluster_membership.T @ counts).toarray())


def _sums(ensemble: Ensemble, counts: sp.csr_array) -> Array:
    """(n', c) sum of the co-association of a sample of each microcluster with each cluster.

    The sum runs over the L clusters. If labels are missing, the divisor of two samples depends on
    the base clusterings that label both; the samples of a cluster are counted by these patterns.
    """
    if isinstance(ensemble, Evidence):
        return np.asarray(ensemble.S @ counts)
    Z = ensemble.microcluster_membership
    if not ensemble.has_missing:
        return np.asarray(Z @ _shared(ensemble, counts)) / ensemble.n_clusterings
    seen, pattern = ensemble.patterns
    sums = np.zeros(counts.shape)
    lists = Z.tocsc()
    for rows in np.split(lists.indices, lists.indptr[1:-1]):
        kinds, kind = np.unique(pattern[rows], return_inverse=True)
        of_kind = sp.csr_array((np.ones(len(rows)), (kind, np.arange(len(rows)))))
        here = Patterns(seen[kinds], kind)
        samples = (of_kind @ counts[rows]).toarray()
        means = [samples.T @ (1 / here.totals(1, block)).T for block in row_blocks(len(kinds))]
        sums[rows] += np.hstack(means).T[kind]
    return sums
