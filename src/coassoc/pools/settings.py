"""Which pools there are: the entries of config/pools.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.datasets.registry import (
    Entry,
    Source,
    catalogue_folder,
    check_paths,
    plain,
    source_from_record,
)
from coassoc.errors import ConfigError
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.draws import check_draws, make_draws
from coassoc.pools.label_files import LabelFile, clusterings_in, kind_of
from coassoc.storage.configuration import catalogue_entries, shown

__all__ = ["PoolSettings", "load_pools", "pools_by_dataset", "pools_to_make"]


@dataclass(frozen=True)
class PoolSettings:
    """How a pool is made.

    Attributes
    ----------
    name : str
        The name of the pool in paths and tables.
    kind : "generated", "published" or "labels"
    size : int or None
        M, the number of base clusterings; of a published pool, what its files must hold.
    clusterer, parameters, k, preprocessing, features, projection, samples
        How a generated pool is made; see :class:`~coassoc.pools.base_clusterings.Recipe`. Of a
        published pool, k and preprocessing are what is known of it.
    mixture : tuple of mapping
        Of a generated pool, the same keys where several recipes take turns; what an entry leaves
        out is that of the pool.
    scheme : "random" or "disjoint"
        How ensembles are drawn: each repeat at random without replacement, or the repeats as
        consecutive groups that share no base clustering.
    sizes : tuple of int
        The ensemble sizes m.
    repeats : int
        Ensembles of each size.
    files : dict of str to Source
        Data set → where its published pool is and how it is read.
    labels : LabelFile or None
        The file of a user's own clusterings.
    dataset : str or None
        The data set that these are clusterings of.
    """

    name: str
    kind: str = "generated"
    title: str = ""
    papers: tuple[str, ...] = ()
    citation: str = ""
    size: int | None = 100
    clusterer: str = "KMeans"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    k: str | int | None = "sqrt"
    preprocessing: str = "raw"
    features: float = 1
    projection: float | None = None
    samples: float = 1
    mixture: tuple[Mapping[str, Any], ...] = ()
    scheme: str = "random"
    sizes: tuple[int, ...] = (20,)
    repeats: int = 20
    files: Mapping[str, Source] = field(default_factory=dict)
    labels: LabelFile | None = None
    dataset: str | None = None

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """How the base clusterings of a generated pool are made, in turn."""
        own = {name: getattr(self, name) for name in Recipe.__dataclass_fields__}
        return tuple(Recipe(**{**own, **each}) for each in self.mixture or ({},))

    @property
    def is_plain(self) -> bool:
        """Whether it is k-means on all features of all samples."""
        return all(recipe.is_plain for recipe in self.recipes) and not self.mixture

    @property
    def leaves_out(self) -> bool:
        """Whether base clusterings leave samples out, so that labels are missing."""
        return any(recipe.samples < 1 for recipe in self.recipes)

    def record(self) -> dict[str, Any]:
        """The settings as plain dictionaries and lists, without the files."""
        return {key: value for key, value in plain(asdict(self)).items() if key != "files"}

    def source_record(self, dataset: str) -> dict[str, Any]:
        """The source of one data set's published pool as plain dictionaries and lists."""
        return plain(asdict(self.source(dataset)))

    def source(self, dataset: str) -> Source:
        """The source of one data set's published pool."""
        if dataset not in self.files:
            known = ", ".join(self.files) or "none"
            raise ConfigError(f"pools: {self.name} has no pool of {dataset}; it has {known}.")
        return self.files[dataset]

    def make_draws(self, pool_size: int, dataset: str, seed: int) -> dict[int, NDArray[np.intp]]:
        """The draws of a data set's pool; see :func:`coassoc.pools.draws.make_draws`."""
        names = (self.name, dataset)
        return make_draws(pool_size, self.sizes, self.repeats, self.scheme, seed, names)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> PoolSettings:
        """The settings that :meth:`record` wrote."""
        fields = dict(record)
        for name in ("papers", "sizes", "mixture"):
            fields[name] = tuple(record[name])
        if record["labels"] is not None:
            columns = tuple(record["labels"]["columns"])
            fields["labels"] = LabelFile(**{**record["labels"], "columns": columns})
        return cls(**fields)


def load_pools(*paths: str | Path, schema: str | Path | None = None) -> dict[str, PoolSettings]:
    """Read catalogues of pools, ``config/pools.yaml`` first; no two entries have the same name.

    Raises
    ------
    ConfigError
        Naming the file, the pool and the key.
    """
    rules = Path(schema or Path(paths[0]).parent / "schemas" / "pools.yaml")
    found = catalogue_entries(paths, rules)
    return {name: _settings(name, fields, path) for path, name, fields in found}


