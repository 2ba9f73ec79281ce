"""The API that all consensus methods share: fitting, checks of the input, memory, bookkeeping."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial
from operator import index
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import ConfigError, DataError, MethodError, TooLargeError, message_of
from coassoc.evidence import Evidence
from coassoc.invariant import InvariantMatrix
from coassoc.io.display import count_of
from coassoc.methods.parameters import (
    Cost,
    Estimator,
    choice,
    declared_parameters,
    integer,
)
from coassoc.methods.registry import METHODS, name_of
from coassoc.metrics import accuracy, cross_table
from coassoc.numerics.arrays import plain_array
from coassoc.numerics.integers import as_integer, is_integer
from coassoc.numerics.threads import memory_of_machine, one_thread_per_library
from coassoc.partition.labels import Array as Array
from coassoc.partition.labels import Labels as Labels
from coassoc.partition.labels import (
    canonical_labels,
    labels_of_samples,
    membership_labels,
    split_to,
)
from coassoc.partition.linkage import (
    agglomerate_samples,
    cut_samples,
    linkage_labels,
    links_rows,
    longest_lifetime,
)
from coassoc.similarity import CoAssociation

RandomState = np.random.RandomState
# Number of connected components of a graph, counted over the samples, and the component of each
# microcluster.
Components = tuple[int, Labels]
#: Largest number whose squares and sums stay within the floating-point range.
_FAR = 1e150
#: Largest number of distinct rows for which a linkage is repeated.
_FEW_ROWS = 1000


class NotConvergedWarning(UserWarning):
    """A method's stopping rule was not met; its ``converged_`` is False."""


class FewRowsWarning(UserWarning):
    """More clusters are requested than there are distinct rows of labels."""


def warn_of_few_rows(method: str, n_clusters: int, ensemble: Ensemble) -> None:
    """Warn if there are more clusters than distinct rows of labels."""
    if n_clusters > (count := ensemble.microclusters.count):
        warnings.warn(
            f"{method}: {n_clusters} clusters were requested, but the labels have only "
            f"{count_of(count, 'distinct row')}. Request fewer clusters, because samples with "
            "equal labels are separated arbitrarily.",
            FewRowsWarning,
            stacklevel=5,
        )


class NeverMetWarning(UserWarning):
    """Because labels are missing, no clustering labels both samples of some pairs."""


