"""A published pool of base clusterings, and the draws that all methods share."""

from coassoc.datasets.sources import fetched_files
from coassoc.pools.published import import_pool
from coassoc.pools.settings import PoolSettings, PublishedPool
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import write_pool

with job(snakemake.log[0]) as logger:
    _, paths, origin = fetched_files(snakemake.input.files, snakemake.params.folder)
    pool = import_pool(
        PublishedPool(**snakemake.params.source),
        paths,
        PoolSettings.from_record(snakemake.params.pool),
        name=snakemake.wildcards.dataset,
        seed=snakemake.params.seed,
        origin=origin,
    )
    write_pool(snakemake.output[0], pool)
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
