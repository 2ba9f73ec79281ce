"""Memory and time that jobs request from a cluster, computed from the size of their data.

The class of a method declares the cost of a fit, a :class:`~coassoc.methods.parameters.Cost`.
Requests are larger than this cost, because a job that exceeds its request is killed, whereas a job
that needs less only waits a little longer in the queue.
"""

import math
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.pools.making import generation_memory_mb, generation_minutes, numbers_of_each
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.racing import fits_of_race
from coassoc.bench.storage.hdf5 import DrawSizes, draw_sizes
from coassoc.errors import CoassocError
from coassoc.io.display import count_of
from coassoc.methods.registry import Method
from coassoc.partition.linkage import MOST_IN_MATRIX
from reproduction.study.archive import KEPT, minutes_of_runs
from reproduction.study.kinds import MEASURED
from reproduction.study.paths import Source, below_prefix
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
#: Assumed numbers of samples and features of a data set of unknown size, and of base clusterings.
_USUAL_SAMPLES, _USUAL_FEATURES, _USUAL_CLUSTERINGS = 2000, 1000, 20


def memory_mb(method: Method, draws: DrawSizes, n_features: int | None) -> int:
    """Megabytes that a run requests; the number of features of the data set may be unknown."""
    # Average and single linkage of many rows need no squares; the number of rows is a bound.
    links = method.cost.links_labels and method.fixed.get("linkage") != "complete"
    q, m, L = _n_objects(method, draws), draws.n_clusterings, draws.n_clusters
    peak = method.cost.megabytes(q, m, L, links_rows=bool(links) and q > MOST_IN_MATRIX)
    if links:
        peak = max(peak, method.cost.megabytes(min(q, MOST_IN_MATRIX), m, L))
    features = 8e-6 * 4 * draws.n_samples * _features_used(method, n_features)
    return math.ceil(_BASE_MB + _SPARE * peak + features)


def seconds(method: Method, draws: DrawSizes, n_features: int | None) -> float:
    """Processor seconds of one fit, on the processor used to measure costs."""
    cost = method.cost
    of_a_fit = cost.seconds * (_n_objects(method, draws) / 1000) ** cost.power
    if cost.grows_with_features:
        # n samples span no more than n dimensions.
        d = min(_features_used(method, n_features), draws.n_samples)
        of_a_fit *= max(d, _FEWEST_FEATURES) / 1000
    return float(of_a_fit)


def _n_objects(method: Method, draws: DrawSizes) -> int:
    """Distinct rows of labels, or samples for a method that works on samples."""
    return draws.n_samples if method.works_on_samples else draws.distinct_rows


def _features_used(method: Method, n_features: int | None) -> int:
    return (n_features or _USUAL_FEATURES) if method.uses_features else 0


def minutes(processor_seconds: float) -> int:
    """Minutes that a job requests for fits of this many processor seconds."""
    return math.ceil(_BASE_MINUTES + _SLOWNESS * processor_seconds / 60)


# -- requests of rules ---------------------------------------------------------------------------


def run_mb(plan: Plan, runs: Iterable[Source]) -> int:
    """Megabytes that a job requests for these runs, which it executes one after another."""
    return max(memory_mb(*_size(plan, run)) for run in runs)


def run_minutes(plan: Plan, runs: Iterable[Source], reads: str = "scores") -> int:
    """Minutes that a job requests for these runs, depending on the kind of output."""
    spent: dict[str, float] = {}
    for run in runs:
        # Endings of the same refinement share most of their time.
        shared = plan.catalogues.methods[run.method].refinement or run.method
        of_run = _fits(plan, run, reads) * seconds(*_size(plan, run))
        spent[shared] = max(of_run, spent.get(shared, 0.0))
    return minutes(sum(spent.values()))


def figure_mb(plan: Plan, target: str) -> int:
    """Megabytes that a figure or analysis requests."""
    runs = plan.fits(target)
    return run_mb(plan, runs) if runs else 2000


def figure_minutes(plan: Plan, target: str) -> int:
    """Minutes that a figure or analysis requests: one fit of each run, one after another."""
    runs = plan.fits(target)
    return minutes(sum(seconds(*_size(plan, run)) for run in runs)) if runs else 20


def _fits(plan: Plan, run: Source, reads: str) -> int:
    if reads == "selection":  # cutting an ensemble at many c costs little more than a fit
        look = plan.config.selection
        assert look is not None
        return look.repeats * (1 + look.draws)
    drawn = _draw_sizes(plan, run).repeats
    repeats = min(run.repeats or drawn, drawn)
    return fits_of_race(run.size, repeats) if run.race else run.size * repeats


