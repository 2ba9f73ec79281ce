"""Files of similarities of samples: square, triangular, or a pair in each line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

from coassoc.atomic import write_bytes
from coassoc.errors import DataError
from coassoc.io.arrays import choose_array
from coassoc.io.features import numbers_in, with_texts_as_names
from coassoc.io.files import ARRAYS, open_table
from coassoc.io.labels import encode
from coassoc.io.table import Table, TableFile
from coassoc.io.text import kind_of
from coassoc.io.untrusted import reading

__all__ = ["read_similarity", "write_similarity"]

Array = NDArray[np.float64]


def read_similarity(
    source: TableFile, total: float | None = None, distance: bool = False
) -> tuple[Array, list[str] | None]:
    """Similarities, and the names of the samples.

    A table is square, with names of rows and columns in any order or none; a triangle of one; or
    it has three columns, two names and the value of a pair in each row. Arrays (.npy, .npz, .mat,
    .h5, .mtx) are square.

    Parameters
    ----------
    source : TableFile
    total : float, optional
        Values are counts of so many; a pair that is in no line has none.
    distance : bool
        Values are distances, and become 1 − d / the largest one.

    Raises
    ------
    DataError
        If the file cannot be read, or a pair has no value, or one that cannot be right.
    """
    path = source.path
    with reading(path):
        values, names = _values(source)
    values = np.where(np.isnan(values), values.T, values)
    np.fill_diagonal(values, 0.0)
    if total is not None:
        values = np.nan_to_num(values, nan=0.0) / total
    lacking = np.argwhere(~np.isfinite(values) | (values < 0))
    if not len(lacking) and values.max(initial=0) <= 1 and not distance:
        return values, names
    if not len(lacking) and distance:
        return 1 - values / max(values.max(initial=0), np.finfo(float).tiny), names
    i, j = lacking[0] if len(lacking) else np.argwhere(values > 1)[0]
    a, b = (repr(names[k]) if names else f"row {k + 1}" for k in (i, j))
    raise DataError(
        f"{path}: the value of {a} and {b} is {values[i, j] * (total or 1):g}. Give each pair a "
        "similarity from 0 to 1, or pass --total NUMBER for counts or --distance for distances."
    )


def _values(source: TableFile) -> tuple[Array, list[str] | None]:
    """(n, n) values, NaN where there is none, and names."""
    path = source.path
    if not path.is_file():
        raise DataError(f"{path}: file not found.")
    if kind_of(path) == ".mtx":
        read = scipy.io.mmread(path)
        return _square(path, read.toarray() if hasattr(read, "toarray") else read), None
    if kind_of(path) in ARRAYS:
        said = source.say("variable", "NAME")
        return _square(path, choose_array(path, source.variable, said, "similarity")[1]), None
    table = open_table(source)
    n_columns = len(table.names)
    if n_columns == 3 and len(encode(table.read([0])[0])[0]) != 3:
        return _of_pairs(table)
    table = with_texts_as_names(table)
    named, _, chosen = table.choose()
    X = np.column_stack(numbers_in(table, chosen))
    columns = [str(table.names[j]) for j in chosen]
    if named is None:
        return _square(path, X), None if columns == _numbered(len(columns)) else columns
    return _joined(table, _texts(table, named), columns, X)


def _numbered(n: int) -> list[str]:
    return [str(k) for k in range(1, n + 1)]


def _texts(table: Table, j: int) -> list[str]:
    codes, values = encode(table.read([j])[0])
    return [str(values[code]).strip() for code in codes]


def _square(path: Path, array: Any) -> Array:
    if np.ndim(array) != 2 or array.shape[0] != array.shape[1]:
        shape = " × ".join(map(str, np.shape(array)))
        raise DataError(
            f"{path}: {shape} values. Give a row and a column for each sample, with their names if "
            "they differ, or three columns: two names and a value."
        )
    return np.array(array, dtype=np.float64)


def _joined(table: Table, rows: list[str], columns: list[str], X: Array) -> Any:
    """Values by the names of rows and columns, some of which a triangle lacks."""
    for names in (rows, columns):
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise table.error(f"{twice!r} stands there twice", "Give each sample a name of its own")
    names = [*dict.fromkeys([*columns, *rows])]
    # A triangle lacks the row of the first sample and the column of the last one.
    if len(names) > min(len(rows), len(columns)) + bool(np.isnan(X).any()):
        other = next(name for name in names if (name in rows) != (name in columns))
        raise table.error(f"{other!r} is no row, or no column", "Give both the same names")
    at = {name: k for k, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    values[np.ix_([at[a] for a in rows], [at[b] for b in columns])] = X
    return values, names


def _of_pairs(table: Table) -> tuple[Array, list[str]]:
    """Two names and a value in each row."""
    a, b = _texts(table, 0), _texts(table, 1)
    (given,) = numbers_in(table, [2])
    names = [*dict.fromkeys([*a, *b])]
    at = {name: k for k, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    for first, second, value in zip(a, b, given, strict=True):
        pair = at[first], at[second]
        if values[pair] not in (value,) and not np.isnan(values[pair]):
            raise table.error(f"{first!r} and {second!r} have two values", "Keep one of them")
        values[pair] = values[pair[::-1]] = value
    return values, names


def write_similarity(path: str | Path, S: Array, names: Any) -> None:
    """Write similarities as .csv with names, .npz ("similarity" and "samples") or .mtx."""
    names, buffer = [*map(str, names)], io.BytesIO()
    if Path(path).suffix == ".npz":
        np.savez_compressed(buffer, similarity=S, samples=np.array(names))
    elif Path(path).suffix == ".mtx":
        scipy.io.mmwrite(buffer, S, symmetry="symmetric", comment="\n".join(names))
    elif Path(path).suffix == ".csv":
        import pandas as pd

        pd.DataFrame(S, names, names).to_csv(buffer, float_format="%.9g", lineterminator="\n")
    else:
        raise DataError(f"{path}: similarities are written as .csv, .npz or .mtx. Rename it.")
    write_bytes(path, buffer.getvalue())
