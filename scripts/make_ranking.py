"""Rank the methods: a page, its numbers, and the cells behind them."""

from coassoc.results.ranking import rank_cells, write_ranking
from coassoc.results.summaries import read_scores_by_stem
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    params = snakemake.params
    scores = read_scores_by_stem(snakemake.input.scores, "results/scores")
    found = rank_cells(params.cells, scores, params.metrics, params.rows, params.datasets)
    write_ranking(dict(snakemake.output.items()), found)
