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
from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.similarity import shared_weight

#: Largest number of distinct rows whose pairs are all counted, for each column and in total (200
#: megabytes).
_ROWS_PER_COLUMN, _MOST = 20, 5000


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
    ensemble = Ensemble.of(labels)
    if has_few_rows(ensemble):
        return int(_disagreements_of_columns(ensemble, signed_agreements(ensemble)).argmin())
    counts = disagreements(ensemble)
    np.fill_diagonal(counts, 0)
    return int(counts.sum(axis=1).argmin())


def has_few_rows(ensemble: Ensemble) -> bool:
    """Whether :func:`signed_agreements` needs less memory than all pairs of clusters."""
    return ensemble.microclusters.count <= min(_ROWS_PER_COLUMN * ensemble.n_clusterings, _MOST)


def signed_agreements(ensemble: Ensemble) -> NDArray[np.float64]:
    """Number of base clusterings that co-cluster two microclusters, minus those that separate them.

    Returns
    -------
    (n', n') array
        Integers; on the diagonal, the number of base clusterings that label the microcluster.
    """
    together = shared_weight(ensemble, np.ones(ensemble.n_clusters_total))
    common = ensemble.n_common if ensemble.has_missing else ensemble.n_clusterings
    return 2 * together - common


def _disagreements_of_columns(
    ensemble: Ensemble, signed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(m,) disagreements of each base clustering with all others, up to a constant."""
    columns = np.ascontiguousarray(ensemble.distinct_labels.T)
    counts = np.empty(len(columns))

    def fill(block: slice) -> None:
        counts[block] = _count_disagreements(columns[block], signed, ensemble.microclusters.r)

    over_blocks(fill, row_blocks(len(columns)))
    return counts


@compiled("f1(s2, f2, f1)")
def _count_disagreements(columns, signed, r):
    """Of the pairs that a column has, and those that it lacks, which count half with itself."""
    m, n = columns.shape
    counts = np.zeros(m)
    for j in range(m):
        column, seen = columns[j], 0.0
        for u in range(n):
            if column[u] < 0:
                continue
            seen += r[u]
            total = -signed[u, u] * (r[u] - 1) / 2
            for v in range(u):
                agreement = signed[u, v] * r[v]
                total += (
                    0.0 if column[v] < 0 else -agreement if column[u] == column[v] else agreement
                )
            counts[j] += r[u] * total
        counts[j] += seen * (seen - 1) / 2
    return counts / 2


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
