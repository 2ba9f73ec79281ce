"""The catalogue of data sets: ``config/datasets.yaml``, read, validated and normalised.

An entry says what a data set is (title, n, d, classes, licence, citation), where it comes from
(sources, in order of preference) and how its files are read (parser, preprocessing). A data set of
your own is an entry too; its short form is a local ``file:`` and what the columns mean.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from coassoc.errors import ConfigError
from coassoc.storage.configuration import catalogue_entries, placed, shown
from coassoc.storage.forms import Count, Form, integer, listed, mapping, must, several, text, told

#: Parser of a local file, by the end of its name.
PARSER_OF_SUFFIX: dict[str, tuple[str, dict[str, Any]]] = {
    ".csv": ("delimited", {"separator": ",", "header": None}),
    ".tsv": ("delimited", {"separator": "\t", "header": None}),
    ".txt": ("delimited", {"separator": "whitespace"}),
    ".npz": ("npz", {}),
    ".h5": ("hdf5", {}),
    ".hdf5": ("hdf5", {}),
    ".mat": ("matlab", {}),
    ".parquet": ("parquet", {}),
}

#: Papers, as entries of data sets and pools name them.
PAPERS = listed(Literal["EC-CMS", "LTA", "RCE", "ACMK", "HCLCE"], least=0)
PARSER = Literal["delimited", "sparse_text", "matlab", "npz", "hdf5", "parquet", "scikit-learn"]
PLAIN_STEP = Literal["sparse", "drop_empty_columns", "log_tfidf", "unit_rows", "standardise"]
#: The step that has an argument.
TOP_COLUMNS = Form(top_columns=must(Count))
_STEP = told(
    "allowed are sparse, drop_empty_columns, log_tfidf, unit_rows, standardise and top_columns "
    "with a number",
    PLAIN_STEP,
    TOP_COLUMNS,
)
#: Keys of a file that is fetched; see :class:`SourceFile`.
FETCHED = Form(
    url=text("^https?://", "it must begin with http:// or https://"),
    member=str,
    mirror=str,
    sha256=text("^[0-9a-f]{64}$", "it must be 64 hexadecimal digits"),
)
_FILE = Form(FETCHED, file=str, role=str)
_SOURCE = Form(
    _FILE,
    files=several(_FILE),
    parser=PARSER,
    arguments=mapping(object),
    preprocessing=several(_STEP, least=0),
)
#: Keys of a data set, which may be those of its only source; config/README.md documents them.
DATASET = Form(
    _SOURCE,
    title=str,
    papers=PAPERS,
    n=Count,
    d=Count,
    classes=integer(ge=2),
    class_sizes=told(
        "it must be the number of samples in each class, or one number for all of them",
        Count,
        several(Count, least=2),
    ),
    licence=str,
    citation=str,
    terms=str,
    note=str,
    fingerprint=text("^[0-9a-f]{16}$", "it must be 16 hexadecimal digits"),
    sources=several(_SOURCE),
)


@dataclass(frozen=True)
class SourceFile:
    """One file of a source."""

    #: Address of the file, or of the archive that holds it.
    url: str | None = None
    #: Name of the file inside the archive.
    member: str | None = None
    #: Path below a mirror directory; by default ``<host>/<path of the url>[/<member>]``.
    #: A file with such a path and no `url` is found in a mirror only.
    mirror: str | None = None
    #: A local file, relative to the working directory, to the folder of the catalogue that names
    #: it, or to the project's folder.
    file: str | None = None
    #: Of the file itself, not of the archive.
    sha256: str | None = None
    #: "data", "labels" or what else the parser asks for.
    role: str = "data"


@dataclass(frozen=True)
class Source:
    """Files that hold a data set together, and how they become features and classes."""

    files: tuple[SourceFile, ...] = ()
    parser: str = "delimited"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    preprocessing: tuple[Any, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether nothing has to be fetched: local files, or data that come with a library."""
        return all(file.file is not None for file in self.files)

    @property
    def may_have_classes(self) -> bool:
        """Whether classes are read; False where no column or variable of them is named."""
        if any(file.role == "labels" for file in self.files):
            return True
        if self.parser in ("delimited", "parquet"):
            return any(self.arguments.get(key) is not None for key in ("label", "one_hot", "block"))
        return self.arguments.get("y", "") is not None


