"""Compare every published cell with the reproduced tables."""

from coassoc.figures.agreement import plot_agreement
from coassoc.figures.style import save
from coassoc.results.scorecard import read_tables, scorecard, write_scorecard
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    tables = read_tables(snakemake.input.tables, params.names)
    card = scorecard(params.published, tables, params.differences)
    write_scorecard(dict(output.items()), card, params.titles, params.own)
    save(plot_agreement(card), {"pdf": output.pdf, "png": output.png})
