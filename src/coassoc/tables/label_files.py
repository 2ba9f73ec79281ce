"""Files as tables: of labels, where a row is a sample and a column a clustering, or of numbers.

What a label is, and what is missing, is said in :mod:`coassoc.tables.label_table`; numbers are what
:mod:`coassoc.tables.feature_files` makes of the columns.
"""

import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError, message_of
from coassoc.tables.label_table import Column, LabelTable, Wanted, encode
from coassoc.tables.label_text import (
    PACKED,
    STANDARD_INPUT,
    TEXT,
    column_names,
    kind_of,
    text_table,
)
from coassoc.tables.text import zip_member
from coassoc.tables.untrusted import check_bytes, check_size, in_own_process, reading

__all__ = ["TableFile", "clusterings_in", "is_streamed", "kind_of", "open_table"]

#: Kinds of files that DuckDB reads.
STREAMED = (".parquet", *(kind for kind in TEXT if kind != ".arff"))
#: Bytes of a file that is read in parts; a table of labels takes several times as many in memory.
LARGE = 10**9
#: Cells of a sheet, empty or not, that are looked at.
_MOST_CELLS = 2 * 10**7


@dataclass(frozen=True, kw_only=True)
class TableFile(Wanted):
    """Where labels are, and what the file's columns mean.

    Attributes
    ----------
    file : str
        "-" for CSV from standard input.
    variable : str or None
        Name of the array, in files that hold several; None for "labels", or the only one.
    separator : str or None
        Of a text file: a comma, for .tsv a tab, for .txt what its first line has.
    header : bool or None
        Whether the first line of a text file or sheet names the columns; None if that is to be
        seen.
    encoding : str or None
        Of a text file; None for UTF-8, or what the file is marked as.
    sheet : str or None
        Of an Excel file; None for the first one.
    each_file : "clustering", "members", "samples" or None
        What each file of a folder has: a clustering of all samples, of which "members" lists each
        cluster in a line of its own; or some of the samples in all clusterings. None to be asked,
        where it may be either.
    spelled : str
        How these keys are given, for messages.
    """

    file: str = field(kw_only=False)
    variable: str | None = None
    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    each_file: Literal["clustering", "members", "samples"] | None = None
    spelled: str = "{}: {}"

    @property
    def path(self) -> Path:
        """Of the file, or :data:`STANDARD_INPUT`."""
        return STANDARD_INPUT if self.file == "-" else Path(self.file)


def clusterings_in(source: TableFile) -> list[str]:
    """Names of the clusterings in a file.

    Raises
    ------
    DataError
        If the file cannot be read, or its columns are not those that are named.
    """
    table = open_table(source)
    table = table.turned() if source.in_ == "rows" else table
    _, _, clusterings = table.roles()
    return [table.names[place] for place in clusterings]


def is_streamed(source: TableFile) -> bool:
    """Whether labels are read in parts: those of a folder, and of a file beyond :data:`LARGE`."""
    path = Path(source.file)
    if source.each_file in ("clustering", "members"):
        return False
    return path.is_dir() or (
        path.is_file() and kind_of(path) in STREAMED and path.stat().st_size > LARGE
    )


def open_table(source: TableFile) -> LabelTable:
    """The table in a file, of which the head is read.

    Raises
    ------
    DataError
        If the file is not of a kind that is read, or its head leaves open what it means.
    """
    path = source.path
    with reading(path):
        if path is STANDARD_INPUT:
            table = _text(source, path)
        elif source.each_file in ("clustering", "members"):
            from coassoc.tables.label_folders import joined_table

            return joined_table(source)
        else:
            table = _opener(path)(source, path)
    read = table.read

    def guarded(places: Sequence[int], *convert: Callable[[Any], Any]) -> list[Any]:
        with reading(path):
            return read(places, *convert)

    return replace(table, read=guarded, wanted=table.wanted or source, spelled=source.spelled)


def _opener(path: Path) -> Callable[[TableFile, Path], LabelTable]:
    """What opens a file."""
    kind, packed = kind_of(path), path.suffix.lower() in PACKED
    if path.suffix.lower() == ".zip" and not kind and path.is_file():
        with zipfile.ZipFile(path) as archive:
            kind = kind_of(Path(zip_member(path, archive)))
    if kind in _OF_R:
        raise DataError(
            f"{path}: only R reads its own files; write the table there by "
            "write.csv(table, 'table.csv', row.names = FALSE)."
        )
    if kind not in _TABLES or (packed and kind not in TEXT):
        raise DataError(
            f"{path}: tables are read from files that end in {', '.join(_TABLES)}, and text also "
            f"from those with {', '.join(PACKED)} after it."
        )
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    return _TABLES[kind]


# -- tables ---------------------------------------------------------------------------------------


def _table(path: Path, names: list[str], column: Callable[[int], Any], **known: Any) -> LabelTable:
    """A table whose columns are read one by one, each by its place."""

    def read(places: Sequence[int], convert: Callable[[Any], Any] = encode) -> list[Any]:
        return [convert(column(place)) for place in places]

    return LabelTable(str(path), names, read, **known)


def _text(source: TableFile, path: Path) -> LabelTable:
    """CSV and the like."""
    text = text_table(source, path)
    return LabelTable(
        str(path),
        text.head.names,
        partial(text.columns, path),
        first_row=text.first_line + text.head.header,
    )


def _arff(source: TableFile, path: Path) -> LabelTable:
    """As Weka has them: a question mark is no value."""
    wanted = replace(source, missing=(*source.missing, "?"))
    return replace(_text(source, path), wanted=wanted)


