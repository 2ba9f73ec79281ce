"""Which pools there are: the entries of config/pools.yaml."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from coassoc.datasets.batteries import Place
from coassoc.datasets.registry import (
    PAPERS,
    DatasetEntry,
    Source,
    SourceFile,
    Url,
    catalogue_folder,
)
from coassoc.errors import ConfigError, DataError
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.draws import ALL, check_draws, make_draws
from coassoc.storage.configuration import catalogue_entries, shown
from coassoc.storage.forms import (
    ByKind,
    Count,
    Counts,
    Form,
    Keys,
    either,
    integer,
    listed,
    mapping,
    must,
    number,
    once,
    several,
    text,
    told,
)
from coassoc.storage.names import placed
from coassoc.tables.label_files import LabelFile, clusterings_in, kind_of


class PublishedPool(Source):
    """Where a published pool of one data set is, and how its files are read."""

    parser: Literal["matlab", "results"]  # type: ignore[assignment]


class MatlabPool(PublishedPool):
    """The variables of a MATLAB file, and the classes if they are in one of their own."""

    parser: Literal["matlab"]
    # Fewer than other parsers have.
    arguments: dict[Literal["labels", "classes"], str] = Field(default={})  # type: ignore[assignment]


class Results(Keys):
    """Files of published results: for each algorithm, data set and number of clusters one.

    Attributes
    ----------
    address : str
        Where files are: ``{algorithm}``, ``{battery}``, ``{member}`` and ``{clusters}`` stand for
        what they are of.
    algorithms : list of str
        In the order of their columns in the pool.
    columns : {"first", "all"}
        Which settings of an algorithm are in the pool.
    times : int
        How many times as many clusters as classes the partitions have.
    absent : dict of str to list of str
        Algorithm → data sets of which there is no file of it.
    without : list of str
        Data sets of which there is no file at all.
    """

    address: Url
    algorithms: Annotated[list[str], once]
    columns: Literal["first", "all"] = "all"
    times: Count = 1
    absent: dict[str, list[str]] = Field(default={})
    without: list[str] = Field(default=[])

    def files(self, place: Place, dataset: str) -> PublishedPool:
        """The files of a data set."""
        clusters = self.times * place.classes
        known = {"battery": place.battery, "member": place.member, "clusters": clusters}
        files = [
            SourceFile(url=self.address.format(algorithm=algorithm, **known), role=algorithm)
            for algorithm in self.algorithms
            if dataset not in self.absent.get(algorithm, [])
        ]
        arguments = {"columns": self.columns, "clusters": clusters}
        return PublishedPool(files=files, parser="results", arguments=arguments)


@dataclass(frozen=True)
class PoolSettings:
    """How a pool is made.

    The fields of :class:`~coassoc.pools.base_clusterings.Recipe` say how a generated pool is made;
    of a published one, k and preprocessing are what is known of it.
    """

    #: The name of the pool in paths and tables.
    name: str
    #: "generated", "published", "results" or "labels".
    kind: str = "generated"
    title: str = ""
    papers: tuple[str, ...] = ()
    citation: str = ""
    #: M, the number of base clusterings; of a published pool, what its files must hold.
    size: int | None = 100
    clusterer: str = "KMeans"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    k: str | int | None = "sqrt"
    preprocessing: str = "raw"
    features: int | float = 1
    projection: int | float | None = None
    samples: int | float = 1
    #: The same keys where several recipes take turns; what an entry leaves out is the pool's.
    mixture: tuple[Mapping[str, Any], ...] = ()
    #: How ensembles are drawn: each repeat at "random" without replacement, or "disjoint" repeats
    #: as consecutive groups that share no base clustering.
    scheme: str = "random"
    #: The ensemble sizes m, and the number of ensembles of each.
    sizes: tuple[int, ...] = (20,)
    repeats: int = 20
    #: Data set → where its published pool is and how it is read.
    files: Mapping[str, PublishedPool] = field(default_factory=dict)
    #: Where published results are, of which `files` are made.
    results: Results | None = None
    #: The file of a user's own clusterings, and the data set that these are clusterings of.
    labels: LabelFile | None = None
    dataset: str | None = None
    #: Why that file cannot be read.
    problem: str = ""

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """How the base clusterings of a generated pool are made, in turn."""
        own = {name: getattr(self, name) for name in Recipe.__dataclass_fields__}
        return tuple(Recipe(**{**own, **part}) for part in self.mixture or ({},))

    @property
    def is_plain(self) -> bool:
        """Whether it is k-means on all features of all samples."""
        return not self.mixture and self.recipes[0].is_plain

    def record(self) -> dict[str, Any]:
        """The settings as plain dictionaries and lists, without the files."""
        left_out = {"files", "results", "problem"}
        record: dict[str, Any] = _SETTINGS.dump_python(self, mode="json", exclude=left_out)
        return record

    def source_record(self, dataset: str) -> dict[str, Any]:
        """The source of one data set's published pool as plain dictionaries and lists."""
        if dataset not in self.files:
            known = ", ".join(self.files) or "none"
            raise ConfigError(f"pools: {self.name} has no pool of {dataset}; it has {known}.")
        return self.files[dataset].model_dump()

    def make_draws(self, pool_size: int, dataset: str, seed: int) -> dict[int, NDArray]:
        """The draws of a data set's pool; see :func:`coassoc.pools.draws.make_draws`."""
        names = (self.name, dataset)
        return make_draws(pool_size, self.sizes, self.repeats, self.scheme, seed, names)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> PoolSettings:
        """The settings that :meth:`record` wrote."""
        return _SETTINGS.validate_python(record)


