"""Data sets in text: delimited tables, and sparse matrices as pairs of column and value."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from coassoc.bench.datasets.features import ARGUMENTS, Files, Parsed, classes_in, parsed_table
from coassoc.bench.storage.configuration import Count, Number
from coassoc.errors import DataError
from coassoc.io.arrays import checked_sparse
from coassoc.io.features import numbers_in
from coassoc.io.table import Table, TableFile
from coassoc.io.text import read_text, table_in


def parse_delimited(
    files: Files,
    *,
    separator: str | None = ",",
    header: bool | None = False,
    skip: str | None = None,
    strip: str | None = None,
    join: Literal["rows", "columns"] = "rows",
    rows: Annotated[list[int | None], Field(min_length=2, max_length=2)] | None = None,
    drop: Sequence[int | str] = (),
    id: int | str | None = None,
    label: int | str | None = None,
    one_hot: Count | None = None,
    block: Count | None = None,
    noise: Number | str | None = None,
) -> Parsed:
    """Text tables: CSV, tab or whitespace separated, ARFF-like.

    Parameters
    ----------
    files : role "data": one or more tables; role "labels": one label per line, in one file for
        each reference labelling
    separator : str or None
        "whitespace" or the separating character. None means that it is guessed.
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
        The rows to keep, counted from 0, without the last. None means from the start or to the end.
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
    parts = []
    for path in files["data"]:
        table = _read_table(path, separator, header, skip, strip)
        parts.append(parsed_table(table, id=id, label=label, one_hot=one_hot, drop=drop))
    X, y, samples = _joined(files["data"][0], parts, join)
    if "labels" in files:
        labellings = [classes_in(_read_table(path), 0) for path in files["labels"]]
        if len({len(labelling) for labelling in labellings}) > 1:
            raise DataError(
                f"{files['labels'][0]}: the reference labellings differ in length. Choose "
                "labellings of the same samples."
            )
        y = np.column_stack(labellings) if len(labellings) > 1 else labellings[0]
    if block is not None:
        y = np.arange(len(X)) // block
    first, end = rows or (None, None)
    X, y, samples = (None if array is None else array[first:end] for array in (X, y, samples))
    return Parsed(X, y, samples, noise)


def _joined(path: Path, parts: Sequence[Parsed], join: str) -> list[Any]:
    """Features, classes and names of samples of tables side by side or below one another."""
    columns = [*zip(*(part[:3] for part in parts), strict=True)]
    if join != "columns":
        return [None if each[0] is None else np.concatenate(each) for each in columns]
    ids = {(len(part.X), tuple([] if part.samples is None else part.samples)) for part in parts}
    if len(ids) > 1:
        raise DataError(
            f"{path}: the tables to join have different samples. Write the same samples in the "
            "same order into each table."
        )
    return [np.hstack(columns[0]), parts[0].y, parts[0].samples]


def _read_table(
    path: Path,
    separator: str | None = "whitespace",
    header: bool | None = False,
    skip: str | None = None,
    strip: str | None = None,
) -> Table:
    """A table of text; its columns are numbered from 0 if the file does not name them."""
    lines = (line for line in read_text(path).splitlines() if line.strip())
    text = "\n".join(line for line in lines if not (skip and line.lstrip().startswith(skip)))
    for character in strip or "":
        text = text.replace(character, "")
    source = TableFile(str(path), separator=separator, header=header, spelled=ARGUMENTS)
    table = replace(table_in(source, path, text.encode()), roles=source)
    return replace(table, names=[*range(len(table.names))]) if header is False else table


def parse_sparse_text(
    files: Files,
    *,
    header: Literal[2, 3] = 3,
    counted: bool = False,
    base: Literal[0, 1] = 1,
    one_hot: bool = False,
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
        n, d, *size = [int(number) for number in first.split()]
        rows = [np.array(line.split(), dtype=np.float64) for line in lines[:n]]
        if counted and any([2 * count + 1 for count in row[:1]] != [len(row)] for row in rows):
            raise ValueError("a row does not begin with its number of pairs")
        rows = [row[counted:] for row in rows]
        if any(len(row) % 2 for row in rows):
            raise ValueError("a row has a column number without a value")
        pairs = np.concatenate(rows)
    except ValueError as error:
        raise DataError(
            f"{path}: cannot read this file as a sparse matrix ({error}). Get the file again, or "
            "correct its arguments."
        ) from error
    pointers = np.cumsum([0, *(len(row) // 2 for row in rows)])
    places = (pairs[::2].astype(np.int64) - base, pointers)
    X = checked_sparse(path, "in this file", (pairs[1::2], *places), (n, d), "csr")
    if header == 3 and [X.nnz] != size:
        raise DataError(
            f"{path}: the matrix has {X.nnz} entries instead of {size}. Get the file again, or "
            "correct the argument header."
        )
    return Parsed(X, _sparse_labels(files, one_hot))


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
            f"{path}: a sample has no class or several classes. Mark exactly one class with a 1."
        )
    return indicator.argmax(axis=0)
