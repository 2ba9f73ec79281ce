"""Files of draws from a posterior of partitions, as items × draws.

- Text (.csv, .tsv) as R writes it: salso and mcclust have a draw in each row, this library an item
  in each row. Nothing in the file says which, so that it is to be said.
- Stan's CSV: comments after #, the parameters of a draw in each row, and the labels in columns
  "z.1", "z.2" and so on.
- netCDF (.nc) as ArviZ and PyMC write it: "z" in the group "posterior", chain × draw × item.
- NumPy (.npy, .npz): chain × draw × item, or two axes, of which it is to be said which is which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.storage.hdf5 import open_file
from coassoc.tables.arrays import ARRAYS, npy_array, npz_arrays
from coassoc.tables.hdf5 import read_arrays
from coassoc.tables.label_files import TableFile, kind_of
from coassoc.tables.label_table import check_last
from coassoc.tables.label_text import TEXT, text_table
from coassoc.tables.untrusted import in_own_process, reading

__all__ = ["DrawFile", "DrawTable", "read_draws"]

#: Columns of Stan's CSV that no draw of a parameter has.
_STAN = ("lp__", "accept_stat__", "stepsize__")
#: What the package posterior of R adds to a table of draws.
_OF_POSTERIOR = (".chain", ".iteration", ".draw")
#: Names of columns that number draws or chains, and the options by which they are named.
_COUNTERS = {"iteration": "--id", "iter": "--id", "draw": "--id", "chain": "--chain"}
_INDEXED = re.compile(r"(.+)[.\[](\d+)\]?")


@dataclass(frozen=True)
class DrawFile:
    """How files of draws are to be read.

    Attributes
    ----------
    draws : "rows", "columns" or None
        Where the draws are, in text and arrays of two axes.
    variable : str or None
        The labels in a file with several variables; None if one alone can be them.
    id : str or None
        In text, the column that names the rows; "first" for the first one.
    chain : str or None
        In text with draws in rows, the column of the chains.
    separator, header
        Of text, as in :class:`coassoc.tables.label_files.TableFile`.
    """

    draws: Literal["rows", "columns"] | None = None
    variable: str | None = None
    id: str | None = None
    chain: str | None = None
    separator: str | None = None
    header: bool | None = None


@dataclass(frozen=True, eq=False)
class DrawTable:
    """Draws, and what they are of.

    Attributes
    ----------
    labels : (n, m) array
        Items × draws.
    items : list of n str
    chains : (m,) array
        Chain of each draw; all the same where there is one.
    """

    labels: NDArray[Any]
    items: list[str]
    chains: NDArray[Any]


def read_draws(files: Sequence[str], source: DrawFile) -> DrawTable:
    """Read draws from one file, or from several with the draws of a chain each.

    Raises
    ------
    DataError
        If a file cannot be read or leaves open what it means, or the files have different items.
    """
    tables = [_read(Path(file), source) for file in files]
    if len(tables) == 1:
        return tables[0]
    for file, table in zip(files, tables, strict=True):
        if len(table.items) != len(tables[0].items):
            raise DataError(
                f"{file} has {len(table.items):,} items and {files[0]} {len(tables[0].items):,}; "
                "chains of one posterior have the same items."
            )
    chains = np.concatenate(
        [
            np.char.add(f"{number}.", table.chains)
            if len(set(table.chains)) > 1
            else np.full(len(table.chains), str(number))
            for number, table in enumerate(tables, 1)
        ]
    )
    labels = np.concatenate([table.labels for table in tables], axis=1)
    return DrawTable(labels, tables[0].items, chains)


def _read(path: Path, source: DrawFile) -> DrawTable:
    kind = kind_of(path)
    if kind not in _READERS:
        raise DataError(f"{path}: draws are read from files that end in {', '.join(_READERS)}.")
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    with reading(path):
        return _READERS[kind](path, source)


def _turned(path: Path, table: NDArray[Any], source: DrawFile) -> NDArray[Any]:
    """A table of two axes as items × draws."""
    if source.draws is None:
        rows, columns = table.shape
        raise DataError(
            f"{path}: {rows:,} rows and {columns:,} columns; say --draws rows if a row is a draw, "
            "as in salso and mcclust, or --draws columns if a column is."
        )
    return table.T if source.draws == "rows" else table


def _numbered(n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


def _one_chain(labels: NDArray[Any], items: list[str] | None = None) -> DrawTable:
    n, m = labels.shape
    return DrawTable(labels, items or _numbered(n), np.full(m, "1"))


def _of_chains(array: NDArray[Any]) -> DrawTable:
    """Chain × draw × item, as ArviZ has it."""
    chains, m, n = array.shape
    labels = array.reshape(chains * m, n).T
    return DrawTable(labels, _numbered(n), np.repeat(_numbered(chains), m))


def _chosen(path: Path, names: Sequence[str], source: DrawFile) -> str:
    """The variable with the labels."""
    if source.variable in names:
        return str(source.variable)
    if source.variable is None and len(names) == 1:
        return names[0]
    known = ", ".join(names) or "none"
    said = "" if source.variable is None else f"there is no variable {source.variable!r}; "
    raise DataError(f"{path}: {said}say --variable with one that can be labels: {known}.")


# -- text -----------------------------------------------------------------------------------------


def _text(path: Path, source: DrawFile) -> DrawTable:
    keys = {"id": source.id, "separator": source.separator, "header": source.header}
    text = text_table(TableFile(str(path), spelled="--{} {}", **keys), path)  # type: ignore[arg-type]
    head = text.head

    def cells(places: Sequence[int]) -> NDArray[Any]:
        return np.column_stack(
            [np.array([*column.values, ""])[column.codes] for column in text.columns(path, places)]
        )

    if any(name in head.names for name in _STAN) or text.first_line > 1:
        return _stan(path, head.names, cells, source)
    chain = source.chain or (".chain" if {*_OF_POSTERIOR} <= {*head.names} else None)
    names = {
        key: _column(path, head.names, key, name)
        for key, name in (("id", source.id), ("chain", chain))
    }
    # R writes the names of rows into a column that has no name.
    aside = [place for place in names.values() if place is not None]
    aside += [place for place, name in enumerate(head.names) if name == "" and place == 0]
    aside += [place for place, name in enumerate(head.names) if chain and name in _OF_POSTERIOR]
    rest = [place for place in range(len(head.names)) if place not in aside]
    _refuse_counters(path, [head.names[place] for place in rest])
    labels = _numbers(cells(rest))
    if labels.dtype.kind in "OU":
        _refuse_names(path, labels, [head.names[place] for place in rest], head.header)
    if labels.dtype.kind == "f":
        _refuse_fractions(path, labels, [head.names[place] for place in rest])
    labels = _turned(path, labels, source)
    if source.draws == "columns":
        if names["chain"] is not None:
            raise DataError(f"{path}: --chain names a column where draws are rows.")
        rows = names["id"] if names["id"] is not None else aside[0] if aside else None
        items = None if rows is None else cells([rows])[:, 0].tolist()
        check_last(path, items or [])
        return _one_chain(labels, items)
    items = [head.names[place] for place in rest] if head.header else None
    table = _one_chain(labels, items)
    if names["chain"] is None:
        return table
    return DrawTable(labels, table.items, cells([names["chain"]])[:, 0])


def _column(path: Path, names: list[str], key: str, name: str | None) -> int | None:
    if name is None or (key == "id" and name == "first"):
        return None if name is None else 0
    if name not in names:
        raise DataError(f"{path}: {key} names {name!r}, which is no column.")
    return names.index(name)


def _refuse_counters(path: Path, names: list[str]) -> None:
    """Refuse columns that number draws or chains, as R's posterior and tidybayes write them."""
    for name in names:
        if option := _COUNTERS.get(name.lower().removeprefix(".")):
            raise DataError(
                f"{path}: column {name!r} looks like no item; if it numbers draws or chains, say "
                f"{option} {name} or leave it out, else give it another name."
            )


