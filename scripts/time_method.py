"""Measure time and memory of a method, on all samples or on growing shares of them."""

import coassoc.running.quick_start  # noqa: F401 - scikit-learn starts faster
from coassoc.results.score_files import write_measurements
from coassoc.running.fits import Task
from coassoc.running.limits import Limits
from coassoc.running.runs import read_inputs
from coassoc.running.scripting import job
from coassoc.running.timing import Stopwatch

with job(snakemake.log[0]):
    limits = Limits.from_config(snakemake.config)
    stopwatch = Stopwatch(**snakemake.params.measurement, limits=limits)
    measure = {"timing": stopwatch.measure_run, "scaling": stopwatch.measure_scaling}
    lines = measure[snakemake.wildcards.measured](
        Task(**snakemake.params.task),
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
    )
    write_measurements(snakemake.output[0], lines)
