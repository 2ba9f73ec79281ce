"""Lay out one table of a paper."""

from coassoc.results.summaries import read_sources, summarize, with_means
from coassoc.results.tables import compare, reproduction_note, write_table
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    target = snakemake.params.target
    spec = target["spec"]
    scores = read_sources(dict(snakemake.input.items()))
    relative_to = spec.get("relative_to")
    summary = summarize(target["cells"], scores, spec["metrics"], relative_to)
    note = reproduction_note(summary)
    if spec.get("mean"):
        summary = with_means(summary, spec["mean"])
    write_table(
        dict(snakemake.output.items()),
        compare(summary, target["published"]),
        title=spec["title"],
        caption=spec["caption"],
        down=spec["layout"]["down"],
        across=spec["layout"]["across"],
        note=note,
    )
