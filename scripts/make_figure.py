"""Draw a figure of any kind, and write the numbers that curves show beside it."""

from coassoc.figures.inputs import read_figure_inputs
from coassoc.figures.kinds import draw
from coassoc.figures.style import save
from coassoc.results.tables import write_lines
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    paths = dict(snakemake.output.items())
    inputs = read_figure_inputs(dict(snakemake.input.items()), dict(snakemake.params.items()))
    if "csv" in paths:
        write_lines(paths.pop("csv"), inputs.summary)
    save(draw(snakemake.params.kind, inputs), paths)