def _size(plan: Plan, run: Source) -> tuple[Method, DrawSizes, int | None]:
    """What the cost of a fit depends on."""
    entries = plan.catalogues
    return entries.methods[run.method], _draw_sizes(plan, run), entries.datasets[run.dataset].d


def _draw_sizes(plan: Plan, run: Source) -> DrawSizes:
    """Sizes of the ensembles in a pool, from the catalogue until the pool exists.

    Base clusterings of n samples usually have at most √n clusters.
    """
    pool = below_prefix(run.pool_file)
    if pool.exists() and (sizes := _sizes_in(pool, run.m or 0, pool.stat().st_mtime_ns)):
        return sizes
    n = plan.catalogues.datasets[run.dataset].n or _USUAL_SAMPLES
    m = run.m or _USUAL_CLUSTERINGS
    return DrawSizes(n, n, m, math.ceil(m * math.sqrt(n)), plan.catalogues.pool(run.pool).repeats)


@cache
def _sizes_in(pool: Path, m: int, _: int) -> DrawSizes | None:
    """Sizes of the ensembles in a pool. A damaged pool is ignored; its reader reports it."""
    try:
        return draw_sizes(pool, m)
    except CoassocError:
        return None


def forecast(plan: Plan, names: Collection[str]) -> str:
    """Numbers of missing runs and measurements, and the time of the runs by the archive.

    They are those of the requested targets, or of all targets that the configuration requests if
    another name is requested. The archive has no times of measurements.
    """
    named = plan.targets_by_name()
    every = plan.paths(wanted=True)
    targets = {path for name in names or ["all"] for path in named.get(name, every)}
    for path in sorted(targets):
        plan.add(path)
    lines = pd.concat([plan.planned.lines.iloc[:0], *map(plan.of, sorted(targets))])
    is_run = lines["run_file"].ne("") & lines["archive"].eq("") & lines["not_run"].eq("")
    fitted = lines[is_run & lines["reads"].isin(["scores", "runs"])].drop_duplicates("source")
    exists = fitted["run_file"].map(lambda file: below_prefix(file).exists())
    missing = fitted[exists.eq(False)]
    runs = count_of(missing["run_file"].nunique(), "run")
    of_measurements = targets.intersection(plan.paths(reads=[*MEASURED]))
    archives = {k: x for path in of_measurements for k, x in plan.measured(path).items()}
    lacking = [file for file, x in archives.items() if not x and not below_prefix(file).exists()]
    if lacking:
        runs = f"{count_of(len(lacking), 'measurement')} and {runs}"
    if missing.empty or not (plan.project / KEPT).is_dir():
        return f"missing: {runs}"
    minutes_of = minutes_of_runs(plan.project / KEPT)
    spent = missing["source"].map(lambda source: minutes_of(Source.parse(source)))
    # Endings of the same refinement share a run and most of its time.
    of_files = spent.groupby(missing["run_file"]).max()
    return (
        f"missing: {runs}. Of the runs, {(of_files == 0).sum()} have no estimate; the others take "
        f"{of_files.sum() / 60:.1f} processor hours by the archived times"
    )


def pool_mb(plan: Plan, w: Any, threads: int) -> int:
    """Megabytes that the job for the base clusterings of a data set requests."""
    n, d = plan.catalogues.datasets[w.dataset].assumed_shape
    return generation_memory_mb(n, d, _compares_pairs(plan.catalogues.pool(w.pool)), threads)


def pool_minutes(plan: Plan, w: Any, threads: int) -> int:
    """Minutes that the job for the base clusterings of a data set requests."""
    (n, d), pool = plan.catalogues.datasets[w.dataset].assumed_shape, plan.catalogues.pool(w.pool)
    times = len(numbers_of_each(pool.for_each_k, n)) or 1
    return generation_minutes(n, d, _compares_pairs(pool), times * (pool.size or 100), threads)


def pool_threads(plan: Plan, w: Any) -> int:
    """Two, unless the base clusterings of a data set take one thread no minutes."""
    return 1 + (pool_minutes(plan, w, 1) > generation_minutes(0, 0))


def _compares_pairs(pool: PoolSettings) -> bool:
    return any(recipe.compares_pairs for recipe in pool.recipes)
