"""Fits of a user's methods on the ranking's ensembles, parallel and resumable."""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import cpu_count

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.fits import Task, ensemble_of
from coassoc.bench.limits import Limits
from coassoc.bench.own_methods import OwnMethod
from coassoc.bench.runs import execute_runs
from coassoc.bench.scores import score_run
from coassoc.bench.shipped import OwnScores
from coassoc.processes import spawned_workers
from coassoc.storage.journal import finished_repeats
from coassoc.storage.records import Pool

#: Seconds between looks at the journals.
_LOOK = 2.0


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
) -> OwnScores:
    """Fit and score everything, on all cores or in so many processes.

    A run that is there already, or a part of it, is taken over.
    """
    processes = processes or cpu_count()
    shipped, progress = benchmark.shipped, _Progress(fits, processes, benchmark.report)
    cells, scores = [], {}
    for fit, lines in _finished(fits, benchmark.limits, processes, progress):
        source = shipped.own_source(fit.row, fit.dataset)
        scores[source] = lines
        tune = "ARI" if len(fit.task.points) > 1 else None
        cells.append(shipped.cell(fit.row, fit.dataset, sources=[source], tune=tune))
    return OwnScores(cells, scores)


def _finished(
    fits: Sequence[MethodOnDataset], limits: Limits, processes: int, progress: _Progress
) -> Iterator[tuple[MethodOnDataset, pd.DataFrame]]:
    with spawned_workers(processes) as executor:
        waiting: dict[Future, MethodOnDataset] = {
            executor.submit(_run, fit, limits): fit for fit in fits
        }
        try:
            while waiting:
                done, _ = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    fit = waiting.pop(future)
                    lines = future.result()
                    progress.done(fit, lines)
                    yield fit, lines
                if waiting:
                    progress.look(waiting.values())
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _run(fit: MethodOnDataset, limits: Limits) -> pd.DataFrame:
    """Fit and score a method on a data set, in a process of its own."""
    if fit.search:
        sys.path.append(fit.search)
    (run,) = execute_runs(fit.path, [fit.task], fit.pool, fit.features, limits=limits)
    return pd.DataFrame(score_run(run, fit.pool))


class _Progress:
    """What is done, and about how long the rest takes."""

    def __init__(
        self, fits: Sequence[MethodOnDataset], processes: int, report: Callable[[str], None]
    ) -> None:
        self._report = report
        self._processes = processes
        self._said = time.monotonic()
        self._total = sum(fit.n_fits for fit in fits)
        self._left = {fit: fit.n_fits for fit in fits}
        #: n' and mean seconds of a fit, of what is done.
        self._measured: list[tuple[int, float]] = []

    def done(self, fit: MethodOnDataset, lines: pd.DataFrame) -> None:
        """Say what came of a method on a data set."""
        self._left[fit] = 0
        good = lines[lines["status"] == "ok"]
        if len(good):
            self._measured.append((fit.size, max(good["seconds"].mean(), 1e-3)))
        bad = lines[lines["status"] != "ok"]["status"]
        failed = f"; {len(bad)} failed: {bad.iloc[0]}" if len(bad) else ""
        self._say(f"{fit.row} on {fit.dataset}: {len(good)} fits{failed}")

    def look(self, waiting: Iterable[MethodOnDataset]) -> None:
        """Count the repeats in the journals, and say so every ten seconds."""
        for fit in waiting:
            # A run that ends between two looks has no journal any longer.
            self._left[fit] = min(self._left[fit], fit.n_fits - finished_repeats(fit.path))
        if time.monotonic() - self._said > 10:
            self._say("…")

    def _say(self, what: str) -> None:
        self._said = time.monotonic()
        left = sum(self._left.values())
        forecast = f", about {_duration(self._seconds())} left" if self._measured and left else ""
        self._report(f"{what} ({self._total - left} of {self._total} fits{forecast})")

    def _seconds(self) -> float:
        """What the fits left take, if they grow with a power of n' as those that are done."""
        sizes, seconds = np.log(self._measured).T
        power = 1.0
        if len(set(sizes)) > 2:
            power = np.clip(np.polyfit(sizes, seconds, 1)[0], 0.5, 4)
        level = np.exp(np.mean(seconds - power * sizes))
        left = sum(fits * level * fit.size**power for fit, fits in self._left.items())
        return float(left / self._processes)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, math.ceil(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
