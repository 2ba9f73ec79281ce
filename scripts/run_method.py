"""Run a method on all draws of a pool, those that end one refinement together, or a batch."""

from coassoc.atomic import write_text
from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.runs import execute_runs, repeats_cut_off
from coassoc.errors import DataError
from coassoc.numerics.compiled import load_kernels
from coassoc.storage.hdf5 import read_inputs
from reproduction.running.scripting import job
from reproduction.study.paths import below_prefix

with job(snakemake.log[0]):
    inputs = read_inputs(snakemake.input.pool, *snakemake.input.features)
    limits = Limits.from_config(snakemake.config)
    tasks = {task["method"]: Task(**task) for task in snakemake.params.tasks}
    batch = snakemake.params.get("batch", {})
    if batch:
        # Each run fits in a forked process, which has what is loaded here.
        import sklearn.cluster  # noqa: F401

        for task in tasks.values():
            task.factory()
        load_kernels()
    files = {below_prefix(file): methods for file, methods in batch.items()}
    lost = []
    for file, methods in (files or {snakemake.output[0]: [*tasks]}).items():
        runs = execute_runs(file, [tasks[name] for name in methods], *inputs, limits=limits)
        lost += [(file, result) for result in repeats_cut_off(runs)]
    if lost:
        file, result = lost[0]
        raise DataError(
            f"{file}: {len(lost)} repeats have no result ({result.reason}). The machine may have "
            "run out of memory. Start the workflow again to rerun only these repeats. To skip fits "
            "that need too much memory, set 'limits: memory_mb' in the configuration. To leave out "
            "cells, use 'skip' under 'edits' in the configuration."
        )
    if batch:
        write_text(snakemake.output[0], "".join(f"{file}\n" for file in files))
