"""Unpack a pool of labels that come with the software, and draw the ensembles for all methods."""

from coassoc.bench.storage.hdf5 import write_pool
from reproduction.pools.shipped import unpack_labels
from reproduction.running.scripting import job

with job(snakemake.log[0]) as logger:
    labels, dataset = snakemake.input.labels, snakemake.wildcards.dataset
    settings, seed = snakemake.params.pool, snakemake.params.seed
    pool = unpack_labels(labels, settings, name=dataset, seed=seed)
    write_pool(snakemake.output[0], pool)
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
