"""Import a published pool, and draw the ensembles that all methods share."""

from coassoc.bench.datasets.sources import fetched_files
from coassoc.bench.storage.hdf5 import read_dataset, write_pool
from reproduction.pools.published import import_pool
from reproduction.running.scripting import job
from reproduction.study.paths import below_prefix

with job(snakemake.log[0]) as logger:
    given, file = snakemake.params, snakemake.input.get("dataset")
    _, paths, origin = fetched_files(snakemake.input.files, below_prefix("data/sources"))
    pool = import_pool(
        given.source,
        paths,
        given.pool,
        read_dataset(file) if file else None,
        name=snakemake.wildcards.dataset,
        seed=given.seed,
        origin=origin,
    )
    write_pool(snakemake.output[0], pool)
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
