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
from coassoc.io.arrays import open_hdf5, read_arrays
from coassoc.io.display import count_of
from coassoc.io.files import ARRAYS, check_options, open_table
from coassoc.io.labels import (
    clusters_of,
    encode,
    names_in,
    names_rows,
    texts_in,
    whole_labels,
    with_names,
)
from coassoc.io.table import Table, TableFile, listed
from coassoc.io.text import kind_of, read_text
from coassoc.io.untrusted import check_bytes, check_is_file, in_own_process, reading
from coassoc.numerics.arrays import join_chains
from coassoc.numerics.integers import find_counter

#: Columns that number the draws, such as .chain, .iteration and .draw of R's package posterior.
_COUNTER = re.compile(r"\..*|chain|iteration|iter|draw", re.IGNORECASE)
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
    left_out : str
        Draws that the file has and the table has not, in words.
    """

    labels: NDArray[Any]
    items: list[str]
    chains: NDArray[Any]
    variable: str = ""
    left_out: str = ""

    @classmethod
    def of(
        cls, labels: NDArray[Any], items: Any = None, chains: Any = None, variable: str = ""
    ) -> DrawTable:
        """A table of items × draws; by default items are numbered, and there is one chain."""
        n, m = labels.shape
        return cls(
            labels,
            items or _numbered(n),
            np.array(["1"] * m if chains is None else chains),
            variable,
        )

    @property
    def line(self) -> str:
        """A line that describes the table."""
        (n, m), chains = self.labels.shape, len({*self.chains.tolist()})
        size = f"{count_of(m, 'draw')} × {count_of(n, 'item')}"
        size += f", {chains} chains" if chains > 1 else ""
        size += f"; labels from {self.variable!r}" if self.variable else ""
        return size + (f"; without {self.left_out}" if self.left_out else "")

    def after(self, burn_in: int, thin: int) -> DrawTable:
        """Every thin-th draw of each chain, without its first draws."""
        if burn_in == 0 and thin == 1:
            return self
        of_chains = [np.flatnonzero(self.chains == c) for c in dict.fromkeys(self.chains.tolist())]
        if burn_in >= (shortest := min(map(len, of_chains))):
            raise DataError(
                f"burn-in: {burn_in} draws of each chain are to be left out, but a chain has "
                f"{count_of(shortest, 'draw')}. Choose a smaller --burn-in."
            )
        kept = np.sort(np.concatenate([chain[burn_in::thin] for chain in of_chains]))
        return replace(self, labels=self.labels[:, kept], chains=self.chains[kept])


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
    sources = [TableFile(file, comments=True, spelled="--{}={}", **source) for file in files]
    tables = [_read(each, draws, chain) for each in sources]
    for file, table in zip(files, tables, strict=True):
        _check_counters(file, table)
    first = tables[0]
    if len(tables) == 1:
        return first
    labels, chains = [], []
    for number, (file, table) in enumerate(zip(files, tables, strict=True), 1):
        rows = [*range(len(first.items))]
        if table.items != first.items:  # names may occur twice in the same order
            row = {item: i for i, item in enumerate(table.items)}
            if row.keys() != {*first.items} or len(table.items) != len(first.items):
                raise DataError(
                    f"{file}: the items are not those of {files[0]}. Pass chains of the same "
                    "posterior, with the same names of items in all files."
                )
            rows = [row[item] for item in first.items]
        labels += [table.labels[rows]]
        several = len({*table.chains}) > 1
        chains += [f"{number}.{chain}" if several else str(number) for chain in table.chains]
    return replace(first, labels=np.concatenate(labels, axis=1), chains=np.array(chains))


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
    named = replace(source, variable=None) if kind == ".nc" else source
    check_options(named, [source.path], unused=["id"])
    if chain is not None:
        raise DataError(
            f"{source.file}: --chain is for tables. Leave it out, because the first of three axes "
            "of an array is the chain."
        )
    with reading(source.path):
        if kind == ".nc":
            return in_own_process(_netcdf, source.path, source)
        return _array(source, draws)


def _numbered(n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


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
    raise DataError(
        f"{path}: the labels could be in several variables, or in none. Pass --variable with one "
        f"of these variables: {listed(names) or 'none'}."
    )


# -- tables ---------------------------------------------------------------------------------------


def _table(source: TableFile, draws: str | None, chain: str | None) -> DrawTable:
    # In a table, the variable is the part of the column names before the index.
    has_arrays = kind_of(source.path) in ARRAYS
    table = with_names(open_table(source if has_arrays else replace(source, variable=None)))
    names, requested = table.names, source.variable is not None and not has_arrays
    counters = [name for name in names if _COUNTER.fullmatch(name)]
    chain = chain or next((name for name in counters if name.lower().endswith("chain")), None)
    if draws == "columns" and chain is not None:
        raise table.error(f"the column {chain!r} needs draws in rows", "Leave out the chains")
    chains = chain and texts_in(table, table.position("chain", chain))
    named, indexed = table.named(), dict[str, list[tuple[int, int]]]()
    for j, name in enumerate(names):
        if match := _INDEXED.fullmatch(name):
            indexed.setdefault(match[1], []).append((int(match[2] or match[3]), j))
    if requested or any(n.endswith("__") for n in names) or len(indexed) > 1:
        whole = [v for v, at in indexed.items() if v == source.variable or _is_whole(table, at)]
        variable = _choose_variable(source.path, whole, source)
        elements = dict(sorted(indexed[variable]))
        if len(elements) < len(indexed[variable]):
            raise table.error(f"an element of {variable} has two columns", "Remove one of them")
        labels = whole_labels(table, [*elements.values()]).T
        found = DrawTable.of(labels, [*map(str, elements)], chains, variable)
        number = 0 if has_arrays else _saved_warm_up(source.path)
        left_out = f"{count_of(number, 'draw')} of CmdStan's warm-up" if number else ""
        return replace(found.after(number, 1), left_out=left_out)
    skipped = {chain, *counters}
    rest = [j for j, name in enumerate(names) if j != named and name not in skipped]
    if draws == "rows" and indexed:
        ((variable, at),) = indexed.items()
        others = [names[j] for j in rest if j not in {j for _, j in at}]
        if others and variable not in names:  # R calls the second of two equal names "a.1"
            raise table.error(
                f"column {others[0]!r} is not an element of {variable}",
                f"Pass --variable {variable} if only its elements are labels. Otherwise rename "
                "the columns",
            )
    labels = whole_labels(table, rest)
    if draws is None:
        raise _ask_for_axis(source.path, *labels.shape)
    if draws == "rows":
        return DrawTable.of(
            labels.T, None if source.header is False else [names[j] for j in rest], chains
        )
    first = rest[0]
    if named is None and names_rows(table.read([first])[0]) and not re.search(r"\d", names[first]):
        raise table.error(
            f"every value of column {names[first]!r} is different",
            f"Pass --id {names[first]} if the column names the items. Otherwise rename it",
        )
    items = None if named is None else names_in(table, encode(table.read([named])[0])).tolist()
    return DrawTable.of(labels, items)


def _saved_warm_up(path: Path) -> int:
    """Number of warm-up draws at the beginning of a file of CmdStan."""
    if kind_of(path) not in (".csv", ".txt"):
        return 0
    before, mark, _ = read_text(path).partition("# Adaptation terminated")
    rows = [line for line in before.splitlines() if line and not line.startswith("#")]
    return max(len(rows) - 1, 0) if mark else 0


def _is_whole(table: Table, at: Sequence[tuple[int, int]]) -> bool:
    columns = table.read([j for _, j in at[:20]])
    return not any(clusters_of(table, encode(column)).wrong for column in columns)


# -- arrays ---------------------------------------------------------------------------------------


def _netcdf(path: Path, source: TableFile) -> DrawTable:
    """A variable of whole numbers with three axes, in the group "posterior" if there is one."""
    import h5py

    with open_hdf5(path) as file:
        group = file.get("posterior", file)
        if not isinstance(group, h5py.Group):
            raise DataError(f"{path}: posterior is not a group, as ArviZ writes.")
        variables = {name: node for name, node in group.items() if _may_be_labels(node)}
        name = _choose_variable(path, [*variables], source)
        node = variables[name]
        check_bytes(path, name, node.nbytes)
        scales = [[*dimension.values()] for dimension in node.dims]
        axes = [scale[0].name.rpartition("/")[2] if scale else "" for scale in scales]
        if not {"chain", "draw"} <= {*axes}:
            raise DataError(f"{path}: two axes of {name} must be called chain and draw.")
        (item,) = {0, 1, 2} - {axes.index("chain"), axes.index("draw")}
        array = np.transpose(node[()], (axes.index("chain"), axes.index("draw"), item))
        texts = scales[item] and h5py.check_string_dtype(scales[item][0].dtype)
        items = [*scales[item][0].asstr()[()]] if texts else []
    if array.dtype.kind == "f" and (array % 1 == 0).all():
        array = array.astype(np.int64)
    labels, chains = join_chains(path, array)
    return DrawTable.of(labels, items if len(items) == len(labels) else None, chains, name)


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
        labels, chains = join_chains(path, array)
        return DrawTable.of(labels, chains=chains)
    if array.ndim != 2:
        raise DataError(f"{path}: the array has {array.ndim} axes instead of draws × items.")
    if draws is None:
        raise _ask_for_axis(path, *array.shape)
    return DrawTable.of(array.T if draws == "rows" else array)
