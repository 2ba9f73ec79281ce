"""Judge what the papers claim by their tables and curves."""

from reproduction.results.claims.checks import read_lines
from reproduction.results.claims.judging import judge
from reproduction.results.claims.pages import write_claims
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    lines = read_lines(snakemake.input.numbers, params.datasets, params.differences)
    judgements = [judge(name, claim, lines) for name, claim in params.claims.items()]
    write_claims(dict(output.items()), judgements, params.titles)
