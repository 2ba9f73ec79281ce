"""Collect the measurements of all targets in one file, with their revisions and settings."""

from reproduction.running.scripting import job
from reproduction.scores.files import collect_measurements, write_scores

with job(snakemake.log[0]):
    lines = collect_measurements(snakemake.params.measured, snakemake.params.made_by)
    write_scores(snakemake.output[0], lines)
