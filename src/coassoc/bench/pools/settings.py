"""The entries of config/pools.yaml."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from coassoc.bench.datasets.registry import (
    PAPERS,
    DatasetEntry,
    DataSource,
    SourceFile,
    Url,
)
from coassoc.bench.pools.draws import ALL, check_draws, make_draws
from coassoc.bench.storage.configuration import (
    AtLeastTwo,
    Count,
    Counts,
    DistinctList,
    Model,
    NonEmptyDict,
    NonEmptyList,
    Share,
    catalogue_entries,
    catalogue_folder,
    once,
    shown,
)
from coassoc.bench.storage.records import Pool
from coassoc.errors import ConfigError, DataError
from coassoc.io.files import open_table
from coassoc.io.table import TableFile
from coassoc.pools.base_clusterings import Recipe

_K = Literal["sqrt", "classes"] | AtLeastTwo
_Scaling = Literal["raw", "unit", "standardised", "min-max", "tf-idf"]
_Scheme = Literal["random", "disjoint"]


class _Pool(Model):
    title: str = ""
    citation: str = ""


class _Draws(Model):
    sizes: Counts
    repeats: Count
    scheme: _Scheme = "random"


class _DrawsOfLabels(_Draws):
    sizes: Counts | None = None  # type: ignore[assignment]
    repeats: Count = 1


class _Recipe(Model):
    k: _K = "sqrt"
    preprocessing: _Scaling = "raw"
    clusterer: str = "KMeans"
    parameters: dict[str, Any] = Field(default={})
    features: Share = 1
    projection: Share | None = None
    samples: Share = 1


class PublishedPool(DataSource):
    """Source of a published pool of one data set, and the way to read its files."""

    parser: Literal["matlab", "results"]  # type: ignore[assignment]


class MatlabPool(PublishedPool):
    """The variables of a MATLAB file, and a separate file of classes if there is one."""

    parser: Literal["matlab"]
    # This parser takes fewer arguments than other parsers.
    arguments: dict[Literal["labels", "classes"], str] = Field(default={})  # type: ignore[assignment]


class ResultsPools(_Pool):
    """Partitions of the data sets of batteries from published results.

    There is a file for each algorithm, data set and number of clusters.

    Attributes
    ----------
    address : str
        Address of the files, with the placeholders ``{algorithm}``, ``{battery}``, ``{member}`` and
        ``{clusters}``.
    algorithms : list of str
        Algorithms in the order of their columns in the pool.
    columns : {"first", "all"}
        The settings of an algorithm that are in the pool.
    times : int
        Number of clusters of the partitions as a multiple of the number of classes.
    absent : dict of str to list of str
        Algorithm → data sets without a file of this algorithm.
    without : list of str
        Data sets without any file.
    """

    address: Url
    algorithms: Annotated[list[str], once]
    columns: Literal["first", "all"] = "all"
    times: Count = 1
    absent: dict[str, list[str]] = Field(default={})
    without: list[str] = Field(default=[])
    kind: Literal["results"]
    repeats: Count

    def files(self, dataset: DatasetEntry) -> PublishedPool:
        """The files of a member of a battery."""
        clusters = self.times * (dataset.classes or 1)
        fields = {
            "battery": dataset.battery,
            "member": dataset.battery_member,
            "clusters": clusters,
        }
        files = [
            SourceFile(url=self.address.format(algorithm=algorithm, **fields), role=algorithm)
            for algorithm in self.algorithms
            if dataset.name not in self.absent.get(algorithm, [])
        ]
        arguments = {"columns": self.columns, "clusters": clusters}
        return PublishedPool(files=files, parser="results", arguments=arguments)


class PoolSettings(_Pool, _Recipe):
    """Settings of a pool.

    For a generated pool, the fields of :class:`~coassoc.pools.base_clusterings.Recipe` define its
    base clusterings; for a published pool, only k and preprocessing are known. The plain form
    leaves out the files.
    """

    model_config = ConfigDict(strict=False)

    #: Name of the pool in paths and tables.
    name: str
    #: "generated", "published", "results" or "labels".
    kind: str = "generated"
    papers: tuple[str, ...] = ()
    #: M, the number of base clusterings. The files of a published pool must hold this number, or
    #: any number if it is None.
    size: int | None = 100
    k: _K | None = "sqrt"  # type: ignore[assignment]
    #: If given, each k from 2 to this number has its own base clusterings and ensembles. The
    #: largest k is at most the root of n (Monti et al. 2003).
    for_each_k: int | None = Field(default=None, exclude_if=lambda number: number is None)
    #: The same keys for several recipes that take turns. A key that an entry leaves out is taken
    #: from the pool.
    mixture: tuple[dict[str, Any], ...] = ()
    #: How ensembles are drawn: each repeat at "random" without replacement, or "disjoint" repeats
    #: as consecutive groups that share no base clustering.
    scheme: str = "random"
    #: The ensemble sizes m, and the number of ensembles of each.
    sizes: tuple[int, ...] = (20,)
    repeats: int = 20
    #: Data set → source of its published pool, and how to read it.
    files: dict[str, PublishedPool] = Field(default={}, exclude=True)
    #: File of a user's own clusterings, and the data set whose samples they cluster.
    labels: TableFile | None = None
    dataset: str | None = None

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipes of the base clusterings of a generated pool, used in turn."""
        settings = {name: getattr(self, name) for name in Recipe.__dataclass_fields__}
        return tuple(Recipe(**{**settings, **part}) for part in self.mixture or ({},))

    @property
    def is_plain(self) -> bool:
        """Whether it is k-means on all features of all samples."""
        return not self.mixture and self.recipes[0].is_plain

    def complete(self, pool: Pool, dataset: str, seed: int, size: int | None = None) -> Pool:
        """The pool of a data set with its draws, and with the attributes that all pools have.

        The draws are those of `size` base clusterings, by default of all.
        """
        names, size = (self.name, dataset), size or pool.labels.shape[1]
        draws = make_draws(size, self.sizes, self.repeats, self.scheme, seed, names)
        attributes: dict[str, Any] = {} if pool.y is None else {"n_classes": pool.n_classes}
        attributes |= {
            "pool": self.name,
            "dataset": dataset,
            "seed": seed,
            "kind": self.kind,
            "k_rule": str(self.k),
            # With a different clusterer the pool would not be k-means on these features.
            "preprocessing": self.preprocessing if self.is_plain else "",
            "draws_scheme": self.scheme,
            "citation": self.citation,
        }
        return replace(pool, draws=draws, attributes=attributes | pool.attributes)


