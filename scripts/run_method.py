"""Run one method, or all that end the same refinement, on all draws of a pool."""

import coassoc.running.quick_start  # noqa: F401 - scikit-learn starts faster
from coassoc.running.fits import Task
from coassoc.running.limits import Limits
from coassoc.running.runs import execute_runs, read_inputs
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    tasks = [Task(**record) for record in snakemake.params.tasks]
    execute_runs(
        dict(zip(snakemake.output, tasks, strict=True)),
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
        limits=Limits.from_config(snakemake.config),
    )
