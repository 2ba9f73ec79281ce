"""Lay out one table of a paper."""

from coassoc.joblog import job_log
from coassoc.tables import compare, read_scores_by_stem, reproduction_note, summarize, write_table


def main(job):
    spec = job.params.spec
    scores = read_scores_by_stem(job.input.scores, "results/scores")
    summary = summarize(job.params.cells, scores, spec["metrics"])
    write_table(
        dict(job.output.items()),
        compare(summary, job.params.published),
        title=spec["title"],
        caption=spec["caption"],
        down=spec["layout"]["down"],
        across=spec["layout"]["across"],
        note=reproduction_note(summary),
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(snakemake)
