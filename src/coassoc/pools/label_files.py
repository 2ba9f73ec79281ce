"""Files of labels: a row is a sample, a column a clustering.

Files may be anybody's, and large: a text file of a million samples and a hundred clusterings is
read block by block, and each column is kept as small integers.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from coassoc.datasets.features import check_size, is_number, one_line
from coassoc.datasets.matlab import read_matlab
from coassoc.errors import DataError
from coassoc.storage.foreign import (
    is_hdf5,
    observation_columns,
    read_arrays,
    read_observations,
    shape_of,
)
from coassoc.storage.isolation import in_own_process

__all__ = ["Column", "LabelFile", "Table", "open_table"]

#: Bytes of text that are read at a time.
_BLOCK = 1 << 24


@dataclass(frozen=True)
class LabelFile:
    """Where labels are, and what the file's columns mean.

    Attributes
    ----------
    file : str
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
    """

    file: str
    id: str | None = None
    classes: str | None = None
    columns: tuple[str, ...] = ()
    variable: str = "labels"
    separator: str | None = None
    header: bool | None = None


class Column(NamedTuple):
    """A column of n samples: the place of each one's value among the distinct `values`."""

    codes: NDArray
    values: list[Any]


class Table(Protocol):
    """A file of labels, of which the head was read."""

    @property
    def names(self) -> list[str]:
        """Names of the columns."""

    @property
    def samples(self) -> NDArray | None:
        """(n,) names of the samples where they are no column; known once columns were read."""

    @property
    def first_row(self) -> int:
        """Number of the first sample's row, for messages."""

    def read(self, places: Sequence[int]) -> list[Column]:
        """The columns at some places."""


def open_table(source: LabelFile, path: Path) -> Table:
    """The table in a file, its kind known from the end of its name.

    Raises
    ------
    DataError
        If the file is not of a kind that is read, or its head leaves open what it means.
    """
    suffix = path.suffix.lower()
    if suffix not in _TABLES:
        raise DataError(f"{path}: labels are read from files that end in {', '.join(_TABLES)}.")
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    return _TABLES[suffix](source, path)


# -- text -----------------------------------------------------------------------------------------


