"""Score everything that a table, figure or audit shows."""

from collections import Counter
from pathlib import Path

from coassoc.bench.score_files import read_collected, read_scores, write_scores
from coassoc.bench.scores import Scorer
from reproduction.running.scripting import job

with job(snakemake.log[0]) as logger:
    params, path = snakemake.params, snakemake.output[0]
    scorer = Scorer(params.classes, params.seed, params.unlabelled)
    earlier = read_scores(path) if Path(path).exists() else {}
    for file, n in Counter(params.kept.values()).items():
        logger.info("Lines of %d of %d are those of %s.", n, len(params.sources), file)
    write_scores(path, scorer.score(params.sources, earlier, read_collected(params.kept)))
