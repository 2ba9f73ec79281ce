"""What the rules ask that prepare data sets and make pools of base clusterings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coassoc.datasets.prepare import memory_mb
from coassoc.datasets.registry import DatasetEntry, find_local
from coassoc.plan.experiments import Experiments
from coassoc.plan.runs import percent_shuffled
from coassoc.pools.base_clusterings import check_recipes
from coassoc.pools.generation import generation_memory_mb, generation_minutes
from coassoc.pools.settings import PoolSettings, pools_by_dataset, pools_to_make
from coassoc.running.requests import pool_file
from coassoc.running.run_jobs import Wildcards, dataset_file
from coassoc.storage.configuration import check_known

__all__ = ["DataJobs"]


class DataJobs:
    """What each job needs that makes a data set or a pool, or looks at one.

    Parameters
    ----------
    experiments : Experiments
        Everything that the configuration asks for.
    project : path
        The folder of the workflow.
    """

    def __init__(self, experiments: Experiments, project: Path) -> None:
        self._experiments = experiments
        self._catalogues = experiments.catalogues
        self._project = project

    # -- data sets ------------------------------------------------------------------------------

    def datasets_with_features(self) -> list[str]:
        """Names of the data sets whose features are available."""
        return [name for name, entry in self._catalogues.datasets.items() if entry.has_features]

    def dataset_record(self, wildcards: Wildcards) -> dict[str, Any]:
        """The catalogue's entry of a data set."""
        return self._entry(wildcards.dataset).record()

    def classes(self, wildcards: Wildcards) -> int | None:
        """The number of classes of a data set in the catalogue."""
        return self._entry(wildcards.dataset).classes

    def dataset_files(self, wildcards: Wildcards) -> list[str]:
        """What a data set is prepared from: local files, or the record of what was fetched.

        A file that comes with the project is left out, wherever the project is: its content is
        known by the sum in the catalogue's entry, a parameter of the job.
        """
        entry = self._entry(wildcards.dataset)
        if entry.is_local:
            found = [(each, find_local(each, self._project)) for each in entry.sources[0].files]
            return [str(path) for each, path in found if not (each.sha256 and path.is_absolute())]
        return [f"data/sources/{entry.name}.json"]

    def dataset_memory(self, wildcards: Wildcards, attempt: int) -> int:
        """Megabytes for parsing, preprocessing or describing a data set."""
        return memory_mb(self._entry(wildcards.dataset)) * attempt

    def described_datasets(self) -> list[str]:
        """Data sets in the report on data sets and pools."""
        return list(self._described_pools())

    def described_files(self, wildcards: Wildcards) -> dict[str, Any]:
        """A data set, where its features are public, and its pools."""
        entry = self._entry(wildcards.dataset)
        pools = self._described_pools().get(entry.name, [])
        files: dict[str, Any] = {"pools": [pool_file(pool, entry.name) for pool in pools]}
        if entry.has_features:
            files["dataset"] = dataset_file(entry.name)
        return files

    def score_features(self, wildcards: Wildcards) -> list[str]:
        """The data set itself where its classes may be unknown: local, without a label column."""
        entry = self._entry(wildcards.dataset)
        labelled = (entry.classes and entry.class_sizes) or entry.papers
        return [dataset_file(entry.name)] if entry.is_local and not labelled else []

    def _described_pools(self) -> dict[str, list[str]]:
        """Data set → its pools: those that the configuration uses, or all of the papers'."""
        own_choice = bool(self._experiments.config.get("override"))
        return pools_by_dataset(self._experiments.pools_used() if own_choice else self._all_pools())

    def _entry(self, dataset: str) -> DatasetEntry:
        """Entry of a data set, or an error that names those there are."""
        known = self._catalogues.datasets
        check_known("config/datasets.yaml", "the target", [dataset], known)
        return known[dataset]

    # -- pools ----------------------------------------------------------------------------------

    def pools(self) -> list[str]:
        """Files of every pool of the catalogue, for the data sets that its papers use."""
        return [pool_file(pool, dataset) for pool, dataset in self._all_pools()]

    def check_clusterers(self) -> None:
        """Raise a ConfigError for a pool whose clusterer or parameters scikit-learn does not know.

        Not part of reading the catalogue, since it takes half a second to import the clusterers.
        """
        for pool in self._catalogues.pools.values():
            if not pool.is_plain:
                check_recipes(f"pools: {pool.name}", pool.recipes)

    def names_of_pools(self, kind: str) -> str:
        """Pattern of the names of the pools of a kind; without any, it fits nothing."""
        names = (name for name, each in self._catalogues.pools.items() if each.kind == kind)
        return "|".join(names) or "(?!)"

    def pool_record(self, wildcards: Wildcards) -> dict[str, Any]:
        """The catalogue's settings of a pool."""
        return self._settings(wildcards).record()

    def pool_source(self, wildcards: Wildcards) -> dict[str, Any]:
        """Where a published pool comes from."""
        return self._settings(wildcards).source_record(wildcards.dataset)

    def label_file(self, wildcards: Wildcards) -> str:
        """The file of a pool of labels."""
        settings = self._settings(wildcards)
        assert settings.labels is not None
        known = [str(settings.dataset)]
        check_known(f"pools: {settings.name}", "the data set", [wildcards.dataset], known)
        return settings.labels.file

    def label_features(self, wildcards: Wildcards) -> list[str]:
        """The data set that labels belong to, where there is more of it than they."""
        has_features = self._entry(wildcards.dataset).has_features
        return [dataset_file(wildcards.dataset)] if has_features else []

    def label_memory(self, wildcards: Wildcards, attempt: int) -> int:
        """Megabytes for reading labels: a few bytes for each of the file's."""
        return attempt * (1000 + 4 * Path(self.label_file(wildcards)).stat().st_size // 10**6)

    def percent_shuffled(self, wildcards: Wildcards) -> int:
        """Percentage of the samples of a pool that are to be shuffled."""
        return percent_shuffled(f"{wildcards.pool}-shuffled{wildcards.part}")

    def generation_memory(self, wildcards: Wildcards, attempt: int, threads: int) -> int:
        """Megabytes for base clusterings."""
        recipes = self._settings(wildcards).recipes
        return attempt * generation_memory_mb(*self._shape(wildcards), recipes, threads)

    def generation_minutes(self, wildcards: Wildcards, attempt: int, threads: int) -> int:
        """Minutes for base clusterings."""
        settings = self._settings(wildcards)
        shape, size = self._shape(wildcards), settings.size or 100
        return attempt * generation_minutes(*shape, settings.recipes, size, threads)

    def _shape(self, wildcards: Wildcards) -> tuple[int, int]:
        entry = self._entry(wildcards.dataset)
        return entry.n or 10_000, entry.d or 1_000

    def _settings(self, wildcards: Wildcards) -> PoolSettings:
        return self._catalogues.pools[wildcards.pool]

    def _all_pools(self) -> list[tuple[str, str]]:
        return pools_to_make(self._catalogues.pools, self._catalogues.datasets)
