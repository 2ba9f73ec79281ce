"""What runs ask a cluster for, and how long they usually take, by what is known of them now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from coassoc.errors import CoassocError
from coassoc.plan.experiments import Experiments
from coassoc.plan.keys import POOL, RunKey
from coassoc.racing import fits_of_race
from coassoc.running import costs
from coassoc.running.costs import RunSize
from coassoc.running.timing import Measurement
from coassoc.storage.hdf5 import draw_sizes
from coassoc.storage.records import DrawSizes

__all__ = ["Requests"]

#: Share of the cost in config/methods.yaml, an upper one, that fits usually take.
_USUAL_SHARE = 0.4
#: Usual share of distinct rows of labels, for runs whose pool does not exist yet.
_DISTINCT_SHARE = 0.4
#: Samples of a data set of unknown size.
_USUAL_SAMPLES = 2000


class Requests:
    """Memory and time of runs.

    The sizes of ensembles are read from their pool; until it exists, the catalogues have to do.

    Parameters
    ----------
    experiments : Experiments
    """

    def __init__(self, experiments: Experiments) -> None:
        self._experiments = experiments
        self._catalogues = experiments.catalogues

    def memory_mb(self, runs: Iterable[RunKey]) -> int:
        """Megabytes that a job with these runs, one after another, should ask for."""
        return max(costs.memory_mb(self._cost(run), self._size(run, 1)) for run in runs)

    def minutes(self, run: RunKey, fits: int | None = None) -> int:
        """Minutes that a run should ask for; `fits` where they are not those of its repeats."""
        return costs.minutes(self._cost(run), self._size(run, fits or self._fits(run)))

    def usual_seconds(self, run: RunKey, fits: int | None = None) -> float:
        """Seconds that the fits of a run usually take."""
        return self._usual(run, self._size(run, fits or self._fits(run)))

    def seconds_to_measure(
        self, run: RunKey, measurement: Measurement, shares: Iterable[float]
    ) -> float:
        """Seconds that it usually takes to measure a run on these shares of the samples."""
        size, total, points = self._size(run, 1), 0.0, len(self._experiments.points(run))
        for share in sorted(shares):
            part = replace(
                size,
                n_objects=round(share * size.n_objects),
                n_samples=round(share * size.n_samples),
            )
            one = self._usual(run, part)
            if one > measurement.stop_after:
                return total + points * one
            total += points * measurement.repeats * one
        return total

    def _usual(self, run: RunKey, size: RunSize) -> float:
        cost = self._cost(run)
        seconds = _USUAL_SHARE * costs.seconds(cost, size)
        on_samples = costs.works_on_samples(self._catalogues.methods[run.method])
        if on_samples or Path(_pool_file(run)).exists():
            return seconds
        return seconds * float(_DISTINCT_SHARE ** cost["power"])

    def _cost(self, run: RunKey) -> Mapping[str, Any]:
        return {**costs.UNKNOWN, **self._catalogues.methods[run.method].cost}

    def _fits(self, run: RunKey) -> int:
        drawn = self._sizes(run).repeats
        repeats, points = min(run.repeats or drawn, drawn), len(self._experiments.points(run))
        return fits_of_race(points, repeats) if run.race else points * repeats

    def _size(self, run: RunKey, fits: int) -> RunSize:
        sizes = self._sizes(run)
        return costs.run_size(
            self._catalogues.methods[run.method],
            sizes.n_samples,
            sizes.distinct_rows,
            self._catalogues.datasets[run.dataset].d,
            fits,
        )

    def _sizes(self, run: RunKey) -> DrawSizes:
        path = _pool_file(run)
        sizes = _sizes_in(path, run.m) if Path(path).exists() else None
        if sizes is not None:
            return sizes
        n = self._catalogues.datasets[run.dataset].n or _USUAL_SAMPLES
        return DrawSizes(n, n, self._catalogues.pools[run.pool].repeats)


def _pool_file(run: RunKey) -> str:
    return POOL.format(pool=run.shown_pool, dataset=run.dataset)


@cache
def _sizes_in(path: str, m: int) -> DrawSizes | None:
    """Sizes of the ensembles in a pool; a damaged pool is ignored here, and its consumer raises."""
    try:
        return draw_sizes(path, m)
    except CoassocError:
        return None
