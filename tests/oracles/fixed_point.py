"""Whether base clusterings are fixed points of k-means on given features."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances


def nearest_centroid_share(X, labels):
    """Share of the samples that are nearest to the mean of their own cluster, by base clustering.

    A share of 1 proves that features and pool belong together, in one order and at one scale.
    """
    return [_share(X, column.astype(int)) for column in labels.T]


def _share(X, labels):
    members = np.arange(len(labels))
    sums = sp.csr_array((np.ones(len(labels)), (labels, members))) @ X
    means = (sums.toarray() if sp.issparse(sums) else sums) / np.bincount(labels)[:, None]
    distances = euclidean_distances(X, means)
    own = distances[members, labels]
    return float(np.mean(own <= distances.min(axis=1) * (1 + 1e-6)))
