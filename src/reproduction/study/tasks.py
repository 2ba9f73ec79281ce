"""The fits of a job, given the wildcards of its file, and the other inputs of the job."""

from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Any

from coassoc.bench.fits import Task
from coassoc.errors import ConfigError
from reproduction.study.cells_file import Given
from reproduction.study.paths import BATCH, Source, dataset_file
from reproduction.study.plan import Plan


def runs_by_file(plan: Plan, w: Any) -> dict[str, list[Source]]:
    """Runs of one job by their files: of one run, of runs that share a refinement, or a batch's."""
    named = Source(w.pool, w.dataset, int(w.m), "", w.block)
    file = named.run_file(w.method)
    if not w.method.startswith(BATCH):
        files = [file]
    elif file in plan.planned.batches:
        files = plan.planned.batches[file]
    else:
        raise ConfigError(f"{file}: the configuration has no such batch. Request a target instead.")
    return {file: Source.of_run_file(file) for file in files}


def runs_of(plan: Plan, w: Any) -> list[Source]:
    """Runs of one job."""
    return [*chain.from_iterable(runs_by_file(plan, w).values())]


def features_of(plan: Plan, runs: Iterable[Source]) -> list[str]:
    """Files of the data sets whose features the methods of some runs use."""
    methods = plan.catalogues.methods
    seen = (run.dataset for run in runs if methods[run.method].uses_features)
    return list(map(dataset_file, dict.fromkeys(seen)))


@cache
def _points(plan: Plan, method: str, block: str) -> list[dict[str, Any]]:
    """Points of a grid. Thousands of jobs keep theirs in memory, and most have the same."""
    run = Source("", "", 0, method, block)
    return run.parameter_points(plan.catalogues.methods[method].parameters)


def task_of(plan: Plan, run: Source) -> Task:
    """The fits of a run."""
    method = plan.catalogues.methods[run.method]
    return Task(
        method=run.method,
        estimator=method.record(),
        points=_points(plan, run.method, run.block),
        pool=run.pool,
        dataset=run.dataset,
        m=run.m or 0,
        n_clusters=plan.catalogues.datasets[run.dataset].classes,
        seed=plan.config.seed,
        race=run.race,
        repeats=run.repeats,
        code=plan.present.code(run),
    )


def tasks_by_file(plan: Plan, w: Any) -> dict[str, list[dict[str, Any]]]:
    """Records of the tasks of one job, by the files of their runs."""
    files = runs_by_file(plan, w)
    return {file: [task_of(plan, run).record() for run in runs] for file, runs in files.items()}


def records(plan: Plan, runs: Iterable[Source]) -> Given:
    """What the jobs that fit runs again need: the record of the task, and its input files."""
    return Given(
        {
            str(run): (task_of(plan, run).record(), [run.pool_file, *features_of(plan, [run])])
            for run in runs
        }
    )
