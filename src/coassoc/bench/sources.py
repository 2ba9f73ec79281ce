"""Ensembles of the ranked data sets made from the sources of their data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from coassoc.bench.shipped import Shipped, ensemble_fingerprint
from coassoc.datasets.prepare import prepare
from coassoc.datasets.registry import find_local, load_datasets
from coassoc.datasets.sources import fetch, mirror_directory
from coassoc.pools.generation import make_pool
from coassoc.pools.settings import load_pools
from coassoc.storage.hdf5 import read_pool, write_pool
from coassoc.storage.records import Dataset, Pool


@dataclass(frozen=True)
class Sources:
    """Data sets from their sources, and base clusterings of them as the ranking has them."""

    shipped: Shipped
    #: Where fetched files and base clusterings made from them are kept.
    folder: Path
    #: A directory of sources, looked through before the network.
    mirror: str | None = None
    #: A folder of base clusterings made before, a file for each data set.
    earlier: Path | None = None
    #: Takes one line of progress.
    report: Callable[[str], None] = field(default=lambda line: None)

    def pool(self, dataset: str) -> Pool:
        """A pool made from the sources, or read where it was made before."""
        path = self.folder / "ensembles" / f"{dataset}.h5"
        earlier = self.earlier and self.earlier / path.name
        if earlier and earlier.exists():
            path = earlier
        m, seed, name = (self.shipped.facts[key] for key in ("m", "seed", "pool"))
        if not path.exists():
            settings = load_pools(self.shipped.folder / "pools.yaml")[name]
            features = self.dataset(dataset)
            self.report(f"{dataset}: base clusterings of {features.X.shape[0]} samples")
            only = settings.model_copy(update={"sizes": (m,)})
            write_pool(path, make_pool(features, only, name=dataset, random_state=seed))
        pool = read_pool(path)
        own = {"fingerprint": ensemble_fingerprint(pool, m)}
        return replace(pool, attributes={**pool.attributes, **own})

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
        return load_datasets(self.shipped.folder / "datasets.yaml")
