"""Collect the scores of all targets in one file, with their revisions and settings."""

from reproduction.running.scripting import job
from reproduction.scores.files import collect_scores, write_scores
from reproduction.study.cells_file import read_lines

with job(snakemake.log[0]):
    made_by: dict[str, str] = {}
    for target in snakemake.params.cells:
        made_by |= read_lines(target).set_index("source")["made_by"].to_dict()
    write_scores(snakemake.output[0], collect_scores(snakemake.input, made_by))
