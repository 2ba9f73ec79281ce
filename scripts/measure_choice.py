"""All methods on one ensemble of a data set, made as a pool says."""

from coassoc.pools.settings import PoolSettings
from coassoc.storage.hdf5 import read_dataset
from reproduction.plan.files import PlanFiles
from reproduction.running.choosing import measure
from reproduction.running.scripting import job
from reproduction.scores.files import write_measurements

with job(snakemake.log[0]):
    w = snakemake.wildcards
    pool = PoolSettings.model_validate(PlanFiles().pool(w.pool)["settings"])
    dataset = read_dataset(snakemake.input[0])
    line = measure(dataset, w.dataset, pool, snakemake.params.seed)
    write_measurements(snakemake.output[0], [line])