def _refuse_fractions(path: Path, labels: NDArray[Any], names: list[str]) -> None:
    """Refuse a column of numbers that are not whole, such as a parameter's."""
    wrong = np.isinf(labels) | (np.isfinite(labels) & (labels != np.rint(labels)))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise DataError(
            f"{path}: column {names[j]!r} has {labels[i, j]:g}, which is no label; leave the "
            "column out if it is no item."
        )


def _refuse_names(path: Path, labels: NDArray[Any], names: list[str], header: bool) -> None:
    """Refuse the one column of texts beside columns of numbers, which holds names and no labels."""
    texts = [
        place
        for place, column in enumerate(labels.T)
        if _numbers(column.astype(str)).dtype.kind in "OU"
    ]
    if len(texts) != 1 or labels.shape[1] == 1:
        return
    (place,) = texts
    if len(set(labels[:, place])) == len(labels):
        column = f"column {names[place]!r}" if header else f"column {place + 1}"
        raise DataError(
            f"{path}: {column} holds texts, all different, and the others numbers; name it by --id "
            "if it names the rows, or leave it out."
        )


def _numbers(texts: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers where all texts are; missing ones become no number."""
    missing = np.isin(np.char.strip(texts), ["", "NA", "NaN", "nan", "null"])
    try:
        numbers = np.where(missing, "nan", texts).astype(np.float64)
    except ValueError:
        return np.where(missing, np.array(None), texts) if missing.any() else texts
    whole = np.isfinite(numbers).all() and (numbers % 1 == 0).all()
    return numbers if not whole else numbers.astype(np.int64)


def _stan(
    path: Path, names: list[str], cells: Callable[[list[int]], NDArray[Any]], source: DrawFile
) -> DrawTable:
    """Columns "z.1", "z.2", …, in the order of their numbers; other parameters are left out."""
    found: dict[str, list[tuple[int, int]]] = {}
    for place, name in enumerate(names):
        match = _INDEXED.fullmatch(name)
        if match:
            found.setdefault(match[1], []).append((int(match[2]), place))
    labels = {
        name: _numbers(cells([place for _, place in sorted(places)])).T
        for name, places in found.items()
    }
    whole = [name for name in labels if name == source.variable or labels[name].dtype.kind == "i"]
    return _one_chain(labels[_chosen(path, whole, source)])


# -- arrays ---------------------------------------------------------------------------------------


def _netcdf(path: Path, source: DrawFile) -> DrawTable:
    names = in_own_process(_variables, path)
    name = _chosen(path, names, source)
    return _of_chains(in_own_process(read_arrays, path, [f"posterior/{name}"])[f"posterior/{name}"])


def _variables(path: Path) -> list[str]:
    """Names of the arrays of integers with three axes in the group "posterior"."""
    with open_file(path, None) as file:
        group = file.get("posterior")
        if not isinstance(group, h5py.Group):
            raise DataError(f"{path}: there is no group posterior, as ArviZ writes it.")
        return [
            name
            for name, node in group.items()
            if isinstance(node, h5py.Dataset) and node.ndim == 3 and node.dtype.kind in "iu"
        ]


def _array(path: Path, source: DrawFile) -> DrawTable:
    array = _npz(path, source) if kind_of(path) == ".npz" else npy_array(path)
    if array.ndim == 3:
        return _of_chains(array)
    if array.ndim != 2:
        raise DataError(
            f"{path}: the array has {array.ndim} axes; it must have draws and items, or chains, "
            "draws and items."
        )
    return _one_chain(_turned(path, array, source))


def _npz(path: Path, source: DrawFile) -> NDArray[Any]:
    name = _chosen(path, [*ARRAYS[".npz"][1](path)], source)
    return npz_arrays(path, [name])[name]


_READERS: dict[str, Callable[[Path, DrawFile], DrawTable]] = {
    **dict.fromkeys((kind for kind in TEXT if kind != ".arff"), _text),
    ".nc": _netcdf,
    ".npy": _array,
    ".npz": _array,
}
