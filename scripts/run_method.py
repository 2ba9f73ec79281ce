"""Run one method on all draws of a pool."""

from coassoc.joblog import job_log
from coassoc.methods import METHODS
from coassoc.runs import execute_run
from coassoc.store import read_dataset, read_pool


def main(job):
    names = job.wildcards
    pool = read_pool(job.input.pool)
    features = read_dataset(job.input.features[0]).X if job.input.features else None
    execute_run(
        job.output[0],
        pool,
        METHODS.estimator(names.method, job.params.estimator),
        method=names.method,
        points=job.params.points,
        m=int(names.m),
        n_clusters=job.params.classes or pool.n_classes,
        seed=job.params.seed,
        names=(names.pool, names.dataset),
        threads=job.params.threads,
        features=features,
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
