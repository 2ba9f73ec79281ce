"""What the rules need that run methods: one alone, or all that end the same refinement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from coassoc.plan.experiments import Experiments
from coassoc.plan.revisions import Revisions
from coassoc.plan.runs import RunSpec, n_clusters_in, race_in, repeats_in
from coassoc.running.fits import Task
from coassoc.running.requests import Requests

__all__ = ["RunJobs", "Wildcards", "dataset_file", "run_features", "run_of", "run_task"]

#: A run's folders and name, as a pattern of wildcards once the method is named.
_PLACE = "{{pool}}/{{dataset}}/m{{m}}/{method}/{{parameters}}"


class Wildcards(Protocol):
    """Names in the path of a job's results, such as ``pool`` and ``dataset``."""

    def __getattr__(self, name: str) -> str: ...


def run_of(wildcards: Wildcards, method: str = "") -> RunSpec:
    """The run of a job; its method is a wildcard unless given."""
    names = wildcards
    method = method or names.method
    return RunSpec(names.pool, names.dataset, int(names.m), method, names.parameters)


def run_task(run: RunSpec, experiments: Experiments, revisions: Revisions) -> Task:
    """What a run is."""
    catalogues = experiments.catalogues
    method, race = catalogues.methods[run.method].method, race_in(run.parameters)
    return Task(
        run.method,
        method.record(),
        experiments.points(run.method, run.parameters),
        run.pool,
        run.dataset,
        run.m,
        n_clusters_in(run.parameters) or catalogues.datasets[run.dataset].classes,
        experiments.config["seed"],
        race,
        repeats_in(run.parameters),
        revisions.code(run.method, method.module, race),
    )


def run_features(run: RunSpec, experiments: Experiments) -> list[str]:
    """The data set itself, for methods that see more than the base clusterings."""
    sees = experiments.catalogues.methods[run.method].uses_features
    return [dataset_file(run.dataset)] if sees else []


def dataset_file(dataset: str) -> str:
    """The file of a data set."""
    return f"data/datasets/{dataset}.h5"


class RunJobs:
    """What the jobs of a rule need that runs one method, or all that end one refinement.

    A job of several methods makes a file for each of them, wanted or not: an ending takes a
    hundredth of its refinement, and so a job does not depend on what else a configuration wants.

    Parameters
    ----------
    experiments : Experiments
    revisions : Revisions
    methods : sequence of str
        Names of the methods; by default the one that the wildcard ``method`` names.
    """

    def __init__(
        self,
        experiments: Experiments,
        revisions: Revisions,
        methods: Sequence[str] = (),
    ) -> None:
        self._experiments = experiments
        self._requests = Requests(experiments.catalogues)
        self._revisions = revisions
        self.methods = methods
        #: Folders and name of a job's log.
        self.place = _PLACE.format(method="+".join(methods) or "{method}")
        #: Files that a job makes.
        self.files = [
            f"results/runs/{_PLACE.format(method=name)}.h5" for name in methods or ["{method}"]
        ]

    def tasks(self, wildcards: Wildcards) -> list[dict[str, Any]]:
        """What is run, for each file."""
        runs = self._runs(wildcards)
        return [run_task(run, self._experiments, self._revisions).record() for run in runs]

    def features(self, wildcards: Wildcards) -> list[str]:
        """The data set itself, for methods that see more than the base clusterings."""
        return run_features(self._runs(wildcards)[0], self._experiments)

    def memory(self, wildcards: Wildcards, attempt: int) -> int:
        """Megabytes, more at each attempt."""
        return attempt * max(map(self._requests.memory_mb, self._runs(wildcards)))

    def minutes(self, wildcards: Wildcards, attempt: int) -> int:
        """Minutes, more at each attempt: those of the method that asks for most."""
        ask = self._requests.minutes
        return attempt * max(ask(run, self.n_points(run)) for run in self._runs(wildcards))

    def usual_seconds(self, wildcards: Wildcards) -> float:
        """Seconds that the fits usually take."""
        usual = self._requests.usual_seconds
        return max(usual(run, self.n_points(run)) for run in self._runs(wildcards))

    def n_points(self, run: RunSpec) -> int:
        """How many points of its parameters a run is made at."""
        return len(self._experiments.points(run.method, run.parameters))

    def _runs(self, wildcards: Wildcards) -> list[RunSpec]:
        return [run_of(wildcards, method) for method in self.methods or [wildcards.method]]
