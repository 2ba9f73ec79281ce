"""A run: one method with one set of parameters on all draws of one pool.

Repeats are independent, measured one by one, and stored as they finish, so that a stopped run can
resume. A failure is recorded as an outcome and raises no exception. Methods that differ only in the
ending of a refinement run together. The refinement is computed once, and each method has a group in
the file with the same content as in a separate run.
"""

from __future__ import annotations

import contextlib
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
from coassoc.errors import CoassocError, DataError, MethodError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.refinement import Refinement
from coassoc.metrics import METRICS, best_score
from coassoc.numerics.integers import is_integer
from coassoc.provenance import commit, kernel, versions
from coassoc.racing import race
from coassoc.storage.hdf5 import read_run, write_runs
from coassoc.storage.journal import RunJournal
from coassoc.storage.records import Outcome, Pool, RepeatResult, Run, fingerprint, hash_of

logger = logging.getLogger(__name__)

#: Number of samples of the fit that warms up a process.
_FEW_SAMPLES = 60

# -- one repeat -----------------------------------------------------------------------------------


class Meter:
    """Meter of a step, which starts when it is created; it can include an earlier step."""

    def __init__(self, earlier: Meter | None = None) -> None:
        now = reset_peak_memory()
        self._in_use: float = earlier._in_use if earlier else now
        self.spent: dict[str, Any] = earlier.spent if earlier else {}
        self._start = time.perf_counter(), time.process_time()

    def stop(self) -> dict[str, Any]:
        """Seconds, processor seconds and megabytes, under the names in RepeatResult."""
        wall, cpu = self._start
        before = self.spent.get
        self.spent = {
            "seconds": before("seconds", 0.0) + time.perf_counter() - wall,
            "cpu_seconds": before("cpu_seconds", 0.0) + time.process_time() - cpu,
            "peak_mb": max(before("peak_mb", 0.0), peak_memory() - self._in_use),
        }
        return self.spent


def _is_rejection(error: Exception) -> bool:
    """Whether a method cannot partition the data, perhaps for numerical reasons."""
    return isinstance(error, CoassocError | ArithmeticError | np.linalg.LinAlgError)


def run_repeat(
    make_estimator: Callable[[], Any],
    labels: np.ndarray,
    features: Any,
    is_rejection: Callable[[Exception], bool] = _is_rejection,
) -> RepeatResult:
    """Fit an estimator once and measure the fit. A failure is an outcome, not an exception."""
    return _attempt(
        _fit,
        make_estimator,
        len(labels),
        lambda estimator: fits.fit(estimator, labels, features),
        is_rejection=is_rejection,
    )


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
    n_samples: int,
    fit: Callable[[Any], Any],
    earlier: Meter | None = None,
) -> RepeatResult:
    meter = Meter(earlier)
    estimator = make_estimator()
    fit(estimator)
    spent = meter.stop()
    try:
        result = result_of(estimator, n_samples)
    except MethodError as error:  # an error of the class, not a rejection of the data
        return RepeatResult.without_labels(Outcome.FAILED, str(error))
    return replace(result, **spent)