class ConsensusClusterer(Estimator):
    """Base class of all methods, which compute consensus labels from base clusterings.

    A subclass declares its parameters as attributes, for which see
    :mod:`coassoc.methods.parameters`, and returns one label per sample from :meth:`_consensus`,
    where it may set ``n_iter_``, ``converged_``, quantities in ``history_``, and the attributes
    that it names in `offers`. Figures can show these quantities and attributes. ``fit`` checks the
    declared bounds.

    Parameters
    ----------
    n_clusters : int or None
        c, number of clusters requested. If `n_clusters_is` is "optional", None requests the number
        with the longest lifetime (:func:`~coassoc.partition.linkage.longest_lifetime`); if it is
        "chosen", the method chooses the number, and None is the only value.
    random_state : int, RandomState, Generator or None
        Seed of the final k-means, unless the class names another step.

    Attributes
    ----------
    labels_ : (n,) integer array
        Consensus clusters, 0 … c−1 in order of first appearance.
    ensemble_ : Ensemble
        The base clusterings.
    n_iter_ : int
        Number of iterations; 1 if the method does not iterate.
    converged_ : bool
        Whether the stopping rule was met; True for methods that do not iterate.
    history_ : dict of str to array
        Quantities with one entry per iteration, for methods whose convergence a figure shows.
    n_clusters_found_ : int
        Number of clusters that the model found. It differs from `n_clusters` only if a learned
        graph has more or fewer components and had to be cut, or if the final k-means has fewer
        distinct points than clusters.
    """

    #: Revision of the method, which a class sets anew where a change of it changes fitted labels.
    revision: ClassVar[int] = 1
    #: Whether ``fit`` needs the features X of the samples as well as the base clusterings.
    uses_features: ClassVar[bool] = False
    #: Whether the method is defined for missing labels.
    takes_missing: ClassVar[bool] = False
    #: Attributes that ``fit`` sets in addition to those of every method, such as ``affinity_``.
    offers: ClassVar[tuple[str, ...]] = ()
    #: Whether the method uses only the co-association matrix of the base clusterings, so that an
    #: :class:`~coassoc.evidence.Evidence` can replace them.
    reads_matrix: ClassVar[bool] = False
    #: Whether `n_clusters` must be given, may be None (the longest lifetime of a dendrogram of
    #: co-associations), or is left out, since the method chooses the number of clusters.
    n_clusters_is: ClassVar[Literal["given", "optional", "chosen"]] = "given"
    #: Whether the result may depend on the order of the samples.
    depends_on_sample_order: ClassVar[bool] = False
    #: What the method does, in a few words.
    title: ClassVar[str] = ""
    #: Reference.
    paper: ClassVar[str] = ""
    #: Time and memory of a fit; None if they were not measured.
    cost: ClassVar[Cost | None] = None

    n_clusters: int = field(kw_only=False)
    random_state: Any = None

    def fit(self, labels: ArrayLike | Ensemble, y: object = None, *, X: Any = None) -> Self:
        """Find the consensus clustering.

        Uses the number of threads set with :func:`coassoc.use_threads`, by default all available
        cores up to ``OMP_NUM_THREADS``; the result does not depend on it.

        Parameters
        ----------
        labels : (n, m) table of labels, or Ensemble
            The base clusterings, one column each; see :class:`coassoc.Ensemble`. Labels may be
            missing if the class's `takes_missing` is True.
        y : ignored
            For compatibility with scikit-learn.
        X : (n, d) array or sparse matrix, optional
            Features of the samples, for methods that use them.

        Raises
        ------
        DataError
            If `labels` or `X` does not have this form.
        ConfigError
            If a parameter has a value that is not allowed.
        MethodError
            If the method cannot give a partition of this ensemble.
        TooLargeError
            If the machine does not have enough memory.
        """
        ensemble, X = self._checked(labels, X)
        try:
            return self._partition(ensemble, lambda seed: self._consensus(ensemble, X, seed))
        except np.linalg.LinAlgError as error:
            raise MethodError(
                f"{name_of(self)}: the equations of {ensemble.n_samples:.3g} samples are singular "
                "in floating-point numbers. Divide the numbers of samples by a common factor, or "
                "choose another method."
            ) from error

    def fit_predict(
        self, labels: ArrayLike | Ensemble, y: object = None, *, X: Any = None
    ) -> NDArray[np.intp]:
        """Find the consensus clustering and return its labels; see :meth:`fit`."""
        return self.fit(labels, X=X).labels_

    def predict(self, labels: ArrayLike) -> Labels:
        """Consensus clusters of new samples, by their labels in the base clusterings.

        A sample joins the fitted samples with the same labels. If there are none, it joins the
        cluster with the largest mean co-association, with the method's weights if it has any; see
        :func:`~coassoc.partition.nearest.nearest_clusters`. Fitted samples therefore keep their
        clusters, unless the method separates samples with equal labels (methods that use features
        or the sample order, CSPA, HGPA, and any method with more clusters than distinct rows);
        these are assigned by majority.

        Parameters
        ----------
        labels : (n_new, m) array or table
            As for :meth:`fit`, with the same columns or, matched by name, some of them. Missing
            labels, and labels that no fitted sample has in the base clustering, are ignored.

        Returns
        -------
        (n_new,) integer array
            Clusters as in `labels_`; −1 for a sample without a known label.

        Raises
        ------
        DataError
            If `labels` is not such a table, or has no label that occurs in the base clusterings.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "labels_")
        return self._nearest(self.ensemble_.encode(labels))

    def _nearest(self, rows: NDArray[np.int32]) -> Labels:
        """Clusters of new samples, whose rows have the numbers of the ensemble's clusters."""
        from coassoc.partition.nearest import nearest_clusters

        similarity = getattr(self, "affinity_", None)
        weights = similarity.weights if isinstance(similarity, CoAssociation) else None
        return nearest_clusters(self.ensemble_, self.labels_, rows, weights)

    @abstractmethod
    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        """Labels of the n samples, exactly ``n_clusters`` different ones."""

    def _partition(self, ensemble: Ensemble, find_labels: Callable[[RandomState], NDArray]) -> Self:
        """Set the attributes of a fit, from a function that returns labels for a seed."""
        self.ensemble_ = ensemble
        self.n_iter_ = 1
        self.converged_ = True
        self.history_: dict[str, NDArray] = {}
        self.n_clusters_found_: int | None = None
        with one_thread_per_library():
            labels = find_labels(random_state_of(self.random_state))
        self.labels_ = canonical_labels(np.asarray(labels))
        count = int(self.labels_.max()) + 1
        if self.n_clusters not in (None, count):
            raise MethodError(
                f"{name_of(self)} found only {count} of {self.n_clusters} clusters. Request fewer "
                "clusters, or choose another method."
            )
        if self.n_clusters_found_ is None:
            self.n_clusters_found_ = count
        if not self.converged_:
            warnings.warn(
                f"{name_of(self)} did not converge in {self.n_iter_} iterations. Allow more "
                "iterations, or choose another method.",
                NotConvergedWarning,
                stacklevel=3,
            )
        return self

    def _cut(self, similarity: InvariantMatrix, linkage: str) -> NDArray[np.intp]:
        """Labels by linkage of the samples with a similarity that does not depend on c.

        It becomes ``affinity_``. ``dendrogram_`` is kept, since
        :func:`~coassoc.partition.linkage.cut_samples` cuts it into any number of clusters.
        """
        self.affinity_: Any = similarity
        self.dendrogram_ = agglomerate_samples(similarity, linkage)
        self._linkage = linkage
        c: int | None = self.n_clusters
        if c is None:
            c = longest_lifetime(self.dendrogram_, similarity)
        return cut_samples(self.dendrogram_, similarity.microclusters, c)

    def _labels_of_membership(self, U: Array) -> Labels:
        """Clusters of the samples after the memberships of the microclusters, (n', c')."""
        labels, self.n_clusters_found_ = membership_labels(U)
        return labels_of_samples(labels, self.ensemble_.microclusters, self.n_clusters)

    def count_tied(self) -> int:
        """Number of samples that change their cluster if ties of a linkage are broken otherwise.

        The linkage is repeated with the distinct rows in five other orders, and the largest number
        is returned: a lower bound. It is 0 for other methods, and above 1,000 distinct rows.
        """
        if not hasattr(self, "_linkage") or self.affinity_.microclusters.count > _FEW_ROWS:
            return 0
        micro, random = self.affinity_.microclusters, np.random.default_rng(0)
        backwards, same = np.arange(micro.count)[::-1], 1.0
        for order in (backwards, *(random.permutation(micro.count) for _ in range(4))):
            others = self._relinked(order, len(np.unique(self.labels_)))
            same = min(same, accuracy(cross_table(self.labels_, others, sizes=micro.weights)))
        return round((1 - same) * micro.n_samples)

    def _relinked(self, order: NDArray[np.intp], n_clusters: int) -> Labels:
        """Labels by the linkage of the distinct rows in another order."""
        S, e = self.affinity_.S[np.ix_(order, order)], self.affinity_.e[order]
        again = InvariantMatrix(S, e, self.affinity_.microclusters.reorder(order))
        return linkage_labels(again, n_clusters, self._linkage)

    def _rounds(self: Any) -> Iterator[int]:
        """Count rounds in ``n_iter_``, until ``converged_`` is set or there are `max_iter`."""
        self.converged_ = False
        numbers = range(1, self.max_iter + 1)
        for self.n_iter_ in numbers:
            yield self.n_iter_
            if self.converged_:
                return

    def _best(self, starts: Iterable[Any], fit: Callable[[Any], Any]) -> Any:
        """The result with the smallest last number among fits from several starts."""
        results = ((fit(start), self.n_iter_, self.converged_) for start in starts)
        best, self.n_iter_, self.converged_ = min(results, key=lambda result: result[0][-1])
        return best

    def _checked(self, labels: ArrayLike | Ensemble, X: Any) -> tuple[Ensemble, Any]:
        """The ensemble and the features, checked together with the parameters."""
        ensemble = Ensemble.of(labels)
        if isinstance(ensemble, Evidence) and not self.reads_matrix:
            reading = [name for name, method in METHODS.items() if method.estimator.reads_matrix]
            raise DataError(
                f"{name_of(self)} needs clusterings, but only similarities were passed. Choose "
                f"one of {', '.join(reading)}."
            )
        for name in ("n_clusters", "random_state"):
            setattr(self, name, as_integer(getattr(self, name)))
        self._check_n_clusters(ensemble)
        self._check_declared_parameters()
        if ensemble.microclusters.counted and (self.uses_features or self.depends_on_sample_order):
            raise DataError(
                f"{name_of(self)} needs every sample, but an ensemble from Ensemble.from_counts "
                "holds only counts. Pass one row for each sample."
            )
        X = self._features(ensemble, X)
        check_memory(self, ensemble)
        self._check_missing(ensemble)
        return ensemble, X

    def _check_declared_parameters(self) -> None:
        for name, parameter in declared_parameters(type(self)).items():
            if parameter.kind == "integer":
                setattr(self, name, as_integer(getattr(self, name)))
            if not parameter.accepts(getattr(self, name)):
                require(self, name, False, parameter.allowed)

    def _check_n_clusters(self, ensemble: Ensemble) -> None:
        c = self.n_clusters
        if self.n_clusters_is == "chosen":
            require(self, "n_clusters", c is None, "left out; the method chooses the number")
        if c is None and self.n_clusters_is != "given":
            return
        micro = ensemble.microclusters
        most = len(micro.assignment)
        or_none = ", or None" if self.n_clusters_is == "optional" else ""
        allowed = f"an integer from 1 to {most}{or_none}"
        require(self, "n_clusters", is_integer(c, 1) and c <= most, allowed)
        if not self.uses_features:
            warn_of_few_rows(name_of(self), c, ensemble)

    def _check_missing(self, ensemble: Ensemble) -> None:
        if not ensemble.has_missing:
            return
        if not self.takes_missing:
            place = ensemble.place(*np.argwhere(ensemble.labels < 0)[0])
            raise DataError(
                f"{name_of(self)} needs complete labels, but {place} has no label. Fill in the "
                "label, or choose a method that accepts missing labels."
            )
        if ensemble.n_unobserved_pairs:
            warnings.warn(
                "No base clustering labels both samples of "
                f"{count_of(ensemble.n_unobserved_pairs, 'pair')}. Such pairs count as never "
                "co-clustered.",
                NeverMetWarning,
                stacklevel=4,
            )

    def _features(self, ensemble: Ensemble, X: Any) -> Any:
        """X as an array or sparse matrix of numbers; None for methods that do not use it."""
        if not self.uses_features:
            return None
        if X is None:
            raise DataError(
                f"{name_of(self)} needs the features of the samples. Call fit(labels, X=X)."
            )
        X = _matrix_of_numbers(X)
        if X.shape[0] != ensemble.n_samples:
            raise DataError(
                f"X has {X.shape[0]} samples, but the base clusterings have {ensemble.n_samples}. "
                "Pass the features of the same samples."
            )
        return X


