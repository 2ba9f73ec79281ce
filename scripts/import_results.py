"""Published results of many algorithms on a data set as a pool."""

from coassoc.datasets.sources import fetched_files
from coassoc.pools.results import import_results
from coassoc.pools.settings import PoolSettings, PublishedPool
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_dataset, write_pool

with job(snakemake.log[0]) as logger:
    _, paths, origin = fetched_files(snakemake.input.files, snakemake.params.folder)
    pool = import_results(
        PublishedPool(**snakemake.params.source),
        paths,
        PoolSettings.from_record(snakemake.params.pool),
        read_dataset(snakemake.input.dataset),
        name=snakemake.wildcards.dataset,
        seed=snakemake.params.seed,
        origin=origin,
    )
    write_pool(snakemake.output[0], pool)
    logger.info("%d partitions of %d samples", *reversed(pool.labels.shape))
    for column, earlier in pool.attributes["near_duplicates"].items():
        logger.info("%s is nearly %s", column, earlier)
