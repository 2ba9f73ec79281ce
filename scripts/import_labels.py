"""Import a user's clusterings as a pool."""

from coassoc.bench.storage.hdf5 import read_dataset, write_pool
from reproduction.pools.label_import import import_labels
from reproduction.running.scripting import job

with job(snakemake.log[0]) as logger:
    dataset = read_dataset(snakemake.input.dataset[0]) if snakemake.input.dataset else None
    settings, seed = snakemake.params.pool, snakemake.params.seed
    pool = import_labels(settings, snakemake.wildcards.dataset, dataset, seed)
    write_pool(snakemake.output[0], pool)
    if pool.attributes["matched"]:
        logger.info(pool.attributes["matched"])
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
