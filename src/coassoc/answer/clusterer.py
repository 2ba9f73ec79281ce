"""A scikit-learn estimator: one answer from measurements."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from coassoc.answer.choosing import Compared, Report, choose, nearest_values
from coassoc.answer.views import views_of
from coassoc.errors import ConfigError
from coassoc.io.display import notebook_progress
from coassoc.methods.base import random_state_of
from coassoc.numerics.arrays import plain_array
from coassoc.numerics.integers import as_integer, is_integer
from coassoc.partition.labels import canonical_labels

#: Numbers of clusters that are compared if none is given.
NUMBERS = range(2, 16)
#: More samples are represented by a random sample of this many.
MOST = 100_000
#: Samples that were not fitted follow the nearest among at most this many.
NEAR = 20_000


class EnsembleClusterer(ClusterMixin, BaseEstimator):
    """Clusterer of measurements: many algorithms, and one answer.

    Sixteen algorithms of five kinds (centroids, mixtures, linkage, minimum spanning trees, spectral
    clustering) cluster the measurements as they are and standardised, and sparse counts by
    direction. Candidates are these members and consensus partitions of them. The answer is the
    medoid: the candidate that agrees most with the members. If no number of clusters is given, the
    medoids of several numbers are compared, and the one that agrees most is the answer.

    Parameters
    ----------
    n_clusters : int or None
        c, the number of clusters; None compares the numbers from 2 to 15.
    noise : bool
        Mark outliers by −1: samples at the ends of a minimum spanning tree (Deadwood).
    random_state : int, RandomState, Generator or None
        Seed of the members.
    report : callable, optional
        Called with the name of a step, the number of finished fits and their total. By default,
        notebooks show a progress line and scripts show nothing.

    Attributes
    ----------
    labels_ : (n,) integer array
        Clusters, 0 … c−1 in order of first appearance among the fitted samples (all up to
        100,000); −1 for noise points, if they are asked for.
    confidence_ : (n,) array
        Confidence of the samples; see :func:`coassoc.confidence.sample_confidence`.
    candidates_ : list of Compared
        The name, the kind, the number of clusters and the mean ARI with the members
        of each candidate, the best first. A data frame can be made of the list.
    agreement_ : dict of str to (q,) array
        Adjusted Rand indices of each candidate with the answer's number of clusters with all of
        them, in the same order.
    failed_ : dict of str to str
        Members without labels, and why.
    n_compared_ : int
        Candidates were compared on this many samples; the others got labels from near ones.
    n_features_in_ : int
        d.

    Notes
    -----
    Members that do not scale see 1,200 samples drawn at random. k-means sees all samples, and so do
    trees for up to 10,000 samples in at most 20 dimensions, and for more in at most 4. More than
    100,000 samples are represented by as many drawn at random; others follow near ones of these.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> EnsembleClusterer(2, random_state=0).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    labels_: NDArray[np.intp]
    confidence_: NDArray[np.float64]
    candidates_: list[Compared]
    agreement_: Mapping[str, NDArray[np.float64]]
    failed_: dict[str, str]
    n_compared_: int
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int | None,
        *,
        noise: bool = False,
        random_state: Any = None,
        report: Report | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.noise = noise
        self.random_state = random_state
        self.report = report

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster X.

        Parameters
        ----------
        X : (n, d) array, DataFrame or sparse matrix
            Measurements of at least two samples.
        y : ignored
            For compatibility with scikit-learn.

        Raises
        ------
        ConfigError, DataError
            For an impossible parameter, or masked measurements.
        ValueError
            If X is not a table of finite numbers.
        """
        if np.ma.is_masked(X):
            plain_array("X", X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        c = as_integer(self.n_clusters)
        seed = int(random_state_of(self.random_state).randint(2**31 - 1))
        rows = np.arange(X.shape[0])
        if len(rows) > MOST:
            rows = np.sort(np.random.default_rng(seed).choice(len(rows), MOST, replace=False))
        fitted = X[rows]
        self._choose(fitted, c, seed)
        self._fitted, self._clusters = fitted, self.labels_
        if len(rows) < X.shape[0]:
            self._extend(X, rows)
        if self.noise:
            self._mark_noise(X)
        return self

    def _choose(self, X: Any, c: int | None, seed: int) -> None:
        """The medoid."""
        n = X.shape[0]
        if c is not None and not (is_integer(c, 1) and c <= n):
            raise ConfigError(
                f"n_clusters is {self.n_clusters!r}, for {n} samples. Choose 1 to {n}."
            )
        numbers: Iterable[int] = [k for k in NUMBERS if k < n] if c is None else [c]
        if c in (1, n) or n < 3:
            self.labels_ = np.zeros(n, dtype=np.intp) if c == 1 else np.arange(n)
            self.confidence_ = np.zeros(n)
            self.candidates_, self.agreement_, self.failed_, self.n_compared_ = [], {}, {}, n
            self._view = "raw"
            return
        found = choose(X, numbers, seed, self.report or notebook_progress)
        self.labels_, self.confidence_ = canonical_labels(found.labels), found.confidence
        self.failed_, self.n_compared_ = dict(found.failed), found.n_compared
        self.agreement_ = found.agreement
        self.candidates_, self._view = found.candidates, found.view

    def _extend(self, X: Any, rows: NDArray[np.intp]) -> None:
        """Results of all samples: of the fitted ones in `rows`, and of others from near ones."""
        some = slice(None, None, -(-len(rows) // NEAR))
        fitted = self.labels_, self.confidence_
        known = self._scaled(self._fitted[some])
        found = nearest_values(known, self._scaled(X), *(values[some] for values in fitted))
        for values, own in zip(found, fitted, strict=True):
            values[rows] = own
        self.labels_, self.confidence_ = found

    def _mark_noise(self, X: Any) -> None:
        """−1 for samples that Deadwood finds at the ends of a minimum spanning tree."""
        try:
            from deadwood import Deadwood
        except ImportError:
            raise ConfigError(
                "noise=True takes the package deadwood. Install coassoc[answer]."
            ) from None
        is_noise = Deadwood().fit_predict(views_of(X)["raw"]) < 0
        self.labels_ = np.where(is_noise, -1, self.labels_)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Clusters of new samples: those of the five nearest fitted samples, nearer ones first.

        Fitted samples keep their clusters. Distances are in the view of the answer: of the
        measurements as they are, standardised, or by direction.

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
        known = self._scaled(self._fitted)
        return nearest_values(known, self._scaled(X), self._clusters)[0]

    def _scaled(self, X: Any) -> Any:
        """New samples in the scale of the answer's view."""
        from coassoc.pools.preprocessing import preprocess

        if self._view == "cosine":
            return preprocess(X, ["unit_rows"])
        if self._view == "raw":
            return X
        dense = self._fitted.toarray() if issparse(self._fitted) else self._fitted
        spread = dense.std(axis=0)
        spread[spread == 0] = 1.0
        return csr_array(X) / spread if issparse(X) else X / spread

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
