"""Plot scores against a parameter or the ensemble size."""

from coassoc.figures.curves import plot_ensemble_size, plot_sensitivity
from coassoc.figures.style import save
from coassoc.figures.surface import plot_surface
from coassoc.results.summaries import read_scores_by_stem, summarize
from coassoc.results.tables import write_lines
from coassoc.running.scripting import job

PLOTS = {
    "sensitivity": plot_sensitivity,
    "ensemble_size": plot_ensemble_size,
    "surface": plot_surface,
}

with job(snakemake.log[0]):
    spec = snakemake.params.spec
    scores = read_scores_by_stem(snakemake.input.scores, "results/scores")
    summary = summarize(snakemake.params.cells, scores, spec["metrics"])
    write_lines(snakemake.output.csv, summary)
    figure = PLOTS[snakemake.params.kind](summary, spec)
    save(figure, {"pdf": snakemake.output.pdf, "png": snakemake.output.png})
