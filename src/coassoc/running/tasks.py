"""What to run: a method with its parameters, on the ensembles of a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from coassoc.methods.registry import Method
from coassoc.seeds import seed_from_names
from coassoc.storage.records import Pool

__all__ = ["SCORES_OF_RACES", "Task"]

#: The module whose scores decide races; part of the code behind runs whose points race.
SCORES_OF_RACES = "coassoc.metrics"


@dataclass(frozen=True)
class Task:
    """A method with one or more points of its parameters, on all draws of one size of a pool.

    Attributes
    ----------
    method : str
        Name of the method, part of the seeds.
    estimator : mapping
        Record of its :class:`~coassoc.methods.registry.Method`.
    points : sequence of mappings
        Parameters of each point.
    pool, dataset : str
        Names, parts of the seeds.
    m : int
        Ensemble size.
    n_clusters : int or None
        c as configured; None where it is the number of classes in the pool.
    seed : int
        Root seed.
    race : str or None
        Score by which the points race (:mod:`coassoc.racing`); None where each gets all repeats.
    repeats : int or None
        The first so many draws are run on; None for all.
    """

    method: str
    estimator: Mapping[str, Any]
    points: Sequence[Mapping[str, Any]]
    pool: str
    dataset: str
    m: int
    n_clusters: int | None
    seed: int
    race: str | None = None
    repeats: int | None = None

    def record(self) -> dict[str, Any]:
        """Plain form for a workflow's ``params``; ``Task(**record)`` reads it."""
        return {**asdict(self), "points": [dict(point) for point in self.points]}

    def clusters(self, pool: Pool) -> int:
        """C.

        Raises
        ------
        DataError
            If it is not configured, and the pool knows no classes.
        """
        return self.n_clusters or pool.n_classes

    def repeat_seed(self, repeat: int) -> int:
        """Seed of the method in one repeat: every fit of that repeat, wherever made, has it."""
        return seed_from_names(
            self.seed, self.pool, self.dataset, f"m{self.m}", repeat, self.method
        )

    def factory(self) -> Callable[..., Any]:
        """Makes estimators; the method's module is imported here."""
        return Method(**self.estimator).factory

    def arguments(self, point: int, repeat: int, n_clusters: int) -> dict[str, Any]:
        """What the factory takes in one repeat at one point."""
        random_state = self.repeat_seed(repeat)
        return {"n_clusters": n_clusters, "random_state": random_state, **self.points[point]}
