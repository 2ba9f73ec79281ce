"""Times and memory of methods, measured while no other job runs.

Ordinary runs record seconds too, but other jobs run at the same time. Here a method is refitted
with the seeds of the ordinary run, so the partitions are the same. Only the measurements are kept,
separately from those of ordinary runs.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from coassoc.bench.fits import Task, ensemble_of
from coassoc.bench.limits import NO_LIMITS, Limits, limited
from coassoc.bench.provenance import commit, hardware
from coassoc.bench.runs import run_repeat, warm_up
from coassoc.bench.storage.records import TIMES, Pool, RepeatResult
from coassoc.numerics.seeds import seed_sequence
from coassoc.numerics.threads import use_threads


def measure_run(
    task: Task,
    pool: Pool,
    features: Any = None,
    *,
    repeats: int,
    stop_after: float = math.inf,
    threads: int = 1,
    limits: Limits = NO_LIMITS,
) -> list[dict[str, Any]]:
    """Measure the first repeats of a run, with a row for each repeat.

    After a fit that took more than `stop_after` seconds, no further repeat is tried.
    """
    factory, c = task.factory(), task.clusters(pool)
    made_by = {"threads": threads, **hardware(), "commit": commit(), "code": task.code}

    def fit(p: int, r: int) -> RepeatResult:
        make = partial(factory, **task.arguments(p, r, c))
        return run_repeat(make, task.ensemble(pool, r), features)

    lines = []
    with (
        use_threads(threads),
        limited(fit, limits, lambda p, r: warm_up(task, p, pool, features)) as limited_fit,
    ):
        for p, point in enumerate(task.points):
            for r in range(len(task.draws(pool)[:repeats])):
                labels = task.ensemble(pool, r)
                result = limited_fit(p, r)
                line = {
                    "parameters": json.dumps(dict(point), sort_keys=True),
                    "repeat": r,
                    "status": result.status,
                    "n": len(labels),
                    "n_micro": ensemble_of(labels).microclusters.count,
                    **{name: getattr(result, name) for name in TIMES},
                }
                lines.append(line | made_by)
                if result.labels is None or result.seconds > stop_after:
                    break
    return lines


def measure_scaling(
    task: Task,
    pool: Pool,
    features: Any,
    shares: Sequence[float],
    stop_after: float,
    **options: Any,
) -> list[dict[str, Any]]:
    """Measure a run on growing fractions of the samples, the same for every method.

    After a fit that took more than `stop_after` seconds, no larger fraction is tried. The options
    are those of :func:`measure_run`.
    """
    # A subset that lacks a class keeps the c of all samples.
    task = replace(task, n_clusters=task.clusters(pool))
    lines: list[dict[str, Any]] = []
    for share in sorted(shares):
        part = subset(pool, features, share, task.seed, task.dataset)
        times = measure_run(task, *part, stop_after=stop_after, **options)
        lines += [{**line, "share": share} for line in times]
        if any(line["status"] != "ok" or line["seconds"] > stop_after for line in times):
            break
    return lines


def subset(pool: Pool, features: Any, share: float, seed: int, name: str) -> tuple[Pool, Any]:
    """A random fraction of the samples of a pool, in their order, and of its features."""
    n = len(pool.labels)
    generator = np.random.default_rng(seed_sequence(seed, name, "share of the samples"))
    kept = np.sort(generator.permutation(n)[: max(2, round(share * n))])
    y = None if pool.y is None else pool.y[kept]
    part = Pool(pool.labels[kept], y, pool.draws, pool.attributes)
    return part, None if features is None else features[kept]
