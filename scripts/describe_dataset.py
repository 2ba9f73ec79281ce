"""Summary of a data set and its pools, and its page of pictures."""

import json
from pathlib import Path

from coassoc.datasets.registry import DatasetEntry
from coassoc.figures.datasets import plot_dataset
from coassoc.figures.style import save
from coassoc.results.dataset_report import summarize_dataset
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_dataset, read_pool

with job(snakemake.log[0]):
    found = snakemake.input.get("dataset")  # one file, or none
    pools = [read_pool(path) for path in snakemake.input.pools]
    summary = summarize_dataset(
        DatasetEntry(**snakemake.params.entry),
        read_dataset(found[0]) if found else None,
        {pool.attributes["pool"]: pool for pool in pools},
    )
    Path(snakemake.output.summary).write_text(json.dumps(summary) + "\n")
    save(plot_dataset(summary), {end: snakemake.output[end] for end in ("pdf", "png")})
