"""Samples that most base clusterings put together belong together (Fred, 2001)."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from coassoc.methods import Parameter


class MajorityVote:
    """Clusters are the connected components of pairs that enough base clusterings join."""

    parameters = {
        "share": Parameter("number", minimum=0, maximum=1, grid=(0.5, 0.6, 0.7, 0.8, 0.9)),
    }

    def __init__(self, n_clusters, *, share=0.5, random_state=None):
        self.n_clusters = n_clusters
        self.share = share
        self.random_state = random_state

    def fit(self, labels):
        """Find the clusters; `labels` is a coassoc.Ensemble, and an array if one asks for it."""
        columns = np.asarray(labels).T
        together = np.mean([column[:, None] == column for column in columns], axis=0)
        _, self.labels_ = connected_components(together > self.share, directed=False)
        return self
