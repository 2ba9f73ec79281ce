"""Plot scores against a parameter or the ensemble size."""

from coassoc.figures.curves import plot_ensemble_size, plot_sensitivity
from coassoc.figures.style import save
from coassoc.joblog import job_log
from coassoc.tables import read_scores_by_stem, summarize

PLOTS = {"sensitivity": plot_sensitivity, "ensemble_size": plot_ensemble_size}


def main(job):
    spec = job.params.spec
    scores = read_scores_by_stem(job.input.scores, "results/scores")
    summary = summarize(job.params.cells, scores, {spec["metric"]: spec["metric"]})
    save(PLOTS[job.params.kind](summary, spec), dict(job.output.items()))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
