"""Files of soft memberships from programs for population genetics and fuzzy clustering.

- ``.Q`` (ADMIXTURE), ``.qopt`` (NGSadmix), ``.meanQ`` (fastSTRUCTURE) and text without a header: K
  numbers on each line.
- Results of STRUCTURE (``…_f``) and the indfile of CLUMPP: the lines with a colon, for one or
  several runs.
- Tables of any kind with columns Cluster1 … ClusterK, or with chosen columns; another column may
  name the samples.
- A folder of such files. If it has files of the first kinds, all other files are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.display import count_of
from coassoc.io.features import numbers_in, with_texts_as_names
from coassoc.io.files import MEMBERSHIPS, check_options, files_below, open_file, open_table
from coassoc.io.labels import encode, names_in, names_rows, texts_in
from coassoc.io.table import Table, TableFile
from coassoc.io.text import PACKED, kind_of, read_text, table_in
from coassoc.io.untrusted import check_is_file, reading

#: Suffixes of tables of memberships, read from a folder that has no files in other formats.
_TABLES = (".csv", ".tsv", ".tab", ".xlsx", ".parquet", ".feather")
#: A sample of STRUCTURE: number, name, percentage of missing data, population, and memberships.
_SAMPLE = re.compile(r"\s*(\d+)\s+(\S+)\s+\(\s*\d+\s*\)\s+(?:\S+\s+)?:\s+(.*)")
#: Name of a column of memberships.
_CLUSTER = re.compile(r"Cluster[ ._]?\d+", re.IGNORECASE)
#: Probability intervals in STRUCTURE's results.
_INTERVAL = re.compile(r"\([^)]*\)")


def read_memberships(files: Sequence[str], **roles: Any) -> tuple[dict[str, Any], str]:
    """Runs of memberships in files and folders, and what was read.

    Parameters
    ----------
    files : sequence of str
    **roles
        Attributes of :class:`~coassoc.io.table.TableFile` for tables: `id`, `columns`, `without`
        and the format of text.

    Returns
    -------
    runs : dict of str to (n, K) array or DataFrame
        Runs by the names of their files; data frames if the files name the samples.
    line : str

    Raises
    ------
    DataError
        If there are no runs, a file cannot be read, or two runs have the same name.
    """
    runs: dict[str, Any] = {}
    listed = [_list_files(Path(file)) for file in files]
    named = [*chain.from_iterable(paths for paths, _ in listed)]
    n_left = sum(left for _, left in listed)
    tables = [file for _, file in named if kind_of(file) in _TABLES]
    given = TableFile(", ".join(files), spelled="--{}={}", **roles)
    # Other files are text with a fixed format.
    text = Path("runs.txt")
    check_options(given, tables or [text], unused=() if tables else ("id", "columns", "without"))
    for name, file in named:
        for part, Q in _read_runs(replace(given, file=str(file))):
            called = f"{name} {part}" if part else name
            if called in runs:
                raise DataError(
                    f"{file}: two runs are called {called!r}. Rename one of the two files."
                )
            runs[called] = Q
    sizes = sorted({Q.shape[1] for Q in runs.values()})
    n = len(next(iter(runs.values())))
    line = f"{', '.join(files)}: {count_of(len(runs), 'run')} of {count_of(n, 'sample')}"
    line += f", K = {', '.join(map(str, sizes))}"
    return runs, line + (f"; {n_left} other files ignored" if n_left else "")


def _list_files(path: Path) -> tuple[list[tuple[str, Path]], int]:
    """Files by the names of their runs, and how many others a folder has."""
    if not path.is_dir():
        return [(_stem(path), path)], 0
    every = files_below(path)
    plain = [p for p in every if kind_of(p) in (*MEMBERSHIPS, ".indfile") or p.name.endswith("_f")]
    files = plain or [p for p in every if kind_of(p) in ("", *_TABLES)]
    if not files:
        raise DataError(
            f"{path}: the folder has no file of memberships. Names of such files end in .Q, .qopt, "
            ".meanQ, _f, .csv or .tsv, or have no ending. Pass files with other names one by one."
        )
    names = [(p.relative_to(path).parent / _stem(p)).as_posix() for p in files]
    return [*zip(names, files, strict=True)], len(every) - len(files)


def _stem(path: Path) -> str:
    name = path.stem if path.suffix.lower() in PACKED else path.name
    return name[: -len(Path(name).suffix)] if kind_of(path) in (*MEMBERSHIPS, *_TABLES) else name


def _read_runs(source: TableFile) -> Iterator[tuple[str, Any]]:
    """Part and memberships of each run in a file."""
    path = source.path
    if kind_of(path) in _TABLES:
        yield "", _run_from_table(source)
        return
    check_is_file(path)
    with reading(path):
        text = read_text(path, source.encoding)
    samples = [match for match in map(_SAMPLE.fullmatch, text.splitlines()) if match]
    if not samples or kind_of(path) in MEMBERSHIPS:
        yield "", _numbers(path, text)
        return
    starts = [i for i, match in enumerate(samples) if int(match[1]) == int(samples[0][1])]
    for part, (first, last) in enumerate(zip(starts, [*starts[1:], None], strict=True), 1):
        names = [match[2] for match in samples[first:last]]
        lines = [_INTERVAL.sub("", match[3]) for match in samples[first:last]]
        Q = _named(_numbers(path, "\n".join(lines)), names)
        yield str(part) if len(starts) > 1 else "", Q


def _numbers(path: Path, text: str) -> NDArray[np.float64]:
    source = TableFile(str(path), separator="whitespace", header=False, comments=True)
    table = table_in(source, path, text.encode())
    return numbers_in(table, advice="Write K numbers on each line, separated by spaces")


def _named(Q: NDArray[np.float64], names: Sequence[str]) -> Any:
    """Memberships by the names of the samples, if no name occurs twice."""
    import pandas as pd

    return pd.DataFrame(Q, list(names)) if len({*names}) == len(names) else Q


def _run_from_table(source: TableFile) -> Any:
    table = with_texts_as_names(open_file(source))
    named = table.named()
    chosen = [j for j, name in enumerate(table.names) if _CLUSTER.fullmatch(str(name))]
    if source.columns or source.without:
        chosen = table.choose()[2]
    elif named is None:
        for j in {*range(len(table.names))} - {*chosen}:
            if names_rows(table.read([j])[0]):
                raise table.error(
                    f"every value of column {table.names[j]!r} is different, so the column may "
                    "name the samples",
                    f"Pass {table.say('id', table.names[j])} to match the samples of the runs by "
                    "name. Otherwise choose the columns of memberships with --columns",
                )
    if not chosen:
        raise table.error(
            "no columns are called Cluster1 … ClusterK",
            f"Choose the columns of memberships with {table.say('columns', 'A,B,…')}",
        )
    Q = numbers_in(table, chosen)
    if named is None:
        return Q
    return _named(Q, names_in(table, encode(table.read([named])[0])).tolist())


def read_groups(file: str, n: int, index: Any) -> tuple[Any, NDArray[Any]]:
    """Names and groups of n samples, from a table of their names and groups, or of groups alone.

    Parameters
    ----------
    file : str
        A table with a row for each sample, matched by name if the runs name the samples, and
        otherwise in the order of the runs.
    n : int
    index : sequence or None
        Names of the samples in the runs.

    Returns
    -------
    index, groups : sequence or None, (n,) array

    Raises
    ------
    DataError
        If the table does not have one group for each sample.
    """
    table, texts = _texts(TableFile(file, spelled="--{}={}"))
    if len(texts[0]) == n - 1:  # the first line was read as column names
        table, texts = _texts(replace(table.roles, header=False))
    if len(texts) > 2:
        raise table.error(
            f"there are {len(texts)} columns", "Keep the names of the samples and their groups"
        )
    names, groups = texts[0] if len(texts) == 2 else None, texts[-1]
    if index is not None and names is not None:
        pairs = {*zip(names, groups, strict=True)}
        group_of = dict(pairs)
        if len(pairs) > len(group_of) or not {*map(str, index)} <= {*group_of}:
            raise table.error(
                "a sample of the runs has no group, or a sample has several",
                "Write one row for each sample",
            )
        return index, np.array([group_of[str(name)] for name in index], dtype=object)
    if len(groups) != n:
        raise table.error(
            f"there are {len(groups)} rows for {n} samples", "Write one row for each sample"
        )
    return names if index is None else index, np.array(groups, dtype=object)


def _texts(source: TableFile) -> tuple[Table, list[list[str]]]:
    """A table and its columns as strings."""
    table = open_table(source)
    return table, [texts_in(table, j) for j in range(len(table.names))]
