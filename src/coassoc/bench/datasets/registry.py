"""The catalogue of data sets: ``config/datasets.yaml``, read, validated and normalised.

An entry describes a data set (title, n, d, classes, licence, citation), its origin (sources, in
order of preference) and the way to read its files (parser, preprocessing). A data set of your own
is an entry too. Its short form has a local ``file:`` and the meaning of the columns.
config/README.md documents the keys.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from coassoc.bench.storage.configuration import (
    AtLeastTwo,
    Count,
    Model,
    catalogue_entries,
    catalogue_folder,
    mistake,
    once,
)
from coassoc.errors import ConfigError

#: Parser of a local file, by the suffix of its name.
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

#: Papers, by the names that entries of data sets and pools use for them.
PAPERS = Annotated[list[Literal["EC-CMS", "LTA", "RCE", "ACMK", "HCLCE"]], once]
PARSER = Literal["delimited", "sparse_text", "matlab", "npz", "hdf5", "parquet", "scikit-learn"]
PLAIN_STEP = Literal[
    "sparse", "drop_empty_columns", "log_tfidf", "unit_rows", "standardise", "min_max"
]
_STEP = PLAIN_STEP | Annotated[dict[Literal["top_columns"], Count], Field(min_length=1)]


Url = Annotated[str, Field(pattern="^https?://")]
_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Fingerprint = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
#: Class sizes: none, or at least two.
_Sizes = Annotated[list[Count], Field(max_length=0)] | Annotated[list[Count], Field(min_length=2)]


class SourceFile(Model):
    """One file of a source.

    Attributes
    ----------
    url : str or None
        Address of the file, or of the archive that contains it.
    member : str or None
        Name of the file inside the archive.
    mirror : str or None
        Path below a mirror directory; by default ``<host>/<path of the url>[/<member>]``. A file
        without a `url` can be found only in a mirror.
    file : str or None
        A local file, relative to the folder of the catalogue that names it, to the working
        directory, or to the project's folder.
    sha256 : str or None
        Checksum of the file itself, not of the archive.
    role : str
        "data", "labels" or another role that the parser needs.
    """

    url: Url | None = None
    member: str | None = None
    mirror: str | None = None
    file: str | None = None
    sha256: _Sha256 | None = None
    role: str = "data"

    @model_validator(mode="after")
    def _is_somewhere(self) -> SourceFile:
        if self.file and (self.url or self.mirror):
            raise mistake(
                f"has the local file {self.file!r} and also a url or mirror path. Keep either the "
                "local file or the address"
            )
        if not (self.url or self.mirror or self.file):
            raise mistake("has no file. Add a url, a mirror path or a local file")
        return self


class DataSource(Model):
    """Files that together contain a data set, and the way to read features and classes.

    The keys of a single file may be at the same level as the other keys. If no parser is given, the
    ending of the first file name determines it.
    """

    files: list[SourceFile] = Field(default=[])
    parser: PARSER
    arguments: dict[str, Any] = Field(default={})
    preprocessing: list[_STEP] = Field(default=[])

    @classmethod
    def known_keys(cls) -> list[str]:
        """Names of the keys, including those of a file."""
        return [*SourceFile.model_fields, *cls.model_fields]

    @model_validator(mode="wrap")
    @classmethod
    def _normalised(cls, given: Any, handler: Any) -> Any:
        given = _gathered(given, SourceFile.known_keys(), "files")
        if isinstance(given, dict) and "parser" not in given:
            parser, arguments = _parser_of(given.get("files"))
            given = {"arguments": {}, **given, "parser": parser}
            if isinstance(given["arguments"], dict):
                given["arguments"] = arguments | given["arguments"]
        return handler(given)

    @property
    def may_have_classes(self) -> bool:
        """Whether classes are read; False if no column or variable of classes is named."""
        if any(file.role == "labels" for file in self.files):
            return True
        if self.parser in ("delimited", "parquet"):
            return any(self.arguments.get(key) is not None for key in ("label", "one_hot", "block"))
        return self.arguments.get("y", "") is not None


def _gathered(given: Any, inner: list[str], key: str) -> Any:
    """The keys of a single item, which are next to the other keys, as a list of one item."""
    if not isinstance(given, dict):
        return given
    short = {name: given[name] for name in inner if name in given}
    if not short:
        return given
    if key in given:
        raise mistake(f"has {next(iter(short))!r} outside of {key!r}. Move it into {key!r}")
    return {key: [short], **{name: value for name, value in given.items() if name not in inner}}


def _parser_of(files: Any) -> tuple[str, dict[str, Any]]:
    """Parser and its arguments by the end of the first file's name."""
    names = [file.get("file") or file.get("url") for file in files or () if isinstance(file, dict)]
    name = str(next(filter(None, names), ""))
    suffix = Path(name).suffix.lower()
    if suffix not in PARSER_OF_SUFFIX:
        endings = ", ".join(PARSER_OF_SUFFIX)
        raise mistake(
            f"does not name a parser, and {name!r} does not end in {endings}. Add the key 'parser'"
        )
    return PARSER_OF_SUFFIX[suffix]


