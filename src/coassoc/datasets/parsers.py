"""Parsers: from the files of a source to features X and raw class labels.

A parser is named in the catalogue and takes the files by their role, and its arguments. It returns
X, an (n, d) array or CSR array of floating-point numbers, and the labels as the file writes them,
an (n,) array of anything, or None.

Files may be anybody's. No parser runs code found in a file: nothing is unpickled. A small packed
file cannot fill the memory: what it says it holds is looked at before anything is unpacked.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.datasets.sources import MAX_BYTES, open_decompressed
from coassoc.errors import CoassocError, ConfigError, DataError
from coassoc.storage.isolation import in_own_process

__all__ = ["PARSERS", "parse"]

Files = Mapping[str, Sequence[Path]]
Parsed = tuple[Any, NDArray | None]
Labelled = tuple[Any, NDArray]


def parse(parser: str, files: Files, arguments: Mapping[str, Any]) -> Parsed:
    """Parse the files of a source.

    Parameters
    ----------
    parser : str
        A key of :data:`PARSERS`.
    files : mapping of role to list of paths
    arguments : mapping
        Keyword arguments of the parser.

    Raises
    ------
    ConfigError
        If there is no such parser or it has no such argument.
    DataError
        If a file is not what the parser reads, naming the file.
    """
    if parser not in PARSERS:
        raise ConfigError(f"parser: {parser!r} is unknown; there are {', '.join(PARSERS)}.")
    try:
        return PARSERS[parser](files, **arguments)
    except CoassocError:
        raise
    except TypeError as error:
        if "argument" in str(error):
            raise ConfigError(f"parser {parser}: {error}.") from error
        raise
    except (ValueError, LookupError, ArithmeticError, MemoryError, RuntimeError) as error:
        # What a parser's own checks did not foresee: the file is not what it should be.
        named = ", ".join(str(path) for paths in files.values() for path in paths)
        reason = _one_line(error) or type(error).__name__
        raise DataError(f"{named}: the parser {parser} cannot read this ({reason})") from error


# -- delimited text -------------------------------------------------------------------------------


def parse_delimited(
    files: Files,
    *,
    separator: str = ",",
    header: bool = False,
    skip: str | None = None,
    strip: str | None = None,
    join: str = "rows",
    rows: Sequence[int] | None = None,
    drop: Sequence[int | str] = (),
    label: int | str | None = None,
    one_hot: int | None = None,
    block: int | None = None,
) -> Parsed:
    """Text tables: CSV, tab or whitespace separated, ARFF-like.

    Parameters
    ----------
    files : role "data": one or more tables; role "labels": one label per line
    separator : str
        "whitespace" or the separating character.
    header : bool
        Whether the first line names the columns.
    skip : str, optional
        Lines that begin with it are left out ("@" for the head of a KEEL file).
    strip : str, optional
        Characters that are removed everywhere (quotes around whole lines).
    join : "rows" or "columns"
        How several tables are put together.
    rows : (start, stop), optional
        The rows to keep, counted from 0, without the last.
    drop : list of column names or positions
    label : "first", "last", a column name or a position, optional
        The column of the classes, in each table; those of the first table count.
    one_hot : int, optional
        The classes are the position of the 1 in so many last columns.
    block : int, optional
        The classes are not in the file: every so many rows are one class.
    """
    tables, labels = [], []
    for path in files["data"]:
        table = _read_table(path, separator, header, skip, strip)
        classes, table = _take_label(path, table, label, one_hot)
        tables.append(_numeric(path, _without(path, table, drop)))
        labels.append(classes)
    if join == "columns":
        if len({len(table) for table in tables}) > 1:
            raise DataError(f"{files['data'][0]}: the tables side by side differ in rows")
        X, y = np.hstack(tables), labels[0]
    else:
        X = np.vstack(tables)
        known = [classes for classes in labels if classes is not None]
        y = np.concatenate(known) if known else None
    if "labels" in files:
        y = _read_table(files["labels"][0], "whitespace", False, None, None)[0].to_numpy()
    if block is not None:
        y = np.arange(len(X)) // block
    if rows is not None:
        X, y = X[slice(*rows)], None if y is None else y[slice(*rows)]
    return X, y


def _read_table(
    path: Path, separator: str, header: bool, skip: str | None, strip: str | None
) -> Any:
    import pandas as pd

    text = _read_text(path)
    if skip:
        lines = (line for line in text.splitlines() if not line.lstrip().startswith(skip))
        text = "\n".join(lines)
    for character in strip or "":
        text = text.replace(character, "")
    whitespace = separator == "whitespace"
    try:
        return pd.read_csv(
            io.StringIO(text),
            sep=r"\s+" if whitespace else separator,
            header=0 if header else None,
            skipinitialspace=True,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DataError(f"{path}: not a table ({_one_line(error)})") from error


def _take_label(
    path: Path, table: Any, label: int | str | None, one_hot: int | None
) -> tuple[NDArray | None, Any]:
    """Classes and the table without their columns."""
    if one_hot is not None:
        indicator = _numeric(path, table.iloc[:, -one_hot:])
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


def _column(path: Path, table: Any, wanted: int | str) -> Any:
    """Name of a column given as "first", "last", a name or a position."""
    position = {"first": 0, "last": -1}.get(wanted, wanted) if isinstance(wanted, str) else wanted
    if wanted in table.columns:
        return wanted
    if isinstance(position, int) and -len(table.columns) <= position < len(table.columns):
        return table.columns[position]
    raise DataError(f"{path}: there is no column {wanted!r}")


def _without(path: Path, table: Any, drop: Sequence[int | str]) -> Any:
    return table.drop(columns=[_column(path, table, column) for column in drop])


def _numeric(path: Path, table: Any) -> NDArray[np.float64]:
    for column in table.columns:
        values = table[column]
        if values.dtype.kind not in "iufb":
            raise DataError(
                f"{path}: column {column!r} is not numeric (for example {values.iloc[0]!r}); "
                "drop it or turn it into numbers"
            )
    return table.to_numpy(dtype=np.float64)


# -- sparse text ----------------------------------------------------------------------------------


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
    first, *lines = _read_text(path).splitlines()
    try:
        sizes = [int(number) for number in first.split()]
        n, d = sizes[:2]
        if len(sizes) != header:
            raise ValueError(f"the first line has {len(sizes)} numbers, expected {header}")
        if len(lines) < n:
            raise ValueError(f"{len(lines)} rows, expected {n}")
        X = _sparse_rows(lines[:n], (n, d), counted, base)
    except ValueError as error:
        raise DataError(f"{path}: not a sparse matrix as text ({error})") from error
    if header == 3 and X.nnz != sizes[2]:
        raise DataError(f"{path}: {X.nnz} entries, expected {sizes[2]}")
    return X, _sparse_labels(files, one_hot)


def _sparse_rows(
    lines: Sequence[str], shape: tuple[int, int], counted: bool, base: int
) -> sp.csr_array:
    rows = [np.array(line.split(), dtype=np.float64) for line in lines]
    if counted:
        rows = [row[1:] for row in rows if _has_count(row)]
    pairs = np.concatenate(rows)
    if any(len(row) % 2 for row in rows):
        raise ValueError("a row is not made of pairs")
    columns = pairs[::2].astype(np.int64) - base
    if len(columns) and (columns.min() < 0 or columns.max() >= shape[1]):
        raise ValueError(f"a column number is outside the {shape[1]} columns")
    pointers = np.concatenate(([0], np.cumsum([len(row) // 2 for row in rows])))
    X = sp.csr_array((pairs[1::2], columns, pointers), shape=shape)
    X.sum_duplicates()
    return X


def _has_count(row: NDArray) -> bool:
    if len(row) != 1 + 2 * row[0]:
        raise ValueError(f"a row of {len(row) // 2} pairs says it has {row[0]:g}")
    return True


def _sparse_labels(files: Files, one_hot: bool) -> NDArray | None:
    if "labels" not in files:
        return None
    path = files["labels"][0]
    table = _read_table(path, "whitespace", False, None, None)
    if not one_hot:
        return table[0].to_numpy()
    indicator = _numeric(path, table)
    if not (indicator.sum(axis=0) == 1).all():
        raise DataError(f"{path}: a sample does not belong to exactly one class")
    return indicator.argmax(axis=0)


# -- binary containers ----------------------------------------------------------------------------


def parse_matlab(
    files: Files, *, X: str = "X", y: str | None = "Y", sequence: str | None = None
) -> Parsed:
    """MATLAB files, of version 5 to 7 or 7.3.

    Parameters
    ----------
    files : role "data": one or more files, joined by rows; role "sequence": see below
    X, y : str
        Variables of the features and the classes.
    sequence : str, optional
        Variable of the file with role "sequence" that holds the classes of all samples in the order
        wanted, under any names. Inside each data file, the k-th sample of a class goes to the k-th
        place of that class. The names correspond by rank: the k-th name to appear in the sequence
        is the k-th smallest label of the data.
    """
    parts: list[Labelled] = []
    for path in files["data"]:
        found = read_matlab(path, [X] if y is None else [X, y])
        labels = np.zeros(found[X].shape[0]) if y is None else found[y].ravel()
        parts.append((_matrix(found[X]), labels))
    if sequence is not None:
        path = files["sequence"][0]
        parts = _in_sequence(path, parts, read_matlab(path, [sequence])[sequence].ravel())
    stack = sp.vstack if sp.issparse(parts[0][0]) else np.vstack
    features = _matrix(stack([part[0] for part in parts]))
    return features, None if y is None else np.concatenate([part[1] for part in parts])


def read_matlab(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """Variables of a MATLAB file as arrays or CSR arrays; a cell array is an array of objects."""
    from coassoc.storage.foreign import is_hdf5, read_arrays

    if not path.is_file():
        raise DataError(f"{path}: there is no such file")
    if is_hdf5(path):
        found = in_own_process(read_arrays, path, variables, True)
    else:
        found = in_own_process(_load_matlab, path, variables)
    missing = [name for name in variables if name not in found]
    if missing:
        raise DataError(f"{path}: there is no variable {missing[0]!r}")
    return {name: found[name] for name in variables}


def _load_matlab(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """Variables of a MATLAB file before version 7.3."""
    import scipy.io

    try:
        for name, shape, kind in scipy.io.whosmat(path):
            if name in variables and kind != "sparse":
                _check_size(path, name, shape)
        return scipy.io.loadmat(path, variable_names=list(variables))
    except DataError:
        raise
    except Exception as error:  # loadmat raises many kinds for a file that is not its own
        raise DataError(f"{path}: not a whole MATLAB file ({_one_line(error)})") from error


def _in_sequence(path: Path, parts: list[Labelled], sequence: NDArray) -> list[Labelled]:
    """Rows of each part in the order that the sequence of classes prescribes."""
    if len(sequence) != sum(len(y) for _, y in parts):
        raise DataError(f"{path}: the sequence has {len(sequence)} samples, not those of the data")
    ranks = _first_appearance(sequence)
    ordered, start = [], 0
    for X, y in parts:
        wanted = ranks[start : start + len(y)]
        start += len(y)
        given = np.unique(y, return_inverse=True)[1]
        if not np.array_equal(np.bincount(given), np.bincount(wanted)):
            raise DataError(f"{path}: the sequence does not have the class sizes of the data")
        rows = np.empty(len(y), dtype=np.intp)
        rows[np.argsort(wanted, kind="stable")] = np.argsort(given, kind="stable")
        ordered.append((X[rows], y[rows]))
    return ordered


def _first_appearance(labels: NDArray) -> NDArray[np.intp]:
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def parse_npz(files: Files, *, X: str = "X", y: str | None = "y") -> Parsed:
    """NumPy archives: arrays named X and, if there are classes, y."""
    path = files["data"][0]
    try:
        with np.load(path, allow_pickle=False) as archive:
            if X not in archive:
                raise DataError(f"{path}: there is no array {X!r}")
            for member in archive.zip.infolist():
                if member.file_size > MAX_BYTES:
                    raise DataError(f"{path}: {member.filename} is larger than {MAX_BYTES} bytes")
            return _matrix(archive[X]), archive.get(y)
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except DataError:
        raise
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path}: not a NumPy archive of plain arrays ({_one_line(error)})"
        ) from error


def parse_hdf5(files: Files, *, X: str = "X", y: str | None = "y") -> Parsed:
    """HDF5: datasets named X and, if there are classes, y; X may be a CSR group as we write it."""
    from coassoc.storage.foreign import read_arrays

    path = files["data"][0]
    found = in_own_process(read_arrays, path, [X] if y is None else [X, y])
    if X not in found:
        raise DataError(f"{path}: there is no dataset {X!r}")
    return _matrix(found[X]), found.get(y) if y is not None else None


def parse_parquet(files: Files, *, drop: Sequence[str] = (), label: str | None = None) -> Parsed:
    """Parquet tables; `label` and `drop` are columns as in :func:`parse_delimited`."""
    import pandas as pd

    path = files["data"][0]
    try:
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(path)
        _check_size(path, "the table", (metadata.num_rows, metadata.num_columns))
        table = pd.read_parquet(path)
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except DataError:
        raise
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not a Parquet file ({_one_line(error)})") from error
    classes, table = _take_label(path, table, label, None)
    return _numeric(path, _without(path, table, drop)), classes


def parse_scikit_learn(files: Files, *, loader: str) -> Parsed:
    """Data sets that come with scikit-learn: ``sklearn.datasets.load_<loader>``."""
    from sklearn import datasets

    loaders = {"digits", "wine", "breast_cancer", "iris"}
    if loader not in loaders:
        raise ConfigError(f"parser scikit-learn: loader is {loader!r}; one of {sorted(loaders)}.")
    X, y = getattr(datasets, f"load_{loader}")(return_X_y=True)
    return _matrix(X), y


#: Parsers by their names in the catalogue.
PARSERS: dict[str, Callable[..., Parsed]] = {
    "delimited": parse_delimited,
    "sparse_text": parse_sparse_text,
    "matlab": parse_matlab,
    "npz": parse_npz,
    "hdf5": parse_hdf5,
    "parquet": parse_parquet,
    "scikit-learn": parse_scikit_learn,
}


def _read_text(path: Path) -> str:
    try:
        with open_decompressed(path) as stream:
            content = stream.read(MAX_BYTES + 1)
            if len(content) > MAX_BYTES:
                raise DataError(f"{path}: the text is larger than {MAX_BYTES} bytes")
            return content.decode("utf-8")
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file") from error
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: cannot read this file ({_one_line(error)})") from error


def _check_size(path: Path, name: str, shape: Sequence[int]) -> None:
    """Refuse an array of more than MAX_BYTES before it is read; its numbers take eight each."""
    if 8 * math.prod(shape) > MAX_BYTES:
        sizes = " × ".join(map(str, shape))
        raise DataError(f"{path}: {name} is {sizes}, more than {MAX_BYTES} bytes")


def _matrix(X: Any) -> Any:
    """Features as a float64 array or CSR array, whatever the file holds."""
    if sp.issparse(X):
        return sp.csr_array(X, dtype=np.float64)
    X = np.asarray(X)
    if X.dtype.kind not in "iufb" or X.ndim != 2:
        raise DataError(f"the features are {X.ndim}-dimensional values of type {X.dtype}")
    return X.astype(np.float64)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
