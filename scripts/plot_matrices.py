"""Plot the similarities that methods learn on the first draw of each pool."""

import numpy as np

from coassoc.figures.matrices import plot_matrices
from coassoc.figures.style import save
from coassoc.running.fits import Task
from coassoc.running.runs import first_fit, read_inputs
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    panels: dict = {}
    for fit in snakemake.params.fits:
        pool, X = read_inputs(fit["pool_file"], fit["features_file"])
        estimator = first_fit(Task(**fit["task"]), pool, X)
        similarity = np.asarray(estimator.affinity_)
        panels.setdefault(fit["dataset"], {})[fit["label"]] = similarity, pool.y
    spec = snakemake.params.spec
    figure = plot_matrices(panels, spec.get("panels", []), relative=spec.get("relative", False))
    save(figure, dict(snakemake.output.items()))
