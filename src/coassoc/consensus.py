"""From a table of labels, or from features, to a consensus in one step.

A thin layer: :mod:`coassoc.pools` makes base clusterings, :mod:`coassoc.methods` combines them and
:mod:`coassoc.confidence` judges the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
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

if TYPE_CHECKING:
    import pandas as pd

    # It needs packages that only the extras bring.
    from coassoc.tables.label_streams import LabelStream

__all__ = ["Consensus", "EnsembleClusterer", "consensus_of_files", "find_consensus"]


@dataclass(frozen=True)
class Consensus:
    """What :func:`find_consensus` finds.

    Attributes
    ----------
    ensemble : Ensemble
        The base clusterings.
    labels : (n,) integer array
        Cluster of each sample, 0 … c−1 in order of first appearance.
    confidence : (n,) array
        How sure it is; see :func:`coassoc.confidence.sample_confidence`.
    estimator : object
        The fitted method; those of the library have ``predict`` for new samples.
    """

    ensemble: Ensemble
    labels: NDArray[np.intp]
    confidence: NDArray[np.float64]
    estimator: Any

    @property
    def table(self) -> pd.DataFrame:
        """Cluster and confidence of each sample, with the index of the table of labels."""
        import pandas as pd

        columns = {"cluster": self.labels, "confidence": self.confidence}
        return pd.DataFrame(columns, index=self.ensemble.index)

    def plot(self, path: str | Path) -> None:
        """Draw the co-association matrix ordered by cluster; the suffix sets the format."""
        from coassoc.pages.consensus import plot_consensus_matrix
        from coassoc.pages.style import save

        figure = plot_consensus_matrix(self.ensemble, self.labels)
        save(figure, {Path(path).suffix.removeprefix("."): path})


def find_consensus(
    labels: ArrayLike | Ensemble,
    n_clusters: int | None,
    method: str | Callable[..., Any] = "LWEA",
    *,
    random_state: Any = 0,
    **parameters: Any,
) -> Consensus:
    """Combine base clusterings.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings, one column each; see :class:`coassoc.Ensemble`.
    n_clusters : int or None
        c. See :func:`coassoc.selection.select_n_clusters` for what can be said about it. None for a
        method that chooses it, such as "LOCALSEARCH"; for linkage of co-associations it stands for
        the number of the longest lifetime.
    method : str or callable
        A method that needs no features: its name in :data:`coassoc.methods.METHODS`, or what makes
        an estimator, such as its class.
    random_state : int, RandomState, Generator or None
        Seed of the method.
    **parameters
        Parameters of the method.

    Returns
    -------
    Consensus

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        As the method's ``fit``; ConfigError also for an unknown method.
    """
    make, ensemble = maker_of(method), Ensemble.of(labels)
    estimator = make(n_clusters=n_clusters, random_state=random_state, **parameters)
    clusters = estimator.fit(ensemble).labels_
    return Consensus(ensemble, clusters, sample_confidence(ensemble, clusters), estimator)


def consensus_of_files(
    labels: LabelStream,
    output: str | Path,
    n_clusters: int | None,
    methods: Mapping[str, Callable[..., Any]],
    *,
    random_state: Any = 0,
    told: Callable[[int, int], object] = lambda done, samples: None,
) -> Ensemble:
    """Combine base clusterings that do not fit into memory, and write Parquet.

    Parameters
    ----------
    labels : LabelStream
        The files.
    output : path
        Gets a row for each sample in the order of the files: its name, where a column has it, and
        by each method its cluster and how sure that is. Samples with equal labels have one cluster.
    n_clusters : int or None
        c; None as for :func:`find_consensus`.
    methods : mapping of str to callable
        Makers of estimators by the names of the columns, such as ``METHODS["LWEA"]``.
    random_state : int, RandomState or None
        Seed of the methods.
    told : callable
        Takes the number of samples that are written, and of all.

    Returns
    -------
    Ensemble
        Distinct rows of labels, with the number of samples that have each.

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        As the methods do, and :meth:`coassoc.tables.label_streams.LabelStream.answer`.
    """

    def answer(ensemble: Ensemble) -> dict[str, NDArray]:
        columns: dict[str, NDArray] = {}
        for name, make in methods.items():
            clusters = make(n_clusters=n_clusters, random_state=random_state).fit(ensemble).labels_
            confidence = sample_confidence(ensemble, clusters).astype(np.float32)
            columns |= {name: clusters, f"{name} confidence": confidence}
        return columns

    return labels.answer(Path(output), answer, told)


class EnsembleClusterer(ClusterMixin, BaseEstimator):
    """Clusterer of features for scikit-learn's pipelines: many k-means, then their consensus.

    Parameters
    ----------
    n_clusters : int or None
        c, number of clusters wanted; None as for :func:`find_consensus`.
    method : str or callable
        The consensus method: its name in :data:`coassoc.methods.METHODS`, or what makes an
        estimator, such as its class.
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
    n_features_in_ : int
        d.
    """

    def __init__(
        self,
        n_clusters: int | None,
        *,
        method: str | Callable[..., Any] = "LWEA",
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
            X, [Recipe(k=self.k)], size=self.n_clusterings, n_classes=self.n_clusters, seed=seed
        )
        self.base_centres_ = [_centres(X, column) for column in self.base_labels_.T]
        ensemble = Ensemble(self.base_labels_)
        self.labels_ = self.consensus_.fit(ensemble, X=X).labels_
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
