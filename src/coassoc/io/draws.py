"""Files of draws from a posterior of partitions, as items × draws.

- Text (.csv, .tsv) as R writes it: salso and mcclust have a draw in each row, this library an item
  in each row. Nothing in the file says which, so that it is to be said.
- Parameters of a model in columns, a draw in each row, as Stan, nimble and JAGS write them: the
  labels are "z.1", "z[1]" and so on, which ``variable`` names.
- netCDF (.nc) as ArviZ and PyMC write it: "z" in the group "posterior", chain × draw × item.
- NumPy (.npy, .npz): chain × draw × item, or two axes, of which it is to be said which is which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.arrays import array_shapes, foreign_hdf5, read_arrays
from coassoc.io.labels import encode
from coassoc.io.table import TableFile, listed
from coassoc.io.text import TEXT, kind_of, text_table
from coassoc.io.untrusted import in_own_process, reading

__all__ = ["DrawTable", "read_draws"]

#: Columns that number draws and chains, as R's posterior and Stan name them.
_COUNTERS = re.compile(r"\.?(chain|iteration|iter|draw)", re.IGNORECASE)
_INDEXED = re.compile(r"(.+?)(?:\.(\d+)|\[(\d+)\])")


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

    @property
    def line(self) -> str:
        """What was read."""
        (n, m), chains = self.labels.shape, len({*self.chains.tolist()})
        return f"{m:,} draws × {n:,} items" + (f", {chains} chains" if chains > 1 else "")


def read_draws(
    files: Sequence[str],
    draws: Literal["rows", "columns"] | None = None,
    chain: str | None = None,
    **source: Any,
) -> DrawTable:
    """Read draws from one file, or from several with the draws of a chain each.

    Parameters
    ----------
    files : sequence of str
    draws : "rows", "columns" or None
        Where the draws are, in text and arrays of two axes.
    chain : str, optional
        In text with draws in rows, the column of the chains.
    **source
        `variable`, `id`, `separator` and `header` of :class:`~coassoc.io.table.TableFile`.

    Raises
    ------
    DataError
        If a file cannot be read or leaves open what it means, or the files have different items.
    """
    sources = [TableFile(file, spelled="--{} {}", **source) for file in files]
    tables = [_read(each, draws, chain) for each in sources]
    if len(tables) == 1:
        return tables[0]
    for file, table in zip(files, tables, strict=True):
        if len(table.items) != len(tables[0].items):
            raise DataError(
                f"{file} has {len(table.items):,} items and {files[0]} {len(tables[0].items):,}. "
                "Chains of one posterior have the same items."
            )
    chains = [
        np.char.add(f"{number}.", table.chains)
        if len({*table.chains}) > 1
        else np.full(len(table.chains), str(number))
        for number, table in enumerate(tables, 1)
    ]
    labels = np.concatenate([table.labels for table in tables], axis=1)
    return DrawTable(labels, tables[0].items, np.concatenate(chains))


def _read(source: TableFile, draws: str | None, chain: str | None) -> DrawTable:
    path, kind = source.path, kind_of(source.path)
    if kind not in (*(k for k in TEXT if k != ".arff"), ".nc", ".npy", ".npz"):
        raise DataError(
            f"{path}: not a kind of file that is read. Draws are in .csv, .tsv, .txt, .nc, .npy or "
            ".npz."
        )
    if not path.is_file():
        raise DataError(f"{path}: file not found.")
    with reading(path):
        if kind in TEXT:
            return _text(source, draws, chain)
        return _netcdf(source) if kind == ".nc" else _array(source, draws)


def _numbered(n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


def _draws(
    labels: NDArray[Any], items: list[str] | None = None, chains: NDArray[Any] | None = None
) -> DrawTable:
    n, m = labels.shape
    return DrawTable(labels, items or _numbered(n), np.full(m, "1") if chains is None else chains)


def _of_chains(array: NDArray[Any], items: list[str] | None = None) -> DrawTable:
    """Chain × draw × item, as ArviZ has it."""
    chains, m, n = array.shape
    return _draws(array.reshape(chains * m, n).T, items, np.repeat(_numbered(chains), m))


def _ask_for_axis(path: Path, rows: int, columns: int) -> DataError:
    return DataError(
        f"{path}: {rows:,} rows and {columns:,} columns. Pass --draws rows if a row is a draw, as "
        "in salso and mcclust, or --draws columns if a column is."
    )


def _chosen(path: Path, names: Sequence[str], source: TableFile) -> str:
    """The variable with the labels."""
    if source.variable in names:
        return str(source.variable)
    if source.variable is None and len(names) == 1:
        return names[0]
    said = f"no variable {source.variable!r}"
    said = "more than one variable, or none" if source.variable is None else said
    raise DataError(
        f"{path}: there is {said}. Pass --variable with one that can be labels: "
        f"{listed(names) or 'none'}."
    )


# -- text -----------------------------------------------------------------------------------------


def _text(source: TableFile, draws: str | None, chain: str | None) -> DrawTable:
    path = source.path
    table = text_table(source, path)
    names = table.names

    def cells(at: Sequence[int]) -> NDArray[Any]:
        columns = [encode(column) for column in table.read(at)]
        return np.column_stack([np.array([*values, ""])[codes] for codes, values in columns])

    found: dict[str, list[tuple[int, int]]] = {}
    for j, name in enumerate(names):
        if match := _INDEXED.fullmatch(name):
            found.setdefault(match[1], []).append((int(match[2] or match[3]), j))
    if source.variable is not None or any(name.endswith("__") for name in names) or len(found) > 1:
        whole = [
            name
            for name, at in found.items()
            if _is_whole(cells([j for _, j in at[:20]])) or name == source.variable
        ]
        at = [j for _, j in sorted(found[_chosen(path, whole, source)])]
        chains = None if chain is None else cells([_column(path, names, "chain", chain)])[:, 0]
        return _draws(_labels(path, cells(at), [names[j] for j in at]).T, None, chains)
    if chain is None and {".chain", ".iteration", ".draw"} <= {*names}:  # R's posterior adds these
        chain = ".chain"
    chains_at = None if chain is None else _column(path, names, "chain", chain)
    named = (
        None
        if source.id is None
        else 0
        if source.id == "first"
        else _column(path, names, "id", source.id)
    )
    if named is None and names[0] == "":  # R writes the names of rows so
        named = 0
    aside = {named, chains_at}
    for j, name in enumerate(names):
        if j not in aside and _COUNTERS.fullmatch(name):
            if chain != ".chain":
                option = "--chain" if "chain" in name.lower() else "--id"
                raise DataError(
                    f"{path}: column {name!r} looks like no item. If it numbers draws or chains, "
                    f"pass {option} {name} or leave it out, else give it another name."
                )
            aside.add(j)
    rest = [j for j in range(len(names)) if j not in aside]
    has_header = table.first_row != 1 or source.header is not False
    called = [names[j] for j in rest]
    labels = _labels(path, cells(rest), called)
    if draws is None:
        raise _ask_for_axis(path, *labels.shape)
    if draws == "columns":
        if chains_at is not None:
            raise DataError(f"{path}: --chain names a column where draws are rows.")
        return _draws(labels, None if named is None else cells([named])[:, 0].tolist())
    chains = None if chains_at is None else cells([chains_at])[:, 0]
    return _draws(labels.T, called if has_header else None, chains)


def _column(path: Path, names: list[str], key: str, name: str) -> int:
    if name not in names:
        raise DataError(f"{path}: {key} names {name!r}, which is no column.")
    return names.index(name)


def _numbers(texts: NDArray[Any]) -> NDArray[np.float64] | None:
    """Numbers, NaN where one is missing; None if they are texts."""
    missing = np.isin(np.char.strip(texts), ["", "NA", "NaN", "nan", "null"])
    try:
        return np.where(missing, "nan", texts).astype(np.float64)
    except ValueError:
        return None


def _is_whole(texts: NDArray[Any]) -> bool:
    numbers = _numbers(texts)
    return numbers is not None and bool((numbers % 1 == 0).all())


def _labels(path: Path, texts: NDArray[Any], names: list[str]) -> NDArray[Any]:
    """Whole numbers where all texts are, or texts; a column of others is refused."""
    numbers = _numbers(texts)
    if numbers is None:
        words = [j for j, column in enumerate(texts.T) if _numbers(column) is None]
        if len(words) == 1 and texts.shape[1] > 1:
            raise DataError(
                f"{path}: column {names[words[0]]!r} holds texts and the others numbers. Name it "
                "by --id if it names the rows, or leave it out."
            )
        missing = np.isin(np.char.strip(texts), ["", "NA", "NaN", "nan", "null"])
        return np.where(missing, np.array(None), texts) if missing.any() else texts
    wrong = np.isinf(numbers) | (np.isfinite(numbers) & (numbers != np.rint(numbers)))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise DataError(
            f"{path}: column {names[j]!r} has {numbers[i, j]:g}, which is no label. Leave the "
            "column out if it is no item."
        )
    return numbers if np.isnan(numbers).any() else numbers.astype(np.int64)


# -- arrays ---------------------------------------------------------------------------------------


def _netcdf(source: TableFile) -> DrawTable:
    path = source.path
    found = in_own_process(_variables, path)
    name = _chosen(path, [*found], source)
    at, axes, items = found[name]
    array = read_arrays(path, [at])[at]
    if array.ndim != 3:
        raise DataError(
            f"{path}: {name} has {array.ndim} axes. Draws have chains, draws and items."
        )
    order = [axes.index(axis) for axis in ("chain", "draw") if axis in axes]
    if len(order) < 2:
        raise DataError(
            f"{path}: the axes of {name} are {', '.join(axes) or 'not named'}. Name the first two "
            "chain and draw, as ArviZ does."
        )
    order += [axis for axis in range(3) if axis not in order]
    array = np.transpose(array, order)
    if array.dtype.kind == "f" and (array % 1 == 0).all():
        array = array.astype(np.int64)
    return _of_chains(array, items if items and len(items) == array.shape[2] else None)


def _variables(path: Path) -> dict[str, tuple[str, list[str], list[str]]]:
    """Arrays of whole numbers with three axes, in the group "posterior" if there is one.

    Of each its place in the file, the names of its axes, and those of its items.
    """
    import h5py

    with foreign_hdf5(path) as file:
        group = file.get("posterior", file)
        if not isinstance(group, h5py.Group):
            raise DataError(f"{path}: posterior is no group, as ArviZ writes it.")
        found = {}
        for name, node in group.items():
            if not isinstance(node, h5py.Dataset) or node.ndim != 3 or node.dtype.kind not in "iuf":
                continue
            some = node[:1, :20]
            if not (some % 1 == 0).all():
                continue
            scales = [[*dimension.values()] for dimension in node.dims]
            axes = [scale[0].name.rsplit("/", 1)[-1] if scale else "" for scale in scales]
            items = scales[[a in ("chain", "draw") for a in axes].index(False)] if axes else []
            texts = items and h5py.check_string_dtype(items[0].dtype)
            names = [str(v) for v in items[0].asstr()[()]] if texts else []
            found[name] = (node.name.lstrip("/"), axes, names)
        return found


def _array(source: TableFile, draws: str | None) -> DrawTable:
    path = source.path
    name = path.name
    if kind_of(path) == ".npz":
        name = _chosen(path, [*array_shapes(path)], source)
    array = read_arrays(path, [name])[name]
    if array.ndim == 3:
        return _of_chains(array)
    if array.ndim != 2:
        raise DataError(
            f"{path}: the array has {array.ndim} axes. It must have draws and items, or chains, "
            "draws and items."
        )
    if draws is None:
        raise _ask_for_axis(path, *array.shape)
    return _draws(array.T if draws == "rows" else array)
