"""A scikit-learn estimator that computes a consensus from features."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from coassoc.confidence import sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.methods import resolve_method
from coassoc.methods.auto import Choice
from coassoc.methods.base import random_state_of, require
from coassoc.methods.names import MethodName
from coassoc.numerics.integers import as_integer, is_integer
from coassoc.partition.nearest import cluster_similarities
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool


class EnsembleClusterer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Clusterer of features for scikit-learn pipelines: a consensus of many base clusterings.

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
        m, the number of k-means clusterings. Ignored if `clusterers` are given.
    k : "sqrt", "classes" or int
        Number of clusters of each k-means clustering. "sqrt" draws it uniformly from [2, ⌊√n⌋], and
        "classes" uses `n_clusters`. Ignored if `clusterers` are given.
    clusterers : sequence of estimators, optional
        Base clusterers instead of k-means, such as ``[HDBSCAN(), SpectralClustering(8)]``. Each has
        ``fit_predict`` and gives one base clustering; negative labels are missing. Clusterers whose
        ``random_state`` is None get a seed from `random_state`.
    random_state : int, RandomState, Generator or None
        Seed of the base clusterings and the method.

    Attributes
    ----------
    labels_ : (n,) integer array
        Consensus clusters, 0 … c−1 in order of first appearance.
    confidence_ : (n,) array
        Confidence of the samples; see :func:`coassoc.confidence.sample_confidence`.
    base_labels_ : (n, m) integer array
        The base clusterings; −1 if a label is missing.
    base_centres_ : list of (k_j, d) array
        Means of the clusters of each base clustering.
    base_clusterers_ : list of estimators
        The fitted `clusterers`; empty for k-means.
    consensus_ : ConsensusClusterer
        The fitted method.
    choice_ : Choice or None
        The method that "auto" chose, and the reason; None if a method was named.
    n_features_in_ : int
        d.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> base = [KMeans(2), KMeans(3), AgglomerativeClustering(2)]
    >>> EnsembleClusterer(2, clusterers=base, random_state=0).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    labels_: NDArray[np.intp]
    confidence_: NDArray[np.float64]
    base_labels_: NDArray[np.integer]
    base_centres_: list[NDArray[np.float64]]
    base_clusterers_: list[Any]
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
        clusterers: Sequence[Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.parameters = parameters
        self.n_clusterings = n_clusterings
        self.k = k
        self.clusterers = clusterers
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
            The errors of the method's ``fit``. ConfigError also for an unknown method, and for
            `clusterers` without ``fit_predict``.
        ValueError
            If X is not a table of finite numbers.
        """
        _check_clusterers(self.clusterers)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        make = resolve_method(self.method)
        seed = int(random_state_of(self.random_state).randint(2**31 - 1))
        self.consensus_ = make(
            n_clusters=as_integer(self.n_clusters), random_state=seed, **(self.parameters or {})
        )
        self._check_n_clusters(X.shape[0])
        self.base_clusterers_ = (
            [] if self.clusterers is None else _seeded_copies(self.clusterers, seed)
        )
        if self.clusterers is None:
            self.base_labels_ = generate_pool(
                X,
                [Recipe(k=as_integer(self.k))],
                size=as_integer(self.n_clusterings),
                n_classes=as_integer(self.n_clusters),
                random_state=seed,
            )
        else:
            labels = [_labels_of(clusterer, X) for clusterer in self.base_clusterers_]
            self._base_values = [np.unique(column[column >= 0]) for column in labels]
            self.base_labels_ = np.column_stack(list(map(_codes, labels, self._base_values)))
        self.base_centres_ = [_centres(X, column) for column in self.base_labels_.T]
        ensemble = Ensemble.from_clusterings(self.base_labels_)
        self.labels_ = self.consensus_.fit(ensemble, X=X).labels_
        self.choice_ = getattr(self.consensus_, "choice_", None)
        self.confidence_ = sample_confidence(ensemble, self.labels_)
        self._n_features_out = int(self.labels_.max()) + 1
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Consensus clusters of new samples.

        Each base clusterer assigns the samples with its ``predict`` method. K-means, and clusterers
        without this method, assign them to the nearest centre.
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
        return self.consensus_.predict(self._base_labels(X))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Similarity of new samples to the consensus clusters.

        The similarity is the mean co-association with the samples of a cluster, computed from the
        base clusters that :meth:`predict` assigns. With ``set_output(transform="pandas")``, the
        result is a DataFrame.

        Parameters
        ----------
        X : (n_new, d) array or sparse matrix

        Returns
        -------
        (n_new, c) array
            Similarities from 0 to 1.

        Raises
        ------
        ValueError
            If X is not a table of finite numbers with d columns.
        """
        check_is_fitted(self)
        ensemble: Ensemble = self.consensus_.ensemble_
        rows = ensemble.encode(self._base_labels(X))
        return cluster_similarities(ensemble, self.labels_, rows)

    def _check_n_clusters(self, n: int) -> None:
        c = as_integer(self.n_clusters)
        in_range = is_integer(c, 1) and c <= n
        by_classes = self.k == "classes" and self.clusterers is None
        role = getattr(self.consensus_, "n_clusters_is", "given")
        optional = c is None and not by_classes and role != "given"
        require(self, "n_clusters", in_range or optional, f"an integer between 1 and {n}")

    def _base_labels(self, X: Any) -> NDArray[np.intp]:
        """(n_new, m) base clusters of new samples."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        columns = [pairwise_distances_argmin(X, centres) for centres in self.base_centres_]
        for j, clusterer in enumerate(self.base_clusterers_):
            if hasattr(clusterer, "predict"):
                columns[j] = _codes(clusterer.predict(X), self._base_values[j])
        return np.column_stack(columns)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all(
            get_tags(clusterer).input_tags.sparse for clusterer in (self.clusterers or ())
        )
        return tags


