"""Unpack a pool of labels that come with the software, and draw the ensembles for all methods."""

from coassoc.storage.hdf5 import write_pool
from reproduction.pools.shipped import unpack_labels
from reproduction.running.scripting import job
from reproduction.study.catalogues import catalogues_of

with job(snakemake.log[0]) as logger:
    w = snakemake.wildcards
    settings = catalogues_of(snakemake.config).pools[w.pool]
    pool = unpack_labels(
        snakemake.input.labels, settings, name=w.dataset, seed=snakemake.params.seed
    )
    write_pool(snakemake.output[0], pool)
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
