"""Tables and an overview of all data sets and pools."""

import json
from pathlib import Path

from coassoc.figures.datasets import plot_overview
from coassoc.figures.style import save
from coassoc.results.dataset_report import write_report
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    summaries = [json.loads(Path(path).read_text()) for path in snakemake.input.summaries]
    paths = dict(snakemake.output.items())
    save(plot_overview(summaries), {end: paths.pop(end) for end in ("pdf", "png")})
    write_report(summaries, paths)
