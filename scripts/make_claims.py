"""Judge what the papers claim by their tables and curves."""

from reproduction.plan.files import read_plan
from reproduction.results.claims.checks import read_lines
from reproduction.results.claims.judging import judge
from reproduction.results.claims.pages import write_claims
from reproduction.results.claims.stability import with_stability
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    given, output = read_plan(snakemake.input.plan), snakemake.output
    lines = read_lines(snakemake.input.numbers, given["datasets"], given["differences"])
    judgements = [
        with_stability(judge(name, claim, lines), lines, snakemake.params.seed)
        for name, claim in given["claims"].items()
    ]
    write_claims(dict(output.items()), judgements, given["titles"])
