"""The catalogues of methods, and (in config/) of data sets, pools and published numbers."""

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from coassoc.bench.catalogue import load_methods
from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.registry import DatasetEntry, DataSource, find_local, load_datasets
from coassoc.bench.pools.settings import PoolSettings, load_pools
from coassoc.bench.storage.configuration import NonEmptyList, validate
from coassoc.bench.storage.records import hash_of
from coassoc.errors import ConfigError, check_known
from coassoc.methods.registry import Method
from reproduction.study.configuration import PublishedNumber
from reproduction.study.paths import dataset_file, stored_pool
from reproduction.study.revisions import code_of_pools
from reproduction.study.studies import name_of_file

T = TypeVar("T")


class Entries(dict[str, T]):
    """Entries of a catalogue by name. For an unknown name, a ConfigError is raised."""

    def __missing__(self, name: str) -> T:
        check_known("The request", "an entry", [name], self)
        raise KeyError(name)


@dataclass(frozen=True)
class Catalogues:
    """Methods, data sets, pools and published numbers."""

    methods: Entries[Method]
    datasets: Entries[DatasetEntry]
    pools: Entries[PoolSettings]
    #: Rows of published.csv.
    published: list[dict[str, str]]

    @cached_property
    def unlabelled(self) -> list[str]:
        """Local data sets without a column of classes, whose scores may need the features."""
        return [
            name
            for name, entry in self.datasets.items()
            if entry.is_local and not entry.papers and not (entry.classes and entry.class_sizes)
        ]

    def source_files(self, name: str, project: Path) -> list[str]:
        """Inputs of a data set: local files, or the record of the downloaded files.

        Files in the project's folder are left out, because the catalogue contains their checksums.
        """
        entry = self.datasets[name]
        if not entry.is_local:
            return [f"data/sources/{name}.json"]
        local = [(file, find_local(file, project)) for file in entry.sources[0].files]
        return [str(path) for file, path in local if not (file.sha256 and path.is_absolute())]

    def features_of(self, name: str) -> list[str]:
        """The file of a data set, if its features are available."""
        return [dataset_file(name)] * self.datasets[name].has_features

    # -- for rules --------------------------------------------------------------------------------

    def pool(self, name: str) -> PoolSettings:
        """The settings of a pool, which for a shuffled pool are those of the pool before."""
        return self.pools[stored_pool(name)]

    def pool_pattern(self, *kinds: str) -> str:
        """Pattern of the names of the pools of some kinds, or of all pools."""
        return either(name for name, x in self.pools.items() if x.kind in kinds or not kinds)

    def dataset_identity(self, name: str) -> str:
        """Hash of the fingerprint of a data set, or of its entry if it has no fingerprint."""
        entry = self.datasets[name]
        return hash_of(entry.fingerprint or entry.model_dump(mode="json"))

    def pool_identity(self, name: str) -> str:
        """Hash of the code and settings of a pool."""
        pool = self.pool(name)
        return hash_of([code_of_pools(pool.kind), pool.model_dump(mode="json")])

    def published_source(self, pool: str, dataset: str) -> DataSource:
        """The source of a data set in a published pool."""
        files = self.pools[pool].files
        check_known("pools", pool, [dataset], files)
        return files[dataset]

    def source_identity(self, pool: str, dataset: str) -> str:
        """Hash of the source of a data set in a published pool."""
        return hash_of(self.published_source(pool, dataset).model_dump())


def load_catalogues(folder: str | Path, own: Mapping[str, Any] | None = None) -> Catalogues:
    """Read and check all catalogues: the files in a config folder, and the catalogue of methods.

    The keys "methods", "datasets" and "pools" of `own` (for example a whole configuration) name a
    user's files in the same format. A missing or malformed file raises a ConfigError, and so does
    an entry of the user that already exists.
    """
    folder = Path(folder)
    files = {key: (own or {}).get(key) or [] for key in ("methods", "datasets", "pools")}
    datasets = load_datasets(folder / "datasets.yaml", *files["datasets"])
    batteries = load_batteries(folder / "batteries.yaml")
    pools = load_pools(folder / "pools.yaml", *files["pools"], members=batteries)
    for name in datasets.keys() & batteries.keys():
        raise ConfigError(
            f"datasets: {name} is already in config/batteries.yaml. Choose another name."
        )
    datasets |= batteries
    datasets |= _known_by_pools(pools, datasets)
    with (folder / "published.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    for path in (own or {}).get("published", ()):
        published += _own_published(path, {*map(name_of_file, (own or {})["studies"])})
    methods = load_methods(*files["methods"])
    return Catalogues(Entries(methods), Entries(datasets), Entries(pools), published)


def _own_published(path: str, studies: Collection[str]) -> list[dict[str, str]]:
    """The published numbers of a user's studies; by default, the folder's name is the paper's."""
    folder = Path(path).resolve().parent.name
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        lines = [{"paper": folder, **line} for line in csv.DictReader(file)]
    numbers = [x.model_dump() for x in validate(lines, NonEmptyList[PublishedNumber], path)]
    for name in {x["paper"] for x in numbers} - {*studies}:
        raise ConfigError(
            f"{path}: the numbers are those of {name!r}, but none of your studies has this name. "
            "Add the file study.py to the folder, or correct the column 'paper'."
        )
    return numbers


def _known_by_pools(
    pools: Mapping[str, PoolSettings], datasets: Mapping[str, DatasetEntry]
) -> dict[str, DatasetEntry]:
    """Entries for data sets known only by a pool of labels, named after the pool."""
    entries = {}
    for name, pool in pools.items():
        check_known("pools", f"{name}.files", pool.files, datasets)
        if stored_pool(name) != name:
            raise ConfigError(
                f"pools: the name {name!r} is reserved for shuffled samples of the pool "
                f"{stored_pool(name)!r}. Choose another name."
            )
        if pool.dataset == name and name not in datasets:
            entries[name] = DatasetEntry(name=name, title=pool.title, citation=pool.citation)
        elif pool.dataset is not None:
            check_known("pools", f"{name}.dataset", [pool.dataset], datasets)
    return entries


def either(names: Iterable[str]) -> str:
    """Pattern that matches these names; without names, it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"
