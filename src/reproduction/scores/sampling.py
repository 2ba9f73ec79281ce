"""Which of the kept runs the spot check fits again, and its random numbers."""

from collections.abc import Mapping

import numpy as np

from coassoc.seeds import seed_sequence
from reproduction.study.paths import Source
from reproduction.study.plan import RANKING, Plan

#: Share of the kept runs that are sampled.
_SAMPLED = 0.05


def spot_checked(plan: Plan) -> dict[Source, str]:
    """Sampled kept runs of the wanted targets and the ranking, with the file of each."""
    plan.of(RANKING)  # this call plans the study if no earlier call did
    lines = plan.lines
    is_scored = lines["target"].isin([*plan.wanted, RANKING]) & lines["made_from"].eq("scores")
    kept = dict(
        lines.loc[is_scored & lines["kept"].ne(""), ["source", "kept"]].itertuples(index=False)
    )
    drawn = sample_runs(kept, plan.config.seed)
    return {Source.parse(run): file for run, file in drawn.items()}


def sample_runs(kept: Mapping[str, str], seed: int) -> dict[str, str]:
    """A random sample of the kept runs, in random order, and the file with the lines of each.

    Each run draws a number of its own, so that runs that come in later leave the others' alone, and
    a check that was stopped has seen a random share as well.
    """
    runs = [source for source in kept if Source.parse(source).block]
    drawn = {run: spot_check_generator(seed, "run", run).random() for run in runs}
    sampled = [run for run in sorted(drawn, key=drawn.__getitem__) if drawn[run] < _SAMPLED]
    return {run: kept[run] for run in sampled}


def spot_check_generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers of the spot check, by what they are for."""
    return np.random.default_rng(seed_sequence(seed, "spot check", *names))
