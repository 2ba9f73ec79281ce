"""Plot the reliability of co-association values on the first draw of each pool."""

from coassoc.ensemble import Ensemble
from coassoc.figures.reliability import co_association_reliability, plot_reliability
from coassoc.figures.style import save
from coassoc.joblog import job_log
from coassoc.store import read_pool


def main(job):
    curves = {}
    for cell, path in zip(job.params.cells, job.input.pools, strict=True):
        pool = read_pool(path)
        ensemble = Ensemble(pool.labels[:, pool.draws[cell["m"]][0]])
        curves[cell["dataset"]] = co_association_reliability(ensemble, pool.y)
    save(plot_reliability(curves), dict(job.output.items()))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
