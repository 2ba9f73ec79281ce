"""How often pairs of samples are put together: the distribution behind CDF, PAC and area."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble

__all__ = ["ConsensusDistribution", "consensus_distribution"]

Array = NDArray[np.float64]

#: Entries of the matrix of microclusters that are counted at once.
_SLAB = 4_000_000


class ConsensusDistribution(NamedTuple):
    """Distribution of the consensus index M_ij over all pairs of different samples.

    M_ij is the share of some clusterings that put samples i and j together, among those that have
    both (Monti et al. 2003).

    Attributes
    ----------
    values : (q,) array
        The values of M_ij that occur, in increasing order.
    cumulative : (q,) array
        CDF at these values: the share of the pairs whose M_ij is not above.
    """

    values: Array
    cumulative: Array

    def cdf(self, x: float) -> float:
        """Share of the pairs with M_ij ≤ x."""
        below = int(np.searchsorted(self.values, x, side="right"))
        return float(self.cumulative[below - 1]) if below else 0.0

    def pac(self, lower: float = 0.1, upper: float = 0.9) -> float:
        """Proportion of ambiguous clustering, CDF(upper) − CDF(lower) (Şenbabaoğlu et al. 2014).

        References
        ----------
        Y. Şenbabaoğlu, G. Michailidis, J. Z. Li, "Critical limitations of consensus clustering in
        class discovery", Scientific Reports 4, 6207, 2014.
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

    A pair of microclusters k ≠ l stands for r_k r_l pairs of samples, and a microcluster for the
    r_k (r_k − 1)/2 pairs inside. Pairs that no clustering has both of are left out.

    Parameters
    ----------
    clusterings : Ensemble
        Of two samples at least, of which some clustering has both.
    """
    most = clusterings.n_clusterings + 1
    Z = clusterings.microcluster_membership
    seen = (clusterings.distinct_labels >= 0).astype(np.float64)
    r = clusterings.microclusters.r
    # Ordered pairs by how many clusterings have both (rows) and put them together (columns).
    pairs = np.zeros((most, most))
    step = max(1, _SLAB // len(r))
    for start in range(0, len(r), step):
        rows = slice(start, start + step)
        common = seen[rows] @ seen.T
        together = (Z[rows] @ Z.T).toarray()
        place = (common * most + together).astype(np.intp).ravel()
        weights = np.outer(r[rows], r).ravel()
        pairs += np.bincount(place, weights, minlength=most**2).reshape(most, most)
    itself = seen.sum(axis=1).astype(np.intp)
    np.subtract.at(pairs, (itself, itself), r)
    return _distribution(pairs / 2)


def _distribution(pairs: Array) -> ConsensusDistribution:
    """From the number of pairs by common clusterings and by those that put them together."""
    common, together = np.nonzero(pairs)
    met = common > 0
    index = together[met] / common[met]
    values, place = np.unique(index, return_inverse=True)
    counts = np.bincount(place, pairs[common[met], together[met]], minlength=len(values))
    cumulative = np.cumsum(counts)
    return ConsensusDistribution(values, cumulative / cumulative[-1])
