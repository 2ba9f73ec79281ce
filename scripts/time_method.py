"""Measure time and memory of a method, on all samples or on growing shares of them."""

import reproduction.running.quick_start  # noqa: F401 - scikit-learn starts faster
from coassoc.bench.score_files import write_measurements
from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.runs import read_inputs
from reproduction.running.scripting import job
from coassoc.bench.timing import Stopwatch

with job(snakemake.log[0]):
    limits = Limits.from_config(snakemake.config)
    stopwatch = Stopwatch(**snakemake.params.measurement, limits=limits)
    measure = {"timing": stopwatch.measure_run, "scaling": stopwatch.measure_scaling}
    lines = measure[snakemake.wildcards.measured](
        Task(**snakemake.params.task),
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
    )
    write_measurements(snakemake.output[0], lines)
