"""A scikit-learn estimator that computes a consensus from features."""

from collections.abc import Callable
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
from coassoc.methods import resolve_method
from coassoc.methods.auto import Choice
from coassoc.methods.base import random_state_of
from coassoc.methods.names import MethodName
from coassoc.numerics.integers import as_integer
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool


class EnsembleClusterer(ClusterMixin, BaseEstimator):
    """Clusterer of features for scikit-learn pipelines: a consensus of k-means clusterings.

    Parameters
    ----------
    n_clusters : int or None
        c, the number of clusters; None as for :func:`coassoc.find_consensus`.
    method : str or callable
        The consensus method: "auto" for the choice of :func:`coassoc.choose_method`, a name in
        :data:`coassoc.methods.METHODS`, or a callable that returns an estimator, such as a class.
    parameters : dict, optional
        Parameters of the method that differ from their defaults.
    n_clusterings : int
        m, the number of k-means clusterings.
    k : "sqrt", "classes" or int
        Number of clusters of each k-means clustering. "sqrt" draws it uniformly from [2, ⌊√n⌋], and
        "classes" uses `n_clusters`.
    random_state : int, RandomState, Generator or None
        Seed of the base clusterings and the method.

    Attributes
    ----------
    labels_ : (n,) integer array
        Consensus clusters, 0 … c−1 in order of first appearance.
    confidence_ : (n,) array
        Confidence of the samples; see :func:`coassoc.confidence.sample_confidence`.
    base_labels_ : (n, m) integer array
        The base clusterings.
    base_centres_ : list of (k_j, d) array
        Means of the clusters of each base clustering.
    consensus_ : ConsensusClusterer
        The fitted method.
    choice_ : Choice or None
        The method that "auto" chose, and the reason; None if a method was named.
    n_features_in_ : int
        d.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> EnsembleClusterer(2, random_state=0).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    labels_: NDArray[np.intp]
    confidence_: NDArray[np.float64]
    base_labels_: NDArray[np.integer]
    base_centres_: list[NDArray[np.float64]]
    consensus_: Any
    choice_: Choice | None
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int | None,
        *,
        method: MethodName | Callable[..., Any] = "auto",
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
        """Compute base clusterings of X, and combine them.

        Parameters
        ----------
        X : (n, d) array or sparse matrix
            Features, at least two samples.
        y : ignored
            For compatibility with scikit-learn.

        Raises
        ------
        ConfigError, DataError, MethodError
            The errors of the method's ``fit``, and ConfigError for an unknown method.
        ValueError
            If X is not a table of finite numbers.
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        make = resolve_method(self.method)
        seed = int(random_state_of(self.random_state).randint(2**31 - 1))
        self.consensus_ = make(
            n_clusters=as_integer(self.n_clusters), random_state=seed, **(self.parameters or {})
        )
        self.base_labels_ = generate_pool(
            X,
            [Recipe(k=as_integer(self.k))],
            size=as_integer(self.n_clusterings),
            n_classes=as_integer(self.n_clusters),
            random_state=seed,
        )
        self.base_centres_ = [_centres(X, column) for column in self.base_labels_.T]
        ensemble = Ensemble.from_clusterings(self.base_labels_)
        self.labels_ = self.consensus_.fit(ensemble, X=X).labels_
        self.choice_ = getattr(self.consensus_, "choice_", None)
        self.confidence_ = sample_confidence(ensemble, self.labels_)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Consensus clusters of new samples.

        Each base clustering assigns the samples to its nearest centres.
        :meth:`coassoc.methods.base.ConsensusClusterer.predict` then combines the labels. Fitted
        samples keep their clusters if k-means converged within its 100 iterations.

        Parameters
        ----------
        X : (n_new, d) array or sparse matrix

        Returns
        -------
        (n_new,) integer array

        Raises
        ------
        ValueError
            If X is not a table of finite numbers with d columns.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        columns = [pairwise_distances_argmin(X, centres) for centres in self.base_centres_]
        return self.consensus_.predict(np.column_stack(columns))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _centres(X: Any, labels: NDArray) -> NDArray[np.float64]:
    """(k, d) means of the clusters 0 … k−1."""
    n = len(labels)
    members = csr_array((np.ones(n), (labels.astype(np.intp), np.arange(n))))
    sums = members @ X
    return np.asarray(sums.toarray() if issparse(sums) else sums) / members.sum(axis=1)[:, None]
