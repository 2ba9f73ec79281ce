"""Score every base clustering of a pool."""

from coassoc.results.scores import score_pool, write_scores
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    write_scores(snakemake.output[0], score_pool(read_pool(snakemake.input.pool)))
