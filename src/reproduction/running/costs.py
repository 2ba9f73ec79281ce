"""Memory and time that jobs request from a cluster, computed from the size of their data.

The class of a method declares the cost of a fit, a :class:`~coassoc.methods.parameters.Cost`.
Requests are larger than this cost, because a job that exceeds its request is killed, whereas a job
that needs less only waits a little longer in the queue.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.display import count_of
from coassoc.errors import CoassocError
from coassoc.methods.registry import Method
from coassoc.pools.generation import generation_memory_mb, generation_minutes, numbers_of_each
from coassoc.pools.settings import PoolSettings
from coassoc.racing import fits_of_race
from coassoc.storage.hdf5 import DrawSizes, draw_sizes
from reproduction.study.cards import Cards
from reproduction.study.kept import KEPT, minutes_of_runs
from reproduction.study.kinds import MEASURED
from reproduction.study.paths import RANKING, Source, below_prefix
from reproduction.study.plan import Plan

#: Megabytes of the interpreter and its libraries in the job, in the worker process that fits, and
#: in the two Snakemake processes that start them.
_BASE_MB = 1000
#: Minutes that a job may take to start on a busy file system.
_BASE_MINUTES = 5
#: Number of features below which the cost of a method no longer falls, because of its other work.
_FEWEST_FEATURES = 50
#: Elapsed time of a job on a busy or old processor, relative to the measured processor time.
_SLOWNESS = 2.5
#: Requested memory, relative to the declared peak of a fit.
_SPARE = 1.5
#: Assumed number of samples of a data set of unknown size, and of base clusterings.
_USUAL_SAMPLES, _USUAL_CLUSTERINGS = 2000, 20


@dataclass(frozen=True)
class RunSize:
    """The size of a run, which determines its cost."""

    #: Distinct rows of labels, or samples for a method that works on samples.
    n_objects: int
    n_samples: int
    #: Base clusterings, and their clusters in total.
    n_clusterings: int
    n_clusters: int
    #: 0 for a method that uses only labels.
    n_features: int = 0
    #: Number of grid points times number of repeats.
    fits: int = 1


def run_size(method: Method, draws: DrawSizes, n_features: int | None) -> RunSize:
    """The size of one fit of a method; the number of features of the data set may be unknown."""
    d = (n_features or 1000) if method.uses_features else 0
    n_objects = draws.n_samples if method.works_on_samples else draws.distinct_rows
    return RunSize(n_objects, draws.n_samples, draws.n_clusterings, draws.n_clusters, d)


def memory_mb(method: Method, size: RunSize) -> int:
    """Megabytes that a run requests."""
    peak = method.cost.megabytes(size.n_objects, size.n_clusterings, size.n_clusters)
    features = 8e-6 * 4 * size.n_samples * size.n_features
    return math.ceil(_BASE_MB + _SPARE * peak + features)


def seconds(method: Method, size: RunSize) -> float:
    """Processor seconds of all fits of a run, on the processor used to measure costs."""
    cost = method.cost
    of_a_fit = cost.seconds * (size.n_objects / 1000) ** cost.power
    if cost.grows_with_features:
        # n samples span no more than n dimensions.
        of_a_fit *= max(min(size.n_features, size.n_samples), _FEWEST_FEATURES) / 1000
    return float(size.fits * of_a_fit)


def minutes(processor_seconds: float) -> int:
    """Minutes that a job requests for fits of this many processor seconds."""
    return math.ceil(_BASE_MINUTES + _SLOWNESS * processor_seconds / 60)


# -- requests of rules ---------------------------------------------------------------------------


def run_mb(plan: Plan, runs: Iterable[Source]) -> int:
    """Megabytes that a job requests for these runs, which it executes one after another."""
    return max(memory_mb(plan.method(run.method), _size(plan, run)) for run in runs)


def run_minutes(plan: Plan, runs: Iterable[Source], made_from: str = "scores") -> int:
    """Minutes that a job requests for these runs, depending on the kind of output."""
    spent: dict[str, float] = {}
    for run in runs:
        # Endings of the same refinement share most of their time.
        shared = plan.method(run.method).refinement or run.method
        of_run = _seconds(plan, run, _fits(plan, run, made_from))
        spent[shared] = max(of_run, spent.get(shared, 0.0))
    return minutes(sum(spent.values()))


def figure_mb(plan: Plan, target: str) -> int:
    """Megabytes that a figure or analysis requests."""
    runs = plan.fits(target)
    return run_mb(plan, runs) if runs else 2000


def figure_minutes(plan: Plan, target: str) -> int:
    """Minutes that a figure or analysis requests: one fit of each run, one after another."""
    runs = plan.fits(target)
    return minutes(sum(_seconds(plan, run, 1) for run in runs)) if runs else 20


def _seconds(plan: Plan, run: Source, fits: int) -> float:
    return seconds(plan.method(run.method), replace(_size(plan, run), fits=fits))


def _fits(plan: Plan, run: Source, made_from: str) -> int:
    if made_from == "selection":  # cutting an ensemble at many c costs little more than a fit
        look = plan.config.selection
        assert look is not None
        return look.repeats * (1 + look.draws)
    drawn = _draw_sizes(plan, run).repeats
    repeats = min(run.repeats or drawn, drawn)
    return fits_of_race(run.size, repeats) if run.race else run.size * repeats


def _size(plan: Plan, run: Source) -> RunSize:
    return run_size(plan.method(run.method), _draw_sizes(plan, run), plan.dataset(run.dataset).d)


def _draw_sizes(plan: Plan, run: Source) -> DrawSizes:
    """Sizes of the ensembles in a pool, from the catalogue until the pool exists.

    Base clusterings of n samples usually have at most √n clusters.
    """
    pool = below_prefix(run.pool_file)
    if pool.exists() and (sizes := _sizes_in(pool, run.m or 0, pool.stat().st_mtime_ns)):
        return sizes
    n = plan.dataset(run.dataset).n or _USUAL_SAMPLES
    m = run.m or _USUAL_CLUSTERINGS
    return DrawSizes(n, n, m, math.ceil(m * math.sqrt(n)), plan.pool(run.pool).repeats)


@cache
def _sizes_in(pool: Path, m: int, _: int) -> DrawSizes | None:
    """Sizes of the ensembles in a pool. A damaged pool is ignored; its reader reports it."""
    try:
        return draw_sizes(pool, m)
    except CoassocError:
        return None


def forecast(plan: Plan, names: Collection[str]) -> str:
    """Number of missing runs and measurements, and the time of runs estimated from the archive.

    They are those of the requested names and files, or of all targets that the configuration
    requests. Measurements have no estimate.
    """
    files = _files_behind(plan)
    known = [name for name in names if name in files]
    others = ", ".join(name for name in names if name not in files)
    if others and not known:
        return f"the runs of {others} are not counted"
    targets = _targets_of(plan, {file for name in known or ["all"] for file in files[name]})
    n = sum(not below_prefix(file).exists() for file in _measured(plan, targets))
    parts = [_forecast_of_runs(plan, targets, ", ".join(known) or "the configuration")]
    if n:
        parts.append(f"also missing: {count_of(n, 'measurement')} without an estimate")
    if others:
        parts.append(f"not counted: the runs of {others}")
    return "; ".join(parts)


def _measured(plan: Plan, targets: Iterable[str]) -> set[str]:
    """The files of measurements of some targets that are not archived."""
    measured = {*plan.paths(made_from=[*MEASURED])}
    return {
        file
        for path in targets
        if path in measured
        for file, archive in plan.measured(path).items()
        if not archive
    }


def _forecast_of_runs(plan: Plan, targets: list[str], shown: str) -> str:
    """The missing runs of some targets in words."""
    if not targets:
        return f"no run of {shown} is missing"
    lines = pd.concat([plan.of(path) for path in targets])
    is_run = lines["run_file"].ne("") & lines["kept"].eq("") & lines["not_run"].eq("")
    fitted = lines[is_run & lines["made_from"].isin(["scores", "runs"])].drop_duplicates("source")
    existing = {file for file in fitted["run_file"].unique() if below_prefix(file).exists()}
    missing = fitted[~fitted["run_file"].isin(existing)]
    if missing.empty:
        return f"no run of {shown} is missing"
    n_missing = missing["run_file"].nunique()
    be = "is" if n_missing == 1 else "are"
    still = f"{count_of(n_missing, 'run')} of {shown} {be} missing"
    if not (plan.project / KEPT).is_dir():
        return still
    minutes_of = minutes_of_runs(plan.project / KEPT)
    minutes = missing["source"].map(lambda source: minutes_of(Source.parse(source)))
    # Endings of the same refinement share a run and most of its time.
    of_files = minutes.groupby(missing["run_file"]).max()
    unknown = int((of_files == 0).sum())
    hours = f"estimated from earlier runs to take {of_files.sum() / 60:.1f} processor hours"
    left_out = f"; the estimate leaves out {count_of(unknown, 'run')}" * (unknown > 0)
    return f"{still}, {hours}{left_out}"


def _files_behind(plan: Plan) -> dict[str, Collection[str]]:
    """The files of targets behind each name or file that can be requested."""

    def numbers(*paths: str) -> list[str]:
        return [plan.numbers_of(path) for path in paths]

    def collected(*kinds: str) -> list[str]:
        return numbers(*plan.paths(made_from=[*kinds], wanted=True))

    cards = Cards(plan)
    protocols_and_arenas = [*cards.judged_protocols(), *plan.paths(wanted=True, kind="arena")]
    tables = {card: cards.tables(card) for card in plan.cards} | {"claims": cards.judged("")}
    return {
        **{file: [file] for path in plan.targets for file in plan.files_of(path)},
        **plan.files_by_name(()),
        **tables,
        "all": plan.wanted_files(),
        "ranking": numbers(RANKING),
        "findings": [
            *cards.tables("scorecard"),
            *tables["claims"],
            *cards.tables_of_other_methods(),
            *numbers(*protocols_and_arenas, RANKING),
        ],
        "results/scores.parquet": collected("scores"),
        "results/measurements.parquet": collected(*MEASURED),
    }


def _targets_of(plan: Plan, files: Collection[str]) -> list[str]:
    """The targets that have any of these files, without those that the configuration leaves out."""
    requested = plan.paths(wanted=True)
    planned = [path for path in plan.targets if path in requested or path not in plan.wanted]
    return [path for path in planned if {*files} & {plan.numbers_of(path), *plan.files_of(path)}]


def pool_mb(plan: Plan, w: Any, threads: int) -> int:
    """Megabytes that the job for the base clusterings of a data set requests."""
    n, d = plan.dataset(w.dataset).assumed_shape
    return generation_memory_mb(n, d, _compares_pairs(plan.pool(w.pool)), threads)


def pool_minutes(plan: Plan, w: Any, threads: int) -> int:
    """Minutes that the job for the base clusterings of a data set requests."""
    (n, d), pool = plan.dataset(w.dataset).assumed_shape, plan.pool(w.pool)
    times = len(numbers_of_each(pool.for_each_k, n)) or 1
    return generation_minutes(n, d, _compares_pairs(pool), times * (pool.size or 100), threads)


def _compares_pairs(pool: PoolSettings) -> bool:
    return any(recipe.compares_pairs for recipe in pool.recipes)
