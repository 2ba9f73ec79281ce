"""Rank the methods."""

from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence
from reproduction.study.cells_file import read_lines
from reproduction.survey.ranking import compared_with_the_first, write_lines_of_runs, write_ranking
from reproduction.survey.ranks import rank_cells

with job(snakemake.log[0]):
    evidence = read_evidence(snakemake)
    scores, spec = evidence.scores, evidence.spec
    facts = snakemake.params.facts
    ranks = rank_cells(evidence.cells, scores, spec["metrics"], facts["rows"], facts["datasets"])
    ranks = ranks._replace(lines=compared_with_the_first(ranks, snakemake.params.seed))
    write_ranking(dict(snakemake.output.items()), ranks)
    made_by = read_lines(spec["target"]).set_index("source")["made_by"].to_dict()
    write_lines_of_runs(snakemake.output.scores, scores, spec["metrics"], made_by)
