"""A run: one method with one set of parameters on all draws of one pool.

Repeats are independent, measured one by one, and stored as they finish, so that a stopped run can
resume. A failure is recorded as an outcome and raises no exception. Methods that differ only in the
ending of a refinement run together. The refinement is computed once, and each method has a group in
the file with the same content as in a separate run.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.sparse.linalg import norm

from coassoc.bench import fits
from coassoc.bench.fits import Task
from coassoc.bench.limits import CUT_OFF, NO_LIMITS, Fit, Limits, limited
from coassoc.bench.provenance import commit, kernel, versions
from coassoc.bench.racing import race
from coassoc.bench.storage.hdf5 import as_attributes, read_run, write_runs
from coassoc.bench.storage.journal import RunJournal
from coassoc.bench.storage.records import Outcome, Pool, RepeatResult, Run, fingerprint, hash_of
from coassoc.errors import CoassocError, DataError, MethodError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Refinement
from coassoc.metrics import METRICS, best_score
from coassoc.numerics.integers import as_integer, is_integer
from coassoc.similarity import CoAssociation

logger = logging.getLogger(__name__)

#: Number of samples of the fit that warms up a process.
_FEW_SAMPLES = 60

# -- one repeat -----------------------------------------------------------------------------------


class Meter:
    """Meter of a step, which starts when it is created; it can include an earlier step."""

    #: Seconds, processor seconds and megabytes of the finished step.
    spent: dict[str, Any]

    def __init__(self, earlier: Meter | None = None) -> None:
        now = reset_peak_memory()
        self._in_use: float = earlier._in_use if earlier else now
        self._before = (
            earlier.spent if earlier else dict.fromkeys(("seconds", "cpu_seconds", "peak_mb"), 0.0)
        )
        self._start = time.perf_counter(), time.process_time()

    def stop(self) -> None:
        """The end of the step."""
        wall, cpu = self._start
        self.spent = {
            "seconds": self._before["seconds"] + time.perf_counter() - wall,
            "cpu_seconds": self._before["cpu_seconds"] + time.process_time() - cpu,
            "peak_mb": max(self._before["peak_mb"], peak_memory() - self._in_use),
        }


def reset_peak_memory() -> float:
    """Reset the peak if the system allows it, and return the megabytes in use."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def peak_memory() -> float:
    """Largest resident size so far, in megabytes."""
    try:
        status = Path("/proc/self/status").read_text()
        return float(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return float("nan")


def _is_rejection(error: Exception) -> bool:
    """Whether a method cannot partition the data, perhaps for numerical reasons."""
    return isinstance(error, CoassocError | ArithmeticError | np.linalg.LinAlgError)


def run_repeat(
    make_estimator: Callable[[], Any],
    labels: NDArray,
    features: Any,
    threads: int = 1,
    is_rejection: Callable[[Exception], bool] = _is_rejection,
) -> RepeatResult:
    """Fit an estimator once and measure the fit. A failure is an outcome, not an exception."""
    fit = partial(fits.fit, labels=labels, features=features, threads=threads)
    return _attempt(partial(_fit, make_estimator, fit, len(labels)), is_rejection)


def warm_up(task: Task, point: int, pool: Pool, features: Any = None) -> None:
    """Fit a few samples of a pool at a point and ignore the result.

    This completes imports, compilation and other first steps of a process.
    """
    n = len(pool.labels)
    few = np.linspace(0, n - 1, min(_FEW_SAMPLES, n)).astype(int)
    seen = None if features is None else features[few]
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        estimator = task.factory()(**task.arguments(point, 0, min(task.clusters(pool), 2)))
        fits.fit(estimator, task.ensemble(pool, 0)[few], seen)


def _fit(
    make_estimator: Callable[[], Any],
    fit: Callable[[Any], Any],
    n_samples: int,
    earlier: Meter | None = None,
) -> RepeatResult:
    meter = Meter(earlier)
    estimator = make_estimator()
    fit(estimator)
    meter.stop()
    try:
        return replace(result_of(estimator, n_samples), **meter.spent)
    except MethodError as error:  # an error of the class, not a rejection of the data
        return RepeatResult.without_labels(Outcome.FAILED, str(error))


def _attempt(
    step: Callable[[], RepeatResult], is_rejection: Callable[[Exception], bool] = _is_rejection
) -> RepeatResult:
    """The result of a step, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return step()
    except MemoryError:
        return RepeatResult.without_labels(Outcome.OUT_OF_MEMORY)
    except Exception as error:
        logger.warning("%s", traceback.format_exc())
        if is_rejection(error):
            reason = str(error) or type(error).__name__
            return RepeatResult.without_labels(Outcome.REFUSED, reason)
        # The rest of a table must not depend on the bug of one method. Its cell shows the error.
        return RepeatResult.without_labels(Outcome.FAILED, f"{type(error).__name__}: {error}")


# -- checks of fitted estimators, because a user's own class may set anything ----------------------


def result_of(estimator: Any, n_samples: int) -> RepeatResult:
    """The outcome of a repeat, from the attributes of its fitted estimator.

    Only ``labels_`` is required. Without ``n_iter_``, ``converged_`` and ``n_clusters_found_``, one
    iteration, convergence, and the number of clusters in the labels are assumed.

    Raises
    ------
    MethodError
        If an attribute has another form; the message names the class and the value.
    """
    name = f"{type(estimator).__name__}.labels_"
    advice = f"Set one non-negative integer for each of the {n_samples} samples."
    labels = np.asarray(getattr(estimator, "labels_", None))
    if labels.shape != (n_samples,) or labels.dtype.kind not in "iuf":
        raise MethodError(f"{name} has shape {labels.shape} and type {labels.dtype}. {advice}")
    wrong = (labels != np.floor(labels)) | ~np.isfinite(labels) | (labels < 0)
    if wrong.any():
        raise MethodError(f"{name} has the value {labels[wrong][0]}. {advice}")
    labels, history = fits.partition(labels), getattr(estimator, "history_", {})
    converged = _scalar(estimator, "converged_", True)
    if not isinstance(converged, bool):
        raise MethodError(
            f"{type(estimator).__name__}.converged_ is {converged!r}. Set True or False."
        )
    return RepeatResult(
        labels,
        n_iter=_whole_number(estimator, "n_iter_", 1),
        converged=converged,
        n_clusters_found=_whole_number(estimator, "n_clusters_found_", int(labels.max()) + 1),
        similarity_norm=_similarity_norm(getattr(estimator, "affinity_", None)),
        history={str(name): _numbers(values) for name, values in history.items()},
    )


def _scalar(estimator: Any, name: str, default: Any) -> Any:
    """An attribute, as a type of Python if it is a number of NumPy or an array without axes."""
    value = getattr(estimator, name, default)
    return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value


def _whole_number(estimator: Any, name: str, default: int) -> int:
    value = as_integer(_scalar(estimator, name, default))
    if not is_integer(value, 0):
        raise MethodError(
            f"{type(estimator).__name__}.{name} is {value!r}. Set a non-negative integer."
        )
    return int(value)


def _numbers(values: Any) -> NDArray:
    """Values of ``history_`` as an array that files can hold."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError("history_ must map names to arrays of numbers")
    return array


def _similarity_norm(similarity: Any) -> float:
    """Frobenius norm of the similarity that a method learned; not a number if it learned none."""
    if similarity is None or isinstance(similarity, CoAssociation):
        return float("nan")
    if isinstance(similarity, InvariantMatrix):
        return similarity.norm()
    return float(norm(similarity) if issparse(similarity) else np.linalg.norm(similarity))


# -- all repeats of a run -------------------------------------------------------------------------


def execute_runs(
    path: str | Path,
    tasks: Sequence[Task],
    pool: Pool,
    features: Any = None,
    *,
    limits: Limits = NO_LIMITS,
) -> list[Run]:
    """Run methods on all draws of m base clusterings, for each point of their parameters.

    Several tasks must differ only in the method's name and its ending. Their file appears when all
    fits are done. An existing file with the results of these tasks is kept. A stopped run resumes,
    unless its code, its data or a library has changed. A run with repeats that a lower limit ended
    resumes too. If a repeat takes longer than the limit, the remaining repeats with the same
    parameters are skipped. A repeat that was interrupted for another reason is not evidence about
    the method (see :func:`repeats_cut_off`). In this case no file is written, and the next call
    runs the repeat again.
    """
    job = _Job(tasks, pool, features, limits)
    job.earlier = [_read_earlier_run(path, inputs) for inputs in job.inputs]
    if all(run and all(map(limits.decide, chain(*run.results))) for run in job.earlier):
        logger.info("The file holds the results of this code with these data and parameters.")
        return [run for run in job.earlier if run]
    job.journal = journal = RunJournal(path, hash_of(job.inputs))
    with limited(job, limits, job.warm_up) as fit:
        job.run_all(fit)
    runs = job.finished()
    if repeats_cut_off(runs.values()):
        journal.release()
    else:
        write_runs(path, runs)
        journal.remove()
    return list(runs.values())


def repeats_cut_off(runs: Iterable[Run]) -> list[RepeatResult]:
    """Repeats ended by a signal, or because other processes used the memory."""
    results = chain.from_iterable(chain(*(run.results for run in runs)))
    return [result for result in results if result.outcome in CUT_OFF]


def _read_earlier_run(path: str | Path, inputs: Mapping[str, Any]) -> Run | None:
    """The run of an earlier job with the same inputs; None if there is none."""
    try:
        run = read_run(path, inputs["method"], history=True)
    except DataError:
        return None
    earlier = {**run.attributes, "points": run.points}
    earlier["estimator"] = json.loads(earlier.get("estimator", "{}"))
    compared = as_attributes(_compared(inputs))
    return run if compared.items() <= as_attributes(_compared(earlier)).items() else None


def _compared(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the results of a run depend on: the class and its code, but not the module."""
    estimator = {"location": "", "fixed": {}, **inputs["estimator"]}
    class_name = estimator["location"].rpartition(":")[2]
    return {**inputs, "estimator": [class_name, estimator["fixed"]]}


class _Job:
    """Runs of tasks that differ only in the name of the method and its ending.

    A call with the number of a task, a point and a repeat returns the result of a fit in the
    calling process. With None as the task, it computes the refinement for all tasks, and keeps the
    refinement until the next repeat.
    """

    journal: RunJournal

    def __init__(self, tasks: Sequence[Task], pool: Pool, features: Any, limits: Limits) -> None:
        first, self._tasks, self._pool, self._features = tasks[0], tasks, pool, features
        self._limits = limits
        self._n_repeats = len(first.draws(pool))
        self._n_clusters = first.clusters(pool)
        data = {
            "n_clusters": self._n_clusters,
            "pool_fingerprint": pool.attributes.get("fingerprint", ""),
            "features_fingerprint": fingerprint(features),
            **versions(),
        }
        #: Task, data and libraries behind the results of each task.
        self.inputs = [{**task.record(), **data} for task in tasks]
        #: Runs of an earlier job.
        self.earlier: list[Run | None] = []
        #: Results of the repeats of each task and point so far.
        self._results: list[list[list[RepeatResult]]] = [[[] for _ in t.points] for t in tasks]
        self._factories = [task.factory() for task in tasks]
        self._refined: dict[tuple[int, int], tuple[Refinement, Meter]] = {}

    # Fits, perhaps in a child process.

    def __call__(self, i: int | None, p: int, r: int) -> RepeatResult:
        if (p, r) not in self._refined:
            self._refined.clear()
        if i is None:
            return _attempt(partial(self._refine, p, r))
        make, labels = self._estimator(i, p, r), self._tasks[i].ensemble(self._pool, r)
        if (p, r) not in self._refined:
            return run_repeat(make, labels, self._features)
        refinement, meter = self._refined[p, r]
        end = partial(fits.end, refinement=refinement)
        # Its cost includes the cost of the shared refinement.
        return _attempt(partial(_fit, make, end, len(labels), meter))

    def warm_up(self, i: int | None, p: int, r: int) -> None:
        """Fit a few samples, so that no repeat counts imports and compilation."""
        warm_up(self._tasks[i or 0], p, self._pool, self._features)

    def _refine(self, p: int, r: int) -> RepeatResult:
        labels, meter = self._tasks[0].ensemble(self._pool, r), Meter()
        refinement = fits.refine(self._estimator(0, p, r)(), labels, self._features)
        meter.stop()
        self._refined[p, r] = refinement, meter
        return RepeatResult(None, **meter.spent)

    def _estimator(self, i: int, p: int, r: int) -> Callable[[], Any]:
        arguments = self._tasks[i].arguments(p, r, self._n_clusters)
        return partial(self._factories[i], **arguments)

    # The order of the fits, and their results.

    def run_all(self, fit: Fit) -> None:
        """Compute or reuse all results; `fit` is this job, perhaps in a child process."""
        n_points, metric = len(self._tasks[0].points), self._tasks[0].race
        if metric is None:
            for p, r in product(range(n_points), range(self._n_repeats)):
                self._repeat(fit, p, r)
            return
        score = partial(best_score, METRICS[metric])

        def scores(p: int, n_repeats: int) -> list[float]:
            for r in range(len(self._results[0][p]), n_repeats):
                self._repeat(fit, p, r)
            return [fits.mean_score(self._pool, points[p], score) for points in self._results]

        race(n_points, self._n_repeats, scores)
        for results in chain(*self._results):
            missing = self._n_repeats - len(results)
            results += [RepeatResult.without_labels(Outcome.LEFT_THE_RACE) for _ in range(missing)]

    def _repeat(self, fit: Fit, p: int, r: int) -> None:
        """Reuse or compute the next repeat of each task at a point."""
        waiting = []
        for i in range(len(self._tasks)):
            known = self._known(i, p, r)
            if known is None:
                waiting.append(i)
            else:
                self._add(i, p, known)
        refined = fit(None, p, r) if len(waiting) > 1 else RepeatResult(None)
        for i in waiting:
            is_refined = refined.outcome is Outcome.OK
            self._add(i, p, fit(i, p, r) if is_refined else refined)

    def _known(self, i: int, p: int, r: int) -> RepeatResult | None:
        """The earlier result of a repeat, or that of a previous repeat that was too slow."""
        result, before = self.journal.load(self._tasks[i].method, p, r), self.earlier[i]
        if result is None and before is not None:
            result = before.results[p][r]
            if result.outcome is Outcome.LEFT_THE_RACE:  # the point may survive this time
                return None
        if result is not None and self._limits.decide(result):
            return result
        is_slow = any(x.outcome is Outcome.TOO_SLOW for x in self._results[i][p])
        return self._limits.too_slow if is_slow and self._limits.minutes is not None else None

    def _add(self, i: int, p: int, result: RepeatResult) -> None:
        task, results = self._tasks[i], self._results[i][p]
        self.journal.save(task.method, p, len(results), result)
        results.append(result)
        repeat = f"repeat {len(results)} of {self._n_repeats}"
        outcome = f"{result.status}, {result.seconds:.2f} s, {result.n_iter} iterations"
        logger.info("%s, %s: %s: %s", task.method, dict(task.points[p]), repeat, outcome)

    def finished(self) -> dict[str, Run]:
        """The runs by the names of their methods."""
        names, runs = [task.method for task in self._tasks], {}
        for name, inputs, results in zip(names, self.inputs, self._results, strict=True):
            attributes = {**inputs, "commit": commit(), "kernel": kernel()}
            if len(names) > 1:
                attributes["refined_for"] = ", ".join(names)
            runs[name] = Run(attributes.pop("points"), results, attributes)
        return runs