def _attempt(
    step: Callable[..., RepeatResult],
    *arguments: Any,
    is_rejection: Callable[[Exception], bool] = _is_rejection,
) -> RepeatResult:
    """The result of a step, or why there is none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = step(*arguments)
        except MemoryError as error:
            logger.warning("%s", error)
            return RepeatResult.without_labels(Outcome.OUT_OF_MEMORY)
        except Exception as error:
            if is_rejection(error):
                logger.warning("%s", traceback.format_exc())
                reason = str(error) or type(error).__name__
                return RepeatResult.without_labels(Outcome.REFUSED, reason)
            # The rest of a table must not depend on the bug of one method. Its cell shows the
            # error.
            logger.error("%s", traceback.format_exc())
            return RepeatResult.without_labels(Outcome.FAILED, f"{type(error).__name__}: {error}")
    for warning in caught:
        if issubclass(warning.category, NotConvergedWarning):
            continue  # the log line of the repeat reports this
        logger.info("%s: %s", warning.category.__name__, warning.message)
    return result


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


# -- checks of fitted estimators, because a user's own class may set anything ----------------------


def result_of(estimator: Any, n_samples: int) -> RepeatResult:
    """The outcome of a repeat, from the attributes of its fitted estimator.

    Only ``labels_`` is required. Without ``n_iter_``, ``converged_`` and ``n_clusters_found_``, one
    iteration, convergence, and the number of clusters in the labels are assumed. An attribute of
    another form raises a MethodError that names the class, the attribute and the value.
    """
    labels = labels_of(estimator, n_samples)
    return RepeatResult(
        labels,
        n_iter=_whole_number(estimator, "n_iter_", 1),
        converged=bool(getattr(estimator, "converged_", True)),
        n_clusters_found=_whole_number(estimator, "n_clusters_found_", int(labels.max()) + 1),
        similarity_norm=_similarity_norm(getattr(estimator, "affinity_", None)),
        history=_history(estimator),
    )


def labels_of(estimator: Any, n_samples: int) -> NDArray[np.intp]:
    """The partition of the samples; raises a MethodError like :func:`result_of`."""
    name = f"{type(estimator).__name__}.labels_"
    if not hasattr(estimator, "labels_"):
        raise MethodError(f"{name} was not set by fit. Set one label for each sample.")
    labels = np.asarray(estimator.labels_)
    if labels.shape != (n_samples,):
        raise MethodError(
            f"{name} has the shape {labels.shape}, but there are {n_samples} samples. Set one "
            "label for each sample."
        )
    if labels.dtype.kind not in "iuf":
        raise MethodError(f"{name} has values of type {labels.dtype}. Labels must be integers.")
    wrong = (labels != np.floor(labels)) | ~np.isfinite(labels) | (labels < 0)
    if wrong.any():
        raise MethodError(
            f"{name} has {labels[wrong][0]}. Every label must be a non-negative integer."
        )
    return fits.partition(labels)


def _whole_number(estimator: Any, name: str, default: int) -> int:
    value = getattr(estimator, name, default)
    if not is_integer(value):
        raise MethodError(f"{type(estimator).__name__}.{name} is {value!r}. It must be an integer.")
    return int(value)


def _history(estimator: Any) -> dict[str, NDArray]:
    recorded = getattr(estimator, "history_", {})
    try:
        history = {str(name): np.asarray(values) for name, values in recorded.items()}
    except (AttributeError, ValueError):  # no dict, or lists of lists of different lengths
        history = {"": np.array(None)}
    if any(values.dtype.kind not in "biuf" for values in history.values()):
        raise MethodError(
            f"{type(estimator).__name__}.history_ must be a dict that maps names to arrays of "
            "numbers."
        )
    return history


def _similarity_norm(similarity: Any) -> float:
    """Frobenius norm of the similarity that a method learned; not a number if it learned none."""
    if similarity is None:
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
    work = _Work(tasks, pool, features)
    identities = [{**task.record(), **work.inputs} for task in tasks]
    earlier = [_read_earlier_run(path, identity) for identity in identities]
    if all(run and limits.decide_run(run) for run in earlier):
        logger.info(
            "The file already holds the results of this code with these data and parameters, so no "
            "repeat is fitted."
        )
        return [run for run in earlier if run is not None]
    journal = RunJournal(path, hash_of(identities))
    runs = [
        _UnfinishedRun(journal, identity, work.n_repeats, limits, before)
        for identity, before in zip(identities, earlier, strict=True)
    ]
    with limited(work, limits, work.warm_up) as fit:
        if work.first.race is None:
            for p, r in product(range(len(work.first.points)), range(work.n_repeats)):
                _repeat(runs, fit, p, r)
        else:
            _race(runs, fit, work)
    names = [task.method for task in tasks]
    finished = {name: run.finished(names) for name, run in zip(names, runs, strict=True)}
    if repeats_cut_off(finished.values()):
        journal.release()
    else:
        write_runs(path, finished)
        journal.remove()
    return list(finished.values())


def repeats_cut_off(runs: Iterable[Run]) -> list[RepeatResult]:
    """Repeats ended by a signal, or because other processes used the memory."""
    results = chain.from_iterable(chain(*(run.results for run in runs)))
    return [result for result in results if result.outcome in CUT_OFF]


def _repeat(runs: Sequence[_UnfinishedRun], fit: Fit, p: int, r: int) -> None:
    """Let each run reuse or compute the result of its next repeat at a point."""
    waiting = [i for i, run in enumerate(runs) if not run.settles(p, r)]
    refined = fit(None, p, r) if len(waiting) > 1 else None
    for i in waiting:
        if refined is not None and refined.outcome is not Outcome.OK:
            runs[i].add(p, refined)
        else:
            runs[i].add(p, fit(i, p, r))


def _race(runs: Sequence[_UnfinishedRun], fit: Fit, work: _Work) -> None:
    """Successive halving of the points; a point stays while it is among the better of any run."""
    score = partial(best_score, METRICS[str(work.first.race)])

    def scores(p: int, n_repeats: int) -> list[float]:
        for r in range(len(runs[0].results[p]), n_repeats):
            _repeat(runs, fit, p, r)
        labels = ([result.labels for result in run.results[p]] for run in runs)
        return [fits.mean_score(work.pool, partitions, score) for partitions in labels]

    race(len(work.first.points), work.n_repeats, scores)
    for results in chain(*(run.results for run in runs)):
        missing = work.n_repeats - len(results)
        results += [RepeatResult.without_labels(Outcome.LEFT_THE_RACE) for _ in range(missing)]


class _Work:
    """The fits of runs on the same ensembles, computed in the calling process.

    A call with the number of a run, a point and a repeat returns the result of the repeat. With
    None as the number of the run, it computes the refinement for all runs, and keeps the refinement
    until the next repeat.
    """

    def __init__(self, tasks: Sequence[Task], pool: Pool, features: Any) -> None:
        #: Equal except for the name of the method and its final step.
        self.first = tasks[0]
        self.n_repeats = len(self.first.draws(pool))
        #: What the results depend on in addition to the tasks.
        self.inputs = {
            "n_clusters": self.first.clusters(pool),
            "pool_fingerprint": pool.attributes.get("fingerprint", ""),
            "features_fingerprint": fingerprint(features),
            **versions(),
        }
        self._tasks = tasks
        self._factories = [task.factory() for task in tasks]
        self.pool = pool
        self._features = features
        self._refined: dict[tuple[int, int], tuple[Refinement, Meter]] = {}

    def __call__(self, run: int | None, p: int, r: int) -> RepeatResult:
        if (p, r) not in self._refined:
            self._refined.clear()
        if run is None:
            return _attempt(self._refine, p, r)
        make, labels = self._estimator(run, p, r), self._tasks[run].ensemble(self.pool, r)
        if (p, r) in self._refined:
            refinement, meter = self._refined[p, r]
            end = partial(fits.end, refinement=refinement)
            # Its cost includes the cost of the shared refinement.
            return _attempt(_fit, make, len(labels), end, meter)
        return run_repeat(make, labels, self._features)

    def warm_up(self, run: int | None, p: int, r: int) -> None:
        """Fit a few samples, so that no repeat counts imports and compilation."""
        warm_up(self._tasks[run or 0], p, self.pool, self._features)

    def _refine(self, p: int, r: int) -> RepeatResult:
        labels, meter = self.first.ensemble(self.pool, r), Meter()
        refinement = fits.refine(self._estimator(0, p, r)(), labels, self._features)
        spent = meter.stop()
        self._refined[p, r] = refinement, meter
        return RepeatResult(None, **spent)

    def _estimator(self, run: int, p: int, r: int) -> Callable[[], Any]:
        arguments = self._tasks[run].arguments(p, r, self.inputs["n_clusters"])
        return partial(self._factories[run], **arguments)


def _read_earlier_run(path: str | Path, identity: Mapping[str, Any]) -> Run | None:
    """The run of an earlier job, of the same code, data and parameters; None if there is none."""
    try:
        run = read_run(path, identity["method"], history=True)
    except DataError:
        return None
    made_by, code = run.attributes.get("code"), identity["code"]
    if made_by != code:
        logger.info("%s was computed by %s and is recomputed by %s.", path, made_by, code)
    return run if run.attributes.get("identity") == hash_of(identity) else None


class _UnfinishedRun:
    """An unfinished run: its results in memory, in its journal and in the earlier run `before`."""

    def __init__(
        self,
        journal: RunJournal,
        identity: Mapping[str, Any],
        n_repeats: int,
        limits: Limits,
        before: Run | None,
    ) -> None:
        self._journal = journal
        self._before = before
        self._identity = dict(identity)
        self._n_repeats = n_repeats
        self._limits = limits
        #: Results of the repeats of each point so far.
        self.results: list[list[RepeatResult]] = [[] for _ in identity["points"]]

    def settles(self, p: int, r: int) -> bool:
        """Reuse the earlier result of a repeat, or of a previous repeat that was too slow.

        Return False, and reuse nothing, if the repeat needs a fit.
        """
        result = self._journal.load(self._identity["method"], p, r)
        if result is None and self._before is not None:
            result = self._before.results[p][r]
            if result.outcome is Outcome.LEFT_THE_RACE:  # the point may survive this time
                return False
        if result is not None and self._limits.decide(result):
            self._note(p, result)
            return True
        limits = self._limits
        slow = any(x.outcome is Outcome.TOO_SLOW for x in self.results[p])
        if limits.minutes is None or not slow:
            return False
        self.add(p, limits.too_slow)
        return True

    def add(self, p: int, result: RepeatResult) -> None:
        """Store the result of the next repeat."""
        self._journal.save(self._identity["method"], p, len(self.results[p]), result)
        self._note(p, result)

    def finished(self, methods: Sequence[str]) -> Run:
        """The complete run; `methods` are the methods whose runs were computed together."""
        made_by = {"commit": commit(), "kernel": kernel(), "identity": hash_of(self._identity)}
        attributes = {**self._identity, **made_by}
        if len(methods) > 1:
            attributes["refined_for"] = ", ".join(methods)
        return Run(attributes.pop("points"), self.results, attributes)

    def _note(self, p: int, result: RepeatResult) -> None:
        self.results[p].append(result)
        values = self._identity["points"][p]
        settings = ", ".join(f"{name} = {value}" for name, value in values.items()) or "defaults"
        logger.log(
            logging.INFO if result.converged else logging.WARNING,
            "%s, %s: repeat %d of %d: %s, %.2f s, %d iterations%s",
            self._identity["method"],
            settings,
            len(self.results[p]),
            self._n_repeats,
            result.status,
            result.seconds,
            result.n_iter,
            "" if result.converged else ", not converged",
        )
