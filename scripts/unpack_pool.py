"""A pool of labels that come with the software, and the draws that all methods share."""

from coassoc.pools.settings import PoolSettings
from coassoc.storage.hdf5 import write_pool
from reproduction.plan.files import PlanFiles
from reproduction.pools.shipped import unpack_labels
from reproduction.running.scripting import job

with job(snakemake.log[0]) as logger:
    w = snakemake.wildcards
    settings = PoolSettings.model_validate(PlanFiles().pool(w.pool)["settings"])
    pool = unpack_labels(
        snakemake.input.labels, settings, name=w.dataset, seed=snakemake.params.seed
    )
    write_pool(snakemake.output[0], pool)
    logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
