"""Measure how far the reproduced numbers agree with print, by yardsticks a wrong number fails."""

from reproduction.agreement.cells import cells_of, read_repeats
from reproduction.agreement.page import write_agreement
from reproduction.plan.files import read_plan
from reproduction.running.scripting import job
from reproduction.scorecard import read_tables, scorecard

with job(snakemake.log[0]):
    files, given = snakemake.input, read_plan(snakemake.input.plan)
    tables = read_tables(files.tables, given["names"])
    card = scorecard(given["published"], tables, given["differences"])
    cells = cells_of(card, given["own"], given["yardsticks"])
    repeats = read_repeats(cells, files.scores, files.targets)
    write_agreement(
        dict(snakemake.output.items()), cells, repeats, given["yardsticks"], snakemake.params.seed
    )
