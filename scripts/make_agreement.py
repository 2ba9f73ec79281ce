"""Measure the agreement of the reproduced numbers with the published numbers."""

from reproduction.findings.agreement import write_agreement
from reproduction.findings.cells import read_all
from reproduction.running.scripting import job
from reproduction.study.cards import Cards
from reproduction.study.plan import Plan

with job(snakemake.log[0]):
    given, cells, repeats = read_all(Cards(Plan(snakemake.config)), snakemake.input)
    write_agreement(
        dict(snakemake.output.items()), cells, repeats, given["yardsticks"], snakemake.params.seed
    )
