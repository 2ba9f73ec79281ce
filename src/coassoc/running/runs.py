"""A run: one method with one set of parameters on all draws of one pool.

Repeats are independent, measured one by one, and stored as they finish, so that a run that was
stopped resumes. Methods that differ only in how they end a refinement run together: each has a file
of its own, with what it would have without the others, and a refinement is computed once.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coassoc.errors import DataError
from coassoc.metrics import score_against
from coassoc.racing import race
from coassoc.running.fits import Task, fit, mean_score
from coassoc.running.limits import NO_LIMITS, Fit, Limits, limited
from coassoc.running.provenance import commit, versions
from coassoc.running.repeats import SharedRefinement, run_repeat
from coassoc.storage.hdf5 import read_dataset, read_draws, read_pool, read_run, write_run
from coassoc.storage.journal import RunJournal
from coassoc.storage.records import LEFT_THE_RACE, Pool, RepeatResult, Run, fingerprint

logger = logging.getLogger(__name__)


def execute_runs(
    tasks: Mapping[str | Path, Task],
    pool: Pool,
    features: Any = None,
    *,
    limits: Limits = NO_LIMITS,
) -> list[Run]:
    """Run a method on all draws of m base clusterings, for each point of its parameters.

    Tasks are by the files of their runs, which appear when everything is done. Several must differ
    in nothing but the method's name and its ending. A file that has the results of this very task
    stays as it is, and a stopped run resumes, unless its code, its data or a library changed. Where
    a repeat took longer than the limit, the remaining ones with the same parameters are not tried.
    """
    fits = _Fits(tuple(tasks.values()), pool, features)
    inputs = {
        "n_clusters": fits.n_clusters,
        "pool_fingerprint": pool.attributes.get("fingerprint", ""),
        "features_fingerprint": fingerprint(features),
        **versions(),
    }
    made = [_finished(path, {**task.record(), **inputs}, limits) for path, task in tasks.items()]
    if all(made):
        logger.info("The files are of this code, these data and parameters: nothing is fitted.")
        return [run for run in made if run is not None]
    runs = [
        _UnfinishedRun(path, {**task.record(), **inputs}, len(fits.draws), limits)
        for path, task in tasks.items()
    ]
    with limited(fits, limits) as fit:
        if fits.race is None:
            for p, r in itertools.product(range(len(fits.points)), range(len(fits.draws))):
                _repeat(runs, fit, p, r)
        else:
            _race(runs, fit, fits)
    names = [task.method for task in tasks.values()]
    finished = [run.finished(names) for run in runs]
    for path, run in zip(tasks, finished, strict=True):
        write_run(path, run)
    for each in runs:
        each.journal.remove()
    return finished


def _repeat(runs: Sequence[_UnfinishedRun], fit: Fit, p: int, r: int) -> None:
    """Have each run take or make its result of the repeat that is next at a point."""
    waiting = [i for i, run in enumerate(runs) if not run.settles(p, r)]
    refined = fit(None, p, r) if len(waiting) > 1 else None
    for i in waiting:
        if refined is not None and refined.status != "ok":
            runs[i].add(p, refined)
        else:
            runs[i].add(p, fit(i, p, r))


def _race(runs: Sequence[_UnfinishedRun], fit: Fit, fits: _Fits) -> None:
    """Have the points of the runs race: one stays as long as it is among the better of any run."""

    def scores(p: int, n_repeats: int) -> list[float]:
        for r in range(runs[0].n_results(p), n_repeats):
            _repeat(runs, fit, p, r)
        return [run.mean(p, fits.score) for run in runs]

    race(len(fits.points), len(fits.draws), scores)
    for run in runs:
        run.skip_the_rest()


class _Fits:
    """The fits of runs on the same ensembles, in the process that makes them.

    Called with the number of a run, a point and a repeat, it gives the repeat's result; with None
    as the number of the run it refines for all of them, and keeps that until another repeat.
    """

    def __init__(self, tasks: Sequence[Task], pool: Pool, features: Any) -> None:
        self.draws = read_draws(pool, tasks[0].m)[: tasks[0].repeats]
        self.race = tasks[0].race
        self.n_clusters = tasks[0].clusters(pool)
        self.points = tasks[0].points
        self._tasks = tasks
        self._factories = [task.factory() for task in tasks]
        self._pool = pool
        self._features = features
        self._shared: dict[tuple[int, int], SharedRefinement] = {}

    def __call__(self, run: int | None, p: int, r: int) -> RepeatResult:
        if (p, r) not in self._shared:
            self._shared.clear()
        labels = self._pool.labels[:, self.draws[r]]
        if run is None:
            self._shared[p, r] = SharedRefinement(labels, self._features)
            return self._shared[p, r].refine(self._estimator(0, p, r))
        if (p, r) in self._shared:
            return self._shared[p, r].end(self._estimator(run, p, r))
        return run_repeat(self._estimator(run, p, r), labels, self._features)

    def score(self, labels: np.ndarray) -> float:
        """The score by which points race; unknown where the classes are."""
        if self._pool.y is None:
            return float("nan")
        return score_against(self._pool.references, labels)[str(self.race)]

    def _estimator(self, run: int, p: int, r: int) -> Callable[[], Any]:
        arguments = self._tasks[run].arguments(p, r, self.n_clusters)
        return partial(self._factories[run], **arguments)


def _digest(identity: Mapping[str, Any]) -> str:
    """What makes two runs the same, as a short hash."""
    stamp = json.dumps(identity, sort_keys=True, default=str)
    return hashlib.sha256(stamp.encode()).hexdigest()[:16]


def _finished(path: str | Path, identity: Mapping[str, Any], limits: Limits) -> Run | None:
    """The run of an earlier job that would come out the same; None where there is none."""
    if not Path(path).exists():
        return None
    try:
        run = read_run(path, history=True)
    except DataError:
        return None
    same = run.attributes.get("identity") == _digest(identity)
    ended = all(limits.decide(result.status) for results in run.results for result in results)
    return run if same and ended else None


class _UnfinishedRun:
    """An unfinished run: its results so far, here and in its journal."""

    def __init__(
        self, path: str | Path, identity: Mapping[str, Any], n_repeats: int, limits: Limits
    ) -> None:
        self.journal = RunJournal(path, identity)
        self._identity = dict(identity)
        self._n_repeats = n_repeats
        self._limits = limits
        self._results: list[list[RepeatResult]] = [[] for _ in identity["points"]]

    def settles(self, p: int, r: int) -> bool:
        """Take a repeat's result from the journal, or from one before it that was too slow.

        False, and nothing is taken, where the repeat needs a fit.
        """
        result = self.journal.load(p, r)
        if result is not None and self._limits.decide(result.status):
            self._note(p, result)
            return True
        limits = self._limits
        if limits.minutes is None or limits.too_slow not in (x.status for x in self._results[p]):
            return False
        self.add(p, RepeatResult(None, status=limits.too_slow))
        return True

    def add(self, p: int, result: RepeatResult) -> None:
        """Store the result of the next repeat."""
        self.journal.save(p, len(self._results[p]), result)
        self._note(p, result)

    def n_results(self, p: int) -> int:
        """How many repeats of a point there are so far."""
        return len(self._results[p])

    def mean(self, p: int, score: Callable[[np.ndarray], float]) -> float:
        """Mean score of a point over its repeats so far."""
        return mean_score([result.labels for result in self._results[p]], score)

    def skip_the_rest(self) -> None:
        """Note the repeats that are skipped, since their point left the race."""
        for results in self._results:
            missing = self._n_repeats - len(results)
            results += [RepeatResult(None, status=LEFT_THE_RACE) for _ in range(missing)]

    def finished(self, methods: Sequence[str]) -> Run:
        """The whole run; `methods` are those whose runs were one job."""
        attributes = {**self._identity, "commit": commit(), "identity": _digest(self._identity)}
        if len(methods) > 1:
            attributes["refined_for"] = ", ".join(methods)
        return Run(attributes.pop("points"), self._results, attributes)

    def _note(self, p: int, result: RepeatResult) -> None:
        self._results[p].append(result)
        values = self._identity["points"][p]
        settings = ", ".join(f"{name} = {value}" for name, value in values.items()) or "defaults"
        level, note = (
            (logging.INFO, "") if result.converged else (logging.WARNING, ", not converged")
        )
        logger.log(
            level,
            "%s, %s: repeat %d of %d: %s, %.2f s, %d iterations%s",
            self._identity["method"],
            settings,
            len(self._results[p]),
            self._n_repeats,
            result.status,
            result.seconds,
            result.n_iter,
            note,
        )


def read_inputs(pool_file: str | Path, features_file: str | Path = "") -> tuple[Pool, Any]:
    """A pool, and the features of its data set or None where no file of them is named."""
    return read_pool(pool_file), read_dataset(features_file).X if features_file else None


def first_fit(task: Task, pool: Pool, features: Any = None) -> Any:
    """Fit a method on the first draw of a pool, as a run does first of all."""
    estimator = task.factory()(**task.arguments(0, 0, task.clusters(pool)))
    return fit(estimator, pool.labels[:, read_draws(pool, task.m)[0]], features)
