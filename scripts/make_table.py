"""Lay out one table of a paper."""

from coassoc.results.summaries import read_scores_by_stem, summarize, with_means
from coassoc.results.tables import compare, reproduction_note, write_table
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    spec = snakemake.params.spec
    scores = read_scores_by_stem(snakemake.input.scores, snakemake.params.folder)
    relative_to = spec.get("relative_to")
    summary = summarize(snakemake.params.cells, scores, spec["metrics"], relative_to)
    note = reproduction_note(summary)
    if spec.get("mean"):
        summary = with_means(summary, spec["mean"])
    write_table(
        dict(snakemake.output.items()),
        compare(summary, snakemake.params.published),
        title=spec["title"],
        caption=spec["caption"],
        down=spec["layout"]["down"],
        across=spec["layout"]["across"],
        note=note,
    )
