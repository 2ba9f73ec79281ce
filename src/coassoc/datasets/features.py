"""From the columns of a table to features X, class labels and names of the samples."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError, names_allowed
from coassoc.io.features import numeric

#: Files of a source by their role.
Files = Mapping[str, Sequence[Path]]


class Parsed(NamedTuple):
    """What a parser finds."""

    #: (n, d) float array or CSR array.
    X: Any
    #: (n,) array of the classes as the file writes them, or None; (n, t) for t labellings.
    y: NDArray | None
    #: (n,) array of the names of the samples, or None.
    samples: NDArray | None = None
    #: Label of noise points, which belong to no class.
    noise: int | str | None = None


def matrix(X: Any) -> Any:
    """Features as a float64 array or CSR array, whatever the file holds."""
    if sp.issparse(X):
        return sp.csr_array(X, dtype=np.float64)
    X = np.asarray(X)
    if X.dtype.kind not in "iufb" or X.ndim != 2:
        raise DataError(
            f"the features are a {X.ndim}-dimensional array of type {X.dtype}. They must be a "
            "table of numbers"
        )
    return X.astype(np.float64)


def take_label(
    path: Path, table: Any, label: int | str | None, one_hot: int | None
) -> tuple[NDArray | None, Any]:
    """Split a table into classes and the rest.

    The column of the classes, `label`, is "first", "last", a name or a position; with `one_hot` the
    classes are the position of the 1 in so many last columns. Errors name the file.

    Returns
    -------
    classes : (n,) array or None
    table : DataFrame

    Raises
    ------
    DataError
        If the column does not exist or a row has no class.
    """
    if one_hot is not None:
        indicator = numeric(path, table.iloc[:, -one_hot:])
        if not (((indicator == 0) | (indicator == 1)).all() and (indicator.sum(axis=1) == 1).all()):
            raise DataError(
                f"{path}: the last {one_hot} columns must have exactly one 1 in each row, and "
                "zeros elsewhere. Correct the file, or the number of these columns"
            )
        return indicator.argmax(axis=1), table.iloc[:, :-one_hot]
    if label is None:
        return None, table
    column = _column(path, table, label)
    classes = table[column]
    if classes.isna().any():
        raise DataError(
            f"{path}: row {int(classes.isna().to_numpy().argmax()) + 1} has no label. Add it, or "
            "remove the row"
        )
    return classes.to_numpy(), table.drop(columns=column)


def take_names(
    path: Path, table: Any, column: int | str | None, first_row: int
) -> tuple[NDArray | None, Any]:
    """Split a table into the names of the samples and the rest.

    The column of the names, text, is "first", a name or a position. Errors name the file and the
    row, the first of which has the number `first_row`.

    Returns
    -------
    names : (n,) array of str, or None
    table : DataFrame

    Raises
    ------
    DataError
        If the column does not exist, a sample has no name, or two have the same.
    """
    if column is None:
        return None, table
    column = _column(path, table, column)
    names = table[column].fillna("").astype(str)
    for wrong, what in ((names == "", "no id"), (names.duplicated(), "the id of another row")):
        if wrong.any():
            place = int(wrong.to_numpy().argmax())
            called = f", {names.iloc[place]!r}" if names.iloc[place] else ""
            raise DataError(
                f"{path}: row {place + first_row} has {what}{called}. Give each row its own id"
            )
    return names.to_numpy(dtype=object), table.drop(columns=column)


def _column(path: Path, table: Any, wanted: int | str) -> Any:
    """Name of a column given as "first", "last", a name or a position."""
    position = {"first": 0, "last": -1}.get(wanted, wanted) if isinstance(wanted, str) else wanted
    if wanted in table.columns:
        return wanted
    if isinstance(position, int) and -len(table.columns) <= position < len(table.columns):
        return table.columns[position]
    names = names_allowed(wanted, table.columns)
    raise DataError(f"{path}: column {wanted!r} not found. {names}")


def without(path: Path, table: Any, drop: Sequence[int | str]) -> Any:
    """The table without some columns, each given as for :func:`take_label`.

    Raises
    ------
    DataError
        If one of them does not exist, or one of the others has no name: usually it numbers the
        rows, and would be taken for a feature.
    """
    rest = table.drop(columns=[_column(path, table, column) for column in drop])
    unnamed = next(
        (
            name
            for name in rest.columns
            if re.match(r"(Unnamed: \d+|__index_level_\d+__)?$", str(name))
        ),
        None,
    )
    if unnamed is not None:
        raise DataError(
            f"{path}: a column has no name ({unnamed!r}). Add drop: [{unnamed!r}] to the arguments "
            f"if it numbers the rows, or id: {unnamed!r} if it names the samples. If it is a "
            "feature, give it a name"
        )
    return rest
