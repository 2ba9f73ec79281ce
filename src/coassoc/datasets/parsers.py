"""Parsers: from the files of a source to features X and raw class labels.

A parser is named in the catalogue and takes the files by their role, and its arguments. It returns
a :class:`~coassoc.datasets.features.Parsed`.

Files may be anybody's. No parser runs code found in a file: nothing is unpickled. A small packed
file cannot fill the memory: what it says it holds is looked at before anything is unpacked.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coassoc.datasets.features import (
    Files,
    Parsed,
    check_size,
    hdf5_arrays,
    matrix,
    npz_arrays,
    numeric,
    one_line,
    take_label,
    take_names,
    without,
)
from coassoc.datasets.matlab import parse_matlab
from coassoc.datasets.text import parse_delimited, parse_sparse_text
from coassoc.errors import CoassocError, ConfigError, DataError


def parse(parser: str, files: Files, arguments: Mapping[str, Any]) -> Parsed:
    """Parse the files of a source, by their role, with a parser of :data:`PARSERS`.

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
        reason = one_line(error) or type(error).__name__
        raise DataError(f"{named}: the parser {parser} cannot read this ({reason})") from error


def parse_npz(files: Files, *, X: str = "X", y: str | None = "y") -> Parsed:
    """NumPy archives: arrays named X and, if there are classes, y."""
    return _arrays(npz_arrays, files["data"][0], X, y)


def parse_hdf5(files: Files, *, X: str = "X", y: str | None = "y") -> Parsed:
    """HDF5: datasets named X and, if there are classes, y; X may be a CSR group as we write it."""
    return _arrays(hdf5_arrays, files["data"][0], X, y)


def _arrays(read: Callable[..., Any], path: Path, X: str, y: str | None) -> Parsed:
    found = read(path, [X] if y is None else [X, y])
    if X not in found:
        raise DataError(f"{path}: there is no array {X!r}")
    return Parsed(matrix(found[X]), found.get(y))


def parse_parquet(
    files: Files, *, drop: Sequence[str] = (), id: str | None = None, label: str | None = None
) -> Parsed:
    """Parquet tables; `id`, `label` and `drop` are columns as in :func:`parse_delimited`."""
    import pandas as pd

    path = files["data"][0]
    try:
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(path)
        check_size(path, "the table", (metadata.num_rows, metadata.num_columns))
        table = pd.read_parquet(path)
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except DataError:
        raise
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"{path}: not a Parquet file ({one_line(error)})") from error
    if id is not None and id == table.index.name:
        table = table.reset_index()
    samples, table = take_names(path, table, id, first_row=1)
    classes, table = take_label(path, table, label, None)
    return Parsed(numeric(path, without(path, table, drop)), classes, samples)


def parse_scikit_learn(files: Files, *, loader: str) -> Parsed:
    """Data sets that come with scikit-learn: ``sklearn.datasets.load_<loader>``."""
    from sklearn import datasets

    loaders = {"digits", "wine", "breast_cancer", "iris"}
    if loader not in loaders:
        raise ConfigError(f"parser scikit-learn: loader is {loader!r}; one of {sorted(loaders)}.")
    X, y = getattr(datasets, f"load_{loader}")(return_X_y=True)
    return Parsed(matrix(X), y)


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
