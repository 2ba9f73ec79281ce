"""Criteria that need no classes, for a range of numbers of clusters."""

import coassoc.running.quick_start  # noqa: F401 - scikit-learn starts faster
from coassoc.results.score_files import write_measurements
from coassoc.running.fits import Task
from coassoc.running.scripting import job
from coassoc.running.selecting import Search, criteria_of_numbers
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    lines = criteria_of_numbers(
        Task(**snakemake.params.task),
        read_pool(snakemake.input.pool),
        Search(**snakemake.params.search),
    )
    write_measurements(snakemake.output[0], lines)
