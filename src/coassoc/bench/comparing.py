"""The command ``coassoc compare``, from the names of methods to its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import cpu_count

from coassoc.bench.audit import reads_order
from coassoc.bench.compared import Comparison
from coassoc.bench.ensembles import Ensembles, Ground
from coassoc.bench.entrants import Entrant, entrants_of
from coassoc.bench.exchange import read_labels, write_ensembles
from coassoc.bench.fits import Task
from coassoc.bench.fitting import Job, fit_all, jobs_of
from coassoc.bench.kept import QUICK, Kept
from coassoc.bench.limits import Limits
from coassoc.bench.pages import write_comparison
from coassoc.bench.timing import Stopwatch
from coassoc.errors import CoassocError, ConfigError, DataError
from coassoc.methods import METHODS

#: Methods whose times on this machine stand beside an own one's.
_TIMED = ("LWEA", "CA-SC", "EC-CMS")


@dataclass(frozen=True)
class Wish:
    """What is to be compared, and where."""

    #: As :func:`~coassoc.bench.entrants.find_entrant` reads them.
    methods: Sequence[str]
    #: Where pages, tables and runs are kept.
    folder: Path = Path("coassoc-compare")
    #: Four data sets and five draws in place of all.
    quick: bool = False
    #: Whether the grids that the classes declare are tuned with the classes.
    tuned: bool = False
    #: Empty for all, or those of a quick look.
    datasets: Sequence[str] = ()
    #: What one fit may take.
    limits: Limits = field(default_factory=lambda: Limits(minutes=10))
    #: Fits at the same time; None for as many as there are cores.
    processes: int | None = None
    #: A directory of sources.
    mirror: str | None = None
    #: Takes one line of progress.
    report: Callable[[str], None] = lambda line: None


def compare(wish: Wish) -> Comparison:
    """Fit a user's methods on the ranking's ensembles, and write the comparison.

    Raises
    ------
    ConfigError
        If a method or a data set is not there.
    """
    wanted = entrants_of(wish.methods, wish.tuned)
    ground = _ground(wish, any(entrant.method.uses_features for entrant in wanted))
    entrants = [replace(entrant, row=_named_apart(entrant.row, ground.kept)) for entrant in wanted]
    jobs = jobs_of(entrants, ground, wish.folder)
    processes = wish.processes or cpu_count()
    fitted = fit_all(jobs, ground.kept.facts, wish.limits, processes, wish.report)
    own = {entrant.row: _facts(entrant, wish) for entrant in entrants}
    comparison = Comparison(ground, fitted, own)
    wish.report("Times of single fits on this machine")
    write_comparison(wish.folder, comparison, _times(jobs, wish))
    return comparison


def compare_labels(wish: Wish, named: Mapping[str, Path]) -> Comparison:
    """Compare what programs from elsewhere made of exported ensembles; row → folder."""
    ground = _ground(wish)
    rows = {_named_apart(row, ground.kept): folder for row, folder in named.items()}
    own = {row: _own_facts("labels from elsewhere, of samples in random order") for row in rows}
    comparison = Comparison(ground, read_labels(rows, ground), own)
    write_comparison(wish.folder, comparison, pd.DataFrame())
    return comparison


def export(wish: Wish, folder: Path) -> list[str]:
    """Write the ensembles for programs from elsewhere; the names of the data sets."""
    ground = _ground(wish)
    write_ensembles(folder, ground)
    return list(ground.pools)


def _named_apart(row: str, kept: Kept) -> str:
    """A name that no kept row has."""
    return f"{row} (own)" if row in kept.rows else row


def _ground(wish: Wish, see_features: bool = False) -> Ground:
    """The requested data sets that are available."""
    kept = Kept()
    ranked = kept.datasets_of(wish.tuned)
    for name in wish.datasets:
        if name not in ranked:
            tuned = " with tuned rows" * wish.tuned
            raise ConfigError(
                f"the data set is {name!r}; those of the kept ranking{tuned} are "
                f"{', '.join(ranked)}."
            )
    usual, draws = QUICK if wish.quick else (ranked, None)
    ensembles = Ensembles(kept, wish.folder, wish.mirror, report=wish.report)
    pools, features, absent = {}, {}, {}
    for name in wish.datasets or usual:
        try:
            if see_features:
                features[name] = ensembles.features(name)
            pools[name] = ensembles.pool(name)
        except CoassocError as error:
            absent[name] = str(error)
            wish.report(f"{name} is left out: {error}")
    if not pools:
        raise DataError(f"no data set can be had: {next(iter(absent.values()))}")
    return Ground(kept, pools, features, draws, absent)


def _facts(entrant: Entrant, wish: Wish) -> dict[str, Any]:
    """What is known of an own row; whether it reads the order of the samples is measured."""
    wish.report(f"{entrant.row}: does it read the order of the samples?")
    finding = reads_order(entrant, wish.limits)
    facts = _own_facts(entrant.method.location, entrant.tuned, entrant.code)
    return {**facts, "reads_order": finding.worry, "order": finding}


def _own_facts(title: str, tuned: bool = False, code: str = "") -> dict[str, Any]:
    return {"title": title, "tuned": tuned, "reads_order": False, "order": None, "code": code}


def _times(jobs: Sequence[Job], wish: Wish) -> pd.DataFrame:
    """Seconds and megabytes of own methods and three others, one at a time, on this machine.

    On the smallest, the middle and the largest data set.
    """
    sets = list(dict.fromkeys(job.dataset for job in jobs))
    sets = list(dict.fromkeys([sets[0], sets[len(sets) // 2], sets[-1]]))
    stopwatch = Stopwatch(repeats=3, stop_after=60, limits=wish.limits)
    lines = []
    for dataset in sets:
        own = [job for job in jobs if job.dataset == dataset]
        pool = own[0].pool
        tasks = {name: _reference(name, own[0].task) for name in _TIMED}
        tasks |= {job.row: replace(job.task, points=job.task.points[:1]) for job in own}
        X = {job.row: job.features for job in own}
        for row, task in tasks.items():
            times = stopwatch.measure_run(task, pool, X.get(row))
            lines += [{"row": row, "dataset": dataset, **line} for line in times]
    return pd.DataFrame(lines)


def _reference(name: str, task: Task) -> Task:
    return replace(task, method=name, estimator=METHODS.method(name).record(), points=[{}], code="")
