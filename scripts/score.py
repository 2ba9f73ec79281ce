"""Compute the scores of a target, and reuse earlier and archived lines that are valid."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.scores import score_run
from coassoc.bench.storage.hdf5 import read_dataset, read_pool, read_run
from coassoc.bench.storage.records import Pool
from reproduction.running.scripting import job
from reproduction.scores.files import INPUTS_HASH, SOURCE, read_collected, read_scores, write_scores
from reproduction.scores.references import score_pool, score_references
from reproduction.study.paths import Source, below_prefix, dataset_file
from reproduction.study.stored import read_lines


def score_sources(
    lines: pd.DataFrame,
    features: Collection[str],
    earlier: Mapping[str, pd.DataFrame],
    classes: Mapping[str, int | None],
    seed: int,
    revision: int,
) -> dict[str, pd.DataFrame]:
    """The scores of all sources, each with a line in results/cells.parquet.

    Scores of `earlier` are reused if their inputs are unchanged. `features` are the available files
    with features, and `classes` has the configured numbers of classes, by data set. `seed` is the
    root seed of random labels, and `revision` that of the scores.
    """
    read = lru_cache(maxsize=1)(read_pool)  # sources of one pool are consecutive
    scored = {}
    for x in lines.itertuples():
        c, sees = classes[x.dataset], str(below_prefix(dataset_file(x.dataset))) in features
        digest = hashlib.sha256(repr((revision, c, seed, sees)).encode())
        files = [below_prefix(file) for file in (x.pool_file, x.run_file) if file]
        for file in files:
            digest.update(file.read_bytes())
        inputs_hash = digest.hexdigest()[:16]
        frame = earlier.get(x.source)
        if frame is None or (frame[INPUTS_HASH] != inputs_hash).any():
            scores = _scores(Source.parse(x.source), read(files[0]), x.run_file, sees, c, seed)
            frame = pd.DataFrame(scores).assign(**{INPUTS_HASH: inputs_hash})
        scored[x.source] = frame
    return scored


def _scores(
    source: Source, pool: Pool, run_file: str, sees: bool, c: int | None, seed: int
) -> list[dict[str, Any]]:
    if source.m is None:
        return score_pool(pool)
    if not source.block:
        names = (source.pool, source.dataset)
        c = c or pool.n_classes
        return score_references(pool, source.m, n_clusters=c, seed=seed, names=names)
    features = None
    if sees and pool.y is None:
        features = read_dataset(below_prefix(dataset_file(source.dataset))).X
    run = read_run(below_prefix(run_file), source.method)
    return score_run(run, pool, features)


if __name__ == "__main__":
    with job(snakemake.log[0]) as logger:
        path, params = snakemake.output[0], snakemake.params
        lines = read_lines(snakemake.wildcards.target, params.cells)
        lines = lines[lines["not_run"].eq("") & lines["source"].ne("")].drop_duplicates("source")
        archived = lines[lines["archive"].ne("")].set_index("source")["archive"].to_dict()
        for file, n in Counter(archived.values()).items():
            logger.info("%d of %d scores were copied from %s.", n, len(lines), file)
        earlier = read_scores(path) if Path(path).exists() else {}
        scored = score_sources(
            lines[lines["archive"].eq("")],
            {*snakemake.input.features},
            earlier,
            params.classes,
            params.seed,
            params.revision,
        )
        copied = read_collected(archived)
        frames = scored | {text: x.assign(**{INPUTS_HASH: "kept"}) for text, x in copied.items()}
        of_sources = [frames[text].assign(**{SOURCE: text}) for text in lines["source"]]
        write_scores(path, pd.concat(of_sources, ignore_index=True))
