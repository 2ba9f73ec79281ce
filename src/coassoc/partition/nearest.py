"""Assignment of new samples to consensus clusters by their labels in the base clusterings."""

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble


def nearest_clusters(
    ensemble: Ensemble,
    labels: NDArray[np.intp],
    rows: NDArray[np.int32],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.intp]:
    """Cluster with the largest mean similarity to each row of labels.

    With w the weights of the base clusters, the similarity of row i to cluster C is

        Σ_j w(π_ij) |C ∩ π_ij| / Σ_j |C_j|,

    with sums over the base clusterings that have a label in the row, π_ij the base cluster of this
    label, and C_j the samples of C that base clustering j labels. For complete labels, it is the
    mean weighted co-association with the samples of C. A row that occurs in the ensemble gets the
    cluster of most samples with this row.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n,) integer array
        Cluster of each sample, 0 … c−1.
    rows : (k, m) integer array
        Labels as in ``distinct_labels`` of the ensemble.
    weights : (L,) array, optional
        Weight w of each base cluster; 1 by default.

    Returns
    -------
    (k,) integer array
        The nearest cluster, the first of several; −1 for a row without any label.
    """
    counts = ensemble.microclusters.counts(labels)
    samples = (ensemble.microcluster_membership.T @ counts).toarray()
    of_clustering = np.add.reduceat(samples, ensemble.offsets[:-1], axis=0)
    if weights is not None:
        samples *= weights[:, None]
    together = np.zeros((len(rows), samples.shape[1]))
    common = np.zeros_like(together)
    for j, column in enumerate(rows.T):
        labelled = column >= 0
        together[labelled] += samples[ensemble.offsets[j] + column[labelled]]
        common[labelled] += of_clustering[j]
    nearest = (together / np.maximum(common, 1)).argmax(axis=1)
    nearest[(rows < 0).all(axis=1)] = -1
    fitted = {row.tobytes(): k for k, row in enumerate(ensemble.distinct_labels)}
    alike = [(i, fitted[row.tobytes()]) for i, row in enumerate(rows) if row.tobytes() in fitted]
    if alike:
        i, k = np.array(alike).T
        nearest[i] = counts[k].toarray().argmax(axis=1)
    return nearest
