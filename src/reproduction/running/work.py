"""Parameters, inputs, memory and time of the jobs that make runs.

The sizes of ensembles are read from their pool; until it exists, the catalogues have to do.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from coassoc.errors import CoassocError
from reproduction.plan.cells import Plan
from reproduction.plan.keys import DATASET, POOL, RunKey, stored_pool
from reproduction.plan.revisions import code_of_run
from reproduction.plan.studies import Target
from reproduction.plan.wanted_consensus import WantedConsensus
from coassoc.racing import fits_of_race
from reproduction.running import costs
from reproduction.running.costs import RunSize
from coassoc.bench.fits import Task
from coassoc.storage.hdf5 import draw_sizes
from coassoc.storage.records import DrawSizes

#: Share of the cost in methods/methods.yaml, an upper one, that fits usually take.
_USUAL_SHARE = 0.4
#: Usual share of distinct rows of labels, for runs whose pool does not exist yet.
_DISTINCT_SHARE = 0.4
#: Samples of a data set of unknown size.
_USUAL_SAMPLES = 2000


class Work:
    """Tasks, inputs, memory and time of runs under a configuration."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._config = plan.config
        self._catalogues = plan.catalogues
        self._methods = plan.catalogues.methods

    def task(self, run: RunKey) -> dict[str, Any]:
        """What a run is, as the record of a :class:`~coassoc.bench.fits.Task`."""
        method = self._methods[run.method].method
        classes = self._catalogues.datasets[run.dataset].classes
        return Task(
            run.method,
            method.record(),
            self._plan.points(run),
            run.pool,
            run.dataset,
            run.m,
            run.n_clusters or classes,
            self._config["seed"],
            run.race,
            run.repeats,
            code_of_run(run.method, method, run.race),
        ).record()

    def consensus(self, wanted: WantedConsensus) -> dict[str, Any]:
        """What is made of one ensemble, for a job's ``params``."""
        methods = {name: self._methods[name].method for name in wanted.methods}
        pool = self._catalogues.pools[wanted.pool]
        known = asdict(wanted)
        del known["labels_file"], known["features_of_labels"]  # inputs of the job
        return {
            **known,
            "about": wanted.about,
            "stem": wanted.stem,
            "methods": {name: method.record() for name, method in methods.items()},
            "codes": [method.code(name) for name, method in methods.items()],
            "labels": pool.record() if pool.labels else None,
            "draws": self._config["selection"]["draws"],
            "seed": self._config["seed"],
        }

    def features(self, runs: Iterable[RunKey]) -> list[str]:
        """Data sets that the methods of some runs see besides the base clusterings."""
        seen = (run.dataset for run in runs if self._methods[run.method].uses_features)
        return [DATASET.format(dataset=dataset) for dataset in dict.fromkeys(seen)]

    def fits(self, target: Target) -> list[dict[str, Any]]:
        """The fits that a figure makes itself: for each cell the task and its files."""
        return [
            {
                "row": cell.row,
                "label": cell.label,
                "dataset": cell.dataset,
                "task": self.task(run),
                "pool_file": run.path(POOL),
                "features_file": "".join(self.features([run])),
            }
            for cell in target.cells
            for run in cell.runs
        ]

    def present_codes(self) -> list[str]:
        """Identities of code whose numbers are those of the methods' present code."""
        modules = {name: entry.method.module for name, entry in self._methods.items()}
        return sorted(self._revisions.same_as_present(modules))

    # -- megabytes, minutes and seconds -----------------------------------------------------------

    def memory_mb(self, runs: Iterable[RunKey]) -> int:
        """Megabytes that a job with these runs, one after another, asks for."""
        return max(costs.memory_mb(self._cost(run), self._size(run, 1)) for run in runs)

    def minutes(self, runs: Iterable[RunKey], made: str = "scores") -> int:
        """Minutes that a job asks for, by what is made (:class:`~reproduction.plan.kinds.Kind`).

        Runs of one job share a refinement, so that the longest decides; those of a "batch" and the
        "fits" of a figure are made one by one.
        """
        requests = [self._minutes(run, self._n_fits(run, made)) for run in runs]
        return sum(requests) if made in ("batch", "fits") else max(requests)

    def minutes_of_consensus(self, wanted: WantedConsensus) -> int:
        """Minutes for all that is wanted of one ensemble."""
        fits = wanted.fits(self._config["selection"]["draws"])
        return sum(self._minutes(run, fits) for run in wanted.runs)

    def usual_seconds(self, made: str, run: RunKey) -> float:
        """Seconds that the fits of a run usually take, see :meth:`minutes`."""
        if made not in ("timing", "scaling"):
            return self._usual(run, self._size(run, self._n_fits(run, made)))
        timing, total = self._config["timing"], 0.0
        size, points = self._size(run, 1), len(self._plan.points(run))
        for share in sorted(timing["shares"]) if made == "scaling" else (1.0,):
            objects, samples = round(share * size.n_objects), round(share * size.n_samples)
            one = self._usual(run, replace(size, n_objects=objects, n_samples=samples))
            if one > timing["stop_after"]:
                return total + points * one
            total += points * timing["repeats"] * one
        return total

    def _minutes(self, run: RunKey, fits: int) -> int:
        return costs.minutes(self._cost(run), self._size(run, fits))

    def _usual(self, run: RunKey, size: RunSize) -> float:
        cost = self._cost(run)
        seconds = _USUAL_SHARE * costs.seconds(cost, size)
        if costs.works_on_samples(self._methods[run.method]) or Path(run.path(POOL)).exists():
            return seconds
        return seconds * float(_DISTINCT_SHARE ** cost["power"])

    def _n_fits(self, run: RunKey, made: str) -> int:
        look = self._config["selection"]
        if made == "fits":
            return 1
        if made == "selection":  # each ensemble is cut at many c for little more than a fit
            return int(look["repeats"] * (1 + look["draws"]))
        drawn = self._draw_sizes(run).repeats
        repeats, points = min(run.repeats or drawn, drawn), len(self._plan.points(run))
        return fits_of_race(points, repeats) if run.race else points * repeats

    def _cost(self, run: RunKey) -> Mapping[str, Any]:
        return {**costs.UNKNOWN, **self._methods[run.method].cost}

    def _size(self, run: RunKey, fits: int) -> RunSize:
        sizes, d = self._draw_sizes(run), self._catalogues.datasets[run.dataset].d
        method = self._methods[run.method]
        return costs.run_size(method, sizes.n_samples, sizes.distinct_rows, d, fits)

    def _draw_sizes(self, run: RunKey) -> DrawSizes:
        path = run.path(POOL)
        sizes = _sizes_in(path, run.m) if Path(path).exists() else None
        n = self._catalogues.datasets[run.dataset].n or _USUAL_SAMPLES
        return sizes or DrawSizes(n, n, self._catalogues.pools[stored_pool(run.pool)].repeats)


@cache
def _sizes_in(path: str, m: int) -> DrawSizes | None:
    """Sizes of the ensembles in a pool; a damaged pool is ignored here, and its consumer raises."""
    try:
        return draw_sizes(path, m)
    except CoassocError:
        return None
