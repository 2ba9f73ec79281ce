"""Files of measurements: numbers, and names of rows and columns."""

import re
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.arrays import choose_array, read_cells
from coassoc.io.files import ARRAYS, check_options, open_table
from coassoc.io.labels import MISSING_TEXTS, NUMBER, encode, names_in, names_rows, plain, with_names
from coassoc.io.table import Table, TableFile, listed
from coassoc.io.text import kind_of
from coassoc.io.untrusted import check_is_file, reading

#: Columns of tables of counts that describe the genes.
ANNOTATIONS = {"chr", "chrom", "chromosome", "start", "end", "strand", "length"}
#: A number with a comma, and one whose comma may separate thousands.
_COMMA = re.compile(r"[+-]?\d+,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)

#: (r, c) array or CSR array, names of the rows, and names of the columns. Names are None if the
#: file has none.
Features = tuple[Any, NDArray | None, NDArray | None]


def read_features(source: TableFile) -> Features:
    """The numbers in a file; NaN marks a missing number.

    The first column names the rows if it contains strings or has no name.

    Raises
    ------
    DataError
        If the file cannot be read, or a column is not numeric or numbers the rows.
    """
    path = source.path
    is_cells = kind_of(path) == ".h5ad"
    if not is_cells and kind_of(path) not in ARRAYS:
        return _features_from_columns(source)
    check_is_file(path)
    check_options(replace(source, variable=None) if is_cells else source, [path], unused=["id"])
    with reading(path):
        if is_cells:
            X, rows, names = read_cells(path, source.variable or "X")
        else:
            advice, rows, names = source.say("variable", "NAME"), None, None
            X = choose_array(path, source.variable, advice, "X")[1]
        X = as_matrix(path, X)
    if source.columns or source.without:
        column_names = [str(j + 1) for j in range(X.shape[1])] if names is None else [*names]
        table = Table(str(path), column_names, lambda at: [], first_row=1, roles=source)
        chosen = table.choose()[2]
        X, names = X[:, chosen], None if names is None else names[chosen]
    _set_missing(np.asarray(X.data) if sp.issparse(X) else X, source.missing)
    return X, rows, names


def as_matrix(path: Path, array: Any) -> Any:
    """Features of any type as a float64 array or CSR array."""
    if sp.issparse(array):
        return sp.csr_array(array, dtype=np.float64)
    if array.dtype.kind not in "iufb" or array.ndim != 2:
        raise DataError(
            f"{path}: the array has {array.ndim} axes and values of type {array.dtype}. "
            "Measurements must be a table of numbers."
        )
    return array.astype(np.float64)


def _features_from_columns(source: TableFile) -> Features:
    table = with_texts_as_names(open_table(source))
    named, _, chosen = table.choose()
    X, names = numbers_in(table, chosen), [table.names[j] for j in chosen]
    if not source.columns:
        check_features(table.place, zip(names, X.T, strict=True))
    rows = None if named is None else _names(table, encode(table.read([named])[0]))
    return X, rows, np.array(names, dtype=object)


def with_texts_as_names(table: Table) -> Table:
    """The table, with row names from a first column of strings or without a name."""
    table = with_names(table)
    unnamed = table.roles.id is None and table.id is None
    texts = unnamed and isinstance(as_numbers(table.read([0])[0], table.roles.missing), str)
    return replace(table, id=0) if texts else table


def numbers_in(
    table: Table, chosen: Sequence[int] | None = None, advice: str = ""
) -> NDArray[np.float64]:
    """(n, d) numbers in some or all columns, with NaN if missing.

    If a column has another value, a DataError gives some advice, or how to leave the column out.
    """
    chosen = range(len(table.names)) if chosen is None else chosen
    columns = []
    for j, read in zip(chosen, table.read(chosen), strict=True):
        column = as_numbers(read, table.roles.missing)
        if isinstance(column, str):
            others = [n for n in table.names if str(n).lower() in ANNOTATIONS]
            left_out = ",".join(map(str, dict.fromkeys([table.names[j], *others])))
            raise table.error(
                f"column {table.names[j]!r} has {column!r}, which is not a number",
                advice
                or "Write numbers with a decimal point and no thousands separator, or leave out "
                f"what is no measurement with {table.say('except', left_out)}",
            )
        columns.append(column)
    return np.column_stack(columns)


def _names(table: Table, column: tuple[NDArray, Any]) -> NDArray:
    """Names of the rows; repeated names get a number, with a warning.

    Genes with the same name are common, and no function looks them up by name.
    """
    codes, values = column
    texts = np.array([*(plain(str(value)) for value in values), ""], dtype=object)[codes]
    if len({*texts}) == len(texts) or "" in texts:
        return names_in(table, column)
    import pandas as pd

    names = pd.Series(texts)
    number = names.groupby(names).cumcount() + 1
    warnings.warn(
        f"{table.place}: these row names occur more than once, so numbers were added to "
        f"them: {listed([*names[number == 2]])}.",
        stacklevel=2,
    )
    return np.asarray(names.where(number == 1, names + " (" + number.astype(str) + ")"), object)


def as_numbers(column: Any, missing: Iterable[str]) -> NDArray[np.float64] | str:
    """A column of numbers, with NaN if missing; or the first value that is not a number."""
    if not (isinstance(column, np.ndarray) and column.dtype.kind in "iufb"):
        column = _parsed(column, MISSING_TEXTS | {*map(str, missing)})
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

        # the fast conversion, which is right if it succeeds
        with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            text = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            return text.cast(pa.float64()).to_numpy()
    codes, values = encode(column)
    numbers = np.full(len(values) + 1, np.nan)
    texts = [str(value).strip() for value in values]
    # Commas are decimal if they cannot separate thousands.
    with_comma = [text for text in texts if _COMMA.fullmatch(text)]
    if not all(map(_THOUSANDS.fullmatch, with_comma)) and not any("." in text for text in texts):
        texts = [text.replace(",", ".") if _COMMA.fullmatch(text) else text for text in texts]
    for i, (value, text) in enumerate(zip(values, texts, strict=True)):
        if NUMBER.fullmatch(text):
            numbers[i] = float(text)
        elif value is not None and text not in missing:
            return str(value)
    return numbers[codes]


def check_features(place: str, columns: Iterable[tuple[Any, Any]]) -> None:
    """Reject a column that numbers the rows, or may name them: pairs of a name and values.

    A first column may name the rows if it is the only one with a different whole number in each.
    """
    named = [(name, np.asarray(column)) for name, column in columns]
    if not all(values.size for _, values in named):
        raise DataError(f"{place}: there is no row of measurements. Add one row for each sample.")
    whole = _whole(named)
    different = [name for name, values in whole if names_rows(values)]
    counters = [k for k, x in whole if k in different and (np.diff(x) == 1).all()]
    if len(named) > 1 and different == [named[0][0]]:
        counters = different
    if counters:
        raise DataError(
            f"{place}: every value of column {counters[0]!r} is a different whole number, so the "
            "column may name or number the rows. Use the column as id, or leave it out. If it is a "
            "measurement, do not put it first."
        )


def _whole(named: Iterable[tuple[Any, NDArray]]) -> list[tuple[Any, NDArray]]:
    """The columns that have only whole numbers."""
    with np.errstate(invalid="ignore"):  # infinite numbers have no remainder
        return [(k, x) for k, x in named if x.dtype.kind in "iuf" and (x % 1 == 0).all()]


def warn_of_classes(place: str, columns: Iterable[tuple[Any, Any]]) -> None:
    """Warn if only one feature has whole numbers, and few different ones, as classes have."""
    named = [(name, np.asarray(column)) for name, column in columns]
    whole = _whole(named)
    if len(whole) == 1 < len(named) - 1:
        ((name, values),) = whole
        if 1 < len(np.unique(values)) <= min(30, len(values) // 4):
            warnings.warn(
                f"{place}: feature {name!r} is the only one with whole numbers, and has few "
                "different values. Leave it out if it holds classes.",
                stacklevel=2,
            )
