"""What jobs of the workflow are told of runs: what to fit, and what that takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from coassoc.plan.artefacts import Artefact
from coassoc.plan.experiments import Experiments
from coassoc.plan.keys import DATASET, POOL, RunKey
from coassoc.plan.revisions import Revisions
from coassoc.plan.wanted_consensus import Consensus
from coassoc.running.fits import Task
from coassoc.running.requests import Requests
from coassoc.running.timing import Measurement

__all__ = ["Work"]


class Work:
    """Tasks, inputs, memory and time of runs under a configuration.

    Parameters
    ----------
    experiments : Experiments
        Everything that the configuration asks for.
    revisions : Revisions
        Identities of the code behind runs.
    """

    def __init__(self, experiments: Experiments, revisions: Revisions) -> None:
        self._experiments = experiments
        self._config = experiments.config
        self._methods = experiments.catalogues.methods
        self._revisions = revisions
        self._requests = Requests(experiments)
        #: Megabytes for several runs one after another.
        self.memory_mb = self._requests.memory_mb

    def task(self, run: RunKey) -> dict[str, Any]:
        """What a run is, as the record of a :class:`~coassoc.running.fits.Task`."""
        method = self._methods[run.method].method
        classes = self._experiments.catalogues.datasets[run.dataset].classes
        return Task(
            run.method,
            method.record(),
            self._experiments.points(run),
            run.shown_pool,
            run.dataset,
            run.m,
            run.n_clusters or classes,
            self._config["seed"],
            run.race,
            run.repeats,
            self._revisions.code(run.method, method.module, run.race),
        ).record()

    def features(self, runs: Iterable[RunKey]) -> list[str]:
        """Data sets that the methods of some runs see besides the base clusterings."""
        seen = (run.dataset for run in runs if self._methods[run.method].uses_features)
        return [DATASET.format(dataset=dataset) for dataset in dict.fromkeys(seen)]

    def fits(self, artefact: Artefact) -> list[dict[str, Any]]:
        """The fits that a figure makes itself: for each cell the task and its files."""
        return [
            {
                "label": cell.label,
                "dataset": cell.dataset,
                "task": self.task(run),
                "pool_file": POOL.format(pool=run.shown_pool, dataset=run.dataset),
                "features_file": "".join(self.features([run])),
            }
            for cell in artefact.cells
            for run in cell.runs
        ]

    def present_codes(self) -> list[str]:
        """Identities of code whose numbers are those of the methods' present code."""
        modules = {name: each.method.module for name, each in self._methods.items()}
        return sorted(self._revisions.same_as_present(modules))

    # -- minutes and seconds ----------------------------------------------------------------------

    def minutes(self, runs: Iterable[RunKey], made: str = "scores") -> int:
        """Minutes that a job asks for: for the longest run of several that share a refinement.

        Parameters
        ----------
        runs : iterable of RunKey
        made : str
            What is made of them (:class:`~coassoc.plan.kinds.Kind`); fits are made one by one.
        """
        requests = [self._requests.minutes(run, self._fits_of(made)) for run in runs]
        return sum(requests) if made == "fits" else max(requests)

    def minutes_of_comparison(self, wanted: Consensus) -> int:
        """Minutes for a comparison of numbers of clusters on one ensemble."""
        assert wanted.range is not None
        ensembles, numbers = 1 + self._config["selection"]["draws"], 1 + int(*np.diff(wanted.range))
        # A dendrogram is cut at all numbers of clusters.
        return sum(
            self._requests.minutes(run, ensembles * (1 if self._cuts(run) else numbers))
            for run in wanted.compared
        )

    def usual_seconds(self, made: str, run: RunKey) -> float:
        """Seconds that the fits of a run usually take, see :meth:`minutes`."""
        if made in ("timing", "scaling"):
            measurement = Measurement(**self._config["timing"], threads=self._config["threads"])
            shares = measurement.shares if made == "scaling" else (1.0,)
            return self._requests.seconds_to_measure(run, measurement, shares)
        return self._requests.usual_seconds(run, self._fits_of(made))

    def _fits_of(self, made: str) -> int | None:
        """Fits of a run, where they are not those of its repeats and points."""
        look = self._config["selection"]
        # Each ensemble is cut at many c for little more than a fit.
        return {"fits": 1, "selection": look["repeats"] * (1 + look["draws"])}.get(made)

    def _cuts(self, run: RunKey) -> bool:
        return "dendrogram_" in self._methods[run.method].method.offers
