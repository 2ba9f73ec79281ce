"""Plot the first draw of each pool and its Fourier transform, in the stored order and shuffled."""

from coassoc.ensemble import Ensemble
from coassoc.figures.style import save
from coassoc.figures.transform import plot_transform
from coassoc.pools.draws import shuffle_pool
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    ensembles = {}
    for cell, path in zip(snakemake.params.cells, snakemake.input.pools, strict=True):
        pool = read_pool(path)
        orders = {
            "order of the file": pool,
            "shuffled": shuffle_pool(pool, cell["dataset"], snakemake.params.seed, 100),
        }
        ensembles[cell["dataset"]] = {
            order: Ensemble(each.labels[:, each.draws[cell["m"]][0]])
            for order, each in orders.items()
        }
    save(plot_transform(ensembles), dict(snakemake.output.items()))