# -- entries; config/README.md documents their keys ------------------------------------------------


class GeneratedPool(_Pool, _Recipe):
    """A pool that is generated from the features of a data set."""

    kind: Literal["generated"]
    papers: PAPERS = Field(default=[])
    draws: _Draws
    size: Count = 100
    for_each_k: AtLeastTwo | None = None
    mixture: NonEmptyList[_Recipe] | None = None


class PublishedPools(_Pool):
    """Base clusterings that a paper published."""

    kind: Literal["published"]
    papers: PAPERS = Field(default=[])
    draws: _Draws
    files: NonEmptyDict[str, MatlabPool]
    size: Count | None = None
    k: _K | None = "sqrt"
    preprocessing: _Scaling = "raw"


class LabelsPool(_Pool):
    """A user's own base clusterings."""

    kind: Literal["labels"]
    file: str
    id: str | None = None
    classes: str | None = None
    columns: DistinctList[str | int] | None = None
    without: DistinctList[str | int] | None = Field(default=None, alias="except")
    missing: DistinctList[str | int] | None = None
    in_: Literal["rows", "columns"] | None = Field(default=None, alias="in")
    variable: str | None = None
    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    dataset: str | None = None
    draws: _DrawsOfLabels = _DrawsOfLabels()


PoolEntry = Annotated[
    GeneratedPool | PublishedPools | ResultsPools | LabelsPool, Field(discriminator="kind")
]


