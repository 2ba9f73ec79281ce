"""All methods on one ensemble of a data set, made as a pool says."""

from coassoc.storage.hdf5 import read_dataset
from reproduction.running.choosing import measure
from reproduction.running.scripting import job
from reproduction.scores.files import write_measurements
from reproduction.study.plan import Plan

with job(snakemake.log[0]):
    w = snakemake.wildcards
    pool = Plan(snakemake.config).pool(w.pool)
    dataset = read_dataset(snakemake.input[0])
    line = measure(dataset, w.dataset, pool, snakemake.params.seed)
    write_measurements(snakemake.output[0], [line])
