"""Write what methods found on the first ensemble of a pool, and a page on it."""

from coassoc.figures.consensus_page import write_consensus_page
from coassoc.results.consensus import consensus_labels, write_consensus
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool, read_run

with job(snakemake.log[0]) as logger:
    runs = zip(snakemake.params.methods, map(read_run, snakemake.input.runs), strict=True)
    found = consensus_labels(read_pool(snakemake.input.pool), snakemake.params.m, dict(runs))
    for method, reason in found.failures.items():
        logger.warning("%s: %s", method, reason)
    write_consensus(snakemake.output.csv, found)
    names = snakemake.wildcards
    write_consensus_page(snakemake.output.page, found, names.pool, names.dataset)