class GraphLearner(ConsensusClusterer):
    """Base class of methods that learn a graph whose connected components are the clusters.

    `random_state` is the seed of k-means, which is needed only if the graph does not have c
    components.

    Attributes
    ----------
    n_clusters_found_ : int
        Number of connected components of the graph.
    converged_ : bool
        Whether the graph has c components according to the method's own check.
    """

    def _labels_of(
        self,
        components: Components,
        degree: Array,
        random_state: RandomState,
        cut_graph: Callable[[], Labels],
    ) -> Labels:
        """Labels of the n samples from the components of the learned graph.

        `degree` has the sum of the edge weights of a sample of each microcluster, (n',), and
        `cut_graph` gives labels of the n samples if the graph has too few components. If it has too
        many, :func:`~coassoc.partition.components.merge_components` joins them.
        """
        self.n_clusters_found_, component = components
        c, micro = self.n_clusters, self.ensemble_.microclusters
        if self.n_clusters_found_ == c:
            return micro.expand(component)
        if micro.count <= c:
            return split_to(micro.assignment, c)
        if self.n_clusters_found_ < c:
            return cut_graph()
        from coassoc.partition.components import merge_components

        return micro.expand(merge_components(self.ensemble_, component, degree, c, random_state))

    def _labels_of_similarity(
        self, components: Components, S: InvariantMatrix, random_state: RandomState
    ) -> Labels:
        """Store a graph; return its components, or its spectral cut if there are not c of them."""
        from coassoc.partition.spectral import spectral_labels

        self.affinity_ = S
        cut_graph = partial(spectral_labels, S, self.n_clusters, random_state)
        return self._labels_of(components, S.row_sums(), random_state, cut_graph)


