"""The k-means of :mod:`coassoc.pools.hartigan` with the interface of scikit-learn.

It has a module of its own, because ``coassoc.subtypes`` does not need scikit-learn, which takes
longer to load than it takes to cluster small data.
"""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from coassoc.pools.hartigan import Samples


class HartiganKMeans(ClusterMixin, BaseEstimator):
    """k-means that ends where no move of a single sample lowers the sum of squares.

    The algorithm starts from distinct random samples and assigns each sample to the nearest of
    them. The samples are then visited in turn. Each moves to the cluster that lowers the sum of
    squares most, if there is one, until no sample moves, or for 1,000 sweeps.

    Parameters
    ----------
    n_clusters : int
        Number of clusters. If there are fewer distinct samples, this is the number of clusters.
    n_init : int
        Number of starts, of which the one with the smallest sum of squares is used.
    random_state : int
        Seed of the start.

    Attributes
    ----------
    labels_ : (n,) integer array
    """

    _parameter_constraints: ClassVar = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(self, n_clusters: int = 8, *, n_init: int = 1, random_state: int = 0) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : (n, d) array
        y : ignored
        """
        self._validate_params()
        X = np.require(validate_data(self, X, dtype=np.float64, order="C"), requirements="W")
        generator = np.random.default_rng(self.random_state)
        k = min(self.n_clusters, len(X))
        self.labels_, _ = Samples(X).cluster(k, self.n_init, generator)
        return self
