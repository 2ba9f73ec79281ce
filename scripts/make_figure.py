"""Draw a figure of any kind, and write the numbers that curves show beside it."""

from coassoc.pages.style import save
from reproduction.figures.inputs import read_figure_inputs
from reproduction.plan.files import PlanFiles, read_plan
from reproduction.plan.kinds import KINDS, imported
from reproduction.results.pages import write_lines
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    paths, files = dict(snakemake.output.items()), dict(snakemake.input.items())
    target, seed = read_plan(files.pop("plan")), snakemake.params.seed
    inputs = read_figure_inputs(files, target, PlanFiles(), seed)
    if "csv" in paths:
        write_lines(paths.pop("csv"), inputs.numbers)
    save(imported(KINDS[target["kind"]].plot)(inputs), paths)
