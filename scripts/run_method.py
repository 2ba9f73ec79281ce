"""Run methods whose runs share a file on all draws of a pool. Mostly it is one method."""

from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.runs import execute_runs, repeats_cut_off
from coassoc.errors import DataError
from coassoc.storage.hdf5 import read_inputs
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    runs = execute_runs(
        snakemake.output[0],
        [Task(**task) for task in snakemake.params.tasks],
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
        limits=Limits.from_config(snakemake.config),
    )
    if lost := repeats_cut_off(runs):
        raise DataError(
            f"{snakemake.output[0]}: {len(lost)} repeats have no result ({lost[0].reason}). The "
            "machine may have run out of memory. Start the workflow again to rerun only these "
            "repeats. To skip fits that need too much memory, set 'limits: memory_mb' in the "
            "configuration. To leave out cells, use 'skip' under its key 'edits'."
        )
