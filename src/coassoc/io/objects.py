"""Objects as tables of labels: arrays, nested lists, data frames and AnnData objects."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.labels import NUMBER, encode, encoded_columns
from coassoc.io.table import Table, TableFile, frame_library, listed

#: Whole numbers below this are exact in 32-bit floating point.
_EXACT = 2**24


def table_of(labels: Any, few: bool = False) -> Table:
    """The table in an object: an array, nested lists, a data frame or an AnnData object.

    A list of lists may have `few` samples in more clusterings if the clusterings are known.

    Raises
    ------
    DataError
        If it is not a table.
    """
    if hasattr(labels, "collect"):  # a lazy table of polars
        labels = labels.collect()
    if hasattr(labels, "obs") and hasattr(labels, "obs_names"):
        roles = TableFile("labels", spelled="{}={}")  # for all functions that accept such objects
        return replace(table_of(labels.obs), observations=True, roles=roles)
    if hasattr(labels, "iloc") and hasattr(labels, "columns"):
        names = list(labels.columns)
        _check_header(names)
        kind, index = str(labels.index.name or "sample"), labels.index
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise DataError(
                f"labels: several samples have the name {twice!r} in the index. Give each sample "
                "its own name, or drop the names with reset_index(drop=True)."
            )
        return _frame(names, lambda j: labels.iloc[:, j], samples=index, kind=kind)
    library = frame_library(labels)
    if library == "pandas" or not hasattr(labels, "columns"):
        return _array(labels, few)
    is_arrow = library == "pyarrow"
    names = list(labels.column_names if is_arrow else labels.columns)
    columns = labels.columns if is_arrow else labels.get_columns()
    return _frame(names, lambda j: columns[j], library=library)


def _check_header(names: Sequence[Any]) -> None:
    """Reject names that are labels: numbers that do not rise, as of a file without a header."""
    if not all(isinstance(name, str) and NUMBER.fullmatch(name) for name in names):
        return
    # pandas calls the second of two equal names 1.1.
    if (np.diff([float(name) for name in names]) <= 0).any():
        raise DataError(
            f"labels: the columns are called {listed(names, 3)}, as if these names were the labels "
            "of the first sample. Read the file without a header, or rename the columns."
        )


def _frame(names: list[Any], column: Any, **known: Any) -> Table:
    def read(at: Sequence[int]) -> list[Any]:
        columns = []
        for j in at:
            try:
                columns.append(encode(column(j)))
            except TypeError as error:  # such as a list, which cannot be a key of a dictionary
                raise DataError(
                    f"labels: column {names[j]!r} has values that cannot be labels ({error}). Pass "
                    "integers or strings."
                ) from error
        return columns

    return Table("labels", names, read, **known)


def _array(labels: Any, few: bool) -> Table:
    """The table in an array, or nested lists."""
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise DataError(
            "labels: the rows differ in length. Pass a table of samples by clusterings."
        ) from error
    is_wide = array.ndim == 2 and 1 < len(array) < array.shape[1]
    if isinstance(labels, list | tuple) and is_wide and not few:
        raise DataError(
            f"labels: {len(array)} lists of {array.shape[1]} labels would be {len(array)} samples "
            f"in {array.shape[1]} clusterings. Pass numpy.column_stack(labels) if each list is a "
            "clustering, or numpy.stack(labels) if each list is a sample."
        )
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            f"labels has the shape {array.shape}. Pass a non-empty, dense array of samples by "
            "base clusterings."
        )
    numbers = array.dtype.kind in "iufb"
    masked = isinstance(labels, np.ma.MaskedArray)
    if masked:
        array = labels
    elif array.dtype.kind in "fSU" and isinstance(labels, list | tuple):
        # Numbers stay numbers next to strings, and large integers stay exact next to small ones.
        array = np.asarray(labels, dtype=object)
    names = list(range(array.shape[1]))
    columns = [*array.T] if masked or not numbers else encoded_columns(_integers(array))
    return _frame(names, columns.__getitem__, numbers=numbers)


def _integers(array: NDArray) -> NDArray:
    """An array of numbers as integers, −1 for NaN; unchanged unless all are whole and exact."""
    if array.dtype.kind != "f" or array.dtype.itemsize < 4:
        return array
    filled = np.where(np.isnan(array), array.dtype.type(-1), array)
    exact = np.abs(filled).max() < _EXACT and (filled == np.trunc(filled)).all()
    return filled.astype(np.int32) if exact else array
