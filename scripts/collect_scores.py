"""Collect the scores of all targets in one file, with their revisions and settings."""

from reproduction.running.scripting import job
from reproduction.scores.files import collect_scores
from reproduction.study.plan import Plan

with job(snakemake.log[0]):
    made_by = Plan(snakemake.config).present.made_by
    collect_scores(snakemake.input, made_by).to_parquet(snakemake.output[0], index=False)
