"""Picking one base clustering: the one that disagrees least with the others.

A. Gionis, H. Mannila, P. Tsaparas, "Clustering aggregation", ACM TKDD 1(1), 2007, call this
BESTCLUSTERING. Two clusterings disagree on a pair of samples that one of them puts together and the
other parts. It has at most twice as many disagreements with the ensemble as the consensus with the
fewest. Nobody can ask it for a number of clusters, so that it is a row to compare methods with, and
no method.

Where labels are missing, the paper tosses a coin for whether a sample without a label is together
with another: a pair of which a clustering lacks a sample counts as half a disagreement.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble


def pick_clustering(labels: Any) -> int:
    """Column of the base clustering with the fewest disagreements in all; the first among equals.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble

    Raises
    ------
    DataError
        If `labels` is no such table.
    """
    counts = disagreements(Ensemble.of(labels))
    np.fill_diagonal(counts, 0)
    return int(counts.sum(axis=1).argmin())


def disagreements(ensemble: Ensemble) -> NDArray[np.float64]:
    """Expected number of pairs of samples on which two base clusterings disagree.

    Returns
    -------
    (m, m) array
        Whole and half numbers, exact below 2⁵². The diagonal is not 0 where labels are missing.
    """
    n = ensemble.n_samples
    shared = ensemble.cluster_intersections
    of_clustering = clusters_by_clustering(ensemble).T.tocsr()
    # Samples of each cluster that a base clustering has, and those that two of them have.
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
