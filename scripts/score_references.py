"""Score what methods are compared with: the base clusterings of each ensemble, and controls."""

from coassoc.results.scores import score_references, write_scores
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_pool

with job(snakemake.log[0]):
    names = snakemake.wildcards
    pool = read_pool(snakemake.input.pool)
    lines = score_references(
        pool,
        int(names.m),
        n_clusters=snakemake.params.classes or pool.n_classes,
        seed=snakemake.params.seed,
        names=(names.pool, names.dataset),
    )
    write_scores(snakemake.output[0], lines)