class _TextTable:
    """CSV and the like, in UTF-8."""

    samples = None

    def __init__(self, source: LabelFile, path: Path) -> None:
        self._path = path
        self._separator = source.separator or ("\t" if path.suffix.lower() == ".tsv" else ",")
        first, second = self._first_rows()
        self._check_separator(first)
        self._has_header = self._decided_header(source.header, first)
        self.first_row = 2 if self._has_header else 1
        # R's write.table leaves out the name of the first column.
        if source.id == "first" and self._has_header and len(second) == len(first) + 1:
            first = ["", *first]
        width = range(1, len(first) + 1)
        self.names = [each.strip() for each in first] if self._has_header else [*map(str, width)]

    def _first_rows(self) -> tuple[list[str], list[str]]:
        try:
            with self._path.open(encoding="utf-8-sig", newline="") as file:
                rows = csv.reader(file, delimiter=self._separator)
                first, second = next(rows, []), next(rows, [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise DataError(f"{self._path}: not a table in UTF-8 ({one_line(error)}).") from error
        if not first:
            raise DataError(f"{self._path}: the first line is empty.")
        return first, second

    def _check_separator(self, first: list[str]) -> None:
        other = [each for each in ";\t," if len(first) == 1 and each in first[0]]
        if other:
            raise DataError(
                f"{self._path}: the first line has one column, {first[0]!r}; say separator: "
                f"{other[0]!r} if it has several."
            )

    def _decided_header(self, wanted: bool | None, first: list[str]) -> bool:
        number = next((cell for cell in first if is_number(cell)), None)
        if wanted is None and number is not None:
            raise DataError(
                f"{self._path}: the first line holds the number {number}; say header: false if it "
                "is a sample, header: true if it names the columns."
            )
        return wanted is not False

    def read(self, places: Sequence[int]) -> list[Column]:
        import pyarrow as pa

        wrong: list[Any] = []
        blocks = [_Blocks() for _ in places]
        try:
            for batch in self._batches(places, wrong):
                for found, column in zip(blocks, batch.columns, strict=True):
                    found.add(column)
        except pa.ArrowInvalid as error:
            if wrong:
                number, expected, found = wrong[0]
                raise DataError(
                    f"{self._path}: row {number} has {found} values in place of {expected}."
                ) from error
            raise DataError(f"{self._path}: not a table in UTF-8 ({one_line(error)}).") from error
        return [each.column() for each in blocks]

    def _batches(self, places: Sequence[int], wrong: list[Any]) -> Any:
        import pyarrow as pa
        from pyarrow import csv as arrow

        def refuse(row: Any) -> str:
            wrong.append((row.number, row.expected_columns, row.actual_columns))
            return "error"

        # Numbers as names: those of the file may stand there twice.
        every = [str(place) for place in range(len(self.names))]
        wanted = [str(place) for place in places]
        text = pa.dictionary(pa.int32(), pa.string())
        return arrow.open_csv(
            self._path,
            arrow.ReadOptions(
                # Rows are counted where one thread reads.
                use_threads=False,
                block_size=_BLOCK,
                column_names=every,
                skip_rows_after_names=int(self._has_header),
            ),
            arrow.ParseOptions(
                delimiter=self._separator,
                newlines_in_values=True,
                # In a table of one column an empty line is a missing label.
                ignore_empty_lines=len(every) > 1,
                invalid_row_handler=refuse,
            ),
            arrow.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(every, text),
                strings_can_be_null=False,
            ),
        )


class _Blocks:
    """A column that grows block by block; its values are numbered as they appear."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._codes: list[NDArray] = []

    def add(self, column: Any) -> None:
        """Append a dictionary array of texts."""
        values = [value.strip() for value in column.dictionary.to_pylist()]
        numbers = [self._number.setdefault(value, len(self._number)) for value in values]
        smallest = np.min_scalar_type(len(self._number))
        self._codes.append(np.array(numbers, dtype=smallest)[column.indices.to_numpy()])

    def column(self) -> Column:
        """The whole of it."""
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, dtype=np.uint8)
        self._codes.clear()
        return Column(codes, list(self._number))


# -- tables with types ----------------------------------------------------------------------------


class _ParquetTable:
    samples = None
    first_row = 1

    def __init__(self, source: LabelFile, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            self._file = parquet.ParquetFile(path)
        except (OSError, pa.ArrowInvalid) as error:
            raise DataError(f"{path}: not a Parquet file ({one_line(error)}).") from error
        self.names = list(self._file.schema_arrow.names)

    def read(self, places: Sequence[int]) -> list[Column]:
        return [self._column(self.names[place]) for place in places]

    def _column(self, name: str) -> Column:
        array = self._file.read([name]).column(0).combine_chunks()
        if not hasattr(array, "dictionary"):
            array = array.dictionary_encode()
        values = array.dictionary.to_pylist()
        codes = array.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
        return Column(codes, [*values, None])


class _ObservationTable:
    """The table ``obs`` of an AnnData file; its index names the samples."""

    samples: NDArray | None = None
    first_row = 1

    def __init__(self, source: LabelFile, path: Path) -> None:
        self._path = path
        self.names = in_own_process(observation_columns, path)
        if not source.columns:
            raise DataError(
                f"{path}: not every column of obs is a clustering; list those that are as columns: "
                f"{', '.join(self.names)}."
            )

    def read(self, places: Sequence[int]) -> list[Column]:
        names = [self.names[place] for place in places]
        self.samples, found = in_own_process(read_observations, self._path, names)
        return [Column(codes, values) for codes, values in found]


# -- arrays ---------------------------------------------------------------------------------------


class _ArrayTable:
    """An (n, M) array, or an (n,) array of a single clustering; its columns are numbered from 1."""

    samples = None
    first_row = 1

    def __init__(
        self, path: Path, name: str, shape: Sequence[int] | None, load: Callable[[], NDArray]
    ) -> None:
        if shape is None:
            raise DataError(f"{path}: there is no array {name!r}; say variable: its name.")
        if len(shape) not in (1, 2):
            raise DataError(f"{path}: {name} has {len(shape)} axes; it must have rows and columns.")
        check_size(path, name, shape)
        self._path, self._name, self._load = path, name, load
        self.names = [str(j + 1) for j in range(1 if len(shape) == 1 else shape[1])]

    def read(self, places: Sequence[int]) -> list[Column]:
        array = self._load()
        if array.dtype.kind not in "iufbSU":
            raise DataError(f"{self._path}: {self._name} is of type {array.dtype}, not labels.")
        if array.dtype.kind == "S":
            array = np.char.decode(array)
        return [self._column(array.reshape(len(array), -1)[:, place]) for place in places]

    def _column(self, values: NDArray) -> Column:
        found, codes = np.unique(values, return_inverse=True)
        return Column(codes.astype(np.min_scalar_type(len(found))), found.tolist())


def _npy(source: LabelFile, path: Path) -> _ArrayTable:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: not an array of NumPy ({one_line(error)}).") from error
    return _ArrayTable(path, path.name, array.shape, lambda: array)


def _npz(source: LabelFile, path: Path) -> _ArrayTable:
    name = source.variable
    try:
        with zipfile.ZipFile(path) as archive:
            member = f"{name}.npy"
            shape = _shape_in(archive, member) if member in archive.namelist() else None
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not an archive of NumPy ({one_line(error)}).") from error

    def load() -> NDArray:
        try:
            with np.load(path, allow_pickle=False) as archive:
                return cast(NDArray, archive[name])
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise DataError(f"{path}: {name} cannot be read ({one_line(error)}).") from error

    return _ArrayTable(path, name, shape, load)


def _shape_in(archive: zipfile.ZipFile, member: str) -> tuple[int, ...]:
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in readers:
            raise ValueError(f"the header of {member} is of version {version}")
        return tuple(readers[version](file)[0])


def _hdf5(source: LabelFile, path: Path) -> _ArrayTable:
    name = source.variable
    return _ArrayTable(
        path,
        name,
        in_own_process(shape_of, path, name),
        lambda: in_own_process(read_arrays, path, [name])[name],
    )


def _matlab(source: LabelFile, path: Path) -> _ArrayTable:
    name = source.variable
    shape_in = _shape_in_hdf5_matlab if is_hdf5(path) else _shape_in_matlab
    shape = in_own_process(shape_in, path, name)
    return _ArrayTable(path, name, shape, lambda: np.asarray(read_matlab(path, [name])[name]))


def _shape_in_hdf5_matlab(path: Path, name: str) -> tuple[int, ...] | None:
    return shape_of(path, name, matlab=True)


def _shape_in_matlab(path: Path, name: str) -> tuple[int, ...] | None:
    import scipy.io

    try:
        shapes = {each: shape for each, shape, _ in scipy.io.whosmat(path)}
    except Exception as error:  # whosmat raises many kinds for a file that is not its own
        raise DataError(f"{path}: not a whole MATLAB file ({one_line(error)}).") from error
    return shapes.get(name)


_TABLES: dict[str, Callable[[LabelFile, Path], Table]] = {
    ".csv": _TextTable,
    ".tsv": _TextTable,
    ".parquet": _ParquetTable,
    ".npz": _npz,
    ".npy": _npy,
    ".h5": _hdf5,
    ".hdf5": _hdf5,
    ".mat": _matlab,
    ".h5ad": _ObservationTable,
}
