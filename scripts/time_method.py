"""Measure time and memory of a method, on all samples or on growing shares of them."""

from coassoc.results.scores import write_scores
from coassoc.running.limits import Limits
from coassoc.running.runs import read_inputs
from coassoc.running.scripting import job
from coassoc.running.tasks import Task
from coassoc.running.timing import Measurement, measure_run, measure_scaling

MEASURES = {"timing": measure_run, "scaling": measure_scaling}

with job(snakemake.log[0]) as logger:
    lines = MEASURES[snakemake.wildcards.measured](
        Task(**snakemake.params.tasks[0]),
        *read_inputs(snakemake.input.pool, *snakemake.input.features),
        measurement=Measurement(**snakemake.params.measurement),
        limits=Limits.from_config(snakemake.config),
        progress=logger.info,
    )
    write_scores(snakemake.output[0], lines)
