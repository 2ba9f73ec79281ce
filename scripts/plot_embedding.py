"""Plot maps of the samples by their features and by what methods made of them."""

from coassoc.figures.embedding import map_samples, plot_embedding
from coassoc.figures.style import save
from coassoc.running.fits import Task
from coassoc.running.runs import first_fit, read_inputs
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    seed = snakemake.params.seed
    maps: dict = {}
    classes: dict = {}
    for fit in snakemake.params.fits:
        pool, X = read_inputs(fit["pool_file"], fit["features_file"])
        estimator = first_fit(Task(**fit["task"]), pool, X)
        classes[fit["dataset"]] = pool.y
        row = maps.setdefault(fit["dataset"], {})
        if not row:
            row["features"] = map_samples(X, seed)
        row[fit["label"]] = map_samples(estimator.embedding_, seed)
    save(plot_embedding(maps, classes), dict(snakemake.output.items()))
