"""Files of labels as tables: a row is a sample, a column a clustering.

What a label is, and what is missing, is said in :mod:`coassoc.tables.label_table`.
"""

import csv
import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coassoc.errors import DataError, message_of
from coassoc.tables.label_table import Column, LabelTable, encode, is_number

__all__ = [
    "LabelFile",
    "clusterings_in",
    "is_streamed",
    "kind_of",
    "open_table",
    "text_head",
]

#: Compressed text files end so.
_PACKED = (".gz", ".bz2", ".zst")

#: Kinds of files that DuckDB reads.
STREAMED = (".parquet", ".csv", ".tsv")
#: Bytes of a file that is read in parts; a table of labels takes several times as many in memory.
LARGE = 10**9


@dataclass(frozen=True)
class LabelFile:
    """Where labels are, and what the file's columns mean.

    Attributes
    ----------
    file : str
        "-" for CSV from standard input.
    id : str or None
        The column that names the samples; "first" for the first one, which may have no name.
    classes : str or None
        The column of the classes.
    columns : tuple of str
        The clusterings; if empty, all columns but these two.
    variable : str
        Name of the array, in files that hold several.
    separator : str or None
        Of a text file: a comma, for .tsv a tab.
    header : bool or None
        Whether the first line of a text file names the columns; None if that is to be seen.
    spelled : str
        How these keys are given, for messages.
    """

    file: str
    id: str | None = None
    classes: str | None = None
    columns: tuple[str, ...] = ()
    variable: str = "labels"
    separator: str | None = None
    header: bool | None = None
    spelled: str = "{}: {}"


def clusterings_in(source: LabelFile) -> list[str]:
    """Names of the clusterings in a file.

    Raises
    ------
    DataError
        If the file cannot be read, or its columns are not those that are named.
    """
    table = open_table(source)
    _, _, clusterings = table.roles(source.id, source.classes, source.columns)
    return [table.names[place] for place in clusterings]


def kind_of(path: Path) -> str:
    """What a file is by the end of its name: ".csv" whether compressed or not."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix in _PACKED else suffix


def is_streamed(path: str | Path) -> bool:
    """Whether labels are read in parts: those of a folder, and of a file beyond :data:`LARGE`."""
    path = Path(path)
    return path.is_dir() or (
        path.is_file() and kind_of(path) in STREAMED and path.stat().st_size > LARGE
    )


def open_table(source: LabelFile) -> LabelTable:
    """The table in a file, of which the head is read.

    Raises
    ------
    DataError
        If the file is not of a kind that is read, or its head leaves open what it means.
    """
    path = Path(source.file)
    if source.file == "-":
        return replace(_text(source, _STANDARD_INPUT), spelled=source.spelled)
    kind = kind_of(path)
    packed = path.suffix.lower() in _PACKED
    if kind not in _TABLES or (packed and kind not in (".csv", ".tsv")):
        raise DataError(
            f"{path}: labels are read from files that end in {', '.join(_TABLES)}, and text also "
            f"from those with {', '.join(_PACKED)} after it."
        )
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    return replace(_TABLES[kind](source, path), spelled=source.spelled)


# -- tables ---------------------------------------------------------------------------------------


def _table(path: Path, names: list[str], column: Callable[[int], Any], **known: Any) -> LabelTable:
    """A table whose columns are read one by one, each by its place."""
    return LabelTable(
        str(path), names, lambda places: [encode(column(place)) for place in places], **known
    )


def _text(source: LabelFile, path: Path) -> LabelTable:
    """CSV and the like, in UTF-8."""
    head = text_head(source, path)

    def read(places: Sequence[int]) -> list[Column]:
        return [*map(encode, _read_text(path, head, places).columns)]

    return LabelTable(str(path), head.names, read, first_row=1 + head.header)


class TextHead(NamedTuple):
    """Names of a text file's columns, and how it is written."""

    names: list[str]
    header: bool
    separator: str


def text_head(source: LabelFile, path: Path) -> TextHead:
    """How a text file is written; a DataError where its head leaves that open."""
    separator = source.separator or ("\t" if kind_of(path) == ".tsv" else ",")
    first, second = _first_rows(path, separator)
    other = [mark for mark in ";\t," if len(first) == 1 and mark in first[0]]
    if other:
        said = source.spelled.format("separator", repr(other[0]))
        raise DataError(
            f"{path}: the first line has one column, {first[0]!r}; say {said} if it has several."
        )
    number = next((cell for cell in first if is_number(cell)), None)
    if source.header is None and number is not None:
        no, yes = (source.spelled.format("header", value) for value in ("false", "true"))
        raise DataError(
            f"{path}: the first line holds the number {number}; say {no} if it is a sample, {yes} "
            "if it names the columns."
        )
    header = source.header is not False
    # R's write.table leaves out the name of the first column.
    if source.id == "first" and header and len(second) == len(first) + 1:
        first = ["", *first]
    names = [cell.strip() for cell in first] if header else [*map(str, range(1, len(first) + 1))]
    return TextHead(names, header, separator)


#: What stands for its path.
_STANDARD_INPUT = Path("standard input")


@cache
def _standard_input() -> bytes:
    """All of it, since a table is opened twice."""
    return sys.stdin.buffer.read()


