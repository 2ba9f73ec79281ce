"""Make one repeat of some kept runs again, and compare its scores."""

from pathlib import Path

from coassoc.bench.score_files import read_collected
from reproduction.results.spot_check import check
from coassoc.bench.fits import Task
from coassoc.bench.runs import read_inputs
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    params = snakemake.params
    tasks = {run: Task(**record) for run, record in params.tasks.items()}
    # What was fitted before the check was stopped is not fitted again.
    unfinished = Path(params.unfinished)
    kept = read_collected(params.kept)
    check(unfinished, tasks, kept, lambda run: read_inputs(*params.inputs[run]))
    unfinished.replace(snakemake.output[0])
