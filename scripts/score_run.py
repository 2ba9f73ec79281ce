"""Score every repeat of a run."""

from coassoc.results.scores import score_run, write_scores
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_dataset, read_pool, read_run

with job(snakemake.log[0]):
    pool = read_pool(snakemake.input.pool)
    unlabelled = snakemake.input.features and pool.y is None
    features = read_dataset(snakemake.input.features[0]).X if unlabelled else None
    write_scores(snakemake.output[0], score_run(read_run(snakemake.input.run), pool, features))