@dataclass(frozen=True)
class DatasetEntry:
    """What the catalogue knows of a data set."""

    #: The one name of the data set in paths and tables.
    name: str
    title: str = ""
    papers: tuple[str, ...] = ()
    #: Samples, features and classes; None where they are unknown (a data set of your own).
    n: int | None = None
    d: int | None = None
    classes: int | None = None
    #: Samples of each class in order of first appearance; empty if not recorded.
    class_sizes: tuple[int, ...] = ()
    licence: str = ""
    citation: str = ""
    #: Conditions of use of a restricted data set, shown when it is fetched.
    terms: str | None = None
    #: Where the public copy is not what the papers print.
    note: str | None = None
    #: Of the prepared (X, y); see :func:`coassoc.storage.records.fingerprint`.
    fingerprint: str | None = None
    #: In order of preference; empty when only a pool of base clusterings is public.
    sources: tuple[Source, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether the data set is prepared from local files, with nothing to fetch."""
        return bool(self.sources) and self.sources[0].is_local

    @property
    def origin(self) -> str:
        """Where a local data set comes from, in words."""
        source = self.sources[0]
        return ", ".join(str(file.file) for file in source.files) or source.parser

    @property
    def may_have_classes(self) -> bool:
        """Whether there are classes, as far as can be said before its files are read."""
        return bool(self.class_sizes) or any(source.may_have_classes for source in self.sources)

    @property
    def has_features(self) -> bool:
        """Whether there is a source of the features, not only a published pool."""
        return bool(self.sources)

    def record(self) -> dict[str, Any]:
        """The entry as plain dictionaries and lists, for the parameters of a rule."""
        return plain(asdict(self))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> DatasetEntry:
        """The entry that :meth:`record` wrote."""
        fields = dict(record)
        fields["sources"] = tuple(source_from_record(source) for source in record["sources"])
        for name in ("papers", "class_sizes"):
            fields[name] = tuple(record[name])
        return cls(**fields)


def load_datasets(*paths: str | Path) -> dict[str, DatasetEntry]:
    """Read catalogues of data sets, such as config/datasets.yaml, and a user's own.

    A ConfigError names the file, the data set and the key, also where two entries have one name.
    """
    entries = catalogue_entries(paths, DATASET)
    return {name: _entry(name, given, path) for path, name, given in entries}


def find_local(file: SourceFile, project: str | Path = ".") -> Path:
    """A local file of the catalogue: in the working directory, or else in the project's folder."""
    for folder in (Path(), Path(project)):
        if file.file and (folder / file.file).exists():
            return folder / file.file
    raise ConfigError(f"datasets: there is no file {file.file}, here or in {project}.")


def _entry(name: str, given: Mapping[str, Any], path: Path) -> DatasetEntry:
    fields = dict(given)
    short = {key: fields.pop(key) for key in _SOURCE.types if key in fields}
    with placed(f"{shown(path)}: {name}"):
        if short and "sources" in fields:
            key = next(iter(short))
            raise ConfigError(f"{key!r} stands beside 'sources'; it belongs in one of them.")
        sources = map(source_from_record, fields.pop("sources", [short] if short else []))
        given_sizes = fields.pop("class_sizes", [])
        entry = DatasetEntry(
            name=name,
            papers=tuple(fields.pop("papers", ())),
            class_sizes=_class_sizes(given_sizes, fields.get("n"), fields.get("classes")),
            sources=tuple(_beside(source, path) for source in sources),
            **fields,
        )
        for source in entry.sources:
            check_paths(source)
    return entry


def source_from_record(given: Mapping[str, Any]) -> Source:
    """A source from its keys in the catalogue, or from a record of :class:`Source`."""
    single = {key: given[key] for key in _FILE.types if key in given}
    if single and "files" in given:
        raise ConfigError(f"{next(iter(single))!r} stands beside 'files'; it belongs in them.")
    files: list[dict[str, Any]] = [single] if single else given.get("files", [])
    arguments = given.get("arguments", {})
    parser = given.get("parser")
    if parser is None:
        parser, defaults = _parser_of(files)
        arguments = {**defaults, **arguments}
    return Source(
        files=tuple(SourceFile(**file) for file in files),
        parser=parser,
        arguments=dict(arguments),
        preprocessing=tuple(given.get("preprocessing", ())),
    )


def catalogue_folder(path: str | Path) -> Path:
    """The folder of a catalogue, as the beginning of the paths of files that lie there.

    Below the working directory it starts from there, so that this may move with all its files.
    """
    folder = Path(path).parent
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder


def _beside(source: Source, path: str | Path) -> Source:
    """The source with the paths of its local files that lie beside the catalogue at `path`."""
    folder = catalogue_folder(path)
    files = (
        replace(file, file=str(folder / file.file))
        if file.file and not Path(file.file).exists() and (folder / file.file).exists()
        else file
        for file in source.files
    )
    return replace(source, files=tuple(files))


def _parser_of(files: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    name = next((file.get("file") or file.get("url") or "" for file in files), "")
    suffix = Path(name).suffix.lower()
    if suffix not in PARSER_OF_SUFFIX:
        known = ", ".join(PARSER_OF_SUFFIX)
        raise ConfigError(f"no parser is given, and the name {name!r} does not end in {known}.")
    return PARSER_OF_SUFFIX[suffix]


def _class_sizes(given: int | list[int], n: int | None, classes: int | None) -> tuple[int, ...]:
    """Samples of each class, where one number may stand for all."""
    if isinstance(given, int):
        if classes is None:
            raise ConfigError(
                f"it lacks the key 'classes'; class_sizes is {given} for each of them."
            )
        given = [given] * classes
    if given and n not in (None, sum(given)):
        raise ConfigError(f"class_sizes sum to {sum(given)}, but n is {n}.")
    if given and classes not in (None, len(given)):
        raise ConfigError(f"{len(given)} class_sizes for {classes} classes.")
    return tuple(given)


def check_paths(source: Source) -> None:
    """Refuse a file that would be kept outside the folder of the sources, or that is nowhere."""
    for file in source.files:
        for key in ("url", "member", "mirror"):
            value = getattr(file, key) or ""
            if ".." in value.split("/") or (key != "url" and value.startswith("/")):
                raise ConfigError(f"{key}: {value!r} leaves the folder of the sources.")
        if file.file and (file.url or file.mirror):
            raise ConfigError(f"a local file, {file.file!r}, has no url and no mirror.")
        if not (file.url or file.mirror or file.file):
            raise ConfigError("a file needs a url, a mirror path or a local file.")


def plain(value: Any) -> Any:
    """Mappings as dictionaries and sequences as lists, all the way down."""
    return json.loads(json.dumps(value, default=str))
