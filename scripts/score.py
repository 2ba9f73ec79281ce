"""Score everything that a table, figure or audit shows."""

from collections import Counter
from pathlib import Path

from reproduction.plan.files import PlanFiles
from reproduction.running.scripting import job
from reproduction.scores.files import read_collected, read_scores, write_scores
from reproduction.scores.scorer import Scorer

with job(snakemake.log[0]) as logger:
    plan, path = PlanFiles(), snakemake.output[0]
    target = plan.target(snakemake.wildcards.target)
    scorer = Scorer(plan, snakemake.params.seed)
    earlier = read_scores(path) if Path(path).exists() else {}
    for file, n in Counter(target["kept"].values()).items():
        logger.info("Lines of %d of %d are those of %s.", n, len(target["sources"]), file)
    write_scores(path, scorer.score(target["sources"], earlier, read_collected(target["kept"])))
