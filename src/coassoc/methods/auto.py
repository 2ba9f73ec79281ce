"""One method for all ensembles, which compares others: ``method="auto"``.

If no number of clusters is requested, WEAC chooses it by the longest lifetime in its dendrogram.
Otherwise three fast methods of different kinds are fitted: a transfer cut (LWGP), a sampled graph
of clusters (MDEC-BG) and cumulative voting (CVote). If they disagree, AWEC is fitted too. Its time
grows with the cube of the number of rows, so it is left out if there are more than 1,000 distinct
rows of labels, more comparisons of pairs than for 1,000 rows in 50 base clusterings, or more than
5,000 clusters in total. The answer is the partition with the largest mean ARI with the others, so
a partition that no other method finds is not the answer.

The result depends only on the labels, so it is the same for any order of samples and base
clusterings, any names of clusters, and any machine: methods use the numbering of
:func:`canonicalize`, which does not depend on the order of the input.
"""

import csv
import logging
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError
from coassoc.methods.base import FewRowsWarning, warn_of_few_rows
from coassoc.methods.parameters import Estimator
from coassoc.methods.registry import METHODS
from coassoc.methods.support import support_of
from coassoc.metrics import pairwise_ari
from coassoc.numerics.integers import as_integer, is_integer

#: Largest numbers of distinct rows n', of comparisons m n'², and of clusters in all base
#: clusterings up to which auto chooses methods that compare all pairs of rows.
MOST_ROWS, MOST_COMPARISONS, MOST_CLUSTERS = 1000, 50_000_000, 5000
#: Number of distinct rows above which clusters are ordered by their sizes alone. More than
#: MOST_CLUSTERS clusters are ordered in the same way.
_BY_SIZE = 50_000
#: The fast methods, and the method that is fitted if they disagree, which wins ties.
FAST, THOROUGH = ("LWGP", "MDEC-BG", "CVote"), "AWEC"
#: Mean ARI between the fast methods below which they disagree.
ALIKE = 0.9
_MEANS = Path(__file__).with_name("choice.csv")


@dataclass(frozen=True)
class Choice:
    """The choice of :func:`choose_method`.

    Attributes
    ----------
    method : str
        Name of a method in :data:`coassoc.methods.METHODS`.
    reason : str
        Why it was chosen.
    """

    method: str
    reason: str

    def __str__(self) -> str:
        return f"auto chose {self.method}: {self.reason}."


#: The choices that do not depend on labels: for similarities, and to compare numbers of clusters.
SIMILARITIES = Choice("EAC-AL", "average linkage of the similarities")
COMPARISONS = Choice("LWEA", "it cuts one dendrogram into each number of clusters")


def is_large(ensemble: Ensemble) -> bool:
    """Whether there are too many rows, or too many clusters, to compare all pairs of rows."""
    rows, L = ensemble.microclusters.count, ensemble.n_clusters_total
    comparisons = ensemble.n_clusterings * rows**2
    return rows > MOST_ROWS or comparisons > MOST_COMPARISONS or L > MOST_CLUSTERS


def choose_method(
    labels: ArrayLike | Ensemble, n_clusters: int | None, random_state: Any = 0
) -> Choice:
    """The method that ``method="auto"`` chooses for an ensemble, and the reason.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings.
    n_clusters : int or None
        c, the number of clusters requested; None for a method that chooses it.
    random_state : int, RandomState, Generator or None
        Seed of the methods.

    Returns
    -------
    Choice

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        As for :meth:`Auto.fit`.

    Examples
    --------
    >>> print(choose_method([[0, 0, 1], [0, 0, 1], [1, 1, 0]], 2))
    auto chose LWGP: it agrees most with the other methods (ARI: MDEC-BG 1.00, CVote 1.00).
    """
    return Auto(n_clusters, random_state=random_state).fit(labels).choice_


