"""The archived runs that the spot check fits again, and its random numbers."""

from collections.abc import Mapping

import numpy as np

from coassoc.numerics.seeds import seed_sequence
from reproduction.study.paths import RANKING, Source
from reproduction.study.plan import Plan

#: Fraction of the archived runs that are sampled.
_SAMPLED = 0.05


def spot_checked(plan: Plan) -> dict[Source, str]:
    """Sampled archived runs of the requested targets and the ranking, with the file of each run."""
    plan.add(RANKING)
    lines = plan.planned.lines
    is_scored = lines["target"].isin([*plan.wanted, RANKING]) & lines["reads"].eq("scores")
    archived = lines[is_scored & lines["archive"].ne("")].set_index("source")["archive"]
    drawn = sample_runs(archived.to_dict(), plan.config.seed)
    return {Source.parse(run): file for run, file in drawn.items()}


def sample_runs(kept: Mapping[str, str], seed: int) -> dict[str, str]:
    """A random sample of the archived runs, in random order, with the file of each run's lines.

    Each run draws a separate number, so new runs do not change the numbers of the others. Because
    the order is random, an interrupted check has also covered a random sample.
    """
    runs = [source for source in kept if Source.parse(source).block]
    drawn = {run: spot_check_generator(seed, "run", run).random() for run in runs}
    sampled = [run for run in sorted(drawn, key=drawn.__getitem__) if drawn[run] < _SAMPLED]
    return {run: kept[run] for run in sampled}


def spot_check_generator(seed: int, *names: str) -> np.random.Generator:
    """Random generator of the spot check, seeded by its purpose."""
    return np.random.default_rng(seed_sequence(seed, "spot check", *names))
