"""Choice of the base clustering that disagrees least with the others.

A. Gionis, H. Mannila, P. Tsaparas, "Clustering aggregation", ACM TKDD 1(1), 2007, call this
BESTCLUSTERING. Two clusterings disagree on a pair of samples if one of them co-clusters the pair
and the other separates it. The chosen clustering has at most twice as many disagreements with the
ensemble as the best consensus. Its number of clusters cannot be requested, so it is not a method
but a baseline for comparisons.

If labels are missing, the paper tosses a coin to decide whether a sample without a label is
co-clustered with another sample. A pair with a missing label therefore counts as half a
disagreement.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble


def pick_clustering(labels: Any) -> int:
    """Column of the base clustering with the fewest total disagreements; the first if tied.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble

    Raises
    ------
    DataError
        If `labels` is not such a table.
    """
    counts = disagreements(Ensemble.of(labels))
    np.fill_diagonal(counts, 0)
    return int(counts.sum(axis=1).argmin())


def disagreements(ensemble: Ensemble) -> NDArray[np.float64]:
    """Expected number of pairs of samples on which two base clusterings disagree.

    Returns
    -------
    (m, m) array
        Multiples of 1/2, exact below 2⁵². The diagonal is not 0 if labels are missing.
    """
    n = ensemble.n_samples
    shared = ensemble.cluster_intersections
    of_clustering = clusters_by_clustering(ensemble).T.tocsr()
    # Number of samples of each cluster with a label in a base clustering, and with labels in two
    # base clusterings.
    seen = shared @ of_clustering
    both = (of_clustering.T @ seen).toarray()
    together = (of_clustering.T @ seen.power(2)).toarray()
    in_both = (of_clustering.T @ shared.power(2) @ of_clustering).toarray()
    halves = (n * (n - 1) - both * (both - 1)) / 2
    return np.asarray(together + together.T - 2 * in_both + halves) / 2


def clusters_by_clustering(ensemble: Ensemble) -> sp.csr_array:
    """(m, L) 0/1, which clusters each base clustering has."""
    L = ensemble.n_clusters_total
    return sp.csr_array((np.ones(L), (ensemble.clustering_of_cluster, np.arange(L))))
