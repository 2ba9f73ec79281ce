"""Score every base clustering of a pool."""

from coassoc.scores import score_pool, write_scores
from coassoc.scripting import job
from coassoc.store import read_pool

with job(snakemake.log[0]):
    write_scores(snakemake.output[0], score_pool(read_pool(snakemake.input.pool)))
