"""The steps of the command ``coassoc compare``."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.audit import order_finding
from coassoc.bench.benchmark import Benchmark
from coassoc.bench.comparison import Comparison
from coassoc.bench.exchange import read_labels
from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.own_methods import OwnMethod, own_method, tuned
from coassoc.bench.runs import execute_runs
from coassoc.bench.scores import score_run
from coassoc.bench.storage.records import Pool
from coassoc.bench.timing import measure_run
from coassoc.methods import METHODS
from coassoc.numerics.batches import in_batch
from coassoc.numerics.threads import one_thread_per_library, use_threads

#: Methods whose times on this machine are shown for comparison.
_TIMED = ("LWEA", "CA-SC", "EC-CMS")
#: A task, its base clusterings, and the features if the method needs them.
_Inputs = tuple[Task, Pool, Any]


def compare(benchmark: Benchmark, method: str) -> Comparison:
    """Fit a user's method on a benchmark, and write the comparison to its folder.

    The fits run in parallel. Existing runs, and parts of runs, are reused.

    Parameters
    ----------
    benchmark : Benchmark
    method : str
        Method as :func:`~coassoc.bench.own_methods.own_method` reads it.

    Raises
    ------
    ConfigError
        If the method is not found.
    """
    own = own_method(method)
    own = tuned(own) if benchmark.tuned else own
    row = _unique_name(own.row, benchmark)
    benchmark = replace(benchmark, see_features=own.method.uses_features)
    datasets = sorted(benchmark.pools, key=lambda name: len(benchmark.pools[name].labels))
    file = re.sub(r"[^A-Za-z0-9._=-]+", "_", row) + ".h5"
    jobs = []
    for name in datasets:
        folder = benchmark.folder / "runs" / f"{benchmark.repeats(name)}-draws" / name
        jobs.append((folder / file, _inputs(own, name, benchmark)))
    scores = {}
    fit_and_score = partial(_fit_and_score, benchmark.limits)
    for dataset, lines in in_batch(fit_and_score, jobs, in_order=False):
        scores[dataset] = lines
        n_ok = (lines["status"] == "ok").sum()
        done = f"{len(scores)} of {len(jobs)} data sets"
        benchmark.report(f"{dataset}: {n_ok} of {len(lines)} fits gave labels ({done})")
    benchmark.report("Testing dependence on the order of the samples, and measuring times")
    finding = order_finding(own, benchmark.limits)
    about = f"{own.method.location}. {finding}"
    comparison = Comparison(benchmark, row, scores, about, finding.worry)
    comparison.write(_times(row, own, datasets, benchmark))
    return comparison


def compare_labels(benchmark: Benchmark, row: str, folder: Path) -> Comparison:
    """Compare labels that another program computed from exported ensembles.

    Raises
    ------
    DataError
        As for :func:`~coassoc.bench.exchange.read_labels`.
    """
    about = "Labels from another program, which saw the samples in random order."
    scores = read_labels(folder, benchmark)
    comparison = Comparison(benchmark, _unique_name(row, benchmark), scores, about, False)
    comparison.write(pd.DataFrame())
    return comparison


def _unique_name(row: str, benchmark: Benchmark) -> str:
    """A name that no shipped row has."""
    return f"{row} (own)" if row in benchmark.shipped.rows else row


def _inputs(own: OwnMethod, dataset: str, benchmark: Benchmark) -> _Inputs:
    facts, method = benchmark.shipped.facts, own.method
    task = Task(
        method.name,
        method.record(),
        own.grid or [own.values],
        facts["pool"],
        dataset,
        benchmark.m,
        None,
        facts["seed"],
        repeats=benchmark.repeats(dataset),
        code=method.code,
    )
    X = benchmark.features[dataset] if method.uses_features else None
    return task, benchmark.pools[dataset], X


def _fit_and_score(limits: Limits, job: tuple[Path, _Inputs]) -> tuple[str, pd.DataFrame]:
    """Data set and rows of scores of a run, perhaps computed in another process."""
    path, (task, pool, features) = job
    with use_threads(1), one_thread_per_library():  # times are compared
        (run,) = execute_runs(path, [task], pool, features, limits=limits)
    return task.dataset, pd.DataFrame(score_run(run, pool))


def _times(row: str, own: OwnMethod, datasets: Sequence[str], benchmark: Benchmark) -> pd.DataFrame:
    """Seconds and megabytes of the own method and three others, one at a time, on this machine.

    The data sets are the smallest, the middle and the largest one.
    """
    measure = partial(measure_run, repeats=3, stop_after=60, limits=benchmark.limits)
    timed = {name: OwnMethod(name, METHODS[name], {}) for name in _TIMED} | {row: own}
    lines = []
    for dataset in dict.fromkeys((datasets[0], datasets[len(datasets) // 2], datasets[-1])):
        for name, method in timed.items():
            task, *data = _inputs(method, dataset, benchmark)
            times = measure(replace(task, points=task.points[:1]), *data)
            lines += [{"method": name, "dataset": dataset, **line} for line in times]
    return pd.DataFrame(lines)
