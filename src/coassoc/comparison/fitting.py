"""Fits of own methods on the ranking's ensembles: in parallel, resumed where they were stopped."""

from __future__ import annotations

import math
import multiprocessing
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.comparison.entrants import Entrant
from coassoc.comparison.kept import Kept, cell_of
from coassoc.ensemble import Ensemble
from coassoc.results.scores import score_run
from coassoc.running.fits import Task
from coassoc.running.limits import Limits
from coassoc.running.runs import execute_runs
from coassoc.storage.journal import finished_repeats
from coassoc.storage.records import Pool

#: Seconds between looks at the journals.
_LOOK = 2.0
#: With what power of the distinct rows fits are taken to grow before any run is done.
_USUAL_POWER = 1.0


@dataclass(frozen=True)
class Job:
    """All repeats of one own method on one data set."""

    row: str
    dataset: str
    task: Task
    pool: Pool
    features: Any
    path: Path
    search: tuple[str, ...] = ()

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


def jobs_of(
    entrants: Sequence[Entrant],
    pools: Mapping[str, Pool],
    features: Mapping[str, Any],
    kept: Kept,
    folder: Path,
    repeats: int,
) -> list[Job]:
    """One job for each method and data set, small data sets first."""
    facts = kept.facts
    jobs = []
    for entrant in entrants:
        for dataset, pool in pools.items():
            task = Task(
                entrant.name,
                entrant.method.record(),
                entrant.points,
                facts["pool"],
                dataset,
                facts["m"],
                None,
                facts["seed"],
                repeats=repeats,
                code=entrant.code,
            )
            name = re.sub(r"[^A-Za-z0-9._=-]+", "_", entrant.row)
            path = folder / "runs" / f"{repeats}-draws" / dataset / f"{name}.h5"
            X = features[dataset] if entrant.method.uses_features else None
            jobs.append(Job(entrant.row, dataset, task, pool, X, path, (entrant.folder,)))
    return sorted(jobs, key=lambda job: job.size)


def fit_all(
    jobs: Sequence[Job],
    kept: Kept,
    *,
    limits: Limits,
    processes: int,
    report: Callable[[str], None],
) -> Fitted:
    """Fit everything; a run that is there already, or a part of it, is taken over."""
    cells, scores = [], {}
    for job, lines in _finished(jobs, limits, processes, _Progress(jobs, report)):
        source = f"{kept.facts['pool']}/{job.dataset}/m{job.task.m}/{job.row}/own"
        scores[source] = lines
        tune = "ARI" if len(job.task.points) > 1 else None
        cells.append(cell_of(job.row, job.dataset, kept.facts, sources=[source], tune=tune))
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
    sys.path += [folder for folder in job.search if folder and folder not in sys.path]
    (run,) = execute_runs({job.path: job.task}, job.pool, job.features, limits=limits)
    return pd.DataFrame(score_run(run, job.pool))


class _Progress:
    """What is done, and about how long the rest takes."""

    def __init__(self, jobs: Sequence[Job], report: Callable[[str], None]) -> None:
        self._report = report
        self._said = time.monotonic()
        # When the first fits were seen, and how many there were: what starts up does not count.
        self._first: tuple[float, dict[Path, int]] | None = None
        self._sizes = {job.path: job.size for job in jobs}
        self._fits = {job.path: job.n_fits for job in jobs}
        self._before = {
            job.path: job.n_fits if job.path.exists() else finished_repeats(job.path)
            for job in jobs
        }
        self._at: dict[Path, int] = dict.fromkeys(self._fits, 0)
        self._seconds: dict[Path, float] = {}

    def done(self, job: Job, lines: pd.DataFrame) -> None:
        """Say what came of a job."""
        self._at[job.path] = self._fits[job.path]
        good = lines[lines["status"] == "ok"]
        if len(good):
            self._seconds[job.path] = good["seconds"].mean()
        bad = lines[lines["status"] != "ok"]["status"]
        failed = f"; {len(bad)} failed: {bad.iloc[0]}" if len(bad) else ""
        self._say(f"{job.row} on {job.dataset}: {len(good)} fits{failed}")

    def look(self, waiting: Any) -> None:
        """Count the repeats in the journals, and say so every ten seconds."""
        for job in waiting:
            self._at[job.path] = finished_repeats(job.path)
        if time.monotonic() - self._said > 10:
            self._say("…")

    def _say(self, what: str) -> None:
        self._said = time.monotonic()
        fits, total = sum(self._at.values()), sum(self._fits.values())
        self._report(f"{what} ({fits} of {total} fits{self._forecast()})")

    def _forecast(self) -> str:
        """About how long the rest takes, by the pace so far."""
        if self._first is None and any(self._at[path] > n for path, n in self._before.items()):
            self._first = time.monotonic(), dict(self._at)
        if self._first is None:
            return ""
        start, before = self._first
        power = self._power()
        weights = {path: size**power for path, size in self._sizes.items()}
        spent = sum(weights[path] * (self._at[path] - before[path]) for path in weights)
        left = sum(weights[path] * (self._fits[path] - self._at[path]) for path in weights)
        if spent <= 0 or left <= 0:
            return ""
        seconds = (time.monotonic() - start) * left / spent
        return f", about {_duration(seconds)} left"

    def _power(self) -> float:
        """The power with which fits grow with n', from what is done."""
        sizes = [self._sizes[path] for path in self._seconds]
        if len(set(sizes)) < 3:
            return _USUAL_POWER
        slope = np.polyfit(np.log(sizes), np.log([*self._seconds.values()]), 1)[0]
        return float(np.clip(slope, 0.5, 4))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, math.ceil(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
