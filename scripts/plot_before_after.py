"""Plot scores of the base clusterings of each first draw before and after refinement."""

from coassoc.figures.before_after import plot_before_after, scores_of_refinement
from coassoc.figures.style import save
from coassoc.running.runs import first_fit
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    ((metric, score),) = snakemake.params.spec["metrics"].items()
    refinements = {}
    for fit in snakemake.params.fits:
        estimator, pool, _ = first_fit(fit, snakemake.params.seed)
        scores = scores_of_refinement(estimator, pool.y, score)
        refinements.setdefault(fit["dataset"], {})[fit["label"]] = scores
    save(plot_before_after(refinements, metric), dict(snakemake.output.items()))
