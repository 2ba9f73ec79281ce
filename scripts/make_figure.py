"""Draw a figure of any kind, and write the numbers that curves show beside it."""

from reproduction.figures.inputs import read_figure_inputs
from coassoc.pages.style import save
from reproduction.plan.kinds import KINDS, located
from coassoc.pages.pages import write_lines
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    params, paths = snakemake.params, dict(snakemake.output.items())
    files, fits = dict(snakemake.input.items()), params.get("fits", ())
    inputs = read_figure_inputs(files, params.target, fits, params.seed)
    if "csv" in paths:
        write_lines(paths.pop("csv"), inputs.numbers)
    save(located(KINDS[params.target["kind"]].plot)(inputs), paths)
