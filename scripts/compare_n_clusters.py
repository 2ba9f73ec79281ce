"""Compare numbers of clusters on the first ensemble of a pool: a table, and a page with figures."""

from coassoc.figures.selection_page import write_selection_page
from coassoc.results.consensus import write_comparison
from coassoc.running.fits import Task
from coassoc.running.scripting import job
from coassoc.running.selecting import Look, compare_numbers
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]) as logger:
    first, last = snakemake.params.range
    found = compare_numbers(
        [Task(**task) for task in snakemake.params.tasks],
        read_pool(snakemake.input.pool),
        range(first, last + 1),
        Look(**snakemake.params.look),
        logger.info,
    )
    for method, reason in found.failures.items():
        logger.warning("%s: %s", method, reason)
    write_comparison(snakemake.output.csv, found)
    names = snakemake.wildcards
    write_selection_page(snakemake.output.page, found, names.pool, names.dataset)
