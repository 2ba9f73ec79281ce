"""Prepare a data set: read its files and write X and y to HDF5."""

from coassoc.bench.datasets.prepare import prepare, prepare_local
from coassoc.bench.datasets.sources import fetched_files
from coassoc.bench.storage.hdf5 import write_dataset
from reproduction import PROJECT
from reproduction.running.scripting import job
from reproduction.study.paths import below_prefix

with job(snakemake.log[0]) as logger:
    entry = snakemake.params.dataset
    if entry.is_local:
        dataset = prepare_local(entry, PROJECT)
    else:
        (record,) = snakemake.input.files
        position, paths, origin = fetched_files(record, below_prefix("data/sources"))
        dataset = prepare(entry, entry.sources[position], paths, origin)
    write_dataset(snakemake.output[0], dataset)
    logger.info("%s: X is %s, from %s", entry.name, dataset.X.shape, dataset.attributes["source"])