@dataclass(frozen=True)
class Measured:
    """Results of a method on ensembles of one kind.

    Attributes
    ----------
    problems, ensembles : int
        Numbers of data sets and of their ensembles.
    mean : float
        Mean ARI against the classes.
    difference, low, high : float
        Mean difference from the method that "auto" chooses, and its 95 % interval, for which data
        sets of the same origin are resampled together.
    """

    problems: int
    ensembles: int
    mean: float
    difference: float
    low: float
    high: float

    @property
    def alike(self) -> bool:
        """Whether the interval contains 0."""
        return self.low <= 0 <= self.high

    @property
    def versus(self) -> str:
        """The difference with its interval."""
        return f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def measured_means(kind: str) -> dict[str, Measured]:
    """Results of each method on ensembles of one kind, the best first."""
    with _MEANS.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["kind"] == kind]
    return {
        line["method"]: Measured(
            int(line["problems"]),
            int(line["ensembles"]),
            *(float(line[name]) for name in ("mean", "difference", "low", "high")),
        )
        for line in lines
    }


def numbering(ensemble: Ensemble, refine: bool = True) -> list[tuple[int, NDArray[np.int32]]]:
    """A canonical order of the base clusterings, and canonical numbers of their clusters.

    Base clusterings are ordered by their clusters, and clusters by their intersections with other
    clusters and, to `refine` the order, by the intersections of these clusters, and so on. Ties
    keep the given order. If there are many rows or clusters, only sizes distinguish the clusters.

    Returns
    -------
    list of (int, (l_j + 1,) array)
        Position of each base clustering, and the new numbers of its clusters, −1 at the end.
    """
    count, L = ensemble.microclusters.count, ensemble.n_clusters_total
    many = count > _BY_SIZE or L > MOST_CLUSTERS
    keys = np.column_stack([ensemble.cluster_sizes] if many else ensemble.cluster_keys)
    ranks = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    if refine and not many:
        ranks = _refined(ranks, ensemble)
    ranks_of = np.split(ranks, ensemble.offsets[1:-1])
    order = sorted(range(len(ranks_of)), key=lambda j: sorted(ranks_of[j]))
    places = (np.argsort(np.argsort(ranks_of[j], kind="stable")) for j in order)
    numbers = (np.append(place, -1).astype(np.int32) for place in places)
    return [*zip(order, numbers, strict=True)]


def _refined(ranks: NDArray[np.intp], ensemble: Ensemble) -> NDArray[np.intp]:
    """Ranks of the L clusters, with as few ties as possible.

    This is colour refinement (Weisfeiler & Leman 1968): a row has the colours of its clusters, and
    a cluster has the colours of its rows. Sums of hashes stand for several colours, so that no
    order matters.
    """
    L, labels = len(ranks), ensemble.distinct_labels
    clusters = np.where(labels >= 0, labels + ensemble.offsets[:-1], L)
    sizes = _hashes(ensemble.microclusters.sizes)
    while ranks.max() + 1 < L:
        colours = np.append(_hashes(ranks), np.uint64(0))
        rows = _hashes(colours[clusters].sum(axis=1) + sizes)
        sums = np.zeros(L + 1, dtype=np.uint64)
        np.add.at(sums, clusters, rows[:, None])
        keys = np.column_stack((ranks.astype(np.uint64), sums[:-1]))
        finer = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        if finer.max() == ranks.max():
            break
        ranks = finer
    return ranks


def _hashes(numbers: NDArray) -> NDArray[np.uint64]:
    """A number of 64 bits for each number (SplitMix64)."""
    x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def renumbered(ensemble: Ensemble, labels: NDArray, refine: bool = True) -> NDArray[np.int32]:
    """Rows of labels of an ensemble in the order and with the numbers of its :func:`numbering`."""
    rows = np.empty(labels.shape, dtype=np.int32)
    for place, (j, new) in enumerate(numbering(ensemble, refine)):
        rows[:, place] = new[labels[:, j]]
    return rows


def canonicalize(ensemble: Ensemble, refine: bool = True) -> Ensemble:
    """The ensemble in its :func:`numbering`, without names of samples and base clusterings."""
    return ensemble.renamed(renumbered(ensemble, ensemble.distinct_labels, refine))


