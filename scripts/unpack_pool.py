"""Copy a pool that comes with the software, and draw the ensembles for all methods."""

from dataclasses import replace
from pathlib import Path

from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Pool
from coassoc.errors import DataError
from reproduction.running.scripting import job


def unpack(path: str | Path, settings: PoolSettings, *, name: str, seed: int = 0) -> Pool:
    """The pool of a data set from data/labels, with the draws of a root seed.

    Raises
    ------
    DataError
        If the labels were generated with other settings of the pool.
    """
    pool = read_pool(path)
    recipes = "; ".join(map(str, settings.recipes))
    is_other = settings.kind == "generated" and not pool.attributes["made"].endswith(f": {recipes}")
    if is_other or pool.labels.shape[1] != settings.size:
        raise DataError(
            f"{path}: these labels were computed with settings other than those of "
            f"{settings.name}. Copy the new file from data/pools, or delete this one."
        )
    made = settings.complete(replace(pool, attributes={}), name, seed)
    return replace(made, attributes=pool.attributes | made.attributes)


if __name__ == "__main__":
    with job(snakemake.log[0]) as logger:
        labels, dataset = snakemake.input.labels, snakemake.wildcards.dataset
        pool = unpack(labels, snakemake.params.pool, name=dataset, seed=snakemake.params.seed)
        write_pool(snakemake.output[0], pool)
        logger.info("%d base clusterings of %d samples", *reversed(pool.labels.shape))
