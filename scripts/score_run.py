"""Score every repeat of a run."""

from coassoc.scores import score_run, write_scores
from coassoc.scripting import job
from coassoc.store import read_pool, read_run

with job(snakemake.log[0]):
    write_scores(
        snakemake.output[0],
        score_run(read_run(snakemake.input.run), read_pool(snakemake.input.pool)),
    )
