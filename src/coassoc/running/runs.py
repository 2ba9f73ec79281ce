"""A run: one method with one set of parameters on all draws of one pool.

Repeats are independent, measured one by one, and stored as they finish, so that a run that was
stopped goes on where it was.
"""

from __future__ import annotations

import contextlib
import logging
import resource
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coassoc.ensemble import Ensemble
from coassoc.errors import CoassocError
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.registry import Method
from coassoc.numerics.threads import use_threads
from coassoc.running.fitted import result_of
from coassoc.running.limits import NO_LIMITS, OUT_OF_MEMORY, Fit, Limits, limited
from coassoc.running.provenance import commit, versions
from coassoc.seeds import seed_from_names
from coassoc.storage.hdf5 import read_dataset, read_draws, read_pool, write_run
from coassoc.storage.journal import RunJournal
from coassoc.storage.records import Pool, RepeatResult, Run, fingerprint

__all__ = [
    "execute_run",
    "first_fit",
    "peak_memory",
    "repeat_seed",
    "reset_peak_memory",
    "run_repeat",
]

logger = logging.getLogger(__name__)

Factory = Callable[..., Any]


def execute_run(
    path: str | Path,
    pool: Pool,
    factory: Factory,
    *,
    method: str,
    points: Sequence[Mapping[str, Any]],
    m: int,
    n_clusters: int,
    seed: int,
    names: tuple[str, ...],
    threads: int = 1,
    features: Any = None,
    limits: Limits = NO_LIMITS,
    code: str = "",
) -> Run:
    """Run a method on all draws of m base clusterings, for each point of its parameters.

    Parameters
    ----------
    path : path
        The run's file; it appears when everything is done.
    pool : Pool
        Base clusterings and draws.
    factory : callable
        Makes the estimator from ``n_clusters``, ``random_state`` and the parameters.
    method : str
        Name of the method, part of the seed.
    points : sequence of mappings
        Parameters of each point.
    m : int
        Ensemble size.
    n_clusters : int
        c.
    seed : int
        Root seed.
    names : tuple of str
        Pool and data set; with m, repeat and method they name the seed of a repeat.
    threads : int
        Threads of the numerical libraries. They order its sums, so that this is part of the
        result's identity.
    features : array, optional
        X, for methods that use it.
    limits : Limits
        What one repeat may take. Where one took too long, the remaining repeats with the same
        parameters are not tried.
    code : str
        Fingerprint of the code on which the results depend. Repeats that were finished with other
        code, or with other versions of the libraries, are not resumed.

    Returns
    -------
    Run
    """
    identity = {
        "method": method,
        "points": [dict(point) for point in points],
        "m": m,
        "n_clusters": n_clusters,
        "seed": seed,
        "names": list(names),
        "pool_fingerprint": pool.attributes.get("fingerprint", ""),
        "features_fingerprint": fingerprint(features),
        "threads": threads,
        "code": code,
        **versions(),
    }
    journal = RunJournal(path, identity)
    n_repeats = len(read_draws(pool, m))

    def fit(p: int, r: int) -> RepeatResult:
        random_state = repeat_seed(seed, names, m, r, method)
        make = partial(factory, n_clusters=n_clusters, random_state=random_state, **points[p])
        return run_repeat(make, pool.labels[:, pool.draws[m][r]], features, threads)

    def point_results(p: int, fit: Fit) -> list[RepeatResult]:
        results: list[RepeatResult] = []
        for r in range(n_repeats):
            result = journal.load(p, r)
            if result is None or not limits.decide(result.status):
                too_slow = limits.minutes is not None and any(
                    earlier.status == limits.too_slow for earlier in results
                )
                result = RepeatResult(None, status=limits.too_slow) if too_slow else fit(p, r)
                journal.save(p, r, result)
            _log_progress(points[p], r, n_repeats, result)
            results.append(result)
        return results

    with limited(fit, limits) as limited_fit:
        results = [point_results(p, limited_fit) for p in range(len(points))]
    attributes = {**identity, "commit": commit()}
    del attributes["points"]
    run = Run(identity["points"], results, attributes)
    write_run(path, run)
    journal.remove()
    return run


def repeat_seed(seed: int, names: tuple[str, ...], m: int, repeat: int, method: str) -> int:
    """Seed of a method in one repeat: every fit of that repeat, wherever it is made, has it."""
    return seed_from_names(seed, *names, f"m{m}", repeat, method)


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
    make_estimator: Callable[[], Any], labels: np.ndarray, features: Any, threads: int
) -> RepeatResult:
    """Fit an estimator once, measured; a failure becomes a status instead of an exception."""
    arguments = {} if features is None else {"X": features}
    baseline = reset_peak_memory()
    with (
        threadpool_limits(threads),  # for estimators that are not the library's
        use_threads(threads),
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


def first_fit(fit: Mapping[str, Any], seed: int) -> tuple[Any, Pool, Any]:
    """Fit what a figure asks for on the first draw of a pool, as in the run's first repeat.

    Parameters
    ----------
    fit : mapping
        "method", its "estimator" (the record of a :class:`Method`), "parameters", "m", "pool",
        "dataset" and the files "pool_file" and "features", empty for methods that see labels only.
    seed : int
        Root seed.

    Returns
    -------
    estimator
        Fitted.
    pool : Pool
    features : (n, d) array, sparse matrix or None
    """
    pool = read_pool(fit["pool_file"])
    features = read_dataset(fit["features"]).X if fit["features"] else None
    factory = Method(**fit["estimator"]).factory
    names = fit["pool"], fit["dataset"]
    random_state = repeat_seed(seed, names, fit["m"], 0, fit["method"])
    estimator = factory(n_clusters=pool.n_classes, random_state=random_state, **fit["parameters"])
    arguments = {} if features is None else {"X": features}
    estimator.fit(Ensemble(pool.labels[:, read_draws(pool, fit["m"])[0]]), **arguments)
    return estimator, pool, features
