"""Whether base clusterings are fixed points of k-means on given features."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances


def nearest_centroid_share(X, labels):
    """Share of the samples that are nearest to the mean of their own cluster, by base clustering.

    A share of 1 proves that features and pool belong together, in one order and at one scale.
    """
    members, shares = np.arange(len(labels)), []
    for column in labels.T.astype(int):
        sums = sp.csr_array((np.ones(len(column)), (column, members))) @ X
        means = (sums.toarray() if sp.issparse(sums) else sums) / np.bincount(column)[:, None]
        distances = euclidean_distances(X, means)
        own = distances[members, column]
        shares.append(float(np.mean(own <= distances.min(axis=1) * (1 + 1e-6))))
    return shares
