"""Run one method on all draws of a pool."""

from coassoc.running.limits import Limits
from coassoc.running.runs import execute_run, read_inputs
from coassoc.running.scripting import job
from coassoc.running.tasks import Task

with job(snakemake.log[0]):
    execute_run(
        snakemake.output[0],
        Task(**snakemake.params.task),
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
        code=snakemake.params.code,
        limits=Limits.from_config(snakemake.config),
    )
