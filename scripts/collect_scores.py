"""Put the scores of all targets into one file."""

from coassoc.results.score_files import collect_scores
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    collect_scores(snakemake.input.scores).to_parquet(snakemake.output[0], index=False)
