"""Generate the base clusterings of a data set, and the draws that all methods share."""

from functools import partial

from coassoc.bench.pools.making import log_progress, make_pool
from coassoc.bench.storage.hdf5 import read_dataset, write_pool
from reproduction.running.scripting import job

with job(snakemake.log[0]) as logger:
    w = snakemake.wildcards
    pool = make_pool(
        read_dataset(snakemake.input.dataset),
        snakemake.params.pool,
        name=w.dataset,
        random_state=snakemake.params.seed,
        n_jobs=snakemake.threads,
        progress=partial(log_progress, logger, f"{w.pool}/{w.dataset}"),
    )
    write_pool(snakemake.output[0], pool)
