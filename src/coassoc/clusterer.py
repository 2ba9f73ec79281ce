"""From features to a consensus in one estimator of scikit-learn's."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from coassoc.confidence import sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.methods import maker_of
from coassoc.methods.base import random_state_of, require
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool

__all__ = ["EnsembleClusterer"]


class EnsembleClusterer(ClusterMixin, BaseEstimator):
    """Clusterer of features for scikit-learn's pipelines: many k-means, then their consensus.

    Parameters
    ----------
    n_clusters : int or None
        c, number of clusters wanted; None as for
        :func:`coassoc.find_consensus`.
    method : str or callable
        The consensus method: "auto" for the one that :func:`coassoc.choose_method` names, its name
        in :data:`coassoc.methods.METHODS`, or what makes an estimator, such as its class.
    parameters : dict, optional
        Parameters of the method that are not at their defaults.
    n_clusterings : int
        m, number of base clusterings.
    k : "sqrt", "classes" or int
        Clusters of each: uniform in [2, ⌊√n⌋], `n_clusters`, or a number.
    random_state : int, RandomState, Generator or None
        Seed of everything.

    Attributes
    ----------
    labels_ : (n,) integer array
        Consensus clusters, 0 … c−1 in order of first appearance.
    confidence_ : (n,) array
        How sure they are; see :func:`coassoc.confidence.sample_confidence`.
    base_labels_ : (n, m) integer array
        The base clusterings.
    base_centres_ : list of (k_j, d) array
        Their centres.
    consensus_ : ConsensusClusterer
        The fitted method.
    choice_ : Choice or None
        Which method "auto" took, and why; None if a method was named.
    n_features_in_ : int
        d.
    """

    def __init__(
        self,
        n_clusters: int | None,
        *,
        method: str | Callable[..., Any] = "auto",
        parameters: dict[str, Any] | None = None,
        n_clusterings: int = 20,
        k: str | int = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.parameters = parameters
        self.n_clusterings = n_clusterings
        self.k = k
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Make base clusterings of X by k-means, and combine them.

        Parameters
        ----------
        X : (n, d) array or sparse matrix
            Features, at least two samples.
        y : ignored
            For compatibility with scikit-learn.

        Raises
        ------
        ConfigError, DataError, MethodError
            As the method's ``fit``; ConfigError also for an unknown method.
        ValueError
            If X is no table of finite numbers.
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        make = maker_of(self.method)
        seed = int(random_state_of(self.random_state).randint(2**31 - 1))
        self.consensus_ = make(
            n_clusters=self.n_clusters, random_state=seed, **(self.parameters or {})
        )
        c, n = self.n_clusters, X.shape[0]
        whole = isinstance(c, Integral) and not isinstance(c, bool) and 1 <= c <= n
        given = self.k == "classes" or getattr(self.consensus_, "n_clusters_is", "given") == "given"
        require(self, "n_clusters", whole or (c is None and not given), f"an integer from 1 to {n}")
        self.base_labels_ = generate_pool(
            X,
            [Recipe(k=self.k)],
            size=self.n_clusterings,
            n_classes=self.n_clusters,
            random_state=seed,
        )
        self.base_centres_ = [_centres(X, column) for column in self.base_labels_.T]
        ensemble = Ensemble.from_clusterings(self.base_labels_)
        self.labels_ = self.consensus_.fit(ensemble, X=X).labels_
        self.choice_ = getattr(self.consensus_, "choice_", None)
        self.confidence_ = sample_confidence(ensemble, self.labels_)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Consensus clusters of new samples, by the nearest centre of each base clustering.

        From there on see :meth:`coassoc.methods.base.ConsensusClusterer.predict`. Fitted samples
        keep their clusters as there, if k-means converged within its 100 iterations.

        Parameters
        ----------
        X : (n_new, d) array or sparse matrix

        Returns
        -------
        (n_new,) integer array

        Raises
        ------
        ValueError
            If X is no table of finite numbers with d columns.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        nearest = [pairwise_distances_argmin(X, centres) for centres in self.base_centres_]
        return self.consensus_.predict(np.column_stack(nearest))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _centres(X: Any, labels: NDArray) -> NDArray[np.float64]:
    """(k, d) means of the samples of each cluster."""
    n = np.arange(len(labels))
    members = csr_array((np.ones(len(labels)), (labels.astype(np.intp), n)))
    sums = members @ X
    return np.asarray(sums.toarray() if issparse(sums) else sums) / members.sum(axis=1)[:, None]
