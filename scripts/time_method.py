"""Measure time and memory of a method, on all samples or on growing fractions of the samples."""

import pandas as pd

from coassoc.bench.fits import Task
from coassoc.bench.limits import Limits
from coassoc.bench.storage.hdf5 import read_inputs
from coassoc.bench.timing import measure_run, measure_scaling
from reproduction.running.scripting import job
from reproduction.scores.files import write_scores

with job(snakemake.log[0]):
    ((task,),) = snakemake.params.tasks.values()
    data = read_inputs(snakemake.input.pool, *snakemake.input.features)
    options = {**snakemake.params.measurement, "limits": Limits.from_config(snakemake.config)}
    shares = options.pop("shares")
    if snakemake.wildcards.measured == "timing":
        lines = measure_run(Task(**task), *data, **options)
    else:
        lines = measure_scaling(Task(**task), *data, shares, **options)
    write_scores(snakemake.output[0], pd.DataFrame(lines))
