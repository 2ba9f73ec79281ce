"""Files of measurements: numbers, and names of rows and columns.

Numbers are read from CSV (also packed), .tsv, Parquet, Excel, .npy, .npz, .h5, .mat and .h5ad. The
first column names the rows where it holds texts, or has no name.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError, message_of
from coassoc.tables.features import check_measured, matrix, numeric
from coassoc.tables.label_files import kind_of
from coassoc.tables.label_table import UNNAMED, is_number


@dataclass(frozen=True)
class FeatureFile:
    """Where measurements are, and what the file's columns mean.

    Attributes
    ----------
    file : str
    id : str or None
        The column that names the rows, where that is not to be seen.
    drop : tuple of str
        Columns that are neither.
    variable : str
        Name of the array, in files that hold several.
    separator : str or None
        Of a text file: a comma, for .tsv a tab.
    header : bool or None
        Whether the first line of a text file names the columns; None if that is to be seen.
    """

    file: str
    id: str | None = None
    drop: tuple[str, ...] = ()
    variable: str = "X"
    separator: str | None = None
    header: bool | None = None


class FeatureTable(NamedTuple):
    """Numbers as they stand in a file.

    Attributes
    ----------
    X : (r, c) array or CSR array
    rows, columns : array or None
        Their names.
    """

    X: Any
    rows: NDArray | None
    columns: NDArray | None

    @property
    def T(self) -> "FeatureTable":
        """Rows as columns."""
        X = sp.csr_array(self.X.T) if sp.issparse(self.X) else self.X.T
        return FeatureTable(X, self.columns, self.rows)


def read_features(source: FeatureFile) -> FeatureTable:
    """The numbers in a file.

    Raises
    ------
    DataError
        If the file is not of a kind that is read, or a column holds no numbers, or looks like a
        number of the rows or a class.
    """
    path = Path(source.file)
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    kind = kind_of(path)
    if kind not in _READERS:
        raise DataError(
            f"{path}: measurements are read from files that end in {', '.join(_READERS)}, and text "
            "also from those with .gz, .bz2, .zst after it."
        )
    try:
        table = _READERS[kind](source, path)
    except DataError:
        raise
    except Exception as error:  # damaged files fail in many ways
        raise DataError(f"{path}: cannot be read ({message_of(error)}).") from error
    return table if isinstance(table, FeatureTable) else _named(source, path, table)


def _named(source: FeatureFile, path: Path, table: pd.DataFrame) -> FeatureTable:
    """The table without dropped columns, its rows named."""
    # An index of pandas, or what R's write.table gives no name in the first line.
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index(names="")
    for name in (*source.drop, *([source.id] if source.id else [])):
        if name not in table.columns:
            raise DataError(f"{path}: there is no column {name!r}.")
    table = table.drop(columns=list(source.drop))
    first = None if table.empty else table.columns[0]
    unnamed = isinstance(first, str) and UNNAMED.match(first)
    names = source.id
    if names is None and first is not None and (unnamed or table[first].dtype.kind not in "iufb"):
        names = first
    rows = None
    if names is not None:
        rows = table.pop(names).astype(str).to_numpy(dtype=object)
        again = pd.Series(rows).duplicated().to_numpy()
        if again.any():
            raise DataError(
                f"{path}: two rows are named {rows[again][0]!r}; names must differ, or say --id "
                "for another column that names the rows."
            )
    check_measured(str(path), table)
    return FeatureTable(numeric(path, table), rows, table.columns.to_numpy(dtype=object))


def _text(source: FeatureFile, path: Path) -> pd.DataFrame:
    separator = source.separator or ("\t" if kind_of(path) == ".tsv" else ",")
    head = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, na_filter=False)
    first = head.iloc[0]
    if source.header is not False and first.duplicated().any():
        twice = first[first.duplicated()].iloc[0]
        raise DataError(f"{path}: two columns are named {twice!r}; names must differ.")
    # Names of columns may be numbers, but not where a column of names stands before them.
    if source.header is None and all(map(is_number, first)):
        raise DataError(
            f"{path}: the first line holds numbers only, from {first.iloc[0]} on; say --header "
            "false if it is data, --header true if it names the columns."
        )
    header = None if source.header is False else 0
    table = pd.read_csv(path, sep=separator, header=header, low_memory=False)
    if table.shape[1] < 2:
        raise DataError(
            f"{path}: there is one column only; say --separator if it has several, and leave no "
            "line above the names of the columns."
        )
    return table


def _array(source: FeatureFile, path: Path) -> FeatureTable:
    from coassoc.tables.arrays import find_array

    _, array = find_array(path, source.variable, "--variable NAME")
    return FeatureTable(matrix(array), None, None)


def _cells(source: FeatureFile, path: Path) -> FeatureTable:
    """X of an AnnData file, with the names of cells and genes."""
    from coassoc.tables.hdf5 import axis_names, read_arrays
    from coassoc.tables.untrusted import in_own_process

    X = in_own_process(read_arrays, path, ["X"]).get("X")
    if X is None:
        raise DataError(f"{path}: there is no X.")
    rows, columns = in_own_process(axis_names, path)
    return FeatureTable(matrix(X), rows, columns)


_READERS: dict[str, Any] = {
    ".csv": _text,
    ".tsv": _text,
    ".parquet": lambda source, path: pd.read_parquet(path),
    ".xlsx": lambda source, path: pd.read_excel(path),
    **dict.fromkeys((".npy", ".npz", ".h5", ".hdf5", ".mat"), _array),
    ".h5ad": _cells,
}
