"""Plot the reliability of co-association values on the first draw of each pool."""

from coassoc.ensemble import Ensemble
from coassoc.figures.reliability import co_association_reliability, plot_reliability
from coassoc.figures.style import save
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    curves = {}
    for cell, path in zip(snakemake.params.cells, snakemake.input.pools, strict=True):
        pool = read_pool(path)
        ensemble = Ensemble(pool.labels[:, pool.draws[cell["m"]][0]])
        curves[cell["dataset"]] = co_association_reliability(ensemble, pool.classes)
    save(plot_reliability(curves), dict(snakemake.output.items()))
