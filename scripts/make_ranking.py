"""Rank the methods: a page, its numbers, and the cells behind them."""

from coassoc.results.ranking import rank_cells, write_ranking
from coassoc.results.score_files import read_scores
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    target = snakemake.params.target
    spec, scores = target["spec"], read_scores(snakemake.input.scores)
    ranks = rank_cells(target["cells"], scores, spec["metrics"], spec["rows"], spec["datasets"])
    write_ranking(dict(snakemake.output.items()), ranks)
