"""Files of draws from a posterior of partitions, as items × draws.

- Tables (.csv, .tsv, Parquet and so on): salso and mcclust have a draw in each row, and this
  library has an item in each row. The file does not show which is the case, so the user must say
  it.
- Parameters of a model in columns and a draw in each row, as written by Stan, nimble and JAGS. The
  labels are "z.1", "z[1]" and so on; ``variable`` names z.
- netCDF (.nc) as written by ArviZ and PyMC: "z" in the group "posterior", chain × draw × item.
- NumPy (.npy, .npz): chain × draw × item, or two axes, which the user must identify.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.arrays import read_arrays
from coassoc.io.files import ARRAYS, open_table
from coassoc.io.labels import clusters_of, encode, names_in, names_rows, warn_of_copies, with_names
from coassoc.io.table import Table, TableFile, listed
from coassoc.io.text import kind_of
from coassoc.io.untrusted import check_bytes, check_is_file, in_own_process, reading
from coassoc.numerics.integers import find_counter

#: Columns that number draws and chains, as R's posterior and Stan name them.
_COUNTERS = re.compile(r"\.?(chain|iteration|iter|draw)", re.IGNORECASE)
#: An element of a variable; R writes z[1] as z.1. if it repairs names.
_INDEXED = re.compile(r"(.+?)(?:\.(\d+)\.?|\[(\d+)\])")


@dataclass(frozen=True, eq=False)
class DrawTable:
    """Draws, the items and the chains.

    Attributes
    ----------
    labels : (n, m) array
        Items × draws.
    items : list of n str
    chains : (m,) array
        Chain of each draw; all entries are equal if there is one chain.
    variable : str
        Variable of the model whose values are the labels; empty if the file names none.
    """

    labels: NDArray[Any]
    items: list[str]
    chains: NDArray[Any]
    variable: str = ""

    @property
    def line(self) -> str:
        """A line that describes the table."""
        (n, m), chains = self.labels.shape, len({*self.chains.tolist()})
        size = f"{m:,} draw{'s' * (m != 1)} × {n:,} item{'s' * (n != 1)}"
        size += f", {chains} chains" if chains > 1 else ""
        return size + (f"; labels from {self.variable!r}" if self.variable else "")


def read_draws(
    files: Sequence[str],
    draws: Literal["rows", "columns"] | None = None,
    chain: str | None = None,
    **source: Any,
) -> DrawTable:
    """Read draws from one file, or from several files with the draws of one chain each.

    Parameters
    ----------
    files : sequence of str
    draws : "rows", "columns" or None
        Whether draws are rows or columns, for text and for arrays with two axes.
    chain : str, optional
        Column of the chains, for text with draws in rows.
    **source
        `variable`, `id`, `separator` and `header` of :class:`~coassoc.io.table.TableFile`.

    Raises
    ------
    DataError
        If a file cannot be read or is ambiguous, or the files have different items.
    """
    sources = [TableFile(file, comments=True, spelled="--{} {}", **source) for file in files]
    tables = [_read(each, draws, chain) for each in sources]
    for file, table in zip(files, tables, strict=True):
        _check_counters(file, table)
    if len(tables) == 1:
        return tables[0]
    labels = [
        table.labels[_order_of_items(file, table.items, files[0], tables[0].items)]
        for file, table in zip(files, tables, strict=True)
    ]
    chains = [
        np.char.add(f"{number}.", table.chains)
        if len({*table.chains}) > 1
        else np.full(len(table.chains), str(number))
        for number, table in enumerate(tables, 1)
    ]
    chain_of_draw, variable = np.concatenate(chains), tables[0].variable
    return DrawTable(np.concatenate(labels, axis=1), tables[0].items, chain_of_draw, variable)


def _order_of_items(
    file: str, items: Sequence[str], first_file: str, first: Sequence[str]
) -> list[int]:
    """Positions of the items of the first file in another file, by their names."""
    if len(items) != len(first):
        raise DataError(
            f"{file} has {len(items):,} items, but {first_file} has {len(first):,}. Pass chains of "
            "the same posterior."
        )
    if items == first:  # names may occur twice
        return [*range(len(items))]
    place = {item: i for i, item in enumerate(items)}
    lacking = [item for item in first if item not in place]
    if lacking or len(place) < len(items):
        reason = f"has no item {lacking[0]!r}" if lacking else "names two items alike"
        raise DataError(
            f"{file} {reason}, so its items cannot be matched with those of {first_file}. Give the "
            "items the same names in all files."
        )
    return [place[item] for item in first]


def _check_counters(file: str, table: DrawTable) -> None:
    """Reject an item whose labels rise by equal steps, as the numbers of iterations do."""
    labels = table.labels[:, table.chains == table.chains[0]]
    counter = find_counter(labels)
    if counter is not None:
        first, name = ", ".join(map(str, labels[counter, :3].tolist())), table.items[counter]
        raise DataError(
            f"{file}: the labels of item {name!r} are {first}, …, as if they numbered the draws. "
            f"Pass --id {name} if this is a column, or leave it out."
        )


def _read(source: TableFile, draws: str | None, chain: str | None) -> DrawTable:
    kind = kind_of(source.path)
    if kind not in (".nc", ".npy", ".npz"):
        return _table(source, draws, chain)
    check_is_file(source.path)
    with reading(source.path):
        return (
            in_own_process(_netcdf, source.path, source) if kind == ".nc" else _array(source, draws)
        )


def _numbered(n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


def _draws(
    labels: NDArray[Any], items: list[str] | None = None, chains: Any = None, variable: str = ""
) -> DrawTable:
    n, m = labels.shape
    chains = np.full(m, "1") if chains is None else chains
    return DrawTable(labels, items or _numbered(n), chains, variable)


def _join_chains(
    array: NDArray[Any], items: list[str] | None = None, variable: str = ""
) -> DrawTable:
    """Chain × draw × item, as ArviZ has it."""
    chains, m, n = array.shape
    return _draws(array.reshape(chains * m, n).T, items, np.repeat(_numbered(chains), m), variable)


def _ask_for_axis(path: Path, rows: int, columns: int) -> DataError:
    return DataError(
        f"{path}: the draws could be the {rows:,} rows or the {columns:,} columns. Pass --draws "
        "rows (as in salso and mcclust) or --draws columns."
    )


def _choose_variable(path: Path, names: Sequence[str], source: TableFile) -> str:
    """The variable with the labels."""
    if source.variable in names:
        return str(source.variable)
    if source.variable is None and len(names) == 1:
        return names[0]
    reason = (
        "no variable, or more than one variable, has the shape of labels"
        if source.variable is None
        else f"the file has no variable {source.variable!r}"
    )
    advice = (
        f"Pass --variable with one of these variables: {listed(names)}"
        if names
        else "Pass a file with the labels of the draws"
    )
    raise DataError(f"{path}: {reason}. {advice}.")


# -- tables ---------------------------------------------------------------------------------------


def _table(source: TableFile, draws: str | None, chain: str | None) -> DrawTable:
    # In a table, the variable is the part of the column names before the index.
    has_arrays = kind_of(source.path) in ARRAYS
    table = with_names(open_table(source if has_arrays else replace(source, variable=None)))
    names, requested = table.names, source.variable is not None and not has_arrays
    indexed: dict[str, list[tuple[int, int]]] = {}
    for j, name in enumerate(names):
        if match := _INDEXED.fullmatch(name):
            indexed.setdefault(match[1], []).append((int(match[2] or match[3]), j))
    # R's package posterior adds these columns
    if chain is None and {".chain", ".iteration", ".draw"} <= {*names}:
        chain, aside = ".chain", {".chain", ".iteration", ".draw"}
    else:
        aside = set() if chain is None else {chain}
    if requested or any(n.endswith("__") for n in names) or len(indexed) > 1:
        whole = [v for v, at in indexed.items() if v == source.variable or _is_whole(table, at)]
        variable = _choose_variable(source.path, whole, source)
        elements = dict(sorted(indexed[variable]))
        if len(elements) < len(indexed[variable]):
            raise table.error(f"an element of {variable} has two columns", "Remove one of them")
        labels = _labels(table, [*elements.values()])
        return _draws(labels.T, [*map(str, elements)], _chains(table, chain), variable)
    chains, named = _chains(table, chain), table.named()
    rest = [j for j, name in enumerate(names) if j != named and name not in aside]
    for j in rest:
        if _COUNTERS.fullmatch(names[j]):
            way = "--chain" if "chain" in names[j].lower() else "--id"
            raise table.error(
                f"column {names[j]!r} does not have the name of an item",
                "Rename the column if it is an item. If the column numbers draws or chains, pass "
                f"{way} {names[j]} or leave the column out",
            )
    if draws == "rows" and indexed:
        ((variable, at),) = indexed.items()
        others = [names[j] for j in rest if j not in {j for _, j in at}]
        if others and variable not in names:  # R calls the second of two equal names "a.1"
            raise table.error(
                f"column {others[0]!r} is not an element of {variable}",
                f"Pass --variable {variable} if only its elements are labels. Otherwise rename "
                "the columns",
            )
    labels = _labels(table, rest)
    if draws is None:
        raise _ask_for_axis(source.path, *labels.shape)
    if draws == "columns" and chain is not None:
        raise table.error("--chain needs draws in rows. Leave out --chain")
    if draws == "columns":
        if named is None and _names_items([names[j] for j in rest], labels[:, 0]):
            raise table.error(
                f"every value of column {names[rest[0]]!r} is different, and its name is unlike "
                "the names of the draws",
                f"Pass --id {names[rest[0]]} if the column names the items. Otherwise rename it",
            )
        first = None if named is None else names_in(table, encode(table.read([named])[0]))
        return _draws(labels, None if first is None else first.tolist())
    items = [names[j] for j in rest]
    warn_of_copies(table.place, items, labels.T)
    return _draws(labels.T, None if source.header is False else items, chains)


def _names_items(names: Sequence[str], column: NDArray[Any]) -> bool:
    """Whether a first column names the items: only the other columns have a number as a name."""
    has_number = [bool(re.search(r"\d", name)) for name in names]
    return names_rows(column) and not has_number[0] and all(has_number[1:])


def _chains(table: Table, chain: str | None) -> NDArray[Any] | None:
    if chain is None:
        return None
    codes, values = encode(table.read([table.position("chain", chain)])[0])
    return np.array([*map(str, values)])[codes]


def _is_whole(table: Table, at: Sequence[tuple[int, int]]) -> bool:
    columns = table.read([j for _, j in at[:20]])
    return not any(clusters_of(table, encode(column)).reason for column in columns)


def _labels(table: Table, at: Sequence[int]) -> NDArray[Any]:
    """Labels in some columns: all whole numbers or all strings, and None if a label is missing."""
    columns: list[NDArray[Any]] = []
    texts: list[str] = []
    for j, column in zip(at, table.read(at), strict=True):
        _, clusters, values, reason, *_ = clusters_of(table, encode(column))
        if reason:
            raise table.error(
                f"column {table.names[j]!r} {reason.predicate()}",
                "If the column is not an item, remove it from the file",
            )
        texts += [table.names[j]] if isinstance(values[0], str) else []
        whole = clusters.min() >= 0 and not isinstance(values[0], str)
        distinct = np.array(values if whole else [*values, None], dtype=None if whole else object)
        columns.append(distinct[clusters])
    if 0 < len(texts) < len(at):
        raise table.error(
            f"column {texts[0]!r} holds strings, but other columns hold numbers",
            f"Pass --id {texts[0]} if the column names the rows. Otherwise remove the column from "
            "the file",
        )
    return np.column_stack(columns)


# -- arrays ---------------------------------------------------------------------------------------


def _netcdf(path: Path, source: TableFile) -> DrawTable:
    """A variable of whole numbers with three axes, in the group "posterior" if there is one."""
    import h5py

    with h5py.File(path) as file:
        group = file.get("posterior", file)
        if not isinstance(group, h5py.Group):
            raise DataError(f"{path}: posterior is not a group. Write the file with ArviZ.")
        variables = {name: node for name, node in group.items() if _may_be_labels(node)}
        name = _choose_variable(path, [*variables], source)
        node = variables[name]
        check_bytes(path, name, node.nbytes)
        scales = [[*dimension.values()] for dimension in node.dims]
        axes = [scale[0].name.rpartition("/")[2] if scale else "" for scale in scales]
        if not {"chain", "draw"} <= {*axes}:
            raise DataError(
                f"{path}: the axes of {name} are {', '.join(axes)}. Name two of the axes chain and "
                "draw, as ArviZ does."
            )
        (item,) = {0, 1, 2} - {axes.index("chain"), axes.index("draw")}
        array = np.transpose(node[()], (axes.index("chain"), axes.index("draw"), item))
        texts = scales[item] and h5py.check_string_dtype(scales[item][0].dtype)
        items = [*scales[item][0].asstr()[()]] if texts else []
    if array.dtype.kind == "f" and (array % 1 == 0).all():
        array = array.astype(np.int64)
    return _join_chains(array, items if len(items) == array.shape[2] else None, name)


def _may_be_labels(node: Any) -> bool:
    if getattr(node, "ndim", 0) != 3 or node.dtype.kind not in "iuf":
        return False
    return bool((node[:1, :20] % 1 == 0).all())


def _array(source: TableFile, draws: str | None) -> DrawTable:
    path = source.path
    name = path.name
    if kind_of(path) == ".npz":
        name = _choose_variable(path, [*read_arrays(path, None)], source)
    array = read_arrays(path, [name])[name]
    if array.ndim == 3:
        return _join_chains(array)
    if array.ndim != 2:
        raise DataError(
            f"{path}: the array has {array.ndim} axes. Its axes must be draws and items, or "
            "chains, draws and items."
        )
    if draws is None:
        raise _ask_for_axis(path, *array.shape)
    return _draws(array.T if draws == "rows" else array)
