"""Data sets and pools of the catalogues, as the workflow asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from coassoc.datasets.registry import DatasetEntry, find_local
from coassoc.plan.catalogues import Catalogues
from coassoc.pools.base_clusterings import check_recipes
from coassoc.pools.settings import pools_by_dataset, pools_to_make
from coassoc.storage.configuration import check_known

__all__ = ["Data"]


class Data:
    """What there is, and what it is made from.

    Parameters
    ----------
    catalogues : Catalogues
    project : path
        The folder of the workflow, whose own data are found wherever it is.

    Attributes
    ----------
    with_features : list of str
        Data sets whose features are available.
    unlabelled : list of str
        Local data sets without a column of classes, whose scores may need the features.
    pools : dict of str to list of str
        Data set → the pools that the catalogue's papers use of it.
    """

    def __init__(self, catalogues: Catalogues, project: Path) -> None:
        self._catalogues = catalogues
        self._project = project
        entries = catalogues.datasets
        self.with_features = [name for name, entry in entries.items() if entry.has_features]
        self.unlabelled = [name for name, entry in entries.items() if _may_lack_classes(entry)]
        self.pools = pools_by_dataset(pools_to_make(catalogues.pools, entries))

    def entry(self, name: str) -> DatasetEntry:
        """Entry of a data set, or an error that names those there are."""
        check_known("config/datasets.yaml", "the target", [name], self._catalogues.datasets)
        return self._catalogues.datasets[name]

    def source_files(self, name: str) -> list[str]:
        """What a data set is prepared from: local files, or the record of what was fetched.

        A file that comes with the project is left out, wherever the project is: its content is
        known by the sum in the catalogue's entry, a parameter of the job.
        """
        entry = self.entry(name)
        if not entry.is_local:
            return [f"data/sources/{name}.json"]
        local = [(file, find_local(file, self._project)) for file in entry.sources[0].files]
        return [str(path) for file, path in local if not (file.sha256 and path.is_absolute())]

    def described(self, used: Iterable[tuple[str, str]], own: bool) -> Mapping[str, list[str]]:
        """Data set → its pools, for a report: those that a configuration uses, or all."""
        return pools_by_dataset(used) if own else self.pools

    def check_clusterers(self) -> None:
        """Raise a ConfigError for a pool whose clusterer or parameters scikit-learn does not know.

        Not part of reading the catalogue, since it takes half a second to import the clusterers.
        """
        for pool in self._catalogues.pools.values():
            if not pool.is_plain:
                check_recipes(f"pools: {pool.name}", pool.recipes)


def _may_lack_classes(entry: DatasetEntry) -> bool:
    labelled = (entry.classes and entry.class_sizes) or entry.papers
    return entry.is_local and not labelled
