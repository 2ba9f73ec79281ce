"""Rank the methods: a page, its numbers, and the cells behind them."""

from coassoc.bench.ranking import rank_cells
from reproduction.plan.files import read_plan
from reproduction.results.ranking import write_lines_of_runs, write_ranking
from reproduction.running.scripting import job
from reproduction.scores.files import read_scores

with job(snakemake.log[0]):
    target = read_plan(snakemake.input.plan)
    spec, scores = target["spec"], read_scores(snakemake.input.scores)
    ranks = rank_cells(target["cells"], scores, spec["metrics"], spec["rows"], spec["datasets"])
    write_ranking(dict(snakemake.output.items()), ranks)
    write_lines_of_runs(snakemake.output.scores, scores, spec["metrics"])
