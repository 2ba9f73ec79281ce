"""Rank the methods: a page, its numbers, and the cells behind them."""

from coassoc.results.ranking import rank_cells, write_ranking
from coassoc.results.score_files import read_scores
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    params = snakemake.params
    metrics = params.target["spec"]["metrics"]
    scores = read_scores(snakemake.input.scores)
    ranks = rank_cells(params.target["cells"], scores, metrics, params.rows, params.datasets)
    write_ranking(dict(snakemake.output.items()), ranks)
