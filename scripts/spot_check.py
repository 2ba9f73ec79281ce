"""Make one repeat of some kept runs again, and compare its scores."""

from pathlib import Path

from coassoc.results.score_files import read_collected
from coassoc.results.spot_check import check
from coassoc.running.fits import Task
from coassoc.running.runs import read_inputs
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    params = snakemake.params
    tasks = {run: Task(**record) for run, record in params.tasks.items()}
    # What was fitted before the check was stopped is not fitted again.
    unfinished = Path(params.unfinished)
    kept = read_collected(params.kept)
    check(unfinished, tasks, kept, lambda run: read_inputs(*params.inputs[run]))
    unfinished.replace(snakemake.output[0])
