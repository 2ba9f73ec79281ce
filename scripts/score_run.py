"""Score every repeat of a run."""

from coassoc.joblog import job_log
from coassoc.scores import score_run, write_scores
from coassoc.store import read_pool, read_run


def main(job):
    write_scores(job.output[0], score_run(read_run(job.input.run), read_pool(job.input.pool)))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
