"""Measure how far the reproduced numbers agree with print, by yardsticks a wrong number fails."""

from reproduction.agreement.cells import cells_of, read_repeats, read_yardsticks
from reproduction.agreement.page import write_agreement
from reproduction.plan.files import read_plan
from reproduction.running.scripting import job
from reproduction.scorecard import read_tables, scorecard

with job(snakemake.log[0]):
    files, given = snakemake.input, read_plan(snakemake.input.plan)
    tables = read_tables(files.tables, given["names"])
    card = scorecard(given["published"], tables, given["differences"])
    yardsticks = read_yardsticks(files.yardsticks)
    cells = cells_of(card, given["own"], yardsticks)
    repeats = read_repeats(cells, files.scores, files.targets)
    write_agreement(
        dict(snakemake.output.items()), cells, repeats, yardsticks, snakemake.params.seed
    )
