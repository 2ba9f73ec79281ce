"""Compute the scores of a target, and copy archived lines that are valid."""

from collections import Counter
from functools import lru_cache
from typing import Any

import pandas as pd

from coassoc.bench.provenance import commit
from coassoc.bench.scores import score_run
from coassoc.bench.storage.hdf5 import read_dataset, read_pool, read_run
from coassoc.bench.storage.records import Pool
from reproduction.running.scripting import job
from reproduction.scores.files import SOURCE, read_collected, write_scores
from reproduction.scores.references import score_pool, score_references
from reproduction.study.cells_file import read_lines
from reproduction.study.paths import Source, below_prefix, dataset_file


def score_source(
    source: Source, pool: Pool, run_file: str, sees: bool, c: int | None, seed: int
) -> list[dict[str, Any]]:
    """The scores of a source: base clusterings, references, or the repeats of a run.

    `sees` says whether the features of the data set are available, and `c` is its configured number
    of classes. `seed` is the root seed of random labels.
    """
    if not source.block:
        if source.m is None:
            lines = score_pool(pool)
        else:
            names, c = (source.pool, source.dataset), c or pool.n_classes
            lines = score_references(pool, source.m, n_clusters=c, seed=seed, names=names)
        return [line | {"commit": commit()} for line in lines]
    features = None
    if sees and pool.y is None:
        features = read_dataset(below_prefix(dataset_file(source.dataset))).X
    run = read_run(below_prefix(run_file), source.method)
    return score_run(run, pool, features)


if __name__ == "__main__":
    with job(snakemake.log[0]) as logger:
        params, features = snakemake.params, {*snakemake.input.features}
        lines = read_lines(snakemake.wildcards.target)
        lines = lines[lines["not_run"].eq("") & lines["source"].ne("")].drop_duplicates("source")
        archived = lines[lines["archive"].ne("")].set_index("source")["archive"].to_dict()
        for file, n in Counter(archived.values()).items():
            logger.info("%d of %d scores were copied from %s.", n, len(lines), file)
        frames = read_collected(archived)
        read = lru_cache(maxsize=1)(read_pool)  # sources of one pool are consecutive
        for x in lines[lines["archive"].eq("")].itertuples():
            sees = str(below_prefix(dataset_file(x.dataset))) in features
            about = x.run_file, sees, params.classes[x.dataset], params.seed
            pool = read(below_prefix(x.pool_file))
            frames[x.source] = pd.DataFrame(score_source(Source.parse(x.source), pool, *about))
        of_sources = [frames[text].assign(**{SOURCE: text}) for text in lines["source"]]
        write_scores(snakemake.output[0], pd.concat(of_sources, ignore_index=True))
