"""Criteria that need no classes, for a range of numbers of clusters."""

import pandas as pd

from coassoc.bench.fits import Task
from coassoc.bench.storage.hdf5 import read_pool
from reproduction.running.scripting import job
from reproduction.scores.files import write_scores
from reproduction.survey.selecting import criteria_of_numbers

with job(snakemake.log[0]):
    ((task,),) = snakemake.params.tasks.values()
    pool = read_pool(snakemake.input.pool)
    lines = criteria_of_numbers(Task(**task), pool, **snakemake.params.search)
    write_scores(snakemake.output[0], pd.DataFrame(lines))
