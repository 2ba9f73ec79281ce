"""Compute the scores of a target, and reuse earlier and archived lines that are valid."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.scores import score_run
from coassoc.storage.hdf5 import read_dataset, read_pool, read_run
from reproduction.running.scripting import job
from reproduction.scores.files import INPUTS_HASH, SOURCE, read_collected, read_scores, write_scores
from reproduction.scores.references import score_pool, score_references
from reproduction.study.paths import Source, below_prefix, dataset_file
from reproduction.study.stored import read_lines

#: Files of a source by their kinds: "pool", "run" and "features".
Files = Mapping[str, str]


def files_of_sources(lines: pd.DataFrame, features: Collection[str]) -> dict[str, Files]:
    """Each source to score with its files; `features` are the files with features."""
    files_by_source: dict[str, Files] = {}
    for x in lines.itertuples():
        files = {"pool": x.pool_file, "run": x.run_file}
        if str(below_prefix(dataset_file(x.dataset))) in features:
            files["features"] = dataset_file(x.dataset)
        files_by_source[x.source] = {kind: file for kind, file in files.items() if file}
    return files_by_source


def score_sources(
    sources: Mapping[str, Files],
    earlier: Mapping[str, pd.DataFrame],
    classes: Mapping[str, int | None],
    seed: int,
    revision: int,
) -> dict[str, pd.DataFrame]:
    """Lines of all sources, given their files.

    Lines of `earlier` are reused if their inputs are unchanged. `classes` has the configured
    numbers of classes, by data set. `seed` is the root seed of random labels, and `revision` that
    of the scores.
    """
    read = lru_cache(maxsize=1)(read_pool)  # sources of one pool are consecutive
    scored = {}
    for text, files in sources.items():
        source = Source.parse(text)
        c = classes[source.dataset]
        digest = hashlib.sha256(repr((revision, c, seed, "features" in files)).encode())
        for kind in ("pool", "run"):
            if kind in files:
                digest.update(below_prefix(files[kind]).read_bytes())
        inputs_hash = digest.hexdigest()[:16]
        frame = earlier.get(text)
        if frame is None or (frame[INPUTS_HASH] != inputs_hash).any():
            lines = _lines(source, files, read(below_prefix(files["pool"])), c, seed)
            frame = pd.DataFrame(lines).assign(**{INPUTS_HASH: inputs_hash})
        scored[text] = frame
    return scored


def _lines(
    source: Source, files: Files, pool: Any, c: int | None, seed: int
) -> list[dict[str, Any]]:
    if source.m is None:
        return score_pool(pool)
    if not source.block:
        names = (source.pool, source.dataset)
        c = c or pool.n_classes
        return score_references(pool, source.m, n_clusters=c, seed=seed, names=names)
    features = None
    if "features" in files and pool.y is None:
        features = read_dataset(below_prefix(files["features"])).X
    run = read_run(below_prefix(files["run"]), source.method)
    return score_run(run, pool, features)


if __name__ == "__main__":
    with job(snakemake.log[0]) as logger:
        path, params = snakemake.output[0], snakemake.params
        lines = read_lines(snakemake.wildcards.target, params.cells)
        lines = lines[lines["not_run"].eq("") & lines["source"].ne("")].drop_duplicates("source")
        archived = lines[lines["archive"].ne("")].set_index("source")["archive"].to_dict()
        for file, n in Counter(archived.values()).items():
            logger.info("%d of %d scores were copied from %s.", n, len(lines), file)
        sources = files_of_sources(lines[lines["archive"].eq("")], {*snakemake.input.features})
        earlier = read_scores(path) if Path(path).exists() else {}
        scored = score_sources(sources, earlier, params.classes, params.seed, params.revision)
        copied = read_collected(archived)
        frames = scored | {text: x.assign(**{INPUTS_HASH: "kept"}) for text, x in copied.items()}
        of_sources = [frames[text].assign(**{SOURCE: text}) for text in lines["source"]]
        write_scores(path, pd.concat(of_sources, ignore_index=True))
