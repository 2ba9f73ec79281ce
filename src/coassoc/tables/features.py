"""From the columns of a table to features X, class labels and names of the samples."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.tables.label_table import UNNAMED

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
    #: The label of noise points, which belong to no class.
    noise: int | str | None = None


def matrix(X: Any) -> Any:
    """Features as a float64 array or CSR array, whatever the file holds."""
    if sp.issparse(X):
        return sp.csr_array(X, dtype=np.float64)
    X = np.asarray(X)
    if X.dtype.kind not in "iufb" or X.ndim != 2:
        raise DataError(f"the features are {X.ndim}-dimensional values of type {X.dtype}")
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
            raise DataError(f"{path}: the last {one_hot} columns are not one 1 and otherwise 0")
        return indicator.argmax(axis=1), table.iloc[:, :-one_hot]
    if label is None:
        return None, table
    column = _column(path, table, label)
    classes = table[column]
    if classes.isna().any():
        raise DataError(f"{path}: row {int(classes.isna().to_numpy().argmax()) + 1} has no label")
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
            raise DataError(f"{path}: row {place + first_row} has {what}{called}")
    return names.to_numpy(dtype=object), table.drop(columns=column)


def _column(path: Path, table: Any, wanted: int | str) -> Any:
    """Name of a column given as "first", "last", a name or a position."""
    position = {"first": 0, "last": -1}.get(wanted, wanted) if isinstance(wanted, str) else wanted
    if wanted in table.columns:
        return wanted
    if isinstance(position, int) and -len(table.columns) <= position < len(table.columns):
        return table.columns[position]
    raise DataError(f"{path}: there is no column {wanted!r}")


def without(path: Path, table: Any, drop: Sequence[int | str]) -> Any:
    """The table without some columns, each given as for :func:`take_label`.

    Raises
    ------
    DataError
        If one of them does not exist, or one of the others has no name: usually it numbers the
        rows, and would be taken for a feature.
    """
    rest = table.drop(columns=[_column(path, table, column) for column in drop])
    unnamed = next((name for name in rest.columns if UNNAMED.match(str(name))), None)
    if unnamed is not None:
        raise DataError(
            f"{path}: a column has no name ({unnamed!r}); say drop: [{unnamed!r}] among the "
            f"arguments if it numbers the rows, id: {unnamed!r} if it names the samples, and give "
            "it a name if it is a feature"
        )
    return rest


#: Names of columns that are no measurements where they hold whole numbers.
_NO_MEASUREMENTS = ("class", "cluster", "group", "id", "index", "label", "labels", "target")


def check_measured(place: str, columns: Iterable[tuple[Any, Any]]) -> None:
    """Raise a DataError for a column of whole numbers that looks like an id or a class.

    By its name, because it counts the rows, or because it is the first, all of its numbers differ,
    and no other column has whole ones. Columns are pairs of a name and the values. Another column
    that alone has whole numbers, few of them, and what looks like codes of missing values, is
    warned about.
    """
    named = [(name, np.asarray(column)) for name, column in columns]
    with np.errstate(invalid="ignore"):  # infinite numbers have no remainder
        whole = [v.dtype.kind in "iuf" and bool((v % 1 == 0).all()) for _, v in named]
    for j, (name, values) in enumerate(named):
        if not whole[j]:
            continue
        counts = len(values) > 2 and (np.diff(values) == 1).all() and values[0] in (0, 1)
        alone = j == 0 and 1 < len(whole) and sum(whole) == 1
        differ = alone and len(np.unique(values)) == len(values) > 5
        if counts or differ or str(name).strip().lower() in _NO_MEASUREMENTS:
            raise DataError(
                f"{place}: column {name!r} looks like a number of the rows or a class; leave it "
                "out (--except), say that it names the rows (--id), or give it another name if it "
                "is a measurement."
            )
        few = len(np.unique(values)) <= min(30, len(values) // 4)
        if few and sum(whole) == 1 and len(whole) > 2:
            warnings.warn(
                f"{place}: of all columns only {name!r} has whole numbers, and few; leave it out "
                "(--except) if it is a class.",
                stacklevel=2,
            )
    for code, names in _missing_codes(named).items():
        warnings.warn(
            f"{place}: {code} is far from all other values in {len(names)} "
            f"column{'s' * (len(names) > 1)}, such as {names[0]!r}; say --missing {code} if it "
            "stands for a missing value.",
            stacklevel=2,
        )


#: Numbers that stand for missing values in SPSS and other programs.
_CODES = frozenset(sign * (10**digits - 1) for digits in range(1, 6) for sign in (-1, 1)) - {9}


def _missing_codes(columns: Iterable[tuple[Any, NDArray]]) -> dict[int, list[Any]]:
    """Names of the columns in which 99, −9 or the like stands repeatedly, far beyond the rest."""
    found: dict[int, list[Any]] = {}
    for name, values in columns:
        if values.dtype.kind not in "iuf":
            continue
        known = values[~np.isnan(values)]
        for code in {known.min(), known.max()} & _CODES if len(known) else ():
            rest = known[known != code]
            far = len(rest) and (rest.max() < code / 2 if code > 0 else rest.min() > code / 2)
            if far and np.count_nonzero(known == code) > 1:
                found.setdefault(int(code), []).append(name)
    return found


def numeric(path: Any, table: Any) -> NDArray[np.float64]:
    """The columns of a table as numbers; the first that holds anything else is named."""
    for column in table.columns:
        values = table[column]
        if values.dtype.kind not in "iufb":
            raise DataError(
                f"{path}: column {column!r} is not numeric (for example {values.iloc[0]!r}); "
                "drop it or turn it into numbers"
            )
    return table.to_numpy(dtype=np.float64, na_value=np.nan)
