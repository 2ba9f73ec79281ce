"""The k-means at the end of a method, with a choice of its starts."""

import numpy as np

from coassoc.ensemble import Microclusters
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import choice, integer
from coassoc.partition.labels import split_to


class KMeansEnding(ConsensusClusterer):
    """Base of methods that end with k-means of some points, one for each microcluster.

    Parameters
    ----------
    init : {"k-means++", "random"}
        What a start of k-means draws: centroids far from each other, or samples, each with the same
        chance.
    n_init : int
        Starts of k-means, of which the best counts.

    Attributes
    ----------
    n_clusters_found_ : int
        Number of clusters of k-means; fewer than c where so many of its points are one, after
        a FewPointsWarning. Samples are cut off arbitrarily then until there are c clusters.
    """

    init: str = choice("k-means++", ("k-means++", "random"))
    n_init: int = integer(10, minimum=1)

    def _cluster(self, points: Array, micro: Microclusters, random_state: RandomState) -> Labels:
        from coassoc.partition.spectral import k_means

        labels = k_means(points, self.n_clusters, random_state, micro.r, self.n_init, self.init)
        if len(points) > self.n_clusters:
            self.n_clusters_found_ = len(np.unique(labels))
        return split_to(micro.expand(labels), self.n_clusters)