def _settings(name: str, fields: Mapping[str, Any], path: Path) -> PoolSettings:
    if fields["kind"] == "labels":
        return _label_settings(name, dict(fields), path)
    fields = dict(fields)
    _check_kind(name, fields, path)
    draws = fields.pop("draws", {})
    files = {
        dataset: _source(f"{name}.files.{dataset}", source, path)
        for dataset, source in fields.pop("files", {}).items()
    }
    settings = PoolSettings(
        name=name,
        papers=tuple(fields.pop("papers", ())),
        mixture=tuple(fields.pop("mixture", ())),
        files=files,
        sizes=tuple(draws.get("sizes", PoolSettings.sizes)),
        scheme=draws.get("scheme", PoolSettings.scheme),
        repeats=draws.get("repeats", PoolSettings.repeats),
        **fields,
    )
    _check_draws(settings, path)
    return settings


#: Keys of generated pools alone.
_OF_GENERATED = ("clusterer", "parameters", "features", "projection", "samples", "mixture")


def _check_kind(name: str, fields: Mapping[str, Any], path: Path) -> None:
    """Raise for a key that has no meaning for the pool's kind, or that the kind needs."""
    kind = fields["kind"]
    for key in ("files",) if kind == "generated" else _OF_GENERATED:
        if key in fields:
            raise ConfigError(f"{shown(path)}: {name} has the key {key!r}; a {kind} pool has none.")
    for key in ("size", "k") if kind == "generated" else ():
        if fields.get(key, "default") is None:
            raise ConfigError(f"{shown(path)}: {name}.{key} is None; a generated pool needs one.")
    if kind == "published" and not fields.get("files"):
        raise ConfigError(f"{shown(path)}: {name} lacks the key 'files'; a published pool has it.")


def _source(place: str, fields: Mapping[str, Any], path: Path) -> Source:
    """Where one data set's published pool is."""
    try:
        source = source_from_record(fields)
    except ConfigError as error:
        raise ConfigError(f"{shown(path)}: {place}: {error}") from error
    for file in source.files:
        check_paths(place, file, path)
    return source


#: Keys of a pool of labels that say how its file is read.
_OF_THE_FILE = ("file", "id", "classes", "columns", "variable", "separator", "header")
#: Which of them are of some kinds of files only.
_OF_SUFFIXES = {
    "variable": (".npz", ".h5", ".hdf5", ".mat"),
    "separator": (".csv", ".tsv"),
    "header": (".csv", ".tsv"),
}


def _label_settings(name: str, fields: dict[str, Any], path: Path) -> PoolSettings:
    """A pool of the clusterings in a file; by default, an ensemble is all of them."""
    draws = fields.pop("draws", {})
    known = {key: fields.pop(key) for key in _OF_THE_FILE if key in fields}
    known["columns"] = tuple(map(str, known.get("columns", ())))
    file = known["file"]
    found = [place for place in (Path(file), catalogue_folder(path) / file) if place.is_file()]
    if not found:
        raise ConfigError(f"{shown(path)}: {name}.file is {file!r}; there is no such file.")
    for key, suffixes in _OF_SUFFIXES.items():
        if key in known and kind_of(found[0]) not in suffixes:
            raise ConfigError(
                f"{shown(path)}: {name} has the key {key!r}, which is of files that end in "
                f"{', '.join(suffixes)}, and its file is {file!r}."
            )
    labels = LabelFile(**{**known, "file": str(found[0])})
    size = len(clusterings_in(labels))
    settings = PoolSettings(
        name=name,
        size=size,
        sizes=tuple(draws.get("sizes", (size,))),
        scheme=draws.get("scheme", PoolSettings.scheme),
        repeats=draws.get("repeats", 1),
        labels=labels,
        dataset=fields.pop("dataset", name),
        **fields,
    )
    _check_draws(settings, path)
    return settings


def _check_draws(settings: PoolSettings, path: Path) -> None:
    if settings.size is not None:
        try:
            check_draws(settings.size, settings.sizes, settings.repeats, settings.scheme)
        except ConfigError as error:
            raise ConfigError(f"{path}: {settings.name}: {error}") from error


def pools_by_dataset(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Data set → its pools, from pairs of (pool, data set)."""
    grouped: dict[str, list[str]] = {}
    for pool, dataset in pairs:
        grouped.setdefault(dataset, []).append(pool)
    return grouped


def pools_to_make(
    pools: Mapping[str, PoolSettings], entries: Mapping[str, Entry]
) -> list[tuple[str, str]]:
    """All (pool, data set) that belong together.

    Of a published pool, every file; of labels, their data set; of a generated pool, every data set
    with features that one of the pool's papers uses.
    """
    pairs = []
    for name, pool in pools.items():
        if pool.kind == "published":
            pairs += [(name, dataset) for dataset in pool.files]
        elif pool.dataset is not None:
            pairs.append((name, pool.dataset))
        else:
            wanted = set(pool.papers)
            pairs += [
                (name, entry.name)
                for entry in entries.values()
                if entry.has_features and wanted & set(entry.papers)
            ]
    return pairs
