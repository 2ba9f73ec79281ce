"""Combine the first ensemble of a pool, compare numbers of clusters on it, or both."""

from coassoc.pages.consensus_page import write_files
from coassoc.methods.registry import Method
from coassoc.numerics.threads import use_threads
from reproduction.pools.label_import import import_labels
from coassoc.pools.settings import PoolSettings
from coassoc.pages.combining import (
    ComparedNumbers,
    ConsensusLabels,
    base_of_pool,
    combine,
    compare,
)
from reproduction.running.scripting import job
from coassoc.storage.hdf5 import read_dataset, read_pool

with job(snakemake.log[0]) as logger, use_threads(snakemake.threads):
    wanted, dataset = snakemake.params.wanted, None
    results: dict[str, ConsensusLabels | ComparedNumbers] = {}
    seed, stem = wanted["seed"], wanted["stem"]
    if snakemake.input.dataset:
        dataset = read_dataset(snakemake.input.dataset[0])
    if wanted["labels"]:
        settings = PoolSettings.from_record(wanted["labels"])
        pool = import_labels(settings, wanted["dataset"], dataset, seed)
    else:
        pool = read_pool(snakemake.input.pool[0])
    base = base_of_pool(pool, wanted["m"])
    methods = {name: Method(**record).factory for name, record in wanted["methods"].items()}
    if wanted["labelled"]:
        c = None if wanted["unasked"] else wanted["n_clusters"] or pool.n_classes
        results[stem] = combine(base, methods, c, seed, dataset and dataset.X)
    if wanted["range"]:
        numbers = range(wanted["range"][0], wanted["range"][1] + 1)
        results[f"{stem}/n_clusters"] = compare(base, methods, numbers, wanted["draws"], seed)
    for place, result in results.items():
        for method, reason in result.failures.items():
            logger.warning("%s: %s", method, reason)
        write_files(place, result, wanted["about"])
