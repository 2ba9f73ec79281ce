"""Compare every published cell with the reproduced tables."""

from coassoc.pages.style import save
from reproduction.figures.agreement import plot_agreement
from reproduction.plan.files import read_plan
from reproduction.results.scorecard import read_tables, scorecard, write_scorecard
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    given, output = read_plan(snakemake.input.plan), snakemake.output
    tables = read_tables(snakemake.input.tables, given["names"])
    card = scorecard(given["published"], tables, given["differences"])
    write_scorecard(dict(output.items()), card, given["titles"], given["own"])
    save(plot_agreement(card), {"pdf": output.pdf, "png": output.png})
