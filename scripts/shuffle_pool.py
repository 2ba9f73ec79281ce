"""Shuffle all or some of the samples of a pool."""

from coassoc.bench.pools.draws import shuffle_pool
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from reproduction.running.scripting import job
from reproduction.study.paths import percent_shuffled

with job(snakemake.log[0]):
    w = snakemake.wildcards
    percent = percent_shuffled(f"{w.pool}-shuffled{w.part}")
    pool = read_pool(snakemake.input.pool)
    shuffled = shuffle_pool(pool, w.dataset, snakemake.params.seed, percent)
    write_pool(snakemake.output[0], shuffled)
