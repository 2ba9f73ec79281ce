"""Fits of a user's methods on the ranking's ensembles, parallel and resumable."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, cpu_count, delayed

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.fits import Task, ensemble_of
from coassoc.bench.limits import Limits
from coassoc.bench.own_methods import OwnMethod
from coassoc.bench.runs import execute_runs
from coassoc.bench.scores import score_run
from coassoc.storage.records import Pool


@dataclass(frozen=True, eq=False)
class MethodOnDataset:
    """One own method with all its repeats on one data set."""

    row: str
    dataset: str
    task: Task
    pool: Pool
    features: Any
    path: Path
    search: str = ""

    @property
    def n_fits(self) -> int:
        """Points times repeats."""
        return len(self.task.points) * int(self.task.repeats or 1)

    @cached_property
    def size(self) -> int:
        """n', the distinct rows of labels in the first draw."""
        draw = self.pool.draws[self.task.m][0]
        return ensemble_of(self.pool.labels[:, draw]).microclusters.count


def fits_of(methods: Sequence[OwnMethod], benchmark: Benchmark) -> list[MethodOnDataset]:
    """What is to be fitted, small data sets first."""
    facts, fits = benchmark.shipped.facts, []
    for contender in methods:
        for dataset, pool in benchmark.pools.items():
            repeats = benchmark.repeats(dataset)
            task = Task(
                contender.method.name,
                contender.method.record(),
                contender.points,
                facts["pool"],
                dataset,
                benchmark.m,
                None,
                facts["seed"],
                repeats=repeats,
                code=contender.method.code,
            )
            name = re.sub(r"[^A-Za-z0-9._=-]+", "_", contender.row)
            path = benchmark.folder / "runs" / f"{repeats}-draws" / dataset / f"{name}.h5"
            X = benchmark.features(dataset) if contender.method.uses_features else None
            fits.append(
                MethodOnDataset(contender.row, dataset, task, pool, X, path, contender.folder)
            )
    return sorted(fits, key=lambda fit: fit.size)


def score_fits(
    fits: Sequence[MethodOnDataset], benchmark: Benchmark, processes: int | None = None
) -> dict[tuple[str, str], pd.DataFrame]:
    """Lines of scores of each row on each data set, on all cores or in so many processes.

    A run that is there already, or a part of it, is taken over.
    """
    pool = Parallel(processes or cpu_count(), batch_size=1, return_as="generator_unordered")
    total, done, scores = sum(fit.n_fits for fit in fits), 0, {}
    for number, lines in pool(
        delayed(_run)(number, fit, benchmark.limits) for number, fit in enumerate(fits)
    ):
        fit = fits[number]
        scores[fit.row, fit.dataset] = lines
        done += fit.n_fits
        bad = lines["status"][lines["status"] != "ok"]
        failed = f"; {len(bad)} failed: {bad.iloc[0]}" if len(bad) else ""
        good = f"{fit.row} on {fit.dataset}: {len(lines) - len(bad)} fits{failed}"
        benchmark.report(f"{good} ({done} of {total} fits)")
    return scores


def _run(number: int, fit: MethodOnDataset, limits: Limits) -> tuple[int, pd.DataFrame]:
    """Fit and score a method on a data set, perhaps in another process."""
    if fit.search and fit.search not in sys.path:
        sys.path.append(fit.search)
    (run,) = execute_runs(fit.path, [fit.task], fit.pool, fit.features, limits=limits)
    return number, pd.DataFrame(score_run(run, fit.pool))
