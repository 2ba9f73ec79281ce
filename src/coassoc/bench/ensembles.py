"""The ranking's ensembles: those that ship with the package, and others made from their sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from coassoc.bench.kept import Kept, ensemble_fingerprint
from coassoc.datasets.prepare import prepare
from coassoc.datasets.registry import find_local, load_datasets
from coassoc.datasets.sources import fetch, mirror_directory
from coassoc.errors import DataError
from coassoc.pools.generation import make_pool
from coassoc.pools.settings import load_pools
from coassoc.storage.hdf5 import read_pool, write_pool
from coassoc.storage.records import Dataset, Pool


@dataclass(frozen=True)
class Ground:
    """Data sets, ensembles and draws of a comparison."""

    kept: Kept
    #: Data set → base clusterings, classes and draws.
    pools: Mapping[str, Pool]
    #: Data set → features; empty where no method sees them.
    features: Mapping[str, Any]
    #: Draws of each data set that count, the first ones; None for all of the kept scores.
    most: int | None
    #: Data set that cannot be had here → why.
    absent: Mapping[str, str]

    @property
    def m(self) -> int:
        """Base clusterings in an ensemble."""
        return int(self.kept.facts["m"])

    def repeats(self, dataset: str) -> int:
        """Draws of a data set that count."""
        kept = int(self.kept.datasets[dataset]["repeats"])
        return kept if self.most is None else min(kept, self.most)

    def draws(self, dataset: str) -> NDArray:
        """The (repeats, m) base clusterings of each draw that counts."""
        drawn: NDArray = self.pools[dataset].draws[self.m]
        return drawn[: self.repeats(dataset)]


@dataclass(frozen=True)
class Ensembles:
    """Ensembles of the ranked data sets."""

    kept: Kept
    #: Where fetched files and base clusterings made from them are kept.
    folder: Path
    #: A directory of sources, looked through before the network.
    mirror: str | None = None
    #: A folder of base clusterings made before, a file for each data set.
    earlier: Path | None = None
    #: Takes one line of progress.
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
        """A pool made from the sources, or read where it was made before."""
        path = self.folder / "ensembles" / f"{dataset}.h5"
        earlier = self.earlier and self.earlier / path.name
        if earlier and earlier.exists():
            path = earlier
        m, seed, name = (self.kept.facts[key] for key in ("m", "seed", "pool"))
        if not path.exists():
            settings = load_pools(self.kept.folder / "pools.yaml")[name]
            features = self.dataset(dataset)
            self.report(f"{dataset}: base clusterings of {features.X.shape[0]} samples")
            only = settings.model_copy(update={"sizes": (m,)})
            write_pool(path, make_pool(features, only, name=dataset, seed=seed))
        pool = read_pool(path)
        own = {"fingerprint": ensemble_fingerprint(pool, m)}
        return replace(pool, attributes={**pool.attributes, **own})

    def features(self, dataset: str) -> Any:
        """The features: those that ship, or from their source."""
        if dataset in self.kept.shipped:
            return self.kept.features(dataset)
        return self.dataset(dataset).X

    def dataset(self, name: str) -> Dataset:
        """Features and classes, from their source."""
        entry = self._entries[name]
        if entry.is_local:
            source = entry.sources[0]
            return prepare(entry, source, [find_local(file) for file in source.files], entry.origin)
        folder = self.folder / "sources"
        if entry.terms:
            self.report(f"{name}: {entry.terms}")
        mirror = mirror_directory({"mirror": self.mirror})
        manifest = fetch(name, entry.sources, folder, mirror, partial(prepare, entry))
        paths = [folder / file["path"] for file in manifest["files"]]
        origin = ", ".join(dict.fromkeys(file["origin"] for file in manifest["files"]))
        return prepare(entry, entry.sources[manifest["source"]], paths, origin)

    @cached_property
    def _entries(self) -> dict[str, Any]:
        return load_datasets(self.kept.folder / "datasets.yaml")
