"""Plot the similarities that methods learn on the first draw of each pool."""

import numpy as np

from coassoc.figures.matrices import plot_matrices
from coassoc.figures.style import save
from coassoc.running.runs import first_fit
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    panels = {}
    for fit in snakemake.params.fits:
        estimator, pool, _ = first_fit(fit, snakemake.params.seed)
        similarity = np.asarray(estimator.affinity_)
        panels.setdefault(fit["dataset"], {})[fit["label"]] = similarity, pool.y
    spec = snakemake.params.spec
    figure = plot_matrices(panels, spec.get("panels", []), relative=spec.get("relative", False))
    save(figure, dict(snakemake.output.items()))
