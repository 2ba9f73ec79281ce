"""The same pool with its samples in random order."""

from coassoc.pools.draws import shuffle_pool
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool, write_pool

with job(snakemake.log[0]):
    pool = read_pool(snakemake.input.pool)
    write_pool(
        snakemake.output[0],
        shuffle_pool(pool, snakemake.wildcards.dataset, snakemake.params.seed),
    )
