"""Lay out one table of a paper."""

from coassoc.scripting import job
from coassoc.tables import compare, read_scores_by_stem, reproduction_note, summarize, write_table

with job(snakemake.log[0]):
    spec = snakemake.params.spec
    scores = read_scores_by_stem(snakemake.input.scores, "results/scores")
    summary = summarize(snakemake.params.cells, scores, spec["metrics"])
    write_table(
        dict(snakemake.output.items()),
        compare(summary, snakemake.params.published),
        title=spec["title"],
        caption=spec["caption"],
        down=spec["layout"]["down"],
        across=spec["layout"]["across"],
        note=reproduction_note(summary),
    )
