"""Data sets in text: delimited tables, and sparse matrices as pairs of column and value."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.datasets.features import Files, Parsed, TableArguments, classes_in, parsed_table
from coassoc.errors import ConfigError, DataError
from coassoc.io.features import numbers_in
from coassoc.io.table import Table
from coassoc.io.text import read_text, table_in


def parse_delimited(
    files: Files,
    *,
    separator: str = ",",
    header: bool | None = False,
    skip: str | None = None,
    strip: str | None = None,
    join: str = "rows",
    rows: Sequence[int] | None = None,
    drop: Sequence[int | str] = (),
    id: int | str | None = None,
    label: int | str | None = None,
    one_hot: int | None = None,
    block: int | None = None,
    noise: int | str | None = None,
) -> Parsed:
    """Text tables: CSV, tab or whitespace separated, ARFF-like.

    Parameters
    ----------
    files : role "data": one or more tables; role "labels": one label per line, in one file for
        each reference labelling
    separator : str
        "whitespace" or the separating character.
    header : bool or None
        Whether the first line names the columns. None means that it does; if it contains a number,
        an error asks for a value.
    skip : str, optional
        Lines that begin with it are left out ("@" for the head of a KEEL file).
    strip : str, optional
        Characters that are removed everywhere (quotes around whole lines).
    join : "rows" or "columns"
        How several tables are put together.
    rows : (start, stop), optional
        The rows to keep, counted from 0, without the last.
    drop : list of column names or positions
    id : "first", a column name or a position, optional
        The column of the names of the samples, in each table.
    label : "first", "last", a column name or a position, optional
        The column of the classes in each table; only the first table is used.
    one_hot : int, optional
        Number of last columns that mark the class by the position of the 1.
    block : int, optional
        Number of consecutive rows in each class, if the classes are not in the file.
    noise : optional
        The label of noise points, which belong to no class.
    """
    if header not in (True, False, None):
        raise ConfigError(f"header is {header!r}. It must be true or false.")
    parts = []
    for path in files["data"]:
        table = _read_table(path, separator, header, skip, strip)
        parts.append(parsed_table(table, id=id, label=label, one_hot=one_hot, drop=drop))
    joined = _side_by_side(files["data"][0], parts) if join == "columns" else _below(parts)
    X, y, samples, _ = joined
    if "labels" in files:
        labellings = [classes_in(_read_table(path), 0) for path in files["labels"]]
        if len({len(labelling) for labelling in labellings}) > 1:
            raise DataError(
                f"{files['labels'][0]}: the reference labellings differ in length. Give each "
                "labelling one label for each sample."
            )
        y = np.column_stack(labellings) if len(labellings) > 1 else labellings[0]
    if block is not None:
        y = np.arange(len(X)) // block
    first, end = rows or (None, None)
    X, y, samples = (None if array is None else array[first:end] for array in (X, y, samples))
    return Parsed(X, y, samples, noise)


def _side_by_side(path: Path, parts: Sequence[Parsed]) -> Parsed:
    if len({len(part.X) for part in parts}) > 1:
        raise DataError(
            f"{path}: the tables to join have different numbers of rows. Correct the files so that "
            "all tables have the same samples."
        )
    if len({tuple(part.samples) for part in parts if part.samples is not None}) > 1:
        raise DataError(
            f"{path}: the tables to join have different ids. Correct the files so that all tables "
            "have the same samples in the same order."
        )
    return parts[0]._replace(X=np.hstack([part.X for part in parts]))


def _below(parts: Sequence[Parsed]) -> Parsed:
    """The tables below one another; classes and names of samples if they have any."""

    def joined(arrays: Iterable[NDArray | None]) -> NDArray | None:
        present = [array for array in arrays if array is not None]
        return np.concatenate(present) if present else None

    X = np.vstack([part.X for part in parts])
    return Parsed(X, joined(part.y for part in parts), joined(part.samples for part in parts))


def _read_table(
    path: Path,
    separator: str = "whitespace",
    header: bool | None = False,
    skip: str | None = None,
    strip: str | None = None,
) -> Table:
    """A table of text; its columns are numbered from 0 if the file does not name them."""
    lines = (line for line in read_text(path).splitlines() if line.strip())
    text = "\n".join(line for line in lines if not (skip and line.lstrip().startswith(skip)))
    for character in strip or "":
        text = text.replace(character, "")
    source = TableArguments(str(path), separator=separator, header=header)
    table = replace(table_in(source, path, text.encode()), roles=source)
    return replace(table, names=[*range(len(table.names))]) if header is False else table


def parse_sparse_text(
    files: Files, *, header: int = 3, counted: bool = False, base: int = 1, one_hot: bool = False
) -> Parsed:
    """Sparse matrices as text: a line with n and d, then each row as pairs of column and value.

    Parameters
    ----------
    files : role "data": the matrix; role "labels": one label per line, or see `one_hot`
    header : int
        Numbers in the first line: 3 (n, d, number of entries; CLUTO) or 2 (n, d).
    counted : bool
        Whether each row begins with its number of pairs.
    base : 0 or 1
        Number of the first column.
    one_hot : bool
        The labels are an (classes × n) table of 0 and 1.
    """
    path = files["data"][0]
    first, *lines = read_text(path).splitlines()
    try:
        sizes = [int(number) for number in first.split()]
        n, d = sizes[:2]
        if len(sizes) != header:
            raise ValueError(f"the first line has {len(sizes)} numbers instead of {header}")
        if len(lines) < n:
            raise ValueError(f"the file has {len(lines)} rows instead of {n}")
        X = _sparse_rows(lines[:n], (n, d), counted, base)
    except ValueError as error:
        raise DataError(
            f"{path}: cannot read this file as a sparse matrix in text form ({error}). Correct the "
            "file, or get a new copy of the file."
        ) from error
    if header == 3 and X.nnz != sizes[2]:
        raise DataError(
            f"{path}: the matrix has {X.nnz} entries instead of {sizes[2]}. Download or copy the "
            "whole file again."
        )
    return Parsed(X, _sparse_labels(files, one_hot))


def _sparse_rows(
    lines: Sequence[str], shape: tuple[int, int], counted: bool, base: int
) -> sp.csr_array:
    rows = [np.array(line.split(), dtype=np.float64) for line in lines]
    for i, row in enumerate(rows if counted else (), 1):
        if len(row) != 1 + 2 * row[0]:
            raise ValueError(
                f"row {i} has {len(row) // 2} pairs, but its first number declares {row[0]:g}"
            )
    rows = [row[1:] for row in rows] if counted else rows
    pairs = np.concatenate(rows)
    if any(len(row) % 2 for row in rows):
        raise ValueError("a row has a column number without a value")
    columns = pairs[::2].astype(np.int64) - base
    if len(columns) and (columns.min() < 0 or columns.max() >= shape[1]):
        raise ValueError(f"the column numbers are not all from {base} to {base + shape[1] - 1}")
    pointers = np.concatenate(([0], np.cumsum([len(row) // 2 for row in rows])))
    X = sp.csr_array((pairs[1::2], columns, pointers), shape=shape)
    X.sum_duplicates()
    return X


def _sparse_labels(files: Files, one_hot: bool) -> NDArray | None:
    if "labels" not in files:
        return None
    path = files["labels"][0]
    table = _read_table(path)
    if not one_hot:
        return classes_in(table, 0)
    indicator = numbers_in(table)
    if not (indicator.sum(axis=0) == 1).all():
        raise DataError(
            f"{path}: a sample has no class or several classes. Correct the file so that each "
            "column has exactly one 1."
        )
    return indicator.argmax(axis=0)
