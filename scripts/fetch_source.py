"""Fetch the files of a data set or a published pool from the mirror or from their sources."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from coassoc.bench.datasets.prepare import prepare
from coassoc.bench.datasets.sources import fetch, mirror_directory
from reproduction.pools.published import read_published, read_results
from reproduction.running.scripting import job
from reproduction.study.paths import below_prefix

with job(snakemake.log[0]) as logger:
    given, name = snakemake.params, snakemake.wildcards.dataset
    accept: Any
    if given.get("source"):
        sources = [given.source]
        accept = read_results if given.source.parser == "results" else read_published
    else:
        entry = given.dataset
        sources, accept = entry.sources, partial(prepare, entry)
        if entry.terms:
            logger.warning("%s: %s", name, entry.terms)
            print(f"{name}: {entry.terms}")
    folder, mirror = below_prefix("data/sources"), mirror_directory(snakemake.config)
    fetched = fetch(name, sources, folder, mirror, accept, log=logger.info)
    # The identity makes the record differ if the same files must be read in another way. Otherwise
    # Snakemake would not rerun what reads them after an interruption.
    record = {**fetched, "identity": given.identity}
    Path(snakemake.output[0]).write_text(json.dumps(record, indent=1) + "\n")
