"""Times and memory of methods, measured with nothing else running beside them.

An ordinary run notes its seconds too, but other jobs run beside it. Here a method is fitted again,
with the seeds of the ordinary run, so that its partitions are the same; only measurements are
kept, and they never meet those of ordinary runs. What a method loads when it is first used is not
counted: before the first measurement it is fitted once to a few samples.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.running.limits import NO_LIMITS, Limits, limited
from coassoc.running.provenance import commit, hardware
from coassoc.running.runs import repeat_seed, run_repeat
from coassoc.seeds import seed_sequence
from coassoc.storage.hdf5 import read_draws
from coassoc.storage.records import Pool, RepeatResult

__all__ = ["measure_run", "measure_scaling", "subset"]

Factory = Callable[..., Any]
Progress = Callable[..., None]

#: Samples of the fit before the first measurement.
_WARM_UP = 60


def measure_run(
    pool: Pool,
    factory: Factory,
    *,
    method: str,
    points: Sequence[Mapping[str, Any]],
    m: int,
    n_clusters: int,
    seed: int,
    names: tuple[str, ...],
    repeats: int,
    stop_after: float = math.inf,
    threads: int = 1,
    features: Any = None,
    limits: Limits = NO_LIMITS,
    progress: Progress = lambda *_: None,
) -> list[dict[str, Any]]:
    """Measure the first `repeats` repeats of a run, one line each.

    Parameters
    ----------
    pool, factory, method, points, m, n_clusters, seed, names, threads, features, limits
        As for :func:`coassoc.running.runs.execute_run`.
    repeats : int
        Repeats that are measured, at most.
    stop_after : float
        Seconds. After a fit that took longer no other repeat is measured.
    progress : callable
        Called like ``logging.Logger.info`` after each.
    """
    draws = read_draws(pool, m)[:repeats]
    _warm_up(pool, factory, points[0], draws[0], n_clusters, features, threads)

    def fit(p: int, r: int) -> RepeatResult:
        random_state = repeat_seed(seed, names, m, r, method)
        make = partial(factory, n_clusters=n_clusters, random_state=random_state, **points[p])
        return run_repeat(make, pool.labels[:, draws[r]], features, threads)

    lines = []
    with limited(fit, limits) as limited_fit:
        for p, point in enumerate(points):
            for r, draw in enumerate(draws):
                result = limited_fit(p, r)
                progress("%s: repeat %d: %s, %.3f s", method, r + 1, result.status, result.seconds)
                lines.append(_line(point, r, pool.labels[:, draw], result, threads))
                if result.labels is None or result.seconds > stop_after:
                    break
    return lines


def measure_scaling(
    pool: Pool,
    factory: Factory,
    *,
    method: str,
    points: Sequence[Mapping[str, Any]],
    m: int,
    n_clusters: int,
    seed: int,
    names: tuple[str, ...],
    repeats: int,
    shares: Sequence[float],
    stop_after: float,
    threads: int = 1,
    features: Any = None,
    limits: Limits = NO_LIMITS,
    progress: Progress = lambda *_: None,
) -> list[dict[str, Any]]:
    """Measure a run on growing shares of the samples.

    Parameters
    ----------
    shares : sequence of float
        Shares of the samples, drawn at random; every method sees the same ones.
    stop_after : float
        Seconds. After a fit that took longer, or failed, no larger share is tried.
    """
    lines: list[dict[str, Any]] = []
    for share in sorted(shares):
        part, X = subset(pool, features, share, seed, names[-1])
        found = measure_run(
            part,
            factory,
            method=method,
            points=points,
            m=m,
            n_clusters=n_clusters,
            seed=seed,
            names=names,
            repeats=repeats,
            stop_after=stop_after,
            threads=threads,
            features=X,
            limits=limits,
            progress=progress,
        )
        lines += [{**line, "share": share} for line in found]
        if any(line["status"] != "ok" or line["seconds"] > stop_after for line in found):
            break
    return lines


def subset(pool: Pool, features: Any, share: float, seed: int, name: str) -> tuple[Pool, Any]:
    """A random share of the samples of a pool, in their order, and of its features."""
    n = len(pool.labels)
    generator = np.random.default_rng(seed_sequence(seed, name, "share of the samples"))
    kept = np.sort(generator.permutation(n)[: max(2, round(share * n))])
    y = None if pool.y is None else pool.y[kept]
    part = Pool(pool.labels[kept], y, pool.draws, pool.attributes)
    return part, None if features is None else features[kept]


def _warm_up(
    pool: Pool,
    factory: Factory,
    point: Mapping[str, Any],
    draw: np.ndarray,
    n_clusters: int,
    features: Any,
    threads: int,
) -> None:
    few = np.linspace(0, len(pool.labels) - 1, min(_WARM_UP, len(pool.labels))).astype(int)
    make = partial(factory, n_clusters=min(n_clusters, 2), random_state=0, **point)
    X = None if features is None else features[few]
    run_repeat(make, pool.labels[few][:, draw], X, threads)


def _line(
    point: Mapping[str, Any], repeat: int, labels: np.ndarray, result: RepeatResult, threads: int
) -> dict[str, Any]:
    return {
        "parameters": json.dumps(dict(point), sort_keys=True),
        "repeat": repeat,
        "status": result.status,
        "n": len(labels),
        "n_micro": Ensemble(labels).microclusters.count,
        "seconds": result.seconds,
        "cpu_seconds": result.cpu_seconds,
        "peak_mb": result.peak_mb,
        "n_iter": result.n_iter,
        "threads": threads,
        **hardware(),
        "commit": commit(),
    }