_SETTINGS = TypeAdapter(PoolSettings)
_SCHEME = Literal["random", "disjoint"]
_SHARE = number(gt=0, le=1)
_SCALING = Literal["raw", "unit", "standardised"]
_K = told(
    "allowed are sqrt, classes and a number from 2", Literal["sqrt", "classes"], integer(ge=2)
)
_DRAWS = Form(sizes=Counts, repeats=Count, scheme=_SCHEME)
_POOL = Form(kind=str, title=str, citation=str)
_MADE = Form(
    _POOL, papers=PAPERS, draws=must(Form(_DRAWS, sizes=must(Counts), repeats=must(Count)))
)
_RECIPE = Form(
    k=_K,
    preprocessing=_SCALING,
    clusterer=str,
    parameters=mapping(object),
    features=_SHARE,
    projection=_SHARE,
    samples=_SHARE,
)
_LABELS = Form(
    file=must(str),
    id=str,
    classes=str,
    columns=listed(either(str, int)),
    variable=str,
    separator=text("^.$", "it must be one character"),
    header=bool,
)
#: Kinds of pools, and the keys of each; config/README.md documents them.
FORMS = {
    "generated": Form(_MADE, _RECIPE, size=Count, mixture=several(_RECIPE)),
    "published": Form(
        _MADE,
        files=must(mapping(MatlabPool, least=1)),
        size=either(Count, None),
        k=either(_K, None),
        preprocessing=_SCALING,
    ),
    "results": Form(_POOL, Results, repeats=must(Count)),
    "labels": Form(_POOL, _LABELS, dataset=str, draws=_DRAWS),
}


class Pools(dict[str, PoolSettings]):
    """Pools by name. A pool with an unreadable file raises when it is looked up."""

    def __getitem__(self, name: str) -> PoolSettings:
        pool = super().__getitem__(name)
        if pool.problem:
            raise ConfigError(pool.problem)
        return pool


def load_pools(*paths: str | Path) -> Pools:
    """Read catalogues of pools, such as config/pools.yaml, and a user's own.

    A ConfigError names the file, the pool and the key, also where two entries have one name.
    """
    pools = Pools()
    for path, name, given in catalogue_entries(paths, ByKind(FORMS)):
        try:
            pools[name] = _settings(name, given, path)
        except DataError as error:
            dataset = given.get("dataset", name)
            pools[name] = PoolSettings(name, "labels", dataset=dataset, problem=str(error))
    return pools


def _settings(name: str, given: Mapping[str, Any], path: Path) -> PoolSettings:
    place = f"{shown(path)}: {name}"
    fields = {key: value for key, value in given.items() if key != "draws"}
    fields |= given.get("draws", {})
    if given["kind"] == "labels":
        own = {key: fields.pop(key) for key in _LABELS.known() if key in fields}
        labels = _label_file(place, own, path)
        size = len(clusterings_in(labels))
        usual = {"size": size, "sizes": [size], "repeats": 1, "dataset": name}
        fields = {**usual, **fields, "labels": labels}
    if given["kind"] == "results":
        results = {key: fields.pop(key) for key in Results.known() if key in fields}
        fields |= {"size": None, "k": None, "sizes": [ALL], "results": results}
    settings = PoolSettings.from_record({"name": name, **fields})
    if settings.size is not None:
        with placed(place):
            check_draws(settings.size, settings.sizes, settings.repeats, settings.scheme)
    return settings


#: Keys of a file of labels that some kinds of files alone have.
_OF_SUFFIXES = {
    "variable": (".npz", ".h5", ".hdf5", ".mat"),
    "separator": (".csv", ".tsv"),
    "header": (".csv", ".tsv"),
}


def _label_file(place: str, given: Mapping[str, Any], path: Path) -> LabelFile:
    """The file of a pool of labels, which the catalogue at `path` names."""
    name = given["file"]
    files = (file for file in (Path(name), catalogue_folder(path) / name) if file.is_file())
    file = next(files, None)
    if file is None:
        raise DataError(f"{place}.file is {name!r}; there is no such file.")
    for key, suffixes in _OF_SUFFIXES.items():
        if key in given and kind_of(file) not in suffixes:
            raise ConfigError(
                f"{place} has the key {key!r}, which is for files that end in "
                f"{', '.join(suffixes)}, and its file is {name!r}."
            )
    columns = tuple(map(str, given.get("columns", ())))
    return LabelFile(**{**given, "file": str(file), "columns": columns})


def find_results(
    pools: MutableMapping[str, PoolSettings], places: Mapping[Place, DatasetEntry]
) -> None:
    """Give the pools of published results the files of each data set."""
    for name, pool in [*pools.items()]:
        if pool.results is not None:
            files = {
                entry.name: pool.results.files(place, entry.name)
                for place, entry in places.items()
                if entry.name not in pool.results.without
            }
            pools[name] = replace(pool, files=files)


def pools_to_make(
    pools: Mapping[str, PoolSettings], entries: Mapping[str, DatasetEntry]
) -> list[tuple[str, str]]:
    """All (pool, data set) that belong together.

    Of a published pool, every file; of labels, their data set; of a generated pool, every data set
    with features that one of the pool's papers uses. Published results are left to what needs them.
    """
    pairs = []
    for name, pool in pools.items():
        if pool.kind == "generated":
            used = (entry for entry in entries.values() if {*pool.papers} & {*entry.papers})
            datasets = [entry.name for entry in used if entry.has_features]
        elif pool.kind == "published":
            datasets = [*pool.files]
        else:  # published results have no data set of their own
            datasets = [] if pool.dataset is None else [pool.dataset]
        pairs += [(name, dataset) for dataset in datasets]
    return pairs
