"""Collect the measurements of all targets in one file, with their revisions and settings."""

from reproduction.running.scripting import job
from reproduction.study.kept import collect_measurements
from reproduction.study.plan import Plan

with job(snakemake.log[0]):
    plan = Plan(snakemake.config)
    files = {k: x for path in snakemake.params.targets for k, x in plan.measured(path).items()}
    lines = collect_measurements(plan.present, files)
    lines.to_parquet(snakemake.output[0], index=False)
