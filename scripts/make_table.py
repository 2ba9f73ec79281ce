"""Lay out one table."""

from reproduction.plan.files import read_plan
from reproduction.results.tables import make_table
from reproduction.running.scripting import job
from reproduction.scores.files import read_sources

with job(snakemake.log[0]):
    target = read_plan(snakemake.input.plan)
    scores = read_sources(dict(snakemake.input.items()))
    paths = dict(snakemake.output.items())
    make_table(paths, target["cells"], scores, target["spec"], target["published"])
