"""Plot scores of the base clusterings of each first draw before and after refinement."""

from coassoc.figures.before_after import plot_before_after, scores_of_refinement
from coassoc.figures.style import save
from coassoc.running.fits import Task
from coassoc.running.runs import first_fit, read_inputs
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    ((metric, score),) = snakemake.params.spec["metrics"].items()
    refinements: dict = {}
    for fit in snakemake.params.fits:
        pool, X = read_inputs(fit["pool_file"], fit["features_file"])
        estimator = first_fit(Task(**fit["task"]), pool, X)
        scores = scores_of_refinement(estimator, pool.classes, score)
        refinements.setdefault(fit["dataset"], {})[fit["label"]] = scores
    save(plot_before_after(refinements, metric), dict(snakemake.output.items()))
