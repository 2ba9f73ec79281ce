"""Measure time and memory of a method, on all samples or on growing shares of them."""

from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.timing import Stopwatch
from coassoc.storage.hdf5 import read_inputs
from reproduction.running.scripting import job
from reproduction.scores.files import write_measurements

with job(snakemake.log[0]):
    (task,) = snakemake.params.tasks
    limits = Limits.from_config(snakemake.config)
    stopwatch = Stopwatch(**snakemake.params.measurement, limits=limits)
    measure = {"timing": stopwatch.measure_run, "scaling": stopwatch.measure_scaling}
    lines = measure[snakemake.wildcards.measured](
        Task(**task), *read_inputs(snakemake.input.pool, *snakemake.input.features)
    )
    write_measurements(snakemake.output[0], lines)
