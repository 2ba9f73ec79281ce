"""A run: one method with one set of parameters on all draws of one pool.

Repeats are independent, measured one by one, and stored as they finish, so that a run that was
stopped resumes.
"""

from __future__ import annotations

import contextlib
import logging
import resource
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coassoc.ensemble import Ensemble
from coassoc.errors import CoassocError
from coassoc.methods.base import NotConvergedWarning
from coassoc.running.fitted import result_of
from coassoc.running.limits import NO_LIMITS, OUT_OF_MEMORY, Fit, Limits, limited
from coassoc.running.provenance import commit, versions
from coassoc.running.tasks import Task
from coassoc.storage.hdf5 import read_dataset, read_draws, read_pool, write_run
from coassoc.storage.journal import RunJournal
from coassoc.storage.records import Pool, RepeatResult, Run, fingerprint

__all__ = [
    "execute_run",
    "first_fit",
    "peak_memory",
    "read_inputs",
    "reset_peak_memory",
    "run_repeat",
]

logger = logging.getLogger(__name__)


def execute_run(
    path: str | Path,
    task: Task,
    pool: Pool,
    features: Any = None,
    *,
    code: str = "",
    limits: Limits = NO_LIMITS,
) -> Run:
    """Run a method on all draws of m base clusterings, for each point of its parameters.

    Parameters
    ----------
    path : path
        The run's file; it appears when everything is done.
    task : Task
        What to run.
    pool : Pool
        Base clusterings and draws.
    features : array, optional
        X, for methods that use it.
    code : str
        Fingerprint of the code behind the results. A stopped run resumes, unless the code or a
        library changed.
    limits : Limits
        What one repeat may take. Where one took too long, the remaining repeats with the same
        parameters are not tried.

    Returns
    -------
    Run
    """
    factory, n_clusters = task.factory(), task.clusters(pool)
    identity = {
        **task.record(),
        "n_clusters": n_clusters,
        "pool_fingerprint": pool.attributes.get("fingerprint", ""),
        "features_fingerprint": fingerprint(features),
        "code": code,
        **versions(),
    }
    journal = RunJournal(path, identity)
    draws = read_draws(pool, task.m)

    def fit(p: int, r: int) -> RepeatResult:
        make = partial(factory, **task.arguments(p, r, n_clusters))
        return run_repeat(make, pool.labels[:, draws[r]], features)

    def point_results(p: int, fit: Fit) -> list[RepeatResult]:
        results: list[RepeatResult] = []
        for r in range(len(draws)):
            result = journal.load(p, r)
            if result is None or not limits.decide(result.status):
                too_slow = limits.minutes is not None and any(
                    earlier.status == limits.too_slow for earlier in results
                )
                result = RepeatResult(None, status=limits.too_slow) if too_slow else fit(p, r)
                journal.save(p, r, result)
            _log_progress(task.points[p], r, len(draws), result)
            results.append(result)
        return results

    with limited(fit, limits) as limited_fit:
        results = [point_results(p, limited_fit) for p in range(len(task.points))]
    attributes = {**identity, "commit": commit()}
    run = Run(attributes.pop("points"), results, attributes)
    write_run(path, run)
    journal.remove()
    return run


def _log_progress(
    point: Mapping[str, Any], repeat: int, n_repeats: int, result: RepeatResult
) -> None:
    settings = ", ".join(f"{name} = {value}" for name, value in point.items()) or "defaults"
    level, note = (logging.INFO, "") if result.converged else (logging.WARNING, ", not converged")
    logger.log(
        level,
        "%s: repeat %d of %d: %s, %.2f s, %d iterations%s",
        settings,
        repeat + 1,
        n_repeats,
        result.status,
        result.seconds,
        result.n_iter,
        note,
    )


def run_repeat(
    make_estimator: Callable[[], Any], labels: np.ndarray, features: Any
) -> RepeatResult:
    """Fit an estimator once, measured; a failure becomes a status instead of an exception.

    The numerical libraries use one thread, so that results depend on no number of threads, also
    those of estimators that are not the library's.
    """
    arguments = {} if features is None else {"X": features}
    baseline = reset_peak_memory()
    with (
        threadpool_limits(1),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            estimator = make_estimator()
            estimator.fit(Ensemble(labels), **arguments)
            seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
            peak_mb = max(peak_memory() - baseline, 0.0)
            result = result_of(estimator, len(labels))
        except MemoryError as error:
            logger.warning("%s", error)
            return RepeatResult(None, status=OUT_OF_MEMORY)
        except (CoassocError, ArithmeticError, np.linalg.LinAlgError) as error:
            logger.warning("%s", traceback.format_exc())
            reason = str(error) or type(error).__name__
            return RepeatResult(None, status=f"skipped: {reason}")
        except Exception as error:
            # The rest of a table must not depend on one method's bug; the cell shows it.
            logger.error("%s", traceback.format_exc())
            return RepeatResult(None, status=f"failed: {type(error).__name__}: {error}")
    for warning in caught:
        if issubclass(warning.category, NotConvergedWarning):
            continue  # the line about the repeat says it
        logger.info("%s: %s", warning.category.__name__, warning.message)
    return replace(result, seconds=seconds, cpu_seconds=cpu_seconds, peak_mb=peak_mb)


def reset_peak_memory() -> float:
    """Start measuring the peak anew where the system allows it; megabytes in use now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def peak_memory() -> float:
    """Largest resident size so far, in megabytes."""
    try:
        status = Path("/proc/self/status").read_text()
        return float(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read_inputs(pool_file: str | Path, features_file: str | Path = "") -> tuple[Pool, Any]:
    """A pool, and the features of its data set or None where no file of them is named."""
    return read_pool(pool_file), read_dataset(features_file).X if features_file else None


def first_fit(task: Task, pool: Pool, features: Any = None) -> Any:
    """Fit a method on the first draw of a pool, as in the first repeat of the run.

    Parameters
    ----------
    task, pool, features
        As for :func:`execute_run`; of several points the first counts.

    Returns
    -------
    estimator
        Fitted.
    """
    estimator = task.factory()(**task.arguments(0, 0, task.clusters(pool)))
    arguments = {} if features is None else {"X": features}
    with threadpool_limits(1):
        return estimator.fit(Ensemble(pool.labels[:, read_draws(pool, task.m)[0]]), **arguments)
