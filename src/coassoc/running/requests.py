"""What runs ask a cluster for, and how long they usually take, by what is known of them now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from coassoc.errors import CoassocError
from coassoc.plan.catalogues import Catalogues
from coassoc.plan.runs import RunSpec, race_in, repeats_in, stored_pool
from coassoc.racing import fits_of_race
from coassoc.running import costs
from coassoc.running.costs import RunSize
from coassoc.running.timing import Measurement
from coassoc.storage.hdf5 import draw_sizes
from coassoc.storage.records import DrawSizes

__all__ = ["Requests", "pool_file"]

#: Share of the cost in config/methods.yaml, an upper one, that fits usually take.
_USUAL_SHARE = 0.4
#: Usual share of distinct rows of labels, for runs whose pool does not exist yet.
_DISTINCT_SHARE = 0.4
#: Samples of a data set of unknown size.
_USUAL_SAMPLES = 2000


def pool_file(pool: str, dataset: str) -> str:
    """The file of a pool."""
    return f"data/pools/{pool}/{dataset}.h5"


class Requests:
    """Memory and time of runs.

    The sizes of ensembles are read from their pool; until it exists, the catalogues have to do.

    Parameters
    ----------
    catalogues : Catalogues
    """

    def __init__(self, catalogues: Catalogues) -> None:
        self._catalogues = catalogues

    def memory_mb(self, run: RunSpec) -> int:
        """Megabytes that a run should ask for."""
        return costs.memory_mb(self._cost(run), self._size(run, 1))

    def minutes(self, run: RunSpec, points: int, repeats: int | None = None) -> int:
        """Minutes that a run should ask for, at so many points of its parameters.

        `repeats` is given where they are not those of the pool.
        """
        return costs.minutes(self._cost(run), self._size(run, self._fits(run, points, repeats)))

    def usual_seconds(self, run: RunSpec, points: int, repeats: int | None = None) -> float:
        """Seconds that the fits of a run usually take."""
        return self._usual(run, self._size(run, self._fits(run, points, repeats)))

    def seconds_to_measure(
        self, run: RunSpec, points: int, measurement: Measurement, shares: Iterable[float]
    ) -> float:
        """Seconds that it usually takes to measure a run on these shares of the samples."""
        size, total = self._size(run, 1), 0.0
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

    def _usual(self, run: RunSpec, size: RunSize) -> float:
        cost = self._cost(run)
        seconds = _USUAL_SHARE * costs.seconds(cost, size)
        on_samples = costs.works_on_samples(self._catalogues.methods[run.method])
        if on_samples or Path(pool_file(run.pool, run.dataset)).exists():
            return seconds
        return seconds * float(_DISTINCT_SHARE ** cost["power"])

    def _cost(self, run: RunSpec) -> Mapping[str, Any]:
        return {**costs.UNKNOWN, **self._catalogues.methods[run.method].cost}

    def _fits(self, run: RunSpec, points: int, repeats: int | None) -> int:
        drawn = self._sizes(run).repeats
        repeats = repeats or min(repeats_in(run.parameters) or drawn, drawn)
        return fits_of_race(points, repeats) if race_in(run.parameters) else points * repeats

    def _size(self, run: RunSpec, fits: int) -> RunSize:
        sizes = self._sizes(run)
        return costs.run_size(
            self._catalogues.methods[run.method],
            sizes.n_samples,
            sizes.distinct_rows,
            self._catalogues.datasets[run.dataset].d,
            fits,
        )

    def _sizes(self, run: RunSpec) -> DrawSizes:
        path = pool_file(run.pool, run.dataset)
        found = _sizes_in(path, run.m) if Path(path).exists() else None
        if found is not None:
            return found
        n = self._catalogues.datasets[run.dataset].n or _USUAL_SAMPLES
        return DrawSizes(n, n, self._catalogues.pools[stored_pool(run.pool)].repeats)


@cache
def _sizes_in(path: str, m: int) -> DrawSizes | None:
    """Sizes of the ensembles in a pool; a damaged pool is for those to report who use it."""
    try:
        return draw_sizes(path, m)
    except CoassocError:
        return None