def load_pools(
    *paths: str | Path, members: Mapping[str, DatasetEntry] = MappingProxyType({})
) -> dict[str, PoolSettings]:
    """Read catalogues of pools, such as config/pools.yaml and a user's own catalogue.

    Pools of published results have the files of the given members of batteries. A ConfigError names
    the file, the pool and the key, also if two entries have the same name. A DataError names a file
    of labels that cannot be read.
    """
    pools = {}
    for path, name, entry in catalogue_entries(paths, PoolEntry):
        place = f"{shown(path)}: {name}"
        pools[name] = settings = _settings(name, entry, place, path, members)
        if settings.size is not None:
            try:
                check_draws(settings.size, settings.sizes, settings.repeats, settings.scheme)
            except ConfigError as error:
                raise ConfigError(f"{place}: {error}") from error
    return pools


def _settings(
    name: str, entry: Any, place: str, path: Path, members: Mapping[str, DatasetEntry]
) -> PoolSettings:
    """The settings from an entry, which depend on its kind."""
    about = {"name": name, "kind": entry.kind, "title": entry.title, "citation": entry.citation}
    if isinstance(entry, LabelsPool):
        labels = _label_file(place, entry, path)
        size = len(open_table(labels).choose()[2])
        draws = dict(entry.draws) | {"sizes": entry.draws.sizes or [size]}
        dataset = entry.dataset or name
        return PoolSettings(**about, **draws, size=size, labels=labels, dataset=dataset)
    if isinstance(entry, ResultsPools):
        files = {x: entry.files(members[x]) for x in members if x not in entry.without}
        draws = {"sizes": (ALL,), "repeats": entry.repeats}
        return PoolSettings(**about, **draws, size=None, k=None, files=files)
    if isinstance(entry, GeneratedPool) and entry.for_each_k:
        for part in (entry, *(entry.mixture or ())):
            if "k" in part.model_fields_set:
                raise ConfigError(f"{place} has both for_each_k and k. Keep one of the two keys.")
    given = dict(entry) | dict(entry.draws)
    given["mixture"] = [part.model_dump(exclude_unset=True) for part in given.get("mixture") or ()]
    return PoolSettings(name=name, **{key: given[key] for key in given if key != "draws"})


def _label_file(place: str, entry: LabelsPool, path: Path) -> TableFile:
    """The file of a pool of labels, which the catalogue at `path` names."""
    name = entry.file
    files = (file for file in (catalogue_folder(path) / name, Path(name)) if file.is_file())
    file = next(files, None)
    if file is None:
        raise DataError(f"{place}.file: file {name!r} not found. Check the path.")
    given = {
        key: getattr(entry, key) for key in TableFile.__dataclass_fields__ if hasattr(entry, key)
    }
    lists = ("columns", "without", "missing")
    given |= {key: tuple(map(str, getattr(entry, key) or ())) for key in lists}
    return TableFile(**{**given, "file": str(file)})


def pools_to_make(
    pools: Mapping[str, PoolSettings], entries: Mapping[str, DatasetEntry]
) -> list[tuple[str, str]]:
    """All combinations (pool, data set) to build.

    These are every file of a published pool, the data set of a user's labels, and, for a generated
    pool, every data set with features that one of the pool's papers uses. Published results are
    built only when needed.
    """
    pairs = []
    for name, pool in pools.items():
        if pool.kind == "generated":
            used = (entry for entry in entries.values() if {*pool.papers} & {*entry.papers})
            datasets = [entry.name for entry in used if entry.has_features]
        elif pool.kind == "published":
            datasets = [*pool.files]
        else:  # published results do not belong to a single data set
            datasets = [] if pool.dataset is None else [pool.dataset]
        pairs += [(name, dataset) for dataset in datasets]
    return pairs
