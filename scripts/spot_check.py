"""Make one repeat of some kept runs again, and compare its scores."""

from pathlib import Path

from coassoc.bench.fits import Task
from reproduction.plan.files import PlanFiles
from reproduction.results.spot_check import check
from reproduction.running.inputs import read_inputs
from reproduction.running.scripting import job
from reproduction.scores.files import read_collected

with job(snakemake.log[0]):
    plan = PlanFiles()
    drawn = plan.spot_checked()
    tasks = {str(run): Task(**plan.task(run)) for run in drawn}
    files = {str(run): [run.pool_file, *plan.features([run])] for run in drawn}
    # What was fitted before the check was stopped is not fitted again.
    unfinished = Path("results/spot_check.part.csv")
    kept = read_collected({str(run): file for run, file in drawn.items()})
    check(unfinished, tasks, kept, lambda run: read_inputs(*files[run]))
    unfinished.replace(snakemake.output[0])
