"""The ranking's ensembles: those that ship with the package, and others made from their sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from coassoc.comparison.kept import Kept, ensemble_fingerprint
from coassoc.datasets.prepare import prepare
from coassoc.datasets.registry import DatasetEntry, find_local, load_datasets
from coassoc.datasets.sources import fetch, mirror_directory
from coassoc.errors import DataError
from coassoc.pools.generation import make_pool
from coassoc.pools.settings import PoolSettings, load_pools
from coassoc.storage.hdf5 import read_pool, write_pool
from coassoc.storage.records import Dataset, Pool


@dataclass(frozen=True)
class Ensembles:
    """Ensembles of the ranked data sets.

    Attributes
    ----------
    kept : Kept
    folder : Path
        Where fetched files and base clusterings made from them are kept.
    mirror : str or None
        A directory of sources, looked through before the network.
    report : callable
        Takes one line of progress.
    """

    kept: Kept
    folder: Path
    mirror: str | None = None
    report: Callable[[str], None] = field(default=lambda line: None)

    def pool(self, dataset: str) -> Pool:
        """Base clusterings, classes, and draws.

        Raises
        ------
        DataError
            If the data set cannot be had, or its base clusterings come out otherwise here than
            those behind the kept scores.
        """
        if dataset in self.kept.shipped:
            return self.kept.pool(dataset)
        pool = self.made(dataset)
        if pool.attributes["fingerprint"] != self.kept.datasets[dataset]["fingerprint"]:
            raise DataError(
                f"{dataset}: the base clusterings made here by k-means are not those behind the "
                f"kept scores, which were {self.kept.facts['made']}; leave the data set out."
            )
        return pool

    def made(self, dataset: str) -> Pool:
        """A pool made from the sources, or read where an earlier call has made it."""
        path = self.folder / "ensembles" / f"{dataset}.h5"
        m = self._settings.sizes[0]
        if not path.exists():
            features = self.features(dataset)
            self.report(f"{dataset}: base clusterings of {features.X.shape[0]} samples")
            write_pool(path, make_pool(features, self._settings, name=dataset, seed=self._seed))
        pool = read_pool(path)
        own = {"fingerprint": ensemble_fingerprint(pool, m)}
        return replace(pool, attributes={**pool.attributes, **own})

    def features(self, dataset: str) -> Dataset:
        """The features and classes of a data set, from its source."""
        entry = self._entries[dataset]
        if entry.is_local:
            source = entry.sources[0]
            return prepare(entry, source, [find_local(file) for file in source.files], entry.origin)
        folder = self.folder / "sources"
        if entry.terms:
            self.report(f"{dataset}: {entry.terms}")
        mirror = mirror_directory({"mirror": self.mirror})
        found = fetch(dataset, entry.sources, folder, mirror, partial(prepare, entry))
        paths = [folder / file["path"] for file in found["files"]]
        origin = ", ".join(dict.fromkeys(file["origin"] for file in found["files"]))
        return prepare(entry, entry.sources[found["source"]], paths, origin)

    @property
    def _seed(self) -> int:
        return int(self.kept.facts["seed"])

    @cached_property
    def _entries(self) -> dict[str, DatasetEntry]:
        return load_datasets(self.kept.folder / "datasets.yaml")

    @cached_property
    def _settings(self) -> PoolSettings:
        """The pool's, with draws of the ranking's m alone."""
        settings = load_pools(self.kept.folder / "pools.yaml")[self.kept.facts["pool"]]
        return replace(settings, sizes=(self.kept.facts["m"],))
