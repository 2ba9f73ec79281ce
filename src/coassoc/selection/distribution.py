"""How often pairs of samples are co-clustered: the distribution behind CDF, PAC and area."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.numerics.pairs import label_planes, pair_counts

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
    rows, r, m = clusterings.distinct_labels, clusterings.microclusters.r, clusterings.n_clusterings
    counts = np.zeros((m + 1) ** 2)
    for some, together, common in pair_counts(label_planes(rows)):
        cells, weights = common * (m + 1) + together, np.outer(r[some], r)
        counts += np.bincount(cells.ravel(), weights.ravel(), minlength=len(counts))
    pairs = counts.reshape(m + 1, m + 1)
    labelled = (rows >= 0).sum(axis=1)
    np.subtract.at(pairs, (labelled, labelled), r)  # pairs of a sample with itself
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