class KMeansEnding(ConsensusClusterer):
    """Base class of methods that end with k-means on points, one for each microcluster.

    Parameters
    ----------
    init : {"k-means++", "random"}
        Initial centroids of a k-means start: random samples that are far from each other
        (k-means++), or random samples with equal probabilities.
    n_init : int
        Number of k-means starts, of which the best is used.

    Attributes
    ----------
    n_clusters_found_ : int
        Number of clusters that k-means found. If k-means has fewer than c distinct points, this
        number is smaller than c, and a FewPointsWarning is raised. Rows of labels are then split
        off arbitrarily until there are c clusters.
    """

    init: str = choice("k-means++", ("k-means++", "random"))
    n_init: int = integer(10, minimum=1)

    def _cluster(self, points: Array, micro: Microclusters, random_state: RandomState) -> Labels:
        from coassoc.partition.spectral import k_means

        labels = k_means(points, self.n_clusters, random_state, micro.r, self.n_init, self.init)
        if len(points) > self.n_clusters:
            self.n_clusters_found_ = len(np.unique(labels))
        return labels_of_samples(labels, micro, self.n_clusters)


class Refinement(NamedTuple):
    """A refined similarity, from which each ending of the method computes a partition.

    Attributes
    ----------
    ensemble : Ensemble
        The base clusterings.
    refined : object
        Input of the endings.
    """

    ensemble: Ensemble
    refined: Any


