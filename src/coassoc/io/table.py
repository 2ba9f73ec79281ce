"""A table whose columns are read on demand, and the user's description of it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from importlib import import_module
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal
from unicodedata import normalize

from numpy.typing import NDArray

from coassoc.errors import DataError, did_you_mean

#: Libraries whose tables are returned in the same library. Results for arrays and AnnData objects
#: are pandas tables.
FrameLibrary = Literal["pandas", "polars", "pyarrow"]
#: The path that means standard input.
STANDARD_INPUT = Path("standard input")


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """The path of a table, and the user's description of it.

    Attributes
    ----------
    file : str
        Path, "-" for CSV from standard input, or "labels" for an object.
    id : hashable or None
        Column that names the samples, or "first" for the first column.
    classes : hashable or None
        The column of the classes.
    columns : tuple of hashable
        Names of the columns to read, or patterns such as "leiden_*"; if empty, all columns.
    without : tuple
        Columns to leave out, in the same form.
    missing : tuple
        Values that mean that a sample has no cluster.
    in_ : "rows", "columns" or None
        Where the clusterings are. If they are rows, `id` names them. None: they are columns, unless
        there are more of them than rows.
    variable : str or None
        Name of the array in files with several arrays; None for the usual or the only array.
    separator : str or None
        Separator of text files. Default: a comma; for .tsv a tab; for .txt the separator found in
        the first line.
    header : bool or None
        Whether the first line names the columns. None: it does, unless it contains a number.
    encoding : str or None
        Encoding of text files; None for UTF-8 or the encoding of a byte order mark.
    comments : bool
        Whether lines that begin with #, such as comments of Stan, are skipped.
    sheet : str or None
        Sheet of an Excel file; None for the only sheet.
    each_file : "clustering", "members", "samples", "map" or None
        Content of each file of a folder: a clustering of all samples ("clustering", or "members"
        with the members of a cluster on each line), all clusterings of some samples ("samples"), or
        a map of labels, in which each pixel is a sample ("map").
    spelled : str
        Form in which a user gives these keys, for messages.
    """

    file: str = field(kw_only=False)
    id: Any = None
    classes: Any = None
    columns: tuple[Any, ...] = ()
    without: tuple[Any, ...] = ()
    missing: tuple[Any, ...] = ()
    in_: Literal["rows", "columns"] | None = None
    variable: str | None = None
    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    comments: bool = False
    sheet: str | None = None
    each_file: Literal["clustering", "members", "samples", "map"] | None = None
    spelled: str = "{}: {}"

    @property
    def path(self) -> Path:
        """Path of the file, or :data:`STANDARD_INPUT`."""
        return STANDARD_INPUT if self.file == "-" else Path(self.file)

    def say(self, key: str, value: Any) -> str:
        """How a user gives a key. In a catalogue, several keys are lists."""
        is_list = self.spelled == TableFile.spelled and key in ("columns", "except", "missing")
        return self.spelled.format(key, f"[{value}]" if is_list else value)


@dataclass
class Table:
    """A table whose columns are read on demand."""

    #: Source that begins messages: a file, or "labels".
    place: str
    #: Names of the columns.
    names: list[Any]
    #: Function that takes the positions of columns and returns the content of each.
    read: Callable[[Sequence[int]], list[Any]]
    #: Row number of the first sample in its file, or None if the table is an object.
    first_row: int | None = None
    #: (n,) names of the samples.
    samples: Any = None
    #: Word for a sample in messages.
    kind: str = "sample"
    #: Position of the column that names the samples, if the table itself marks one.
    id: int | None = None
    #: Whether the columns may hold any kind of observation, in which case the user must choose the
    #: clusterings.
    observations: bool = False
    #: Whether the table is an array of numbers that was passed as an object.
    numbers: bool = False
    #: Options from the user.
    roles: TableFile = TableFile("labels", spelled="Ensemble(labels, {}={})")
    #: Library of the table object. Results for its samples are returned in the same library.
    library: FrameLibrary = "pandas"

    def error(self, message: str, advice: str = "") -> DataError:
        """An error of the table: what is wrong, and what to do."""
        return DataError(f"{self.place}: {message}." + (f" {advice}." if advice else ""))

    def say(self, key: str, value: Any) -> str:
        """How a user gives a key."""
        return self.roles.say(key, value)

    def sample(self, i: int) -> str:
        """The i-th sample as its table names it."""
        if self.samples is not None:
            return f"{self.kind} {self.samples[i]}"
        return f"{self.kind} {i}" if self.first_row is None else f"row {i + self.first_row}"

    def choose(self) -> tuple[int | None, int | None, list[int]]:
        """Positions of the column of sample names, the column of classes, and the other columns.

        Raises
        ------
        DataError
            If a column is missing, occurs twice in a file, or if no column is left.
        """
        roles, named = self.roles, self.named()
        if self.observations and not roles.columns:
            raise self.error(
                "not every column of obs is a clustering",
                f"Choose the clusterings with {roles.say('columns', 'NAMES')} from "
                + listed([name for j, name in enumerate(self.names) if j != named], 30),
            )
        classes = None if roles.classes is None else self.position("truth", roles.classes)
        chosen = self._matching("columns", roles.columns) or range(len(self.names))
        out = {named, classes, *self._matching("except", roles.without)}
        chosen = [j for j in chosen if j not in out]
        if not chosen:
            raise self.error(
                "no columns are left after id, classes and except",
                "Name fewer columns in the three options",
            )
        times = Counter(self.names if self.first_row is not None else ())
        for name in (self.names[j] for j in chosen if times[self.names[j]] > 1):
            self.position("columns", name)  # raises an error
        return named, classes, chosen

    def named(self) -> int | None:
        """Position of the column that names the samples."""
        if self.roles.id == "first":
            return 0
        return self.id if self.roles.id is None else self.position("id", self.roles.id)

    def _matching(self, key: str, patterns: Sequence[Any]) -> list[int]:
        """Positions of columns by their names or by patterns, each of which matches some names."""
        positions: dict[int, None] = {}
        text = ",".join(map(str, patterns))
        for name in (
            [text] if patterns and text in self.names else patterns
        ):  # a name with commas, in a shell
            fits = [j for j, known in enumerate(self.names) if fnmatchcase(str(known), str(name))]
            positions |= dict.fromkeys(
                fits if fits and name not in self.names else [self.position(key, name)]
            )
        return [*positions]

    def position(self, key: str, name: Any) -> int:
        """Position of the only column with a name."""
        at = self._positions.get(_composed(name), ())
        if len(at) > 1:
            raise self.error(f"{len(at)} columns are called {name!r}", "Rename them")
        if not at:
            raise self.error(
                f"{key}: {name!r} is not a column{did_you_mean(name, self.names)}",
                f"The columns are {listed(self.names, 30)}",
            )
        return at[0]

    @cached_property
    def _positions(self) -> dict[Any, list[int]]:
        """Positions of the columns with each name, as it looks."""
        positions: dict[Any, list[int]] = {}
        for j, name in enumerate(self.names):
            positions.setdefault(_composed(name), []).append(j)
        return positions


def _composed(name: Any) -> Any:
    """A name as it looks: Unicode has two forms of letters with accents."""
    return normalize("NFC", name) if isinstance(name, str) else name


def listed(names: Sequence[Any], most: int = 8) -> str:
    """A list of names, shortened for a message."""
    more = [f"… ({len(names)} in all)"] if len(names) > most else []
    return ", ".join([*(shorten(str(name), 60) for name in names[:most]), *more])


# -- results in the table library of the input -----------------------------------------------------


def frame_library(data: Any) -> FrameLibrary:
    """The library of a table or of one of its columns; "pandas" for all other objects."""
    package = type(data).__module__.partition(".")[0]
    return package if package in ("polars", "pyarrow") else "pandas"  # type: ignore[return-value]


def frame_of_columns(
    library: FrameLibrary, columns: Mapping[str, NDArray], index: Any, index_name: str
) -> Any:
    """A table of a library, with a row for each sample.

    Parameters
    ----------
    library : FrameLibrary
    columns : mapping of str to (n,) array
    index : (n,) sequence or None
        Names of the samples: the index in pandas, the first column in the other libraries.
    index_name : str
        Name of this first column. If `columns` has a column of the same name, " name" is appended.
    """
    if library == "pandas":
        return import_module("pandas").DataFrame(dict(columns), index=index)
    # The type of an array of objects is inferred from a list.
    values = {k: x.tolist() if x.dtype.kind == "O" else x for k, x in columns.items()}
    if index is not None:
        name = f"{index_name} name" if index_name in values else index_name
        values = {name: list(index), **values}
    module = import_module(library)
    return (module.DataFrame if library == "polars" else module.table)(values)