class Auto(Estimator):
    """The partition of several methods that agrees most with the others.

    Parameters
    ----------
    n_clusters : int or None
        c, the number of clusters requested; None for a method that chooses it.
    random_state : int, RandomState, Generator or None
        Seed of the method.

    Attributes
    ----------
    labels_ : (n,) integer array
        Consensus clusters.
    choice_ : Choice
        The method whose partition was chosen, and the reason.
    support_ : Support or None
        Whether the base clusterings determine the answer; None for one clustering or cluster.
    estimator_ : ConsensusClusterer
        The method, fitted to the ensemble after :func:`canonicalize`.
    """

    n_clusters_is: ClassVar = "optional"
    n_clusters: int | None = field(kw_only=False)
    random_state: Any = None

    def fit(self, labels: ArrayLike | Ensemble, y: object = None, *, X: object = None) -> Self:
        """Choose a method, and use it to find the consensus.

        Parameters
        ----------
        labels : (n, m) table of labels, or Ensemble
            The base clusterings; labels may be missing.
        y, X : ignored
            For compatibility with scikit-learn and with methods that see features.

        Raises
        ------
        ConfigError, DataError, MethodError, TooLargeError
            As for the method's ``fit``.
        """
        ensemble = Ensemble.of(labels)
        self.ensemble_ = ensemble
        c, n = as_integer(self.n_clusters), ensemble.n_samples
        if not (c is None or (is_integer(c, 1) and c <= n)):
            allowed = f"It must be an integer from 1 to {n}, or None."
            raise ConfigError(f"n_clusters is {self.n_clusters!r}. {allowed}")
        warn_of_few_rows("auto", c or 0, ensemble)
        given = canonicalize(ensemble)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewRowsWarning)  # each method would repeat it
            self.choice_, self.estimator_ = self._most_agreed(given)
        self.labels_ = self.estimator_.labels_
        self.support_ = None
        if ensemble.n_clusterings > 1 and (n_found := int(self.labels_.max()) + 1) > 1:
            places = {j: place for place, (j, _) in enumerate(numbering(ensemble))}
            names = {places[j]: name for j, name in enumerate(ensemble.clusterings)}
            self.support_ = support_of(given, n_found, names, METHODS[FAST[0]])
        logging.getLogger("coassoc").info("%s", self.choice_)
        return self

    def _fitted(self, name: str, ensemble: Ensemble) -> Any:
        return METHODS[name](self.n_clusters, random_state=self.random_state).fit(ensemble)

    def _most_agreed(self, ensemble: Ensemble) -> tuple[Choice, Any]:
        """The choice among the methods, and the chosen method."""
        if self.n_clusters is None:
            reason = "no number of clusters was requested"
            return Choice("WEAC", reason), self._fitted("WEAC", ensemble)
        fits = {name: self._fitted(name, ensemble) for name in FAST}
        sizes = ensemble.microclusters.weights
        ari = pairwise_ari((fit.labels_ for fit in fits.values()), sizes)
        if ari.sum() - len(ari) < ALIKE * (ari.size - len(ari)) and not is_large(ensemble):
            fits = {THOROUGH: self._fitted(THOROUGH, ensemble), **fits}
            ari = pairwise_ari((fit.labels_ for fit in fits.values()), sizes)
        # Rounded, so that a tie does not depend on the last bit of a sum.
        chosen = [*fits][int(ari.sum(axis=0).round(9).argmax())]
        others = dict(zip(fits, ari[[*fits].index(chosen)], strict=True))
        scores = [f"{name} {others[name]:.2f}" for name in others if name != chosen]
        reason = f"it agrees most with the other methods (ARI: {', '.join(scores)})"
        return Choice(chosen, reason), fits[chosen]

    def predict(self, labels: ArrayLike) -> NDArray[np.intp]:
        """Clusters of new samples.

        See :meth:`coassoc.methods.base.ConsensusClusterer.predict`.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "estimator_")
        rows = renumbered(self.ensemble_, self.ensemble_.encode(labels))
        return self.estimator_._nearest(rows)


def auto(n_clusters: int | None, random_state: Any = None, **parameters: Any) -> Auto:
    """Create an :class:`Auto`. Parameters of a method raise a ConfigError."""
    if parameters:
        raise ConfigError(
            f"method is 'auto', which has no parameter {next(iter(parameters))}. Choose a method "
            "by name to set its parameters."
        )
    return Auto(n_clusters, random_state=random_state)
