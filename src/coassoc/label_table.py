"""Tables of labels as users have them: numbers or texts, with or without gaps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import DataError

__all__ = ["codes"]

#: What pandas calls a column without a name, and a name that is a number.
_UNNAMED, _NUMBER = re.compile(r"Unnamed: \d+$"), re.compile(r"-?\d+(\.\d+)?$")


def codes(labels: ArrayLike) -> NDArray[np.int64]:
    """An (n, m) table of labels as integers, −1 where a label is missing.

    Parameters
    ----------
    labels : (n, m) array, masked array, nested list or pandas DataFrame
        See :class:`coassoc.Ensemble`.

    Returns
    -------
    (n, m) array
        The integers themselves; texts become their places in the sorted texts of their column.

    Raises
    ------
    DataError
        If `labels` is not a table, holds something else than integers or texts, or has a row or a
        column without any label; for a DataFrame with a column that names the samples, or whose
        first sample became the names of the columns.
    """
    array = _array(labels)
    if hasattr(labels, "columns"):
        _check_names(list(labels.columns))
    if array.dtype.kind in "SU" and not isinstance(labels, np.ndarray):
        array = np.asarray(labels, dtype=object)  # numbers stay numbers beside texts
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            "labels: expected a non-empty (samples, base clusterings) array, "
            f"got shape {array.shape}."
        )
    if array.dtype.kind in "OSU" or hasattr(labels, "columns"):
        columns = [_column(column, j) for j, column in enumerate(_columns(labels, array))]
        found = np.column_stack(columns)
    else:
        found = _integers(array)
    found[np.broadcast_to(_mask(labels), array.shape)] = -1
    _check_labelled(found)
    return found


def _array(labels: Any) -> NDArray:
    try:
        return np.asarray(labels)
    except ValueError as error:
        raise DataError("labels: the rows are not all of one length.") from error


def _check_names(names: Sequence[Any]) -> None:
    """Ask about names that a file without an index or without a header leaves."""
    unnamed = [j for j, name in enumerate(names) if str(name) == "" or _UNNAMED.match(str(name))]
    if unnamed:
        raise DataError(
            f"labels: column {unnamed[0]} has no name of its own ({names[unnamed[0]]!r}); as a "
            "rule such a column numbers the samples: make it the index, or give it a name."
        )
    numbers = [float(name) for name in names if isinstance(name, str) and _NUMBER.match(name)]
    if len(numbers) == len(names) and (np.diff(numbers) <= 0).any():
        raise DataError(
            f"labels: the columns are called {', '.join(names[:3])}, …; if these are labels of the "
            "first sample, read the file without a header, otherwise give the columns other names."
        )


def _mask(labels: Any) -> NDArray[np.bool_] | bool:
    return np.ma.getmaskarray(labels) if isinstance(labels, np.ma.MaskedArray) else False


def _columns(labels: Any, array: NDArray) -> list[NDArray]:
    """The columns with types of their own, which a DataFrame and an array of objects have."""
    if hasattr(labels, "columns"):
        return [np.asarray(labels.iloc[:, j]) for j in range(array.shape[1])]
    return list(array.T)


def _column(column: NDArray, j: int) -> NDArray[np.int64]:
    """One column: numbers as they are, texts as places in their sorted order."""
    if column.dtype.kind in "iufb":
        return _integers(column[:, None], j)[:, 0]
    values = column.astype(object)
    missing = np.array([value is None or value != value or value == "" for value in values])
    there = values[~missing]
    if all(isinstance(value, (int, float, np.number, np.bool_)) for value in there):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = there.astype(float)
        return _integers(numbers[:, None], j)[:, 0]
    if not all(isinstance(value, str) for value in there):
        kinds = ", ".join(sorted({type(value).__name__ for value in there}))
        raise DataError(
            f"labels: base clustering {j} has values of type {kinds}; a column holds integers or "
            "texts, not both."
        )
    found = np.full(len(values), -1, dtype=np.int64)
    found[~missing] = np.unique(there.astype(str), return_inverse=True)[1]
    return found


def _integers(array: NDArray, first: int = 0) -> NDArray[np.int64]:
    """Numbers as integers; `first` is the place of the first column, for messages."""
    if array.dtype.kind not in "iufb":
        raise DataError(f"labels: expected integers or texts, got values of type {array.dtype}.")
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), -1.0, array)
        _refuse(array, np.isinf(array), first)
        _refuse(array, array != np.floor(array), first)
    _refuse(array, array < -1, first)
    return array.astype(np.int64)


def _refuse(array: NDArray, bad: NDArray[np.bool_], first: int) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DataError(
            f"labels: sample {row} of base clustering {first + column} is {array[row, column]}; a "
            "label is a non-negative integer or a text, and -1, NaN or nothing where it is missing."
        )


def _check_labelled(found: NDArray[np.int64]) -> None:
    for axis, kind in ((1, "sample"), (0, "base clustering")):
        empty = np.flatnonzero((found < 0).all(axis=axis))
        if len(empty):
            more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
            raise DataError(f"labels: {kind} {empty[0]} has no label at all{more}; leave it out.")
