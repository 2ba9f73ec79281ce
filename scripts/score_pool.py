"""Score every base clustering of a pool."""

from coassoc.joblog import job_log
from coassoc.scores import score_pool, write_scores
from coassoc.store import read_pool


def main(job):
    write_scores(job.output[0], score_pool(read_pool(job.input.pool)))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