def _open(path: Path) -> Any:
    """A stream of Arrow."""
    import pyarrow as pa

    given = path is _STANDARD_INPUT
    return pa.BufferReader(_standard_input()) if given else pa.input_stream(path)


def _first_rows(path: Path, separator: str) -> tuple[list[str], list[str]]:
    try:
        with _open(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
            rows = csv.reader(text, delimiter=separator)
            first, second = next(rows, []), next(rows, [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: not a table in UTF-8 ({message_of(error)}).") from error
    if not first:
        raise DataError(f"{path}: the first line is empty.")
    return first, second


def _read_text(path: Path, head: TextHead, places: Sequence[int]) -> Any:
    """Some columns of a text file as a table of Arrow."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    wrong: list[str] = []

    def refuse(row: Any) -> str:
        wrong.append(
            f"row {row.number} has {row.actual_columns} values in place of {row.expected_columns}"
        )
        return "error"

    # Numbers as names: those of the file may stand there twice.
    every = [str(place) for place in range(len(head.names))]
    options = (
        # Rows are counted where one thread reads.
        arrow.ReadOptions(
            use_threads=False,
            column_names=every,
            skip_rows_after_names=int(head.header),
            block_size=2**24,
        ),
        arrow.ParseOptions(
            delimiter=head.separator,
            newlines_in_values=True,
            # In a table of one column an empty line is a missing label.
            ignore_empty_lines=len(every) > 1,
            invalid_row_handler=refuse,
        ),
        arrow.ConvertOptions(
            include_columns=[every[place] for place in places],
            column_types=dict.fromkeys(every, pa.dictionary(pa.int32(), pa.string())),
            strings_can_be_null=False,
        ),
    )
    try:
        return arrow.read_csv(_open(path), *options)
    except (OSError, pa.ArrowInvalid) as error:
        reason = wrong[0] if wrong else f"not a table in UTF-8 ({message_of(error)})"
        raise DataError(f"{path}: {reason}.") from error


def _parquet(source: LabelFile, path: Path) -> LabelTable:
    from coassoc.tables.parquet import open_parquet

    file = open_parquet(path)
    names = list(file.schema_arrow.names)
    # pandas says which column was its index.
    index = (file.schema_arrow.pandas_metadata or {}).get("index_columns", [])
    known = names.index(index[0]) if len(index) == 1 and index[0] in names else None

    return _table(path, names, lambda j: file.read([names[j]]).column(0), first_row=1, id=known)


def _excel(source: LabelFile, path: Path) -> LabelTable:
    import pandas as pd

    try:
        frame = pd.read_excel(path, dtype=object)
    except ImportError as error:
        raise DataError(
            f"{path}: reading this needs the package openpyxl; install it, or save the table as "
            ".csv."
        ) from error
    except Exception as error:  # a damaged workbook fails in many ways
        raise DataError(f"{path}: not an Excel workbook ({message_of(error)}).") from error

    names = [str(name) for name in frame.columns]
    return _table(path, names, lambda j: frame.iloc[:, j].map(_of_excel), first_row=2)


def _of_excel(cell: Any) -> Any:
    """Excel knows floating-point numbers only, of which pandas makes integers of any size."""
    return float(cell) if isinstance(cell, int) and abs(cell) >= 2**53 else cell


def _observations(source: LabelFile, path: Path) -> LabelTable:
    """The table ``obs`` of an AnnData file; its index names the samples."""
    from coassoc.tables.hdf5 import observation_columns, read_observations
    from coassoc.tables.untrusted import in_own_process

    names = in_own_process(observation_columns, path)

    def read(places: Sequence[int]) -> list[Column]:
        columns = in_own_process(read_observations, path, [names[place] for place in places])
        return [Column(codes, values, made_elsewhere=True) for codes, values in columns]

    return LabelTable(str(path), names, read, first_row=1, id=0, observations=True)


def _array(source: LabelFile, path: Path) -> LabelTable:
    """An (n, M) array, or an (n,) array of a single clustering; its columns are numbered from 1."""
    from coassoc.tables.arrays import ARRAYS

    kind = path.suffix.lower()
    name = path.name if kind == ".npy" else source.variable
    array = ARRAYS[kind](path, [name]).get(name)
    if array is None:
        said = source.spelled.format("variable", "NAME")
        raise DataError(f"{path}: there is no array {name!r}; say {said}.")
    if array.ndim not in (1, 2):
        raise DataError(f"{path}: {name} has {array.ndim} axes; it must have rows and columns.")
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iufbSU":
        type_ = getattr(array, "format", array.dtype)  # of a sparse matrix, its layout
        raise DataError(f"{path}: {name} is of type {type_}, not labels.")
    columns = array[:, None] if array.ndim == 1 else array

    names = [str(j + 1) for j in range(columns.shape[1])]
    numbers = array.dtype.kind in "iufb"
    return _table(path, names, lambda j: columns[:, j], first_row=1, numbers=numbers)


_TABLES: dict[str, Callable[[LabelFile, Path], LabelTable]] = {
    ".csv": _text,
    ".tsv": _text,
    ".parquet": _parquet,
    ".xlsx": _excel,
    **dict.fromkeys((".npy", ".npz", ".h5", ".hdf5", ".mat"), _array),
    ".h5ad": _observations,
}
