"""Criteria that need no classes, for a range of numbers of clusters."""

import reproduction.running.quick_start  # noqa: F401 - scikit-learn starts faster
from coassoc.bench.score_files import write_measurements
from coassoc.bench.fits import Task
from reproduction.running.scripting import job
from reproduction.running.selecting import Search, criteria_of_numbers
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    lines = criteria_of_numbers(
        Task(**snakemake.params.task),
        read_pool(snakemake.input.pool),
        Search(**snakemake.params.search),
    )
    write_measurements(snakemake.output[0], lines)
