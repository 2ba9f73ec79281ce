"""The consensus of base clusterings in one step.

This is a thin layer: :mod:`coassoc.methods` combines the base clusterings, and
:mod:`coassoc.confidence` assesses the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.confidence import agreement_with_base, sample_confidence
from coassoc.ensemble import Ensemble
from coassoc.errors import CoassocError, ConfigError
from coassoc.evidence import Evidence
from coassoc.io.display import cluster_numbers, count_of, sizes_in_words
from coassoc.methods import resolve_method
from coassoc.methods.auto import SIMILARITIES, Choice
from coassoc.similarity import co_association

if TYPE_CHECKING:
    from coassoc.alignment import Alignment

    # These types need packages that only the extras install.
    from coassoc.io.streams import LabelStream, StoredRows
    from coassoc.methods.leaders import Agreement
    from coassoc.methods.names import MethodName
    from coassoc.methods.support import Support

T = TypeVar("T")

#: With fewer samples, clusters of one sample are plausible.
_ENOUGH_SAMPLES = 20


@dataclass(frozen=True)
class Consensus:
    """The result of :func:`find_consensus`.

    Attributes
    ----------
    ensemble : Ensemble
        The base clusterings.
    labels : (n,) integer array
        Cluster of each sample, 0 … c−1 in order of first appearance. `names` has their names.
    confidence : (n,) array
        Confidence of each sample; see :func:`coassoc.confidence.sample_confidence`.
    estimator : object
        The fitted method. Methods of the library have ``predict`` for new samples.
    alignment : Alignment or None
        Alignment of the clusters to those of an earlier clustering, if one was given.
    choice : Choice or None
        The choice of ``method="auto"`` and the reason; None if a method was named.
    support : Support or None
        With ``method="auto"``, whether the base clusterings determine the answer; None for one base
        clustering or one cluster.
    agreement : Agreement or None
        Agreement of five methods of different kinds with the result, if it was requested.
    """

    ensemble: Ensemble
    labels: NDArray[np.intp]
    confidence: NDArray[np.float64]
    estimator: Any
    alignment: Alignment | None = None
    choice: Choice | None = None
    support: Support | None = None
    agreement: Agreement | None = None

    @property
    def names(self) -> NDArray:
        """(n,) name of the cluster of each sample, which is its label if there is no alignment."""
        return self.labels if self.alignment is None else np.asarray(self.alignment.labels)

    @property
    def shown(self) -> NDArray:
        """(n,) names of the clusters in files and figures: numbers from 1 if not aligned."""
        return self.names if self.alignment else cluster_numbers(self.labels)

    @property
    def table(self) -> Any:
        """Name of the cluster and confidence of each sample, and the agreement if requested.

        If the base clusterings have two answers, the table contains both (missing: −1).

        If the labels were a polars DataFrame or an Arrow Table, the table has the same type, with
        the sample names as its first column. Otherwise it is a pandas DataFrame with the index of
        the labels. The ``attrs`` of the latter contain the "method" that "auto" chose, the "choice"
        and the "support" in words, and the "verdict" on the agreement.
        """
        columns = {"cluster": self.names, "confidence": self.confidence}
        if self.agreement is not None:
            columns["agreement"] = self.agreement.samples
        columns |= self.answers
        table = self.ensemble.frame(columns)
        if not hasattr(table, "attrs"):
            return table
        if self.agreement is not None:
            table.attrs["verdict"] = self.agreement.verdict
        if self.choice is not None:
            table.attrs |= {"method": self.choice.method, "choice": str(self.choice)}
        if self.support is not None:
            table.attrs["support"] = self.support.verdict
        return table

    @property
    def answers(self) -> dict[str, NDArray[np.intp]]:
        """(n,) clusters of each of two answers by name; empty if there is one."""
        both: Any = () if self.support is None else self.support.answers.T
        return {f"answer {i}": labels for i, labels in enumerate(both, start=1)}

    @cached_property
    def n_tied(self) -> int:
        """Least number of samples that ties of a linkage decided; 0 for other methods.

        These samples are in another cluster if merges of equal height are made in another order.
        """
        return self.estimator.count_tied() if hasattr(self.estimator, "count_tied") else 0

    @property
    def ties(self) -> str:
        """What ties decided, in words; empty if they decided nothing."""
        if not self.n_tied:
            return ""
        return (
            f"Ties decided: at least {count_of(self.n_tied, 'sample')} could be in another cluster "
            "at no cost, because several merges have the same height."
        )

    @property
    def similarity(self) -> NDArray[np.float64]:
        """(n, n) co-association of the samples, or the similarities that were given."""
        return np.asarray(co_association(self.ensemble))

    @cached_property
    def nmi_with_base(self) -> NDArray[np.float64]:
        """(m,) NMI with each base clustering; empty for similarities."""
        if isinstance(self.ensemble, Evidence):
            return np.empty(0)
        return agreement_with_base(self.ensemble, self.labels)

    def plot(self, path: str | Path) -> None:
        """Draw the co-association matrix ordered by cluster; the suffix sets the format."""
        from coassoc.pages.pictures import plot_consensus_matrix
        from coassoc.pages.style import save

        figure = plot_consensus_matrix(self.ensemble, self.shown, self.confidence)
        save(figure, {Path(path).suffix.removeprefix("."): path})

    def __repr__(self) -> str:
        given = self.ensemble
        of = (
            "similarities"
            if isinstance(given, Evidence)
            else count_of(given.n_clusterings, "clustering")
        )
        samples = count_of(given.n_samples, "sample")
        nearer = count_of(int((self.confidence < 0).sum()), "sample")
        lines = [
            f"Consensus of {of} of {samples}: {sizes_in_words(self.names)}",
            f"mean confidence {self.confidence.mean():.2f}; {nearer} closer to another cluster",
        ]
        lines += [self.ties] if self.ties else []
        lines += [str(self.choice)] if self.choice else []
        lines += [self.support.verdict] if self.support else []
        lines += [self.alignment.summary] if self.alignment else []
        lines += [self.agreement.verdict] if self.agreement else []
        return "\n".join(lines)


def find_consensus(
    labels: ArrayLike | Ensemble | None = None,
    n_clusters: int | Literal["auto"] | None = None,
    method: MethodName | Callable[..., Any] = "auto",
    *,
    similarity: Any = None,
    random_state: Any = 0,
    weights: ArrayLike | None = None,
    align_to: Any = None,
    agreement: bool = False,
    **parameters: Any,
) -> Consensus:
    """Combine base clusterings.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings, one column each; see :class:`coassoc.Ensemble`. None if `similarity`
        is given instead.
    n_clusters : int, "auto" or None
        c, the number of clusters; :func:`coassoc.selection.select_n_clusters` helps to choose it.
        With None or "auto", the method chooses c, such as "LOCALSEARCH"; linkage methods choose it
        by the longest lifetime.
    method : str or callable
        "auto" compares several methods; the result contains the `choice` and its `support`. For
        similarities, it is average linkage ("EAC-AL"). Otherwise pass a method that needs no
        features: a name in :data:`coassoc.methods.METHODS`, or a callable that returns an
        estimator, such as a class.
    similarity : (n, n) array, data frame or Evidence, optional
        Similarity of each pair of samples, from 0 to 1; see :class:`coassoc.evidence.Evidence`.
        Allowed only for methods that need nothing but a co-association matrix.
    random_state : int, RandomState, Generator or None
        Seed of the method.
    weights : (m,) array of integers, optional
        How often each clustering counts; see :class:`coassoc.Ensemble`.
    align_to : (n,) array or Series, optional
        An earlier clustering that names the clusters; see `to` in :func:`coassoc.align`. If it is a
        Series, its index and the index of `labels` name the samples.
    agreement : bool
        Whether to also fit five methods of different kinds and report how well they agree with the
        result (:class:`coassoc.methods.leaders.Agreement`).
    **parameters
        Parameters of the method.

    Returns
    -------
    Consensus

    Warns
    -----
    UserWarning
        If there is only one base clustering, or if there are nearly as many clusters as samples.

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        The errors of the method's ``fit`` and of :func:`coassoc.align`, and ConfigError for an
        unknown method.
    """
    n_clusters = None if isinstance(n_clusters, str) and n_clusters == "auto" else n_clusters
    if isinstance(similarity, str):  # EC-CMS has a parameter called similarity
        similarity, parameters = None, {**parameters, "similarity": similarity}
    if (labels is None) == (similarity is None):
        raise ConfigError(
            "find_consensus needs either labels or similarity. Pass exactly one of the two."
        )
    if weights is not None and (labels is None or isinstance(labels, Ensemble)):
        raise ConfigError(
            "weights are for clusterings in a table. Pass Ensemble(labels, weights=weights)."
        )
    ensemble = Ensemble.of(labels) if similarity is None else Evidence(similarity)
    ensemble = ensemble if weights is None else Ensemble(labels, weights=weights)
    given = isinstance(ensemble, Evidence)
    choice = SIMILARITIES if given and method == "auto" else None
    make = resolve_method(choice.method if choice else method)
    if ensemble.n_clusterings == 1:
        message = (
            "There is only one base clustering. Pass at least two base clusterings to combine."
        )
        warnings.warn(message, stacklevel=2)
    estimator = make(n_clusters=n_clusters, random_state=random_state, **parameters)
    clusters = estimator.fit(ensemble).labels_
    n_found, n = len(np.unique(clusters)), ensemble.n_samples
    if n_clusters is None and n >= _ENOUGH_SAMPLES and 2 * n_found > n:
        message = (
            f"The consensus of {n} samples has {n_found} clusters. Check that all columns are "
            "clusterings, or request a number of clusters."
        )
        warnings.warn(message, stacklevel=2)
    alignment = None
    if align_to is not None:
        from coassoc.alignment import aligned_to

        alignment = aligned_to(align_to, clusters, ensemble.index)
    choice, support = getattr(estimator, "choice_", choice), getattr(estimator, "support_", None)
    confidence = sample_confidence(ensemble, clusters)
    agreed = None
    if agreement:
        from coassoc.methods.leaders import agreement_of_leaders

        agreed = agreement_of_leaders(ensemble, clusters, random_state)
    return Consensus(ensemble, clusters, confidence, estimator, alignment, choice, support, agreed)


def apply_methods(
    methods: Mapping[str, Callable[..., Any]], ask: Callable[..., T]
) -> tuple[dict[str, T], dict[str, str]]:
    """Ask for a result by each of several methods.

    Parameters
    ----------
    methods : mapping of str to callable
        Name → callable that returns an estimator.
    ask : callable
        Function with the parameter `method`, such as :func:`find_consensus` of some labels.

    Returns
    -------
    results : dict of str to object
        Name → result.
    failures : dict of str to str
        Name → reason why there is no result.

    Raises
    ------
    CoassocError, MemoryError
        The error of the first method, if no method has a result.
    """
    results: dict[str, T] = {}
    errors: dict[str, CoassocError | MemoryError] = {}
    for name, make in methods.items():
        try:
            results[name] = ask(method=make)
        except (CoassocError, MemoryError) as error:
            errors[name] = error
    if not results:
        raise next(iter(errors.values()))
    return results, {
        name: f"skipped: {str(error) or 'not enough memory'}" for name, error in errors.items()
    }


def consensus_of_files(
    labels: LabelStream,
    output: str | Path,
    n_clusters: int | Literal["auto"] | None,
    methods: Mapping[str, Callable[..., Any]],
    *,
    random_state: Any = 0,
    agreement: bool = False,
) -> dict[str, Consensus]:
    """Combine base clusterings that do not fit into memory, and write Parquet.

    Parameters
    ----------
    labels : LabelStream
        The files.
    output : path
        Output file with a row for each sample in the order of the files. A row has the sample's
        name, if a column names the samples, and the cluster and confidence for each method. If
        the base clusterings have two answers, it also has both. Samples with equal labels have the
        same cluster.
    n_clusters : int, "auto" or None
        c, as for :func:`find_consensus`.
    methods : mapping of str to callable
        Column name → callable that returns an estimator, such as ``METHODS["LWEA"]``. For
        ``"auto"``, the column has the name of the chosen method.
    random_state : int, RandomState or None
        Seed of the methods.
    agreement : bool
        As for :func:`find_consensus`. The output then has a column of agreement for each method.

    Returns
    -------
    dict of str to Consensus
        Column name → consensus of the distinct rows of labels. Its ensemble has the number of
        samples of each row.

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        The errors of the methods and of :meth:`coassoc.io.streams.LabelStream.answer`.
    """
    results = {}

    def answer(rows: StoredRows) -> dict[str, NDArray]:
        every = range(rows.labels.shape[1])  # checked when the labels were read
        ensemble, columns = Ensemble.from_counts(rows.labels, rows.sizes, columns=every), {}
        options: Any = {"random_state": random_state, "agreement": agreement}
        ask = partial(find_consensus, ensemble, n_clusters, **options)
        found, failures = apply_methods(methods, ask)
        for name, reason in failures.items():
            warnings.warn(f"{name}: {reason}", stacklevel=2)
        for name, each in found.items():
            called = each.choice.method if each.choice else name
            results[called] = each
            columns[called] = each.shown
            columns[f"{called} confidence"] = each.confidence.astype(np.float32)
            if each.agreement is not None:
                columns[f"{called} agreement"] = each.agreement.samples.astype(np.float32)
            for number, labels in each.answers.items():
                columns[f"{called} {number}"] = np.ma.masked_less(labels + 1, 1)
        return columns

    labels.answer(Path(output), answer)
    return results
