"""Run one method on all draws of a pool."""

from coassoc.methods.registry import Method
from coassoc.running.limits import Limits
from coassoc.running.runs import execute_run
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_dataset, read_pool

with job(snakemake.log[0]):
    names = snakemake.wildcards
    pool = read_pool(snakemake.input.pool)
    features = read_dataset(snakemake.input.features[0]).X if snakemake.input.features else None
    execute_run(
        snakemake.output[0],
        pool,
        Method(**snakemake.params.estimator).factory,
        method=names.method,
        points=snakemake.params.points,
        m=int(names.m),
        n_clusters=snakemake.params.classes or pool.n_classes,
        seed=snakemake.params.seed,
        names=(names.pool, names.dataset),
        threads=snakemake.params.threads,
        features=features,
        limits=Limits.from_config(snakemake.config),
        code=snakemake.params.code,
    )
