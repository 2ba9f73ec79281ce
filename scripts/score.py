"""Compute the scores of a target, and reuse earlier and archived lines that are valid."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.scores import score_run
from coassoc.storage.hdf5 import read_dataset, read_pool, read_run
from coassoc.storage.records import Pool
from reproduction.running.scripting import job
from reproduction.scores.files import INPUTS_HASH, SOURCE, read_collected, read_scores, write_scores
from reproduction.scores.references import score_pool, score_references
from reproduction.study.paths import Source, below_prefix, dataset_file
from reproduction.study.stored import read_lines

#: Files of a source by their kinds: "kept", or "pool", "run" and "features".
Files = Mapping[str, str]


def files_of_sources(lines: pd.DataFrame, features: Collection[str]) -> dict[str, Files]:
    """Each source of a target's scores with its files; `features` are the files with features."""
    lines = lines[lines["not_run"].eq("") & lines["source"].ne("")].drop_duplicates("source")
    files_by_source: dict[str, Files] = {}
    for x in lines.itertuples():
        files = {"pool": x.pool_file, "run": x.run_file, "features": dataset_file(x.dataset)}
        if str(below_prefix(files["features"])) not in features:
            files["features"] = ""
        present = {kind: file for kind, file in files.items() if file}
        files_by_source[x.source] = {"kept": x.kept} if x.kept else present
    return files_by_source


@dataclass
class Scorer:
    """Scores runs, base clusterings and references, and reuses earlier scores."""

    #: Configured numbers of classes, by data set.
    classes: Mapping[str, int | None]
    #: Root seed of random labels.
    seed: int
    #: Revision of the scores.
    revision: int
    #: The last pool stays in memory, because sources of one pool are consecutive.
    _pool: Callable[[Path], Pool] = field(default_factory=lambda: lru_cache(maxsize=1)(read_pool))

    def score(
        self,
        sources: Mapping[str, Files],
        earlier: Mapping[str, pd.DataFrame],
        kept: Mapping[str, pd.DataFrame],
    ) -> pd.DataFrame:
        """Lines of all sources (strings of `Source`), given their files.

        Lines of `earlier` are reused if their inputs are unchanged. Archived lines are reused as
        they are.
        """
        frames = []
        for text, files in sources.items():
            if text in kept:
                frames.append(kept[text].assign(**{INPUTS_HASH: "kept", SOURCE: text}))
                continue
            source = Source.parse(text)
            inputs_hash = self._hash_of_inputs(source, files)
            frame = earlier.get(text)
            if frame is None or (frame[INPUTS_HASH] != inputs_hash).any():
                lines = self._lines(source, files)
                frame = pd.DataFrame(lines).assign(**{INPUTS_HASH: inputs_hash})
            frames.append(frame.assign(**{SOURCE: text}))
        return pd.concat(frames, ignore_index=True)

    def _lines(self, source: Source, files: Files) -> list[dict[str, Any]]:
        pool, dataset = self._pool(below_prefix(files["pool"])), source.dataset
        if source.m is None:
            return score_pool(pool)
        if not source.block:
            return score_references(
                pool,
                source.m,
                n_clusters=self.classes[dataset] or pool.n_classes,
                seed=self.seed,
                names=(source.pool, dataset),
            )
        features = None
        if "features" in files and pool.y is None:
            features = read_dataset(below_prefix(files["features"])).X
        run = read_run(below_prefix(files["run"]), source.method)
        return score_run(run, pool, features)

    def _hash_of_inputs(self, source: Source, files: Files) -> str:
        """Hash of the files and settings behind the lines of a source."""
        classes = self.classes[source.dataset]
        settings = (self.revision, classes, self.seed, "features" in files)
        digest = hashlib.sha256(repr(settings).encode())
        for kind in ("pool", "run"):
            if kind in files:
                digest.update(below_prefix(files[kind]).read_bytes())
        return digest.hexdigest()[:16]


if __name__ == "__main__":
    with job(snakemake.log[0]) as logger:
        path, params = snakemake.output[0], snakemake.params
        lines = read_lines(snakemake.wildcards.target, params.cells)
        sources = files_of_sources(lines, {*snakemake.input.features})
        earlier = read_scores(path) if Path(path).exists() else {}
        kept = {text: files["kept"] for text, files in sources.items() if "kept" in files}
        for file, n in Counter(kept.values()).items():
            logger.info("%d of %d scores were copied from %s.", n, len(sources), file)
        scorer = Scorer(params.classes, params.seed, params.revision)
        write_scores(path, scorer.score(sources, earlier, read_collected(kept)))
