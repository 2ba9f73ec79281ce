"""Get the files of a data set or of a published pool: from the mirror, or from its sources."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from coassoc.datasets.prepare import prepare
from coassoc.datasets.registry import DatasetEntry, Source
from coassoc.datasets.sources import fetch, mirror_directory
from reproduction.pools.published import read_published
from reproduction.pools.results import read_results
from coassoc.pools.settings import PublishedPool
from reproduction.running.scripting import job

with job(snakemake.log[0]) as logger:
    name = snakemake.wildcards.dataset
    sources: Sequence[Source]
    accept: Callable[..., Any]
    if snakemake.params.get("entry"):
        entry = DatasetEntry(**snakemake.params.entry)
        sources, accept = entry.sources, partial(prepare, entry)
        if entry.terms:
            logger.warning("%s: %s", name, entry.terms)
            print(f"{name}: {entry.terms}")
    else:
        source = PublishedPool(**snakemake.params.source)
        sources = [source]
        accept = read_results if source.parser == "results" else read_published
    fetched = fetch(
        name,
        sources,
        snakemake.params.folder,
        mirror_directory(snakemake.config),
        accept,
        log=logger.info,
    )
    Path(snakemake.output[0]).write_text(json.dumps(fetched, indent=1) + "\n")