class DatasetKeys(Model):
    """Keys of a data set, which may include the keys of its only source.

    Attributes
    ----------
    n, d, classes : int or None
        Numbers of samples, features and classes; None if unknown (a data set of your own).
    class_sizes : list of int
        Number of samples in each class in order of first appearance; empty if not recorded.
    terms : str or None
        Conditions of use of a restricted data set, shown when it is fetched.
    note : str or None
        Differences between the public copy and the description in the papers.
    fingerprint : str or None
        Fingerprint of the prepared (X, y); see :func:`coassoc.bench.storage.records.fingerprint`.
    sources : list of DataSource
        Sources in order of preference; empty if only a pool of base clusterings is public.
    """

    title: str = ""
    papers: PAPERS = Field(default=[])
    n: Count | None = None
    d: Count | None = None
    classes: AtLeastTwo | None = None
    class_sizes: _Sizes = Field(default=[])
    licence: str = ""
    citation: str = ""
    terms: str | None = None
    note: str | None = None
    fingerprint: _Fingerprint | None = None
    sources: list[DataSource] = Field(default=[])

    @classmethod
    def known_keys(cls) -> list[str]:
        """Names of the keys, including those of a source."""
        return [*DataSource.known_keys(), *cls.model_fields]

    @model_validator(mode="wrap")
    @classmethod
    def _normalised(cls, given: Any, handler: Any) -> Any:
        given = _gathered(given, DataSource.known_keys(), "sources")
        if isinstance(given, dict) and type(given.get("class_sizes")) is int:
            size, classes = given["class_sizes"], given.get("classes")
            if classes is None:
                raise mistake(
                    "lacks the key 'classes', which is required if class_sizes is one number "
                    f"({size}). Add the key 'classes'"
                )
            given = {**given, "class_sizes": [size] * (classes if type(classes) is int else 2)}
        return handler(given)

    @model_validator(mode="after")
    def _class_sizes_agree(self) -> Self:
        sizes, labelled = self.class_sizes, sum(self.class_sizes)
        if sizes and self.classes not in (None, len(sizes)):
            raise mistake(
                f"has {len(sizes)} class_sizes, but {self.classes} classes. Correct one of the two"
            )
        has_noise = any(source.arguments.get("noise") is not None for source in self.sources)
        if sizes and self.n and (labelled > self.n or (labelled < self.n and not has_noise)):
            raise mistake(
                f"has class_sizes that add up to {labelled}, but n is {self.n}. Correct one of the "
                "two"
            )
        return self


class DatasetEntry(DatasetKeys):
    """Entry of a data set in the catalogue. `name` is its name in paths and tables.

    Attributes
    ----------
    battery, battery_member : str or None
        The battery that contains the data set (:mod:`coassoc.bench.datasets.batteries`), and its
        name there.
    same_as : str or None
        The data set with the same samples, which represents both if each should count once. For a
        battery member with several numbers of classes, it is the data set of the first labelling.
    """

    name: str
    # Not part of the record, because no result depends on them.
    battery: str | None = Field(default=None, exclude=True)
    battery_member: str | None = Field(default=None, exclude=True)
    same_as: str | None = Field(default=None, exclude=True)

    @property
    def is_local(self) -> bool:
        """Whether nothing has to be fetched: files are local, or data come with a library."""
        return bool(self.sources) and all(file.file for file in self.sources[0].files)

    @property
    def may_have_classes(self) -> bool:
        """Whether there are classes, as known before the files are read."""
        return bool(self.class_sizes) or any(source.may_have_classes for source in self.sources)

    @property
    def assumed_shape(self) -> tuple[int, int]:
        """The numbers n and d, or usual upper bounds if they are unknown."""
        return self.n or 10_000, self.d or 1_000

    @property
    def memory_mb(self) -> int:
        """Upper bound on the megabytes for its preparation: text, table and matrix at once."""
        n, d = self.assumed_shape
        return 1000 + 60 * n * min(d, 2_000) // 1_000_000

    @property
    def has_features(self) -> bool:
        """Whether there is a source of the features, not only a published pool."""
        return bool(self.sources)


def load_datasets(*paths: str | Path) -> dict[str, DatasetEntry]:
    """Read catalogues of data sets, such as config/datasets.yaml and a user's own catalogue.

    A ConfigError names the file, the data set and the key, also if two entries have the same name.
    """
    return {
        name: _locate_files(DatasetEntry(name=name, **dict(entry)), catalogue_folder(path))
        for path, name, entry in catalogue_entries(paths, DatasetKeys)
    }


def _locate_files(entry: DatasetEntry, folder: Path) -> DatasetEntry:
    """The entry with the paths of its local files that lie beside the catalogue."""
    if not entry.is_local:
        return entry
    first, *others = entry.sources
    files = []
    for file in first.files:
        beside = folder / str(file.file)
        update = {"file": str(beside)} if beside.exists() else {}
        files.append(file.model_copy(update=update))
    sources = [first.model_copy(update={"files": files}), *others]
    return entry.model_copy(update={"sources": sources})


def find_local(file: SourceFile, project: str | Path = ".") -> Path:
    """A local file of the catalogue: in the working directory, or else in the project's folder."""
    for folder in (Path(), Path(project)):
        if file.file and (folder / file.file).exists():
            return folder / file.file
    raise ConfigError(
        f"datasets: the file {file.file} is neither in the working directory nor in {project}. "
        "Correct the path, or add the file."
    )
