"""Clustering aggregation: the consensus with the fewest disagreements and any number of clusters.

A. Gionis, H. Mannila, P. Tsaparas, "Clustering aggregation", ACM TKDD 1(1), 2007. The distance of
two samples is the fraction of the base clusterings that separate them, X_uv = 1 − Ã_uv. Every pair
that the consensus C co-clusters costs X_uv, and every pair that it separates costs 1 − X_uv. The
sum of the costs, multiplied by m,

    D(C) = m Σ_{u<v} (X_uv if C co-clusters u and v, 1 − X_uv otherwise),

is the number of pairs on which C and a base clustering disagree, summed over all base clusterings.
The number of clusters at the minimum is a result of the method. Finding the minimum is NP-hard;
BALLS, AGGLOMERATIVE, FURTHEST and LOCALSEARCH are the paper's approximations.

N. Cordner, G. Kollios, "Efficient correlation clustering methods for large consensus clustering
instances", arXiv 2307.03818, 2023: PIVOT, the algorithm of N. Ailon, M. Charikar, A. Newman,
"Aggregating inconsistent information: ranking and clustering", Journal of the ACM 55(5), 2008,
which computes distances only when they are needed, followed by a local search.

If a label of two samples is missing, a coin decides whether the base clustering separates them. It
adds half a disagreement: X_uv = (separating + lacking / 2) / m.

Samples with equal rows have distance 0 (with missing labels, half the fraction of base clusterings
without a label) and equal distances to all other samples, so the best consensus does not separate
them. Nor do the methods in this module, which work on distinct rows with their sizes as weights.

What the paper leaves open
--------------------------
- If the ball around a sample is too wide on average, the paper makes a cluster of this sample
  alone, and then of each sample with the same labels. coassoc joins all these samples into one
  cluster, which has fewer disagreements.
- α of BALLS is 2/5. According to the paper, this value is better on data than 1/4, for which it
  proves the bound. The paper itself was not available. The radius of 1/2, the comparison of the
  mean distance with α, and the merging of clusters while their mean distance is below 1/2 come
  from the documentation of R's IntClust and MosaiClusteR (``ClusteringAggregation``). Their
  defaults are different: α = 1/2, and merging below 0.8. The bound at 1/4 is tested against
  optimal partitions.
- Samples at a distance of exactly 1/2 are in the ball, and join the pivot as in the authors'
  program. Clusters at a distance of exactly 1/2 are not merged.
- Among equally far or equally near samples, the one with the smallest sum of distances to all
  others comes first, as in BALLS. If these sums are equal too, the first row comes first.
- According to the paper, LOCALSEARCH may start anywhere. coassoc starts from the base clustering
  with the fewest disagreements, whose bound therefore applies. Samples that this clustering does
  not label start as single clusters, and samples are visited in the order of BALLS. Fifteen more
  searches start as in PIVOT, the first with the same seed. The best result counts
  (``n_starts``).
- PIVOT searches all samples until no move helps, in the order in which they could have become
  pivots. The authors' program searches within each pivot's cluster, or passes over all samples
  once.
- All samples of a row move at once. If no such move improves a partition, no move of a single
  sample does.
- The lifetime of one cluster ends at distance 1. The lifetime of as many clusters as distinct
  rows begins at the distance from which equal rows stay together: at 0 for EAC, and later if
  clusters have weights. Among equal lifetimes, the larger number of clusters is chosen.
"""

from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.compiled import compiled
from coassoc.partition.labels import canonical_labels
from coassoc.partition.linkage import agglomerate_samples, cut_samples
from coassoc.partition.picking import clusters_by_clustering, pick_clustering
from coassoc.similarity import co_association

# Result of a local search: the (n',) clusters where it ends, their disagreements, and the number
# of passes over the rows.
Found = tuple[Labels, float, int]

#: Means of multiples of 1/m count as equal if they differ by at most this.
_EQUAL = 1e-9