def _check_clusterers(clusterers: Any) -> None:
    if clusterers is None:
        return
    if not isinstance(clusterers, (list, tuple)) or not clusterers:
        raise ConfigError(
            f"clusterers is {clusterers!r}. Pass a list of estimators, such as [KMeans(8)]."
        )
    for j, clusterer in enumerate(clusterers):
        if not hasattr(clusterer, "fit_predict"):
            raise ConfigError(
                f"clusterers: {clusterer!r} at position {j} has no fit_predict. Pass scikit-learn "
                "estimators, such as KMeans(8)."
            )


def _seeded_copies(clusterers: Sequence[Any], seed: int) -> list[Any]:
    """Copies of clusterers, each with a seed if it takes one and has none."""
    seeds = np.random.SeedSequence(seed).generate_state(len(clusterers)).tolist()
    copies = []
    for j, clusterer in enumerate(clusterers):
        copy = clone(clusterer)
        if copy.get_params().get("random_state", 0) is None:
            copy.set_params(random_state=seeds[j])
        copies.append(copy)
    return copies


def _labels_of(clusterer: Any, X: Any) -> NDArray[Any]:
    labels = np.asarray(clusterer.fit_predict(X))
    if labels.shape != (X.shape[0],) or labels.dtype.kind not in "iufb":
        raise DataError(
            f"clusterers: fit_predict of {clusterer!r} gives values of type {labels.dtype} in the "
            f"shape {labels.shape}. It must give one number for each of the {X.shape[0]} samples."
        )
    if not (labels >= 0).any():
        raise DataError(
            f"clusterers: {clusterer!r} labels every sample as noise. Change the parameters of "
            "this estimator, or leave it out."
        )
    return labels


def _codes(labels: Any, values: NDArray) -> NDArray[np.intp]:
    """Positions of labels among the distinct labels of the fitted samples; −1 for others."""
    codes = np.searchsorted(values, labels).clip(max=len(values) - 1)
    return np.where(values[codes] == labels, codes, -1).astype(np.intp)


def _centres(X: Any, labels: NDArray) -> NDArray[np.float64]:
    """(k, d) means of the labelled samples of each cluster."""
    labelled = np.flatnonzero(labels >= 0)
    clusters = labels[labelled].astype(np.intp)
    members = csr_array(
        (np.ones(len(clusters)), (clusters, labelled)), (clusters.max() + 1, len(labels))
    )
    sums = members @ X
    return np.asarray(sums.toarray() if issparse(sums) else sums) / members.sum(axis=1)[:, None]
