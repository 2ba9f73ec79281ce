"""Everything that determines the numbers of a run: seeds, draws, threads and the fit itself.

If an edit of this module changes labels, raise the revision of every affected method. This module
does not store, limit, measure or log anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from coassoc.bench.storage.records import Pool, RepeatResult
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.methods.base import ConsensusClusterer, Refinement
from coassoc.methods.registry import Method
from coassoc.numerics.seeds import seed_from_names
from coassoc.numerics.threads import one_thread_per_library


@dataclass(frozen=True)
class Task:
    """A method with one or more points of its parameters, on all draws of one size of a pool.

    The seeds of its fits depend on the names of the method, the pool and the data set, on m, and on
    the root seed.
    """

    method: str
    #: Record of the method's :class:`~coassoc.methods.registry.Method`.
    estimator: Mapping[str, Any]
    #: Parameters of each point.
    points: Sequence[Mapping[str, Any]]
    pool: str
    dataset: str
    #: Ensemble size.
    m: int
    #: c as configured, or None for the number of classes in the pool.
    n_clusters: int | None
    seed: int
    #: Score for successive halving of the points (:mod:`coassoc.bench.racing`), or None if each
    #: point gets all repeats.
    race: str | None = None
    #: Number of draws to use, from the first on, or None for all.
    repeats: int | None = None
    #: Identity of the code behind the scores, such as "LWEA 1".
    code: str = ""

    def record(self) -> dict[str, Any]:
        """Plain values for the ``params`` of a workflow; ``Task(**record)`` reads them."""
        return dict(vars(self))

    def clusters(self, pool: Pool) -> int:
        """The number of clusters c.

        Raises
        ------
        DataError
            If it is not configured, and the pool has no classes.
        """
        return self.n_clusters or pool.n_classes

    def draws(self, pool: Pool) -> NDArray[np.intp]:
        """(repeats, m) columns of a pool that form the ensemble of each repeat."""
        return pool.draws_of(self.m)[: self.repeats]

    def ensemble(self, pool: Pool, repeat: int) -> NDArray:
        """(n, m) base clusterings of one repeat."""
        if "for_each_k" in pool.attributes:
            raise DataError(
                f"{self.pool}: this pool has a different ensemble for each number of clusters. "
                "Choose a pool with one ensemble for all numbers of clusters."
            )
        return pool.labels[:, self.draws(pool)[repeat]]

    def repeat_seed(self, repeat: int) -> int:
        """Seed of the method in one repeat, the same for every fit of this repeat."""
        return seed_from_names(
            self.seed, self.pool, self.dataset, f"m{self.m}", repeat, self.method
        )

    def factory(self) -> Callable[..., Any]:
        """Callable that creates estimators. Access imports the module of the method."""
        return Method(self.method, **self.estimator).factory

    def arguments(self, point: int, repeat: int, n_clusters: int) -> dict[str, Any]:
        """Arguments of the factory in one repeat at one point."""
        random_state = self.repeat_seed(repeat)
        return {"n_clusters": n_clusters, "random_state": random_state, **self.points[point]}


# The numerical libraries use one thread. Results then do not depend on the number of threads, even
# for estimators from outside the library.


def ensemble_of(labels: NDArray | Ensemble) -> Ensemble:
    """The ensemble of (n, m) base clusterings of a pool; −1 marks a missing label.

    The columns are known to be clusterings, because they were generated or checked when read.
    """
    if isinstance(labels, Ensemble):
        return labels
    return Ensemble.from_clusterings(labels)


def fit(estimator: Any, labels: NDArray | Ensemble, features: Any = None, threads: int = 1) -> Any:
    """Fit an estimator to an ensemble, and to the features if there are any."""
    if not isinstance(estimator, ConsensusClusterer):
        # A class from outside the library may use the threads of scikit-learn, which can be limited
        # only after it is loaded.
        import sklearn  # noqa: F401
    with one_thread_per_library() if threads == 1 else threadpool_limits(threads):
        return estimator.fit(ensemble_of(labels), **_keywords(features))


def refine(estimator: Any, labels: NDArray, features: Any = None) -> Refinement:
    """Compute the refinement that several endings of a method share."""
    with one_thread_per_library():
        refinement: Refinement = estimator.refine(ensemble_of(labels), **_keywords(features))
        return refinement


def end(estimator: Any, refinement: Refinement) -> Any:
    """Fit an estimator from a refinement, with the same result as a full fit."""
    with one_thread_per_library():
        return estimator.fit_refined(refinement)


def partition(labels: NDArray) -> NDArray[np.intp]:
    """The clusters of a fit, numbered 0, 1, … in the order of their labels."""
    return np.unique(labels, return_inverse=True)[1]


def mean_score(
    pool: Pool,
    results: Sequence[RepeatResult],
    score: Callable[[Sequence[NDArray], NDArray], float],
) -> float:
    """Mean score of a point in successive halving; NaN if no repeat gave a partition.

    `score` is a function of the reference labellings of the pool and a partition.
    """
    partitions = (result.labels for result in results if result.labels is not None)
    scores = [score(pool.references, labels) for labels in partitions]
    return float(np.mean(scores)) if scores else float("nan")


def _keywords(features: Any) -> dict[str, Any]:
    return {} if features is None else {"X": features}
