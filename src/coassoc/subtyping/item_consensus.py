"""Consensus of samples and clusters, from the labels of resamples without an n × n matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.confidence import margins, silhouette_of_margins
from coassoc.metrics import cross_table
from coassoc.numerics.pairs import sums_over_pairs
from coassoc.numerics.threads import row_blocks
from coassoc.selection.distribution import ConsensusDistribution, distribution_of_counts
from coassoc.subtyping.algorithms import MANY

Array = NDArray[np.float64]

#: Number of samples in a random block, all pairs of which are compared if there are many samples.
_BLOCK = 512


class ItemConsensus(NamedTuple):
    """Item and cluster consensus for one number of clusters.

    Attributes
    ----------
    items : (n, k) array
        Mean consensus of each sample with the others of each cluster (Monti et al. 2003, m_i(k)),
        clusters in increasing order of their labels. Pairs in no resample count as 0.
    clusters : (k,) array
        Mean consensus of two samples of each cluster (m(k)); NaN for a cluster of one sample.
    distribution : ConsensusDistribution
        Distribution of M_ij over all pairs.
    """

    items: Array
    clusters: Array
    distribution: ConsensusDistribution

    @classmethod
    def of(cls, draws: NDArray, labels: NDArray[np.intp]) -> ItemConsensus:
        """Compute it from (n, B) labels of resamples and (n,) clusters, without an n × n matrix.

        If there are more than :data:`MANY` samples, an item consensus is a ratio of sums instead of
        a mean of ratios, and the distribution is that of the pairs in a random partition of the
        samples into blocks of 512 (an incomplete U-statistic that contains each sample equally
        often: G. Blom, "Some properties of incomplete U-statistics", Biometrika 63, 1976). Each of
        its values then has a standard error of at most 0.0005.
        """
        n = len(labels)
        _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        own_cluster = np.arange(n), codes
        if n <= MANY:
            counts, sums = sums_over_pairs(draws, codes)
            others = np.broadcast_to(sizes, sums.shape).copy()
            others[own_cluster] -= 1
        else:
            order = np.random.default_rng(0).permutation(n)
            counts = np.zeros((draws.shape[1] + 1,) * 2)
            for rows in row_blocks(n, _BLOCK):
                block = order[rows]
                counts += sums_over_pairs(draws[block], codes[block])[0]
            sums, others = pairs_with_clusters(draws, codes, draws)
            itself = np.count_nonzero(draws >= 0, axis=1)
            sums[own_cluster] -= itself
            others[own_cluster] -= itself
        counts[0, 0] = 0  # Pairs of samples that no draw contains.
        items = sums / np.maximum(others, 1)
        clusters = np.bincount(codes, items[own_cluster]) / sizes
        clusters[sizes == 1] = np.nan
        return cls(items, clusters, distribution_of_counts(counts))


def pairs_with_clusters(draws: NDArray, clusters: NDArray[np.intp], new: NDArray) -> NDArray:
    """Pairs of a new sample and a sample of a cluster in the resamples that contain both.

    Parameters
    ----------
    draws : (n, B) array of int16
        Labels of the resamples; negative if missing.
    clusters : (n,) array
        0 … k−1; negative for samples that do not count.
    new : (n_new, B) array of int16
        Labels of the new samples in the same resamples.

    Returns
    -------
    (2, n_new, k) array
        Number of pairs that are co-clustered, and of all pairs, summed over the resamples.
    """
    shape = int(draws.max()) + 1, int(clusters.max()) + 1
    together, common = pairs = np.zeros((2, len(new), shape[1]))
    for column, added in zip(draws.T, new.T, strict=True):
        known = (column >= 0) & (clusters >= 0)
        counts = cross_table(column[known], clusters[known], shape)
        is_drawn = added >= 0
        together[is_drawn] += counts[added[is_drawn]]
        common[is_drawn] += counts.sum(axis=0)
    return pairs


def confidence_of(consensus: ItemConsensus, labels: NDArray[np.intp]) -> Array:
    """(n,) mean consensus with the own cluster, minus the mean with the nearest other cluster."""
    own_mean, nearest, alone = margins_of(consensus, labels)
    return np.where(alone, 0.0, own_mean - nearest)


def margins_of(consensus: ItemConsensus, labels: NDArray[np.intp]) -> tuple[Array, Array, Any]:
    """:func:`coassoc.confidence.margins` of the clusters."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return margins(consensus.items, codes, sizes)


def silhouette(consensus: ItemConsensus, labels: NDArray[np.intp]) -> float:
    """Mean silhouette with distance 1 − M."""
    return float(silhouette_of_margins(*margins_of(consensus, labels)).mean())
