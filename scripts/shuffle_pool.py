"""The same pool with its samples, or some of them, in random order."""

from coassoc.pools.draws import shuffle_pool
from reproduction.running.scripting import job
from coassoc.storage.hdf5 import read_pool, write_pool

with job(snakemake.log[0]):
    pool, params = read_pool(snakemake.input.pool), snakemake.params
    shuffled = shuffle_pool(pool, snakemake.wildcards.dataset, params.seed, params.percent)
    write_pool(snakemake.output[0], shuffled)
