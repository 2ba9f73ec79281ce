"""Put the scores of all runs into one file."""

from coassoc.joblog import job_log
from coassoc.tables import collect_scores


def main(job):
    collect_scores(job.input.scores, "results/scores").to_parquet(job.output[0], index=False)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
