"""Rank the methods: a page, its numbers, and the cells behind them."""

from functools import partial

from reproduction.results.beside import rank_beside_kept
from coassoc.bench.ranking import rank_cells, write_lines_of_runs, write_ranking
from coassoc.bench.score_files import read_scores
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    target = snakemake.params.target
    spec, scores = target["spec"], read_scores(snakemake.input.scores)
    rank = rank_cells
    if snakemake.input.pools:
        rank = partial(rank_beside_kept, pools=snakemake.input.pools)
    ranks = rank(target["cells"], scores, spec["metrics"], spec["rows"], spec["datasets"])
    write_ranking(dict(snakemake.output.items()), ranks)
    write_lines_of_runs(snakemake.output.scores, scores, spec["metrics"])
