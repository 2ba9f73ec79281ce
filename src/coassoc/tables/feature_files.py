"""Files of measurements: numbers, and names of rows and columns.

Files are those of labels (:mod:`coassoc.tables.label_files`), and ``X`` of AnnData. The first
column names the rows where it holds texts, or has no name.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.tables.arrays import ARRAYS, find_array
from coassoc.tables.features import check_measured, matrix
from coassoc.tables.label_files import TableFile, kind_of, open_table
from coassoc.tables.label_table import (
    MISSING_TEXTS,
    NUMBER,
    UNNAMED,
    LabelTable,
    check_last,
    encode,
)
from coassoc.tables.untrusted import in_own_process, reading

_WITH_COMMA = re.compile(r"[+-]?[\d,]*,\d+(\.\d*)?(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
#: (r, c) array or CSR array, names of the rows, and of the columns; None where they have none.
MeasuredTable = tuple[Any, NDArray | None, NDArray | None]


def read_features(source: TableFile) -> MeasuredTable:
    """The numbers in a file, NaN where one is missing.

    Raises
    ------
    DataError
        If the file cannot be read or leaves open what it means, or a column holds no numbers, or
        looks like a number of the rows or a class.
    """
    path = Path(source.file)
    if kind_of(path) != ".h5ad" and kind_of(path) not in ARRAYS:
        return _of_columns(source)
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    with reading(path):
        X, rows, names = (_of_cells if kind_of(path) == ".h5ad" else _of_array)(source, path)
    if source.id is not None:
        raise DataError(f"{path}: an array has no column of names (id).")
    if source.columns or source.without:
        numbers = [str(j + 1) for j in range(X.shape[1])]
        table = LabelTable(
            str(path),
            numbers if names is None else [*names],
            lambda _: [],
            first_row=1,
            wanted=source,
            spelled=source.spelled,
        )
        chosen = table.roles()[2]
        X, names = X[:, chosen], None if names is None else names[chosen]
    _set_missing(X.data if sp.issparse(X) else X, source.missing)
    return X, rows, names


def _of_columns(source: TableFile) -> MeasuredTable:
    table = open_table(source)
    known = table.wanted or source
    numbers = partial(_numbers, missing={*map(str, known.missing)})
    if (
        known.id is None
        and table.id is None
        and (UNNAMED.match(str(table.names[0])) or isinstance(table.read([0], numbers)[0], str))
    ):
        table.wanted = replace(known, id="first")
    named, _, chosen = table.roles()
    X, names = table.read(chosen, numbers), [table.names[place] for place in chosen]
    for name, column in zip(names, X, strict=True):
        if isinstance(column, str) and _WITH_COMMA.fullmatch(column):
            raise table.error(
                f"column {name!r} has {column!r}; write numbers with a decimal point and without "
                "commas between thousands, such as 1234.5"
            )
        if isinstance(column, str):
            leave = source.spelled.format("except", name)
            raise table.error(
                f"column {name!r} is not numeric (for example {column!r}); say {leave} to leave "
                "it out, or turn it into numbers"
            )
    check_measured(table.place, zip(names, X, strict=True))
    rows = None if named is None else table.names_in(table.read([named])[0])
    check_last(table.place, [] if rows is None else rows)
    return np.column_stack(X), rows, np.array(names, dtype=object)


def _numbers(column: Any, missing: Iterable[str]) -> NDArray[np.float64] | str:
    """A column of numbers, NaN where one is missing; or the first value that is none."""
    if not (isinstance(column, np.ndarray) and column.dtype.kind in "iufb"):
        column = _parsed(column, MISSING_TEXTS | {*missing})
    if isinstance(column, str):
        return column
    numbers = np.array(column, dtype=np.float64)
    _set_missing(numbers, missing)
    return numbers


def _set_missing(numbers: NDArray[np.float64], missing: Iterable[Any]) -> None:
    for text in filter(NUMBER.fullmatch, map(str, missing)):
        numbers[numbers == float(text)] = np.nan


def _parsed(column: Any, missing: frozenset[str]) -> Any:
    if hasattr(column, "null_count"):
        import pyarrow as pa

        with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):  # fast, and right if it works
            text = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            return text.cast(pa.float64()).to_numpy()
    codes, values, _ = encode(column)
    numbers = np.full(len(values) + 1, np.nan)
    for place, value in enumerate(values):
        text = str(value).strip()
        if NUMBER.fullmatch(text):
            numbers[place] = float(text)
        elif value is not None and text not in missing:
            return str(value)
    return numbers[codes]


def _of_array(source: TableFile, path: Path) -> MeasuredTable:
    name, array = find_array(path, source.variable, source.spelled.format("variable", "NAME"), "X")
    if not sp.issparse(array) and (array.dtype.kind not in "iufb" or array.ndim != 2):
        raise DataError(
            f"{path}: {name} has {array.ndim} axes and values of type {array.dtype}; measurements "
            "are a table of numbers."
        )
    return matrix(array), None, None


def _of_cells(source: TableFile, path: Path) -> MeasuredTable:
    """X of an AnnData file, with the names of cells and genes."""
    from coassoc.tables.hdf5 import axis_names, read_arrays

    X = in_own_process(read_arrays, path, ["X"]).get("X")
    if X is None:
        raise DataError(f"{path}: there is no X.")
    return (matrix(X), *in_own_process(axis_names, path))
