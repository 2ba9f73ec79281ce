"""Fits of a user's methods on the ranking's ensembles, parallel and resumable."""

from __future__ import annotations

import math
import multiprocessing
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.ensembles import Ground
from coassoc.bench.entrants import Entrant
from coassoc.bench.fits import Task
from coassoc.bench.kept import cell_of
from coassoc.bench.limits import Limits
from coassoc.bench.runs import execute_runs
from coassoc.bench.scores import score_run
from coassoc.ensemble import Ensemble
from coassoc.storage.journal import finished_repeats
from coassoc.storage.records import Pool

#: Seconds between looks at the journals.
_LOOK = 2.0


@dataclass(frozen=True, eq=False)
class Job:
    """All repeats of one own method on one data set."""

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
        return Ensemble(self.pool.labels[:, draw]).microclusters.count


@dataclass(frozen=True)
class Fitted:
    """Cells of own methods and the lines of their scores, as those of kept ones."""

    cells: list[dict[str, Any]]
    scores: dict[str, pd.DataFrame]


def jobs_of(entrants: Sequence[Entrant], ground: Ground, folder: Path) -> list[Job]:
    """One job for each method and data set, small data sets first."""
    facts = ground.kept.facts
    jobs = []
    for entrant in entrants:
        for dataset, pool in ground.pools.items():
            repeats = ground.repeats(dataset)
            task = Task(
                entrant.name,
                entrant.method.record(),
                entrant.points,
                facts["pool"],
                dataset,
                ground.m,
                None,
                facts["seed"],
                repeats=repeats,
                code=entrant.code,
            )
            name = re.sub(r"[^A-Za-z0-9._=-]+", "_", entrant.row)
            path = folder / "runs" / f"{repeats}-draws" / dataset / f"{name}.h5"
            X = ground.features[dataset] if entrant.method.uses_features else None
            jobs.append(Job(entrant.row, dataset, task, pool, X, path, entrant.folder))
    return sorted(jobs, key=lambda job: job.size)


def fit_all(
    jobs: Sequence[Job],
    facts: Mapping[str, Any],
    limits: Limits,
    processes: int,
    report: Callable[[str], None],
) -> Fitted:
    """Fit everything; a run that is there already, or a part of it, is taken over."""
    cells, scores = [], {}
    for job, lines in _finished(jobs, limits, processes, _Progress(jobs, processes, report)):
        source = f"{facts['pool']}/{job.dataset}/m{job.task.m}/{job.row}/own"
        scores[source] = lines
        tune = "ARI" if len(job.task.points) > 1 else None
        cells.append(cell_of(job.row, job.dataset, facts, sources=[source], tune=tune))
    return Fitted(cells, scores)


def _finished(
    jobs: Sequence[Job], limits: Limits, processes: int, progress: _Progress
) -> Iterator[tuple[Job, pd.DataFrame]]:
    # Forked processes would inherit threads that hold locks.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as executor:
        waiting: dict[Future, Job] = {executor.submit(_run, job, limits): job for job in jobs}
        try:
            while waiting:
                done, _ = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    job = waiting.pop(future)
                    lines = future.result()
                    progress.done(job, lines)
                    yield job, lines
                if waiting:
                    progress.look(waiting.values())
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _run(job: Job, limits: Limits) -> pd.DataFrame:
    """Fit and score one job, in a process of its own."""
    if job.search:
        sys.path.append(job.search)
    (run,) = execute_runs(job.path, [job.task], job.pool, job.features, limits=limits)
    return pd.DataFrame(score_run(run, job.pool))


class _Progress:
    """What is done, and about how long the rest takes."""

    def __init__(self, jobs: Sequence[Job], processes: int, report: Callable[[str], None]) -> None:
        self._report = report
        self._processes = processes
        self._said = time.monotonic()
        self._total = sum(job.n_fits for job in jobs)
        self._left = {job: job.n_fits for job in jobs}
        #: n' and mean seconds of a fit, of what is done.
        self._measured: list[tuple[int, float]] = []

    def done(self, job: Job, lines: pd.DataFrame) -> None:
        """Say what came of a job."""
        self._left[job] = 0
        good = lines[lines["status"] == "ok"]
        if len(good):
            self._measured.append((job.size, max(good["seconds"].mean(), 1e-3)))
        bad = lines[lines["status"] != "ok"]["status"]
        failed = f"; {len(bad)} failed: {bad.iloc[0]}" if len(bad) else ""
        self._say(f"{job.row} on {job.dataset}: {len(good)} fits{failed}")

    def look(self, waiting: Iterable[Job]) -> None:
        """Count the repeats in the journals, and say so every ten seconds."""
        for job in waiting:
            # A run that ends between two looks has no journal any longer.
            self._left[job] = min(self._left[job], job.n_fits - finished_repeats(job.path))
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
        left = sum(fits * level * job.size**power for job, fits in self._left.items())
        return float(left / self._processes)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, math.ceil(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
