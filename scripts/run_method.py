"""Run methods on all draws of a pool; those that end one refinement, together."""

import reproduction.running.quick_start  # noqa: F401 - scikit-learn starts faster
from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.runs import execute_runs, read_inputs
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    files = iter(snakemake.output)
    execute_runs(
        [{next(files): Task(**record) for record in tasks} for tasks in snakemake.params.tasks],
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
        limits=Limits.from_config(snakemake.config),
    )
