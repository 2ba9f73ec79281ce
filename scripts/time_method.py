"""Measure time and memory of a method, on all samples or on growing shares of them."""

from functools import partial

from coassoc.methods.registry import Method
from coassoc.results.scores import write_scores
from coassoc.running.limits import Limits
from coassoc.running.scripting import job
from coassoc.running.timing import measure_run, measure_scaling
from coassoc.storage.hdf5 import read_dataset, read_pool

with job(snakemake.log[0]) as logger:
    names, timing = snakemake.wildcards, snakemake.params.timing
    pool = read_pool(snakemake.input.pool)
    features = read_dataset(snakemake.input.features[0]).X if snakemake.input.features else None
    measure = measure_run
    if names.measured == "scaling":
        measure = partial(measure_scaling, shares=timing["shares"])
    lines = measure(
        pool,
        Method(**snakemake.params.estimator).factory,
        method=names.method,
        points=snakemake.params.points,
        m=int(names.m),
        n_clusters=snakemake.params.classes or pool.n_classes,
        seed=snakemake.params.seed,
        names=(names.pool, names.dataset),
        repeats=timing["repeats"],
        stop_after=timing["stop_after"],
        threads=snakemake.params.threads,
        features=features,
        limits=Limits.from_config(snakemake.config),
        progress=logger.info,
    )
    write_scores(snakemake.output[0], lines)
