"""Compare every published cell with the reproduced tables."""

from pathlib import Path

from coassoc.pages.style import save
from reproduction.figures.agreement import plot_agreement
from reproduction.plan.files import read_plan
from reproduction.results.scorecard import read_tables, scorecard, write_scorecard
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    given, output = read_plan(snakemake.input.plan), snakemake.output
    tables = read_tables(snakemake.input.tables, given["names"])
    card = scorecard(given["published"], tables, given["differences"])
    first = "".join(Path(page).read_text(encoding="utf-8") for page in snakemake.input.agreement)
    write_scorecard(dict(output.items()), card, given["titles"], given["own"], first)
    save(plot_agreement(card), {"pdf": output.pdf, "png": output.png})
