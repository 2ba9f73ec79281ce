"""Rank the methods."""

from coassoc.bench.ranking import rank_cells
from reproduction.findings.ranking import (
    compared_with_the_first,
    write_lines_of_runs,
    write_ranking,
)
from reproduction.running.scripting import job
from reproduction.scores.files import read_scores
from reproduction.study.plan import RANKING, Plan

with job(snakemake.log[0]):
    plan = Plan(snakemake.config)
    spec, scores = plan.spec(RANKING), read_scores(snakemake.input.scores)
    facts = spec["metrics"], spec["rows"], spec["datasets"]
    ranks = rank_cells(plan.cells(RANKING), scores, *facts)
    ranks = ranks._replace(lines=compared_with_the_first(ranks, snakemake.params.seed))
    write_ranking(dict(snakemake.output.items()), ranks)
    made_by = plan.present.made_by
    write_lines_of_runs(snakemake.output.scores, scores, spec["metrics"], made_by)