class RefiningClusterer(ConsensusClusterer):
    """Base class of methods whose parameter `ending` sets the final clustering step.

    The refinement depends neither on `ending` nor on `random_state`, so that several endings can
    share one. The labels of each ending are the same as after a separate refinement::

        refinement = LTA(10).refine(labels)
        by_linkage = LTA(10, ending="linkage").fit_refined(refinement)
        by_spectra = LTA(10, ending="spectral", random_state=0).fit_refined(refinement)

    A subclass declares the parameter `ending`, refines in :meth:`_refine`, and sets the attributes
    that it `offers` in :meth:`_end`.
    """

    ending: str

    def refine(self, labels: ArrayLike | Ensemble, *, X: Any = None) -> Refinement:
        """Compute the refinement that all endings share, for :meth:`fit_refined`.

        Parameters and errors are those of :meth:`fit`.
        """
        ensemble, X = self._checked(labels, X)
        with one_thread_per_library():
            refined = self._refine(ensemble, X)
        return Refinement(ensemble, refined)

    def fit_refined(self, refinement: Refinement) -> Self:
        """Find the same consensus clustering as :meth:`fit`, from a refinement.

        Parameters
        ----------
        refinement : Refinement
            Result of :meth:`refine` of an estimator with the same parameters, except `ending` and
            `random_state`.

        Raises
        ------
        ConfigError
            If `ending` is not allowed.
        MethodError
            If the ending cannot give a partition.
        """
        self._check_declared_parameters()
        ensemble, refined = refinement
        return self._partition(ensemble, lambda seed: self._end(refined, seed))

    @abstractmethod
    def _refine(self, ensemble: Ensemble, X: Any) -> Any:
        """The refinement that all endings share. It must not set attributes of this estimator."""

    @abstractmethod
    def _end(self, refined: Any, random_state: RandomState) -> Labels:
        """Labels of the n samples by the ending, and the attributes of the fitted estimator."""

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        return self._end(self._refine(ensemble, X), random_state)


def _matrix_of_numbers(X: Any) -> Any:
    """X as an array or a sparse matrix of finite numbers, whose squares are finite too."""
    from scipy.sparse import issparse
    from sklearn.utils import check_array

    try:
        plain_array("X", X.data if issparse(X) else X)
        matrix = check_array(X, accept_sparse=True, ensure_min_samples=0, ensure_min_features=0)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(f"X: {message_of(error)}.") from error
    largest = float(abs(matrix).max()) if 0 not in matrix.shape else 0.0
    if largest > _FAR or 0 < largest < 1 / _FAR:
        raise DataError(
            f"X: the largest absolute value is {largest:.3g}, but squares need values between "
            f"{1 / _FAR:g} and {_FAR:g}. Pass X in a different unit."
        )
    return matrix


