"""What the rules ask that make labels of samples, or compare numbers of clusters."""

from __future__ import annotations

from typing import Any

from coassoc.errors import ConfigError
from coassoc.plan.experiments import Experiments
from coassoc.plan.revisions import Revisions
from coassoc.plan.runs import RunSpec
from coassoc.plan.wanted_consensus import Consensus
from coassoc.running.requests import Requests
from coassoc.running.run_jobs import Wildcards, run_task

__all__ = ["ConsensusJobs"]


class ConsensusJobs:
    """What each job needs that is wanted by the configuration's key ``consensus``.

    Parameters
    ----------
    experiments : Experiments
    revisions : Revisions
    """

    def __init__(self, experiments: Experiments, revisions: Revisions) -> None:
        self._experiments = experiments
        self._requests = Requests(experiments.catalogues)
        self._revisions = revisions

    def files(self, wildcards: Wildcards) -> list[str]:
        """Labels of everything in the key, and comparisons of numbers of clusters."""
        if not self._experiments.consensus:
            raise ConfigError("config: the key consensus is missing; it says what is to be made.")
        return [file for each in self._experiments.consensus.values() for file in each.files]

    def methods(self, wildcards: Wildcards) -> list[str]:
        """Methods that are wanted of a pool."""
        return self._wanted(wildcards).methods

    def size(self, wildcards: Wildcards) -> int:
        """Ensemble size."""
        return self._wanted(wildcards).m

    def memory(self, wildcards: Wildcards, attempt: int) -> int:
        """Megabytes for the confidence of samples, as for a method on microclusters."""
        runs = self._wanted(wildcards).runs.values()
        return attempt * max(1000, *map(self._requests.memory_mb, runs))

    # -- labels ---------------------------------------------------------------------------------

    def runs(self, wildcards: Wildcards) -> list[str]:
        """Runs whose labels are wanted of a pool."""
        found = self._wanted(wildcards)
        if not found.labelled:
            raise ConfigError(
                f"config: consensus has no n_clusters for {found.pool} on {found.dataset}."
            )
        return [f"results/runs/{run.stem}.h5" for run in found.runs.values()]

    # -- numbers of clusters --------------------------------------------------------------------

    def range(self, wildcards: Wildcards) -> tuple[int, int]:
        """The first and the last number of clusters that are compared."""
        found = self._wanted(wildcards)
        if found.range is None:
            raise ConfigError(
                f"config: consensus has no range for {found.pool} on {found.dataset}."
            )
        return found.range

    def tasks(self, wildcards: Wildcards) -> list[dict[str, Any]]:
        """What is run at each number of clusters."""
        runs = self._wanted(wildcards).compared.values()
        return [run_task(run, self._experiments, self._revisions).record() for run in runs]

    def minutes(self, wildcards: Wildcards, attempt: int) -> int:
        """Minutes for a comparison, more at each attempt."""
        ask, fits = self._requests.minutes, self._fits(wildcards)
        return attempt * sum(ask(run, 1, number) for run, number in fits.items())

    def usual_seconds(self, wildcards: Wildcards) -> float:
        """Seconds that the fits of a comparison usually take."""
        usual, fits = self._requests.usual_seconds, self._fits(wildcards)
        return sum(usual(run, 1, number) for run, number in fits.items())

    def _fits(self, wildcards: Wildcards) -> dict[RunSpec, int]:
        """Fits of each method; a dendrogram is cut at all numbers of clusters."""
        first, last = self.range(wildcards)
        ensembles = 1 + self._experiments.config["selection"]["draws"]

        def cuts(method: str) -> bool:
            return "dendrogram_" in self._experiments.catalogues.methods[method].method.offers

        runs = self._wanted(wildcards).compared.values()
        return {
            run: ensembles if cuts(run.method) else ensembles * (last - first + 1) for run in runs
        }

    def _wanted(self, wildcards: Wildcards) -> Consensus:
        wanted = self._experiments.consensus
        if (wildcards.pool, wildcards.dataset) not in wanted:
            raise ConfigError(
                f"config: consensus has no entry for {wildcards.pool} on {wildcards.dataset}."
            )
        return wanted[wildcards.pool, wildcards.dataset]