class _Aggregator(ConsensusClusterer):
    """Base class of the methods, which choose c and count disagreements.

    Attributes
    ----------
    disagreements_ : float
        D, the number of pairs of samples on which the consensus and a base clustering disagree,
        summed over all base clusterings.
    """

    paper: ClassVar = "Gionis, Mannila & Tsaparas, ACM TKDD 2007"
    takes_missing: ClassVar = True
    n_clusters_is: ClassVar = "chosen"
    offers: ClassVar[tuple[str, ...]] = ("disagreements_",)
    n_clusters: Any = field(default=None, kw_only=False)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        labels = self._rows(ensemble, random_state)
        self.disagreements_ = disagreements_of(ensemble, labels)
        return ensemble.microclusters.expand(labels)

    @abstractmethod
    def _rows(self, ensemble: Ensemble, random_state: RandomState) -> Labels:
        """(n',) cluster of each microcluster."""


class Balls(_Aggregator):
    """BALLS: samples within distance 1/2 of a sample, if their mean distance from it is small.

    The samples are visited in increasing order of their summed distances. A sample without a
    cluster forms a cluster with all samples within distance 1/2 that have no cluster either, if
    their mean distance from it is at most α. Otherwise it forms a cluster by itself.

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    alpha : float
        α. With α = 1/4 and complete labels, the number of disagreements is at most three times the
        smallest possible number. In the experiments of the paper, 2/5 gives better results.
    """

    title: ClassVar = "Clustering aggregation, balls around the samples nearest to all others"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=0)
    alpha: float = number(0.4, minimum=0, maximum=0.5, grid=(0.25, 0.4))

    def _rows(self, ensemble: Ensemble, random_state: RandomState) -> Labels:
        return balls(ensemble, _distances(ensemble), self.alpha)


class Agglomerative(_Aggregator):
    """AGGLOMERATIVE: average linkage until no two clusters are closer than 1/2.

    The mean distance within each cluster is at most 1/2.

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Clustering aggregation, average linkage up to distance 1/2"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=2, links_labels="complete")

    def _rows(self, ensemble: Ensemble, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        dendrogram = agglomerate_samples(_similarity(ensemble), "average")
        apart = dendrogram.n_pairs[dendrogram.heights > 0.5 - _EQUAL].sum()
        return cut_samples(dendrogram, micro, 1 + int(apart))[micro.representatives]


class Furthest(_Aggregator):
    """FURTHEST: furthest-first traversal.

    The first two centres are the samples that are furthest apart, and each sample joins the nearest
    centre. The sample furthest from all centres becomes the next centre, as long as the number of
    disagreements decreases.

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Clustering aggregation, centres that are furthest apart"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=0)

    def _rows(self, ensemble: Ensemble, random_state: RandomState) -> Labels:
        labels, rows = _clusters(ensemble), _distances(ensemble)
        centre, other = _furthest_pair(labels, rows)
        together = _agreement(labels, centre, rows)
        best = np.zeros(len(rows), dtype=np.intp)
        fewest, n_clusters = disagreements_of(ensemble, best), 1
        while n_clusters < len(rows):
            here = _agreement(labels, other, rows)
            nearer = here > together
            candidate = best.copy()
            candidate[rows[nearer]] = n_clusters
            count = disagreements_of(ensemble, candidate)
            if count >= fewest:
                break
            best, fewest, n_clusters = candidate, count, n_clusters + 1
            together = np.maximum(together, here)
            other = rows[together.argmin()]
        return best


class LocalSearch(_Aggregator):
    """LOCALSEARCH: samples move to other clusters, or to new ones, until no move helps.

    The first search starts from the base clustering with the fewest disagreements. The other
    searches start from clusterings by random pivots, the first of which is the one that PIVOT uses
    with the same seed. The best result is returned. It therefore has at most as many disagreements
    as the result of PIVOT and, with complete labels, at most twice the smallest possible number.

    `random_state` is the seed of the orders in which samples become pivots.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    n_starts : int
        Total number of searches.
    """

    title: ClassVar = (
        "Clustering aggregation, local search from the best base clustering and from pivots"
    )
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=0)
    revision = 2
    n_starts: int = integer(16, minimum=1)

    def _rows(self, ensemble: Ensemble, random_state: RandomState) -> Labels:
        start = ensemble.distinct_labels[:, pick_clustering(ensemble)].astype(np.intp)
        missing = start < 0
        start[missing] = start.max() + 1 + np.arange(missing.sum())
        searched = [_search(ensemble, start, _distances(ensemble))]
        for _ in range(1, self.n_starts):
            searched.append(_search_from_pivots(ensemble, random_state))
        clusters, _, self.n_iter_ = min(searched, key=lambda found: found[1])
        return clusters