def _parquet(source: TableFile, path: Path) -> LabelTable:
    from coassoc.tables.parquet import open_parquet

    file = open_parquet(path)
    schema = file.schema_arrow
    # pandas says which column was its index.
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    known = schema.names.index(index[0]) if len(index) == 1 and index[0] in schema.names else None

    def read(places: Sequence[int], convert: Callable[[Any], Any] = encode) -> list[Any]:
        check_size(path, "the table", (file.metadata.num_rows, len(places)))
        return [convert(_only(path, file.read([schema.names[j]]))) for j in places]

    return LabelTable(str(path), list(schema.names), read, first_row=1, id=known)


def _feather(source: TableFile, path: Path) -> LabelTable:
    """Arrow's own files, of both versions."""
    from pyarrow import feather

    table = feather.read_table(path, memory_map=True)

    def read(places: Sequence[int], convert: Callable[[Any], Any] = encode) -> list[Any]:
        check_size(path, "the table", (table.num_rows, len(places)))
        return [convert(_only(path, table.select([j]))) for j in places]

    return LabelTable(str(path), list(table.column_names), read, first_row=1)


def _only(path: Path, table: Any) -> Any:
    """The column of a table of Arrow with one."""
    import pyarrow as pa

    (field,) = table.schema
    if pa.types.is_nested(field.type):
        raise DataError(
            f"{path}: column {field.name!r} has values of type {field.type}, each of which is "
            "several; a label is an integer or a text."
        )
    return table.column(0)


def _excel(source: TableFile, path: Path) -> LabelTable:
    rows, others = in_own_process(_sheet, path, source.sheet)
    if others and source.sheet is None:
        said = source.spelled.format("sheet", "NAME")
        warnings.warn(
            f"{path}: the first sheet is read; say {said} for another one: {', '.join(others)}.",
            stacklevel=2,
        )
    if not rows:
        raise DataError(f"{path}: the sheet is empty.")
    first = ["" if cell is None else str(cell) for cell in rows[0]]
    names, header = column_names(source, path, first, rows[0])

    def column(j: int) -> NDArray:
        cells = [_of_excel(row[j]) for row in rows[header:]]
        return np.array([*cells, None], dtype=object)[:-1]  # numbers and texts as they are

    return _table(path, names, column, first_row=1 + header)


def _sheet(path: Path, sheet: str | None) -> tuple[list[list[Any]], list[str]]:
    """Rows of cells in a sheet, without empty ones at the ends, and names of the other sheets."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise DataError(
            f"{path}: reading this needs the package openpyxl; install it, or save the table as "
            ".csv."
        ) from error
    try:
        with zipfile.ZipFile(path) as archive:
            check_bytes(path, "the workbook", sum(part.file_size for part in archive.infolist()))
        book = load_workbook(path, read_only=True, data_only=True)
    except DataError:
        raise
    except Exception as error:  # a damaged workbook fails in many ways
        raise DataError(f"{path}: not an Excel workbook ({message_of(error)}).") from error
    names = [page.title for page in book.worksheets]
    if sheet is not None and sheet not in names:
        raise DataError(f"{path}: there is no sheet {sheet!r}; it has {', '.join(names)}.")
    page = book.worksheets[0 if sheet is None else names.index(sheet)]
    rows: list[list[Any]] = []
    n_cells = 0
    for cells in page.iter_rows(values_only=True):
        n_cells += 1 + len(cells)
        if n_cells > _MOST_CELLS:
            raise DataError(
                f"{path}: the sheet {page.title!r} has more than {_MOST_CELLS:,} cells, most of "
                "them probably empty; save the table as .csv."
            )
        row = list(cells)
        while row and row[-1] is None:
            row.pop()
        rows.append(row)
    while rows and not rows[-1]:
        rows.pop()
    width = max(map(len, rows), default=0)
    return [row + [None] * (width - len(row)) for row in rows], [
        name for name in names if name != page.title
    ]


def _of_excel(cell: Any) -> Any:
    """Excel knows floating-point numbers only, of which openpyxl makes integers of any size."""
    return float(cell) if isinstance(cell, int) and abs(cell) >= 2**53 else cell


def _observations(source: TableFile, path: Path) -> LabelTable:
    """The table ``obs`` of an AnnData file; its index names the samples."""
    from coassoc.tables.hdf5 import observation_columns, read_observations

    names = in_own_process(observation_columns, path)

    def read(places: Sequence[int]) -> list[Column]:
        columns = in_own_process(read_observations, path, [names[place] for place in places])
        return [Column(codes, values, made_elsewhere=True) for codes, values in columns]

    return LabelTable(str(path), names, read, first_row=1, id=0, observations=True)


def _array(source: TableFile, path: Path) -> LabelTable:
    """An (n, M) array, or an (n,) array of a single clustering; its columns are numbered from 1."""
    from coassoc.tables.arrays import as_columns, find_array

    name, array = find_array(path, source.variable, source.spelled.format("variable", "NAME"))
    columns = as_columns(path, name, array)
    names = [str(j + 1) for j in range(columns.shape[1])]
    numbers = columns.dtype.kind in "iufb"
    return _table(path, names, lambda j: columns[:, j], first_row=1, numbers=numbers)


_TABLES: dict[str, Callable[[TableFile, Path], LabelTable]] = {
    **dict.fromkeys(TEXT, _text),
    ".arff": _arff,
    ".parquet": _parquet,
    ".feather": _feather,
    ".xlsx": _excel,
    **dict.fromkeys((".npy", ".npz", ".h5", ".hdf5", ".mat"), _array),
    ".h5ad": _observations,
}
#: Files of R.
_OF_R = (".rds", ".rda", ".rdata")
