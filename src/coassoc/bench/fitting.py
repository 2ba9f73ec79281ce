"""Fits of a user's methods on the ensembles of the ranking, parallel and resumable."""

import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import cpu_count

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.fits import Task, ensemble_of
from coassoc.bench.limits import Limits
from coassoc.bench.own_methods import OwnMethod
from coassoc.bench.runs import execute_runs
from coassoc.bench.scores import score_run
from coassoc.display import count_of
from coassoc.numerics.batches import in_batch
from coassoc.numerics.threads import one_thread_per_library, use_threads
from coassoc.storage.records import Pool

#: A user's method and its fits on one data set.
Fit = tuple[OwnMethod, Task]


def fits_of(methods: Sequence[OwnMethod], benchmark: Benchmark) -> list[Fit]:
    """The fits to run, beginning with data sets that have few distinct rows of labels."""
    facts, m = benchmark.shipped.facts, benchmark.m
    sizes = {
        dataset: ensemble_of(pool.labels[:, pool.draws[m][0]]).microclusters.count
        for dataset, pool in benchmark.pools.items()
    }
    fits = [
        (
            contender,
            Task(
                contender.method.name,
                contender.method.record(),
                contender.points,
                facts["pool"],
                dataset,
                m,
                None,
                facts["seed"],
                repeats=benchmark.repeats(dataset),
                code=contender.method.code,
            ),
        )
        for contender in methods
        for dataset in benchmark.pools
    ]
    return sorted(fits, key=lambda fit: sizes[fit[1].dataset])


def data_of(fit: Fit, benchmark: Benchmark) -> tuple[Task, Pool, Any]:
    """A task, its base clusterings, and the features if the method needs them."""
    contender, task = fit
    X = benchmark.features[task.dataset] if contender.method.uses_features else None
    return task, benchmark.pools[task.dataset], X


def score_fits(
    fits: Sequence[Fit], benchmark: Benchmark, processes: int | None = None
) -> dict[tuple[str, str], pd.DataFrame]:
    """Rows of scores of each method on each data set, computed in parallel.

    Existing runs, and parts of runs, are reused.
    """
    numbers = [len(task.points) * int(task.repeats or 1) for _, task in fits]
    done, scores = 0, {}
    jobs = [
        (place, fit[0].folder, _path(fit, benchmark), *data_of(fit, benchmark))
        for place, fit in enumerate(fits)
    ]
    with use_threads(processes or cpu_count()):
        for place, lines in in_batch(partial(_run, benchmark.limits), jobs, in_order=False):
            row, dataset = fits[place][0].row, fits[place][1].dataset
            scores[row, dataset] = lines
            done += numbers[place]
            bad = lines["status"][lines["status"] != "ok"]
            failed = f"; {len(bad)} gave no labels: {bad.iloc[0].rstrip('.')}" if len(bad) else ""
            good = count_of(len(lines) - len(bad), "fit")
            benchmark.report(f"{row} on {dataset}: {good}{failed} ({done} of {sum(numbers)} fits)")
    return scores


def _path(fit: Fit, benchmark: Benchmark) -> Path:
    contender, task = fit
    name = re.sub(r"[^A-Za-z0-9._=-]+", "_", contender.row)
    return benchmark.folder / "runs" / f"{task.repeats}-draws" / task.dataset / f"{name}.h5"


def _run(limits: Limits, job: tuple[int, str, Path, Task, Pool, Any]) -> tuple[int, pd.DataFrame]:
    """Fit and score a method, whose file is in the folder, perhaps in another process."""
    place, folder, path, task, pool, features = job
    if folder and folder not in sys.path:
        sys.path.append(folder)
    with use_threads(1), one_thread_per_library():  # times are compared
        (run,) = execute_runs(path, [task], pool, features, limits=limits)
    return place, pd.DataFrame(score_run(run, pool))
