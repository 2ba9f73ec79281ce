"""Tests of structure on a data set, or on simulated clouds of points."""

from coassoc.bench.storage.hdf5 import read_dataset
from reproduction.running.scripting import job
from reproduction.scores.files import write_measurements
from reproduction.survey.nulls import nulls_of_clouds, nulls_of_dataset

with job(snakemake.log[0]):
    recipes, seed = snakemake.params.pool.recipes, snakemake.params.seed
    if snakemake.input:
        X = read_dataset(snakemake.input[0]).X
        lines = [nulls_of_dataset(X, recipes, int(snakemake.wildcards.m), seed)]
    else:
        lines = nulls_of_clouds(recipes, seed)
    write_measurements(snakemake.output[0], lines)
