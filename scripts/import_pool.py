"""Import a published pool, and draw the ensembles that all methods share."""

from functools import partial

from coassoc.bench.datasets.sources import fetched_files
from coassoc.bench.storage.hdf5 import read_dataset, write_pool
from reproduction.pools.published import import_pool
from reproduction.pools.results import import_results
from reproduction.running.scripting import job
from reproduction.study.paths import below_prefix

with job(snakemake.log[0]) as logger:
    given, make = snakemake.params, import_pool
    if snakemake.input.get("dataset"):
        make = partial(import_results, dataset=read_dataset(snakemake.input.dataset))
    _, paths, origin = fetched_files(snakemake.input.files, below_prefix("data/sources"))
    pool = make(
        given.source,
        paths,
        given.pool,
        name=snakemake.wildcards.dataset,
        seed=given.seed,
        origin=origin,
    )
    write_pool(snakemake.output[0], pool)
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