class Pivot(_Aggregator):
    """PIVOT: random pivots form clusters with the samples within distance 1/2 of them.

    A pivot is a random sample without a cluster. It forms a cluster with all samples within
    distance 1/2 that have no cluster either. Local search then improves the clustering.

    `random_state` is the seed of the order in which samples become pivots.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Correlation clustering by random pivots and local search"
    paper: ClassVar = (
        "Cordner & Kollios, arXiv 2307.03818, 2023; Ailon, Charikar & Newman, J. ACM 2008"
    )
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=0)

    def _rows(self, ensemble: Ensemble, random_state: RandomState) -> Labels:
        clusters, _, self.n_iter_ = _search_from_pivots(ensemble, random_state)
        return clusters


def _search_from_pivots(ensemble: Ensemble, random_state: RandomState) -> Found:
    order = random_order(ensemble, random_state)
    # No cluster has a mean distance from its pivot above 1/2.
    return _search(ensemble, balls(ensemble, order, alpha=0.5), order)


def _search(ensemble: Ensemble, start: Labels, order: Labels) -> Found:
    """Move rows, in an order, to other clusters or to new ones until no move helps."""
    labels, r, clusters = _clusters(ensemble), ensemble.microclusters.r, start.astype(np.int64)
    count, n_passes = disagreements_of(ensemble, clusters), 1
    while gain := float(_move(labels, r, order, ensemble.offsets, clusters)):
        clusters = canonical_labels(clusters)
        count, n_passes = count - gain, n_passes + 1
    return canonical_labels(clusters), count, n_passes


def random_order(ensemble: Ensemble, random_state: RandomState) -> Labels:
    """Microclusters in order of their first samples in a random order of the samples.

    The order is drawn by a race of exponential clocks, one for each sample.
    """
    return np.argsort(random_state.exponential(1 / ensemble.microclusters.r))


def balls(ensemble: Ensemble, order: Labels, alpha: float) -> Labels:
    """Clusters of samples within distance 1/2 of pivots, which are visited in a given order.

    Parameters
    ----------
    ensemble : Ensemble
    order : (n',) integer array
        Microclusters; each becomes a pivot unless it is in the cluster of an earlier one.
    alpha : float
        α, the largest mean distance of samples from a pivot with which they form a cluster.

    Returns
    -------
    (n',) integer array
        Cluster of each microcluster.
    """
    labels, r, m = _clusters(ensemble), ensemble.microclusters.r, ensemble.n_clusterings
    clusters = np.full(len(order), -1, dtype=np.intp)
    rest, n_clusters = order, 0
    while len(rest):
        together = _agreement(labels, rest[0], rest)
        ball, near = rest[together >= 0], 0.5 - together[together >= 0] / (2 * m)
        weight = r[ball] - (ball == rest[0])
        if weight.sum() and weight @ near > (alpha + _EQUAL) * weight.sum():
            ball = rest[:1]
        clusters[ball] = n_clusters
        n_clusters += 1
        rest = rest[clusters[rest] < 0]
    return clusters


def disagreements_of(ensemble: Ensemble, labels: Labels) -> float:
    """D, the number of disagreements on pairs, summed over all base clusterings.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n',) integer array
        Cluster of each microcluster.

    Returns
    -------
    float
        An integer, or a multiple of 1/2 if labels are missing.
    """
    r, m, n = ensemble.microclusters.r, ensemble.n_clusterings, ensemble.n_samples
    Z = ensemble.microcluster_membership
    weights = sp.csr_array((r, (np.arange(len(r)), labels)))
    shared = sp.csr_array(Z.T @ weights)
    of_clustering = clusters_by_clustering(ensemble)
    # Base clusterings that join an ordered pair minus those that separate it, summed over the pairs
    # inside clusters of C and over all pairs. A sample paired with itself is included.
    inside = 2 * shared.power(2).sum() - (of_clustering @ shared).power(2).sum()
    sizes = ensemble.cluster_sizes
    everywhere = 2 * (sizes**2).sum() - ((of_clustering @ sizes) ** 2).sum()
    seen = float(r @ Z.sum(axis=1))
    together = (inside - seen) / 2
    return float(m * n * (n - 1) / 4 + (everywhere - seen) / 4 - together)


def _clusters(ensemble: Ensemble) -> NDArray[np.int64]:
    """(n', m) which of the L clusters each microcluster is in; −1 if a label is missing."""
    labels = ensemble.distinct_labels.astype(np.int64)
    return np.where(labels < 0, -1, labels + ensemble.offsets[:-1])


def _similarity(ensemble: Ensemble) -> InvariantMatrix:
    """1 − X."""
    if not ensemble.has_missing:
        return co_association(ensemble)
    Z = ensemble.microcluster_membership
    lacking = ensemble.n_clusterings - ensemble.n_common
    S = ((Z @ Z.T).toarray() + lacking / 2) / ensemble.n_clusterings
    return InvariantMatrix(S, 0.0, ensemble.microclusters)


def _distances(ensemble: Ensemble) -> Labels:
    """Microclusters in increasing order of the sum of their samples' distances to all others."""
    Z, sizes = ensemble.microcluster_membership, ensemble.cluster_sizes
    seen = (clusters_by_clustering(ensemble) @ sizes)[ensemble.clustering_of_cluster]
    # Leave out the pair of a sample with itself, which always agrees.
    together = Z @ (2 * sizes - seen - 1)
    return np.argsort(-together, kind="stable")


def _agreement(labels: NDArray[np.int64], u: int, rows: Labels) -> NDArray[np.intp]:
    """Base clusterings that join row u to each of `rows`, minus those that separate them."""
    row, others = labels[u], labels[rows]
    known = (row >= 0) & (others >= 0)
    return 2 * (known & (row == others)).sum(axis=1) - known.sum(axis=1)


def _furthest_pair(labels: NDArray[np.int64], rows: Labels) -> tuple[int, int]:
    """The two of `rows` that are furthest apart, the first ones among equally distant rows."""
    pair, least = (rows[0], rows[0]), labels.shape[1] + 1
    for i, u in enumerate(rows[:-1], start=1):
        together = _agreement(labels, u, rows[i:])
        if together.min() < least:
            pair, least = (u, rows[i + together.argmin()]), together.min()
            if least == -labels.shape[1]:
                break
    return pair


@compiled("f(i2, f1, i1, i1, i1)")
def _move(labels, r, order, offsets, clusters):
    """Move each row, in an order, to the cluster where it disagrees least.

    Every move lowers the number of disagreements; the function returns the total decrease.

    `clusters` has the cluster of each row. A cluster is represented by a column of `near`: for each
    label, the number of its samples with this label minus the number with another label of the same
    base clustering.
    """

    def add(column, k, weight):
        """Put samples of row k into the cluster of a column of `near`."""
        for j in range(labels.shape[1]):
            if labels[k, j] >= 0:
                column[offsets[j] : offsets[j + 1]] -= weight
                column[labels[k, j]] += 2 * weight

    # There is always an empty cluster, which stands for a new one.
    places = clusters.max() + 2
    near, size = np.zeros((offsets[-1], places)), np.zeros(places)
    for k in order:
        add(near[:, clusters[k]], k, r[k])
        size[clusters[k]] += r[k]
    gain = 0.0
    for k in order:
        together, n_known = np.zeros(places), 0
        for j in range(labels.shape[1]):
            if labels[k, j] >= 0:
                n_known += 1
                together += near[labels[k, j]]
        current, best, empty = clusters[k], clusters[k], -1
        together[current] -= r[k] * n_known
        for c in range(places):
            if size[c] == 0:
                empty = c
            elif together[c] > together[best]:
                best = c
        if together[best] < 0:
            best = empty
        if best == current:
            continue
        gain += r[k] * (together[best] - together[current])
        add(near[:, current], k, -r[k])
        add(near[:, best], k, r[k])
        size[current] -= r[k]
        size[best] += r[k]
        clusters[k] = best
        if best == empty and (size > 0).all():
            near = np.concatenate((near, np.zeros_like(near)), axis=1)
            size = np.concatenate((size, np.zeros_like(size)))
            places *= 2
    return gain
