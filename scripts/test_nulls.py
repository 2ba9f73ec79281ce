"""Tests of structure on a data set, or on clouds of points without one."""

from coassoc.pools.settings import PoolSettings
from coassoc.bench.score_files import write_measurements
from reproduction.running.nulls import nulls_of_clouds, nulls_of_dataset
from reproduction.running.scripting import job
from coassoc.storage.hdf5 import read_dataset

with job(snakemake.log[0]):
    recipes, seed = PoolSettings.from_record(snakemake.params.pool).recipes, snakemake.params.seed
    if snakemake.input:
        X = read_dataset(snakemake.input[0]).X
        lines = [nulls_of_dataset(X, recipes, int(snakemake.wildcards.m), seed)]
    else:
        lines = nulls_of_clouds(recipes, seed)
    write_measurements(snakemake.output[0], lines)
