"""Look at a range of numbers of clusters by criteria that need no classes."""

from coassoc.results.score_files import write_measurements
from coassoc.running.fits import Task
from coassoc.running.scripting import job
from coassoc.running.selecting import Look, look_at_numbers
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]) as logger:
    lines = look_at_numbers(
        Task(**snakemake.params.tasks[0]),
        read_pool(snakemake.input.pool),
        Look(**snakemake.params.look),
        logger.info,
    )
    write_measurements(snakemake.output[0], lines)
