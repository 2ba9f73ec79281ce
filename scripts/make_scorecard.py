"""Compare every published cell with the reproduced tables."""

from coassoc.figures.agreement import plot_agreement
from coassoc.figures.style import save
from coassoc.results.scorecard import read_tables, scorecard, write_scorecard
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    card = scorecard(params.published, read_tables(snakemake.input.tables, params.names))
    write_scorecard(dict(output.items()), card, params.titles)
    save(plot_agreement(card), {"pdf": output.pdf, "png": output.png})
