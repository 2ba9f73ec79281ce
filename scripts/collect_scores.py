"""Put the scores of all runs into one file."""

from coassoc.scripting import job
from coassoc.tables import collect_scores

with job(snakemake.log[0]):
    collect_scores(snakemake.input.scores, "results/scores").to_parquet(
        snakemake.output[0], index=False
    )
