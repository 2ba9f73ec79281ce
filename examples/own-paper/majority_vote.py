"""Majority vote: join the samples that most base clusterings join (Fred, 2001)."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from coassoc.methods import Cost, number


@dataclass
class MajorityVote:
    """Connected components of the sample pairs that enough base clusterings join."""

    title = "Connected components of the pairs that most base clusterings join"
    paper = "Fred, MCS 2001"
    cost = Cost(seconds=0.1, power=2, squares=2)
    n_clusters: int
    share: float = number(0.5, minimum=0, maximum=1, grid=(0.5, 0.6, 0.7, 0.8, 0.9))
    random_state: int | None = None

    def fit(self, labels):
        """Find the clusters; `labels` is a coassoc.Ensemble, which converts to an array."""
        columns = np.asarray(labels).T
        together = np.mean([column[:, None] == column for column in columns], axis=0)
        _, self.labels_ = connected_components(together > self.share, directed=False)
        return self
