"""Run a method, several methods that share a refinement, or a batch, on all draws of a pool."""

from itertools import chain
from pathlib import Path

from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.runs import execute_runs, repeats_cut_off
from coassoc.bench.storage.hdf5 import read_inputs
from coassoc.errors import DataError
from coassoc.io.atomic import write_text
from coassoc.io.display import count_of
from coassoc.numerics.compiled import load_kernels
from reproduction.running.scripting import job
from reproduction.study.paths import below_prefix

with job(snakemake.log[0]):
    inputs = read_inputs(snakemake.input.pool, *snakemake.input.features)
    limits = Limits.from_config(snakemake.config)
    records = snakemake.params.tasks
    files = {below_prefix(file): [Task(**x) for x in records[file]] for file in records}
    is_batch = Path(snakemake.output[0]) not in files
    if is_batch:
        # Each run fits in a forked process, which has what is loaded here.
        import sklearn.cluster  # noqa: F401

        for task in chain.from_iterable(files.values()):
            task.factory()
        load_kernels()
    lost = []
    for file, tasks in files.items():
        runs = execute_runs(file, tasks, *inputs, limits=limits)
        lost += [f"{file}: {result.reason}" for result in repeats_cut_off(runs)]
    if lost:
        raise DataError(
            f"{count_of(len(lost), 'repeat')} without a result ({lost[0]}). The machine may have "
            "run out of memory. Start the workflow again to rerun only these repeats. To skip fits "
            "that need too much memory, set 'limits: memory_mb' in the configuration. To leave out "
            "cells, use 'skip' under 'edits' in the configuration."
        )
    if is_batch:
        write_text(snakemake.output[0], "".join(f"{file}\n" for file in files))
