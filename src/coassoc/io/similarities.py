"""Files of similarities of samples: square, triangular, or with a pair on each line."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.io
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.arrays import choose_array
from coassoc.io.atomic import write_bytes
from coassoc.io.features import numbers_in, with_texts_as_names
from coassoc.io.files import ARRAYS, check_options, open_table
from coassoc.io.labels import texts_in
from coassoc.io.table import Table, TableFile
from coassoc.io.text import kind_of
from coassoc.io.untrusted import check_is_file, reading

Array = NDArray[np.float64]


def read_similarity(
    source: TableFile, total: float | None = None, distance: bool = False
) -> tuple[Array, list[str] | None]:
    """Similarities, and the names of the samples.

    A table is square, with row and column names in any order or without names; or it is a triangle
    of a square table; or each row has two names and the value of the pair. Arrays (.npy, .npz,
    .mat, .h5, .mtx) are square.

    Parameters
    ----------
    source : TableFile
    total : float, optional
        Largest possible count, if the values are counts. A pair that is on no line has the count 0.
    distance : bool
        Whether the values are distances d, which become 1 − d / (the largest distance).

    Raises
    ------
    DataError
        If the file cannot be read, or a pair has no value or an impossible value.
    """
    path = source.path
    with reading(path):
        table = _table(source)
    rows, columns = table.index, table.columns
    names = columns.union(rows, sort=False)
    # A triangle lacks the row of the first sample and the column of the last one.
    triangle = table.isna().to_numpy().sum() >= len(rows) * (len(rows) - 1) / 2 > 0
    for each in (rows, columns):
        if not each.is_unique or len(names) > len(each) + triangle:
            odd = each[each.duplicated()] if not each.is_unique else names.difference(each)
            raise DataError(
                f"{path}: {odd[0]!r} does not have exactly one row and one column. Give rows "
                "and columns the same names."
            )
    values = table.reindex(names, columns=names).to_numpy(dtype=np.float64, copy=True)
    values = np.where(np.isnan(values), values.T, values)
    diagonal = values.diagonal().copy()
    if distance and (diagonal > 0).any():
        i = int((diagonal > 0).argmax())
        raise DataError(
            f"{path}: the distance of {names[i]!r} from itself is {diagonal[i]:g}. If the values "
            "are similarities, leave out --distance. Otherwise set the diagonal to 0."
        )
    np.fill_diagonal(values, 0.0)
    if total is not None:
        values = np.nan_to_num(values, nan=0.0) / total
    wrong = ~((values >= 0) & (values <= (np.inf if distance else 1)))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise DataError(
            f"{path}: the value for {names[i]!r} and {names[j]!r} is "
            f"{values[i, j] * (total or 1):g}. Similarities must be from 0 to 1. For counts pass "
            "--total NUMBER, and for distances pass --distance."
        )
    if distance:
        values = 1 - values / max(values.max(), np.finfo(float).tiny)
    elif total is not None or diagonal.any():  # `Evidence` warns of a diagonal of zeros
        np.fill_diagonal(values, 1.0)
    return values, None if isinstance(names, pd.RangeIndex) else names.tolist()


def _table(source: TableFile) -> pd.DataFrame:
    """Values by the names of rows and columns, NaN where there is none; numbers without names."""
    path = source.path
    check_is_file(path)
    if kind_of(path) in ARRAYS:
        check_options(source, [path], unused=["id", "columns", "without", "missing"])
        advice = source.say("variable", "NAME")
        read = choose_array(path, source.variable, advice, "similarity")[1]
        return pd.DataFrame(read.toarray() if hasattr(read, "toarray") else read)
    table = open_table(source)
    if len(table.names) == 3 and len(texts_in(table, 0)) != 3:
        return _matrix_from_pairs(table)
    table = with_texts_as_names(table)
    named, _, chosen = table.choose()
    names = [str(table.names[j]) for j in chosen]
    if named is None and names == [str(k) for k in range(1, len(names) + 1)]:
        return pd.DataFrame(numbers_in(table, chosen))
    rows = names if named is None else texts_in(table, named)
    return pd.DataFrame(numbers_in(table, chosen), rows, names)


def _matrix_from_pairs(table: Table) -> pd.DataFrame:
    """Two names and a value in each row."""
    pairs = pd.DataFrame({"a": texts_in(table, 0), "b": texts_in(table, 1)})
    pairs["value"] = numbers_in(table, [2])
    swapped = pairs.rename(columns={"a": "b", "b": "a"})
    pairs = pd.concat([pairs, swapped]).drop_duplicates()
    # Each name is in both columns. A pair with several values is an error.
    return pairs.pivot(index="a", columns="b", values="value")


def check_ending(path: str | Path) -> None:
    """Raise a DataError if similarities cannot be written to this kind of file."""
    if Path(path).suffix not in (".csv", ".npz", ".mtx"):
        raise DataError(
            f"{path}: similarities can be written as .csv, .npz or .mtx. Choose one of these "
            "endings."
        )


def write_similarity(path: str | Path, S: Array, names: Any) -> None:
    """Write similarities as .csv with names, .npz ("similarity" and "samples") or .mtx."""
    check_ending(path)
    names, buffer = [*map(str, names)], io.BytesIO()
    if Path(path).suffix == ".npz":
        np.savez_compressed(buffer, similarity=S, samples=np.array(names))
    elif Path(path).suffix == ".mtx":
        scipy.io.mmwrite(buffer, S, symmetry="symmetric", comment="\n".join(names))
    else:
        pd.DataFrame(S, names, names).to_csv(buffer, float_format="%.9g", lineterminator="\n")
    write_bytes(path, buffer.getvalue())
