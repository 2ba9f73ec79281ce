"""Score all that a target shows; earlier and kept lines are taken over where these hold."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.bench.scores import score_run
from coassoc.storage.hdf5 import read_dataset, read_pool, read_run
from coassoc.storage.records import Pool
from reproduction.plan.files import PlanFiles
from reproduction.plan.keys import Source, below_prefix, dataset_file
from reproduction.running.scripting import job
from reproduction.scores.files import MADE_FROM, SOURCE, read_collected, read_scores, write_scores
from reproduction.scores.references import REVISION, score_pool, score_references


@dataclass
class Scorer:
    """Scores runs, base clusterings and references, and takes over what was scored before."""

    plan: PlanFiles
    #: Run → the file with its partitions.
    run_files: Mapping[str, str]
    #: Root seed of random labels.
    seed: int
    #: The last pool is kept, since sources of one pool come together.
    _pool: Callable[[Path], Pool] = field(default_factory=lambda: lru_cache(maxsize=1)(read_pool))

    def score(
        self,
        sources: Iterable[str],
        earlier: Mapping[str, pd.DataFrame],
        kept: Mapping[str, pd.DataFrame],
    ) -> pd.DataFrame:
        """Lines of all sources, texts of :class:`~reproduction.plan.keys.Source`.

        Those of `earlier` that were made from the same are taken over, those of `kept` as they are.
        """
        frames = []
        for text in sources:
            if text in kept:
                frames.append(kept[text].assign(**{MADE_FROM: "kept", SOURCE: text}))
                continue
            source = Source.parse(text)
            made_from = self._made_from(source)
            frame = earlier.get(text)
            if frame is None or (frame[MADE_FROM] != made_from).any():
                frame = pd.DataFrame(self._lines(source)).assign(**{MADE_FROM: made_from})
            frames.append(frame.assign(**{SOURCE: text}))
        return pd.concat(frames, ignore_index=True)

    def _lines(self, source: Source) -> list[dict[str, Any]]:
        pool, dataset = self._pool(below_prefix(source.pool_file)), source.dataset
        if source.m is None:
            return score_pool(pool)
        if not source.block:
            return score_references(
                pool,
                source.m,
                n_clusters=self.plan.dataset(dataset)["classes"] or pool.n_classes,
                seed=self.seed,
                names=(source.pool, dataset),
            )
        features = None
        if dataset in self.plan.index["unlabelled"] and pool.y is None:
            features = read_dataset(below_prefix(dataset_file(dataset))).X
        run = read_run(below_prefix(self.run_files[str(source)]), source.method)
        return score_run(run, pool, features)

    def _made_from(self, source: Source) -> str:
        """Hash of the files and settings behind the lines of a source."""
        files = [source.pool_file, *([self.run_files[str(source)]] if source.block else [])]
        unlabelled = source.dataset in self.plan.index["unlabelled"]
        classes = self.plan.dataset(source.dataset)["classes"]
        digest = hashlib.sha256(repr((REVISION, classes, self.seed, unlabelled)).encode())
        for file in files:
            digest.update(below_prefix(file).read_bytes())
        return digest.hexdigest()[:16]


if __name__ == "__main__":
    with job(snakemake.log[0]) as logger:
        plan, path = PlanFiles(), snakemake.output[0]
        target = plan.target(snakemake.wildcards.target)
        scorer = Scorer(plan, target["run_files"], snakemake.params.seed)
        earlier = read_scores(path) if Path(path).exists() else {}
        for file, n in Counter(target["kept"].values()).items():
            logger.info("Lines of %d of %d are those of %s.", n, len(target["sources"]), file)
        kept = read_collected(target["kept"])
        write_scores(path, scorer.score(target["sources"], earlier, kept))
