"""A user's own clusterings as a pool."""

from reproduction.pools.label_import import import_labels
from coassoc.pools.settings import PoolSettings
from reproduction.running.scripting import job
from coassoc.storage.hdf5 import read_dataset, write_pool

with job(snakemake.log[0]) as logger:
    dataset = read_dataset(snakemake.input.dataset[0]) if snakemake.input.dataset else None
    settings = PoolSettings.from_record(snakemake.params.pool)
    pool = import_labels(settings, snakemake.wildcards.dataset, dataset, snakemake.params.seed)
    write_pool(snakemake.output[0], pool)
    if pool.attributes["matched"]:
        logger.info(pool.attributes["matched"])
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
