"""The steps of the command ``coassoc compare``."""

import re
from collections.abc import Mapping, Sequence
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
from coassoc.bench.own_methods import OwnMethod, own_methods
from coassoc.bench.pages import write_comparison
from coassoc.bench.runs import execute_runs
from coassoc.bench.scores import score_run
from coassoc.bench.shipped import Shipped
from coassoc.bench.timing import measure_run
from coassoc.methods import METHODS
from coassoc.numerics.batches import in_batch
from coassoc.numerics.threads import one_thread_per_library, use_threads
from coassoc.storage.records import Pool

#: Methods whose times on this machine are shown for comparison.
_TIMED = ("LWEA", "CA-SC", "EC-CMS")
#: A task, its base clusterings, and the features if the method needs them.
_Inputs = tuple[Task, Pool, Any]


def compare(benchmark: Benchmark, methods: Sequence[str]) -> Comparison:
    """Fit a user's methods on a benchmark, and write the comparison to its folder.

    The fits run in parallel. Existing runs, and parts of runs, are reused.

    Parameters
    ----------
    benchmark : Benchmark
    methods : sequence of str
        Methods as :func:`~coassoc.bench.own_methods.own_method` reads them.

    Raises
    ------
    ConfigError
        If a method is not found.
    """
    contenders = {
        _unique_name(contender.row, benchmark.shipped): contender
        for contender in own_methods(methods, benchmark.tuned)
    }
    see_features = any(contender.method.uses_features for contender in contenders.values())
    benchmark = replace(benchmark, see_features=see_features)
    datasets = sorted(benchmark.pools, key=lambda name: len(benchmark.pools[name].labels))
    jobs = [
        (row, _path(row, dataset, benchmark), _inputs(contender, dataset, benchmark))
        for dataset in datasets
        for row, contender in contenders.items()
    ]
    scores = {}
    fit_and_score = partial(_fit_and_score, benchmark.limits)
    for row, dataset, lines in in_batch(fit_and_score, jobs, in_order=False):
        scores[row, dataset] = lines
        n_ok = (lines["status"] == "ok").sum()
        done = f"{len(scores)} of {len(jobs)} runs"
        benchmark.report(f"{row} on {dataset}: {n_ok} of {len(lines)} fits gave labels ({done})")
    benchmark.report("Testing dependence on the order of the samples, and measuring times")
    facts = {row: _facts(contender, benchmark.limits) for row, contender in contenders.items()}
    comparison = Comparison(benchmark, scores, facts)
    write_comparison(benchmark.folder, comparison, _times(contenders, datasets, benchmark))
    return comparison


def compare_labels(benchmark: Benchmark, folders: Mapping[str, Path]) -> Comparison:
    """Compare labels that other programs computed from exported ensembles (row → folder).

    Raises
    ------
    DataError
        As for :func:`~coassoc.bench.exchange.read_labels`.
    """
    rows = {_unique_name(row, benchmark.shipped): folder for row, folder in folders.items()}
    about = "Labels from another program, which saw the samples in random order."
    facts = {"about": about, "tuned": False, "reads_order": False}
    comparison = Comparison(benchmark, read_labels(rows, benchmark), dict.fromkeys(rows, facts))
    write_comparison(benchmark.folder, comparison, pd.DataFrame())
    return comparison


def _unique_name(row: str, shipped: Shipped) -> str:
    """A name that no shipped row has."""
    return f"{row} (own)" if row in shipped.rows else row


def _path(row: str, dataset: str, benchmark: Benchmark) -> Path:
    name = re.sub(r"[^A-Za-z0-9._=-]+", "_", row)
    draws = f"{benchmark.repeats(dataset)}-draws"
    return benchmark.folder / "runs" / draws / dataset / f"{name}.h5"


def _inputs(contender: OwnMethod, dataset: str, benchmark: Benchmark) -> _Inputs:
    facts, method = benchmark.shipped.facts, contender.method
    task = Task(
        method.name,
        method.record(),
        contender.grid or [contender.values],
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


def _fit_and_score(limits: Limits, job: tuple[str, Path, _Inputs]) -> tuple[str, str, pd.DataFrame]:
    """Row, data set and rows of scores of a run, perhaps computed in another process."""
    row, path, (task, pool, features) = job
    with use_threads(1), one_thread_per_library():  # times are compared
        (run,) = execute_runs(path, [task], pool, features, limits=limits)
    return row, task.dataset, pd.DataFrame(score_run(run, pool))


def _facts(contender: OwnMethod, limits: Limits) -> dict[str, Any]:
    """Facts about a row of the user; its dependence on sample order is measured."""
    finding = order_finding(contender, limits)
    about = f"{contender.method.location}. {finding}"
    return {"about": about, "tuned": bool(contender.grid), "reads_order": finding.worry}


def _times(
    contenders: Mapping[str, OwnMethod], datasets: Sequence[str], benchmark: Benchmark
) -> pd.DataFrame:
    """Seconds and megabytes of own methods and three others, one at a time, on this machine.

    The data sets are the smallest, the middle and the largest one.
    """
    measure = partial(measure_run, repeats=3, stop_after=60, limits=benchmark.limits)
    references = {name: OwnMethod(name, METHODS.method(name), {}) for name in _TIMED}
    lines = []
    for dataset in dict.fromkeys((datasets[0], datasets[len(datasets) // 2], datasets[-1])):
        for row, contender in {**references, **contenders}.items():
            task, *data = _inputs(contender, dataset, benchmark)
            times = measure(replace(task, points=task.points[:1]), *data)
            lines += [{"row": row, "dataset": dataset, **line} for line in times]
    return pd.DataFrame(lines)
