"""Run a method on all draws of a pool, or those that end one refinement, together."""

from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.runs import execute_runs
from reproduction.plan.files import PlanFiles
from reproduction.running.inputs import read_inputs
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    plan = PlanFiles()
    execute_runs(
        snakemake.output[0],
        [Task(**plan.task(run)) for run in plan.runs(snakemake.wildcards)],
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
        limits=Limits.from_config(snakemake.config),
    )
