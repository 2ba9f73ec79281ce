"""The data sets and ensembles on which methods are compared and audited, and limits on fits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from coassoc.bench.datasets.prepare import prepare, prepare_local
from coassoc.bench.datasets.registry import load_datasets
from coassoc.bench.datasets.sources import fetch, mirror_directory
from coassoc.bench.limits import Limits
from coassoc.bench.pools.making import make_pool
from coassoc.bench.pools.settings import load_pools
from coassoc.bench.provenance import kernel
from coassoc.bench.shipped import Shipped, ensemble_fingerprint
from coassoc.bench.storage.hdf5 import read_dataset, read_pool, write_pool
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.errors import CoassocError, DataError


@dataclass(frozen=True)
class Benchmark:
    """Some of the ranked data sets, with the ensembles and the scores of the ranking.

    Data sets that do not ship with the package are fetched on first use, and their base clusterings
    are computed.
    """

    #: Names of data sets, empty for all ranked data sets.
    names: Sequence[str] = ()
    #: Number of draws of each data set to use, counted from the first. None uses all draws that
    #: have scores.
    n_draws: int | None = None
    #: Limits of one fit.
    limits: Limits = field(default_factory=lambda: Limits(minutes=10))
    #: Whether methods are compared with rows tuned against the classes, or with rows at their
    #: defaults.
    tuned: bool = False
    #: Whether a method needs features. If so, data sets without features are left out.
    see_features: bool = False
    #: Folder of the downloaded files, the base clusterings computed from them, and the fits.
    folder: Path = Path("coassoc-compare")
    #: Function that receives each line of progress.
    report: Callable[[str], None] = lambda line: None
    shipped: Shipped = field(default_factory=Shipped)
    #: Data set → (n, d) features, empty if no method needs them.
    features: dict[str, Any] = field(default_factory=dict, init=False)
    #: Unavailable data set → reason.
    absent: dict[str, str] = field(default_factory=dict, init=False)

    @cached_property
    def pools(self) -> dict[str, Pool]:
        """Data set → base clusterings, classes and draws; raises a DataError if there are none.

        The first access also fills :attr:`features` and :attr:`absent`.
        """
        pools = {}
        for name in self.names or self.shipped.datasets_of(self.tuned):
            try:
                if self.see_features:
                    self.features[name] = self.features_and_classes(name).X
                pools[name] = self._pool(name)
            except CoassocError as error:
                self.absent[name] = str(error)
                self.report(f"The data set {name} is left out. {error}")
        if not pools:
            reason = next(iter(self.absent.values()))
            raise DataError(f"No data set is available. The first reason is: {reason}")
        return pools

    def _pool(self, dataset: str) -> Pool:
        pool = self.base_clusterings(dataset)
        fingerprint, kept = ensemble_fingerprint(pool, self.m), self.shipped.datasets[dataset]
        if fingerprint != kept["fingerprint"]:
            raise DataError(
                f"{dataset}: k-means on this machine (OpenBLAS kernels for {kernel()}) gives base "
                "clusterings that differ from the archived ones, which were computed "
                f"{self.shipped.facts['made']}. Set OPENBLAS_CORETYPE to Haswell or SkylakeX to "
                "use the kernels of the archived base clusterings, or leave out the data set."
            )
        return replace(pool, attributes={**pool.attributes, "fingerprint": fingerprint})

    def base_clusterings(self, dataset: str) -> Pool:
        """Base clusterings as in the ranking: shipped, or computed from the source and kept."""
        shipped, made = self.shipped.file("pools", dataset), self.folder / f"ensembles/{dataset}.h5"
        path = shipped if shipped.exists() else made
        if not path.exists():
            seed, name = (self.shipped.facts[key] for key in ("seed", "pool"))
            settings = load_pools(self.shipped.folder / "pools.yaml")[name]
            features = self.features_and_classes(dataset)
            self.report(f"{dataset}: computing base clusterings of {features.X.shape[0]} samples")
            only = settings.model_copy(update={"sizes": (self.m,)})
            write_pool(path, make_pool(features, only, name=dataset, random_state=seed))
        return read_pool(path)

    def features_and_classes(self, name: str) -> Dataset:
        """Features and classes, shipped or from their source."""
        if (shipped := self.shipped.file("datasets", name)).exists():
            return read_dataset(shipped)
        entry = self._entries[name]
        if entry.is_local:
            return prepare_local(entry)
        folder = self.folder / "sources"
        if entry.terms:
            self.report(f"{name}: {entry.terms}")
        manifest = fetch(name, entry.sources, folder, mirror_directory(), partial(prepare, entry))
        paths = [folder / file["path"] for file in manifest["files"]]
        origin = ", ".join(dict.fromkeys(file["origin"] for file in manifest["files"]))
        return prepare(entry, entry.sources[manifest["source"]], paths, origin)

    @cached_property
    def _entries(self) -> dict[str, Any]:
        return load_datasets(self.shipped.folder / "datasets.yaml")

    @property
    def m(self) -> int:
        """Number of base clusterings in an ensemble."""
        return int(self.shipped.facts["m"])

    def repeats(self, dataset: str) -> int:
        """Number of draws of a data set that are used."""
        with_scores = int(self.shipped.datasets[dataset]["repeats"])
        return with_scores if self.n_draws is None else min(with_scores, self.n_draws)

    def draws(self, dataset: str) -> NDArray:
        """The (repeats, m) base clusterings of each draw that is used."""
        drawn: NDArray = self.pools[dataset].draws[self.m]
        return drawn[: self.repeats(dataset)]