def random_state_of(seed: Any) -> RandomState:
    """A RandomState for a seed, a RandomState or a Generator.

    Raises
    ------
    ConfigError
        If the argument is none of these.
    """
    if isinstance(seed, np.random.Generator):
        return RandomState(seed.bit_generator)
    if isinstance(seed, RandomState):
        return seed
    if seed is None:  # the global generator of NumPy, as in scikit-learn
        return cast(RandomState, np.random.mtrand._rand)
    try:
        return RandomState(index(as_integer(seed)))
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"random_state is {seed!r}. It must be a non-negative integer, a NumPy RandomState or "
            "Generator, or None."
        ) from error


def require(estimator: object, parameter: str, condition: bool, allowed: str) -> None:
    """Raise a ConfigError that names method, parameter and value if `condition` is false."""
    if not condition:
        value = getattr(estimator, parameter)
        raise ConfigError(f"{name_of(estimator)}: {parameter} is {value!r}. It must be {allowed}.")


def history_of(names: Sequence[str], rounds: Sequence[Sequence[float]]) -> dict[str, NDArray]:
    """Some quantities as one array per name, from one number of each per round."""
    return dict(zip(names, map(np.array, zip(*rounds, strict=True)), strict=True))


def obstacles(labels: ArrayLike | Ensemble, features: bool = False) -> dict[str, str]:
    """Reasons why methods cannot be applied to some base clusterings.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        See :class:`coassoc.Ensemble`.
    features : bool
        Whether the features of the samples are available.

    Returns
    -------
    dict of str to str
        Method in :data:`coassoc.methods.METHODS` → reason why it cannot be applied; an empty string
        if it can be applied.

    Raises
    ------
    DataError
        If `labels` is not a table of labels.

    Examples
    --------
    >>> found = obstacles([[0, 0], [0, None], [1, 1]])
    >>> found["LWEA"], found["SEC"], found["ACMK-KM"]
    ('', 'needs complete labels', "needs the samples' features and complete labels")
    """
    ensemble = Ensemble.of(labels)
    return {name: _obstacle(name, ensemble, features) for name in METHODS}


def _obstacle(name: str, ensemble: Ensemble, features: bool) -> str:
    estimator = METHODS[name](2)
    counted = ensemble.microclusters.counted
    lacking = {
        "the samples' features": estimator.uses_features and not features,
        "the samples themselves": counted and estimator.depends_on_sample_order,
        "complete labels": ensemble.has_missing and not estimator.takes_missing,
    }
    needed = " and ".join(what for what, lacks in lacking.items() if lacks)
    if needed:
        return f"needs {needed}"
    try:
        check_memory(estimator, ensemble)
    except TooLargeError:
        return "needs more memory than is available"
    return ""


def needed_memory(estimator: Any, ensemble: Ensemble) -> float:
    """Gigabytes at the peak of a fit of an ensemble, in addition to the ensemble.

    0 if the class of the method declares no cost.
    """
    cost = estimator.cost
    if cost is None:
        return 0.0
    on_samples = estimator.uses_features or estimator.depends_on_sample_order
    q = ensemble.n_samples if on_samples else ensemble.microclusters.count
    links = cost.links_labels == "any" or (cost.links_labels and not ensemble.has_missing)
    links = links and links_rows(ensemble, getattr(estimator, "linkage", "average"))
    sizes = q, ensemble.n_clusterings, ensemble.n_clusters_total
    return 1e-3 * float(cost.megabytes(*sizes, links_rows=bool(links)))


def check_memory(estimator: Any, ensemble: Ensemble) -> None:
    """Raise a TooLargeError if there is not enough memory for a fit."""
    needed, most = needed_memory(estimator, ensemble), memory_of_machine() / 1e3
    if needed > most:
        raise TooLargeError(
            f"{name_of(estimator)} needs at least {needed:,.1f} GB for this ensemble, but the "
            f"machine has {most:,.1f} GB. Choose another method; `coassoc methods --for FILE` "
            "lists those that fit."
        )
