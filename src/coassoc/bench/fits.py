"""Everything that determines the numbers of a run: seeds, draws, threads and the fit itself.

Where an edit of this module moves labels, the revision of every method concerned has to be raised.
Nothing here stores, limits, measures or logs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.refinement import Refinement
from coassoc.methods.registry import Method
from coassoc.numerics.threads import load_sklearn, one_thread_per_library
from coassoc.seeds import seed_from_names
from coassoc.storage.records import Pool


@dataclass(frozen=True)
class Task:
    """A method with one or more points of its parameters, on all draws of one size of a pool.

    The names of method, pool and data set, m and the root seed make the seeds of its fits.
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
    #: Score by which the points race (:mod:`coassoc.racing`), or None if each point gets all
    #: repeats.
    race: str | None = None
    #: Number of draws to use, from the first on, or None for all.
    repeats: int | None = None
    #: Identity of the code behind the scores, such as "LWEA 1".
    code: str = ""

    def record(self) -> dict[str, Any]:
        """Plain form for a workflow's ``params``; ``Task(**record)`` reads it."""
        return {**asdict(self), "points": [dict(point) for point in self.points]}

    def clusters(self, pool: Pool) -> int:
        """The number of clusters c.

        Raises
        ------
        DataError
            If it is not configured, and the pool knows no classes.
        """
        return self.n_clusters or pool.n_classes

    def draws(self, pool: Pool) -> NDArray[np.intp]:
        """(repeats, m) columns of a pool, those of the ensemble of each repeat."""
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
        """Seed of the method in one repeat: every fit of that repeat, wherever made, has it."""
        return seed_from_names(
            self.seed, self.pool, self.dataset, f"m{self.m}", repeat, self.method
        )

    def factory(self) -> Callable[..., Any]:
        """Makes estimators; the method's module is imported here."""
        return Method(self.method, **self.estimator).factory

    def arguments(self, point: int, repeat: int, n_clusters: int) -> dict[str, Any]:
        """What the factory takes in one repeat at one point."""
        random_state = self.repeat_seed(repeat)
        return {"n_clusters": n_clusters, "random_state": random_state, **self.points[point]}


# The numerical libraries use one thread. Results then do not depend on the number of threads, even
# for estimators from outside the library.


def ensemble_of(labels: NDArray | Ensemble) -> Ensemble:
    """The ensemble of base clusterings of a pool, (n, m) integers, −1 where a label is missing.

    They were made as clusterings, or judged when they were read.
    """
    if isinstance(labels, Ensemble):
        return labels
    return Ensemble.from_clusterings(labels)


def fit(estimator: Any, labels: NDArray | Ensemble, features: Any = None) -> Any:
    """Fit an estimator to an ensemble, and to the features where there are any."""
    with one_thread_per_library():
        if not isinstance(estimator, ConsensusClusterer):
            # A class from outside the library may use the threads of scikit-learn, which can be
            # limited only after it is loaded.
            load_sklearn()
        return estimator.fit(ensemble_of(labels), **_keywords(features))


def refine(estimator: Any, labels: NDArray, features: Any = None) -> Refinement:
    """Compute what several endings of a method share."""
    with one_thread_per_library():
        refinement: Refinement = estimator.refine(ensemble_of(labels), **_keywords(features))
        return refinement


def end(estimator: Any, refinement: Refinement) -> Any:
    """Fit an estimator from a refinement, which gives the same as a fit of its own."""
    with one_thread_per_library():
        return estimator.fit_refined(refinement)


def partition(labels: NDArray) -> NDArray[np.intp]:
    """The clusters of a fit, numbered 0, 1, … in the order of their labels."""
    return np.unique(labels, return_inverse=True)[1]


def mean_score(
    pool: Pool,
    partitions: Sequence[NDArray | None],
    score: Callable[[Sequence[NDArray], NDArray], float],
) -> float:
    """Mean score of a point in a race; not a number where no repeat gave a partition.

    `score` takes the reference labellings of the pool and a partition.
    """
    scores = [score(pool.references, labels) for labels in partitions if labels is not None]
    return float(np.mean(scores)) if scores else float("nan")


def _keywords(features: Any) -> dict[str, Any]:
    return {} if features is None else {"X": features}
