"""How often pairs of samples are co-clustered: the distribution behind CDF, PAC and area."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import row_blocks

Array = NDArray[np.float64]


class ConsensusDistribution(NamedTuple):
    """Distribution of the consensus index M_ij over all pairs of different samples.

    M_ij is the fraction of the clusterings that join samples i and j, among those that label both
    (Monti et al. 2003).

    Attributes
    ----------
    values : (q,) array
        The values of M_ij that occur, in increasing order.
    cumulative : (q,) array
        CDF at these values: the fraction of the pairs with M_ij up to each value.
    """

    values: Array
    cumulative: Array

    def cdf(self, x: float) -> float:
        """Fraction of the pairs with M_ij ≤ x."""
        below = int(np.searchsorted(self.values, x, side="right"))
        return float(self.cumulative[below - 1]) if below else 0.0

    def pac(self, lower: float = 0.1, upper: float = 0.9) -> float:
        """Proportion of ambiguous clustering, CDF(upper) − CDF(lower) (Şenbabaoğlu et al. 2014).

        See the references of :func:`~coassoc.selection.select_n_clusters`.
        """
        return self.cdf(upper) - self.cdf(lower)

    @property
    def area(self) -> float:
        """Area under the CDF from 0 to 1, which is 1 − the mean of M_ij.

        Monti et al. (2003) approximate it by a sum over the sorted M_ij.
        """
        widths = np.diff(np.append(self.values, 1.0))
        return float(self.cumulative @ widths)


def consensus_distribution(clusterings: Ensemble) -> ConsensusDistribution:
    """Distribution of the consensus index of some clusterings, exact on their microclusters.

    A pair of microclusters k ≠ l represents r_k r_l pairs of samples, and a microcluster represents
    the r_k (r_k − 1)/2 pairs inside it. Pairs that no clustering labels together are left out.

    Parameters
    ----------
    clusterings : Ensemble
        An ensemble in which at least one clustering labels two samples.
    """
    Z, r = clusterings.microcluster_membership, clusterings.microclusters.r
    seen = clusterings.distinct_labels >= 0
    # Number of pairs by the number of clusterings that have both samples (rows) and join them
    # (columns).
    pairs = np.zeros((clusterings.n_clusterings + 1, clusterings.n_clusterings + 1))
    lists = Z.tocsc()
    arrays = (part.astype(np.int32) for part in (Z.indptr, Z.indices, lists.indptr, lists.indices))
    _count_pairs(*arrays, seen, clusterings.has_missing, r, pairs)
    itself = seen.sum(axis=1)
    np.add.at(pairs, (itself, itself), r * (r - 1) / 2)
    ordered = _pairs_by_common(clusterings) - np.bincount(itself, r, minlength=len(pairs))
    pairs[:, 0] += ordered / 2 - pairs.sum(axis=1)
    pairs[0] = 0  # pairs never observed together
    return distribution_of_counts(pairs)


def criteria_of_cdf(distributions: Iterable[ConsensusDistribution]) -> dict[str, Any]:
    """Area under the CDF, PAC and delta area of several numbers of clusters, in their order."""
    area, pac = np.array([(each.area, each.pac()) for each in distributions]).T
    return {
        "area": area,
        "PAC": pac,
        "delta area": np.append(area[:1], np.diff(area) / area[:-1]),
    }


def distribution_of_counts(pairs: Array) -> ConsensusDistribution:
    """Distribution of the consensus index from counts of pairs of samples.

    Parameters
    ----------
    pairs : (m + 1, m + 1) array
        Number of pairs for each number of clusterings that label both samples (rows) and co-cluster
        them (columns). The first row is 0.
    """
    common, together = np.nonzero(pairs)
    values, place = np.unique(together / common, return_inverse=True)
    cumulative = np.cumsum(np.bincount(place, pairs[common, together]))
    return ConsensusDistribution(values, cumulative / cumulative[-1])


@compiled("void(s1, s1, s1, s1, b2, b, f1, f2)")
def _count_pairs(starts, label, list_starts, member, seen, has_missing, r, pairs):
    """Count the pairs of different microclusters that have a label in common."""
    n, m = seen.shape
    together = np.zeros(n, dtype=np.int32)
    met = np.empty(n, dtype=np.int32)
    done = list_starts[:-1].copy()  # of each list, the members up to the row that is compared
    for k in range(n):
        n_met = 0
        for h in range(starts[k], starts[k + 1]):
            done[label[h]] += 1
            for e in range(done[label[h]], list_starts[label[h] + 1]):
                if together[member[e]] == 0:
                    met[n_met] = member[e]
                    n_met += 1
                together[member[e]] += 1
        for i in range(n_met):
            other, common = met[i], m
            if has_missing:
                common = 0
                for j in range(m):
                    common += seen[k, j] and seen[other, j]
            pairs[common, together[other]] += r[k] * r[other]
            together[other] = 0


def _pairs_by_common(clusterings: Ensemble) -> Array:
    """(m + 1,) ordered pairs of samples by how many clusterings have both."""
    patterns = clusterings.patterns
    sizes = np.bincount(patterns.of, clusterings.microclusters.r)
    pairs = np.zeros(clusterings.n_clusterings + 1)
    for rows in row_blocks(len(sizes)):
        common = patterns.totals(1, rows).astype(np.intp).ravel()
        pairs += np.bincount(common, np.outer(sizes[rows], sizes).ravel(), minlength=len(pairs))
    return pairs
