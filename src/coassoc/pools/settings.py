"""Which pools there are: the entries of config/pools.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Required

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from typing_extensions import TypedDict

from coassoc.datasets.registry import (
    DatasetEntry,
    FetchedForm,
    Papers,
    Source,
    catalogue_folder,
    check_paths,
    plain,
    source_from_record,
)
from coassoc.errors import ConfigError
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.draws import check_draws, make_draws
from coassoc.pools.label_columns import clusterings_in
from coassoc.pools.label_files import LabelFile
from coassoc.storage.configuration import catalogue_entries, shown
from coassoc.storage.forms import ByKind, Count, Counts, Distinct, keys, told

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


_Share = Annotated[float, Field(gt=0, le=1)]
_Scheme = Literal["random", "disjoint"]
_K = Annotated[
    Literal["sqrt", "classes"] | Annotated[int, Field(ge=2)],
    told("allowed are sqrt, classes and a number from 2"),
]


@keys()
class _Draws(TypedDict, total=False):
    sizes: Required[Counts]
    repeats: Required[Count]
    scheme: _Scheme


class _Pool(TypedDict, total=False):
    kind: str
    title: str
    citation: str


class _MadePool(_Pool, total=False):
    papers: Papers
    draws: Required[_Draws]


@keys()
class _RecipeForm(TypedDict, total=False):
    k: _K
    preprocessing: Literal["raw", "unit", "standardised"]
    clusterer: str
    parameters: dict[str, Any]
    features: _Share
    projection: _Share
    samples: _Share


@keys()
class _GeneratedPool(_MadePool, _RecipeForm, total=False):
    size: Count
    mixture: Annotated[list[_RecipeForm], Field(min_length=1)]


@keys()
class _PublishedFile(FetchedForm, total=False):
    role: Literal["data", "classes"]


@keys()
class _Variables(TypedDict, total=False):
    labels: str
    classes: str


@keys()
class _Published(FetchedForm, total=False):
    files: Annotated[list[_PublishedFile], Field(min_length=1)]
    parser: Literal["matlab"]
    arguments: _Variables


@keys()
class _PublishedPool(_MadePool, total=False):
    files: Required[Annotated[dict[str, _Published], Field(min_length=1)]]
    size: Count | None
    k: _K | None
    preprocessing: Literal["raw", "unit", "standardised"]


@keys()
class _LabelDraws(TypedDict, total=False):
    sizes: Counts
    repeats: Count
    scheme: _Scheme


@keys()
class _FileOfLabels(TypedDict, total=False):
    file: Required[str]
    id: str
    classes: str
    columns: Annotated[list[str | int], Field(min_length=1), Distinct]
    variable: str
    separator: Annotated[str, Field(pattern="^.$"), told("it must be a single character")]
    header: bool


@keys()
class _PoolOfLabels(_Pool, _FileOfLabels, total=False):
    dataset: str
    draws: _LabelDraws


#: Kinds of pools, and the keys of each; config/README.md documents them.
FORMS = {"generated": _GeneratedPool, "published": _PublishedPool, "labels": _PoolOfLabels}


def load_pools(*paths: str | Path) -> dict[str, PoolSettings]:
    """Read catalogues of pools, such as config/pools.yaml, and a user's own.

    Raises
    ------
    ConfigError
        Naming the file, the pool and the key; also where two entries have one name.
    """
    entries = catalogue_entries(paths, Annotated[dict[str, Any], ByKind(FORMS)])
    return {name: _settings(name, given, path) for path, name, given in entries}


def _settings(name: str, given: Mapping[str, Any], path: Path) -> PoolSettings:
    fields: dict[str, Any] = {**given, "draws": {}, **given.get("draws", {})}
    del fields["draws"]
    try:
        if given["kind"] == "labels":
            fields = _of_labels(name, fields, path)
        files = {}
        for dataset, source in fields.pop("files", {}).items():
            files[dataset] = source_from_record(source)
            check_paths(files[dataset])
        for key in ("papers", "mixture", "sizes"):
            if key in fields:
                fields[key] = tuple(fields[key])
        settings = PoolSettings(name=name, files=files, **fields)
        if settings.size is not None:
            check_draws(settings.size, settings.sizes, settings.repeats, settings.scheme)
    except ConfigError as error:
        raise ConfigError(f"{shown(path)}: {name}: {error}") from error
    return settings


#: Keys of a file of labels that some kinds of files alone have.
_OF_SUFFIXES = {
    "variable": (".npz", ".h5", ".hdf5", ".mat"),
    "separator": (".csv", ".tsv"),
    "header": (".csv", ".tsv"),
}


def _of_labels(name: str, fields: dict[str, Any], path: Path) -> dict[str, Any]:
    """A pool of the clusterings in a file; by default, an ensemble is all of them."""
    own = {key: fields.pop(key) for key in _FileOfLabels.__annotations__ if key in fields}
    found = [
        each for each in (Path(own["file"]), catalogue_folder(path) / own["file"]) if each.is_file()
    ]
    if not found:
        raise ConfigError(f"file is {own['file']!r}; there is no such file.")
    for key, suffixes in _OF_SUFFIXES.items():
        if key in own and file.suffix.lower() not in suffixes:
            raise ConfigError(
                f"the key {key!r} is for files that end in {', '.join(suffixes)}, and the file is "
                f"{own['file']!r}."
            )
    columns = tuple(map(str, own.get("columns", ())))
    labels = LabelFile(**{**own, "file": str(file), "columns": columns})
    size = len(clusterings_in(labels))
    usual = {"size": size, "sizes": (size,), "repeats": 1, "dataset": name}
    return {**usual, **fields, "labels": labels}


def pools_by_dataset(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Data set → its pools, from pairs of (pool, data set)."""
    grouped: dict[str, list[str]] = {}
    for pool, dataset in pairs:
        grouped.setdefault(dataset, []).append(pool)
    return grouped


def pools_to_make(
    pools: Mapping[str, PoolSettings], entries: Mapping[str, DatasetEntry]
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
