"""Parsers that read features X and raw class labels from the files of a source.

The catalogue names a parser, which receives the files by their role, and its arguments. It returns
a :class:`~coassoc.bench.datasets.features.Parsed`.

Files are untrusted. No parser runs code from a file, and nothing is unpickled. A small packed file
cannot fill the memory, because its declared size is checked before it is unpacked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from inspect import signature
from itertools import chain
from typing import Any, get_type_hints

from pydantic import create_model

from coassoc.bench.datasets.delimited import parse_delimited, parse_sparse_text
from coassoc.bench.datasets.features import ARGUMENTS, Files, Parsed, parsed_table
from coassoc.bench.datasets.matlab import parse_matlab
from coassoc.bench.datasets.registry import DatasetEntry
from coassoc.bench.storage.configuration import Model, validate
from coassoc.errors import DataError
from coassoc.io.arrays import read_arrays
from coassoc.io.features import as_matrix
from coassoc.io.files import typed_table
from coassoc.io.table import TableFile
from coassoc.io.untrusted import check_is_file, reading


def parse(parser: str, files: Files, arguments: Mapping[str, Any]) -> Parsed:
    """Parse the files of a source, by their role, with a parser of :data:`PARSERS`.

    Raises
    ------
    DataError
        If a file is missing or not in the format of the parser, or the parser has no such argument.
        The error names the file.
    """
    for path in chain(*files.values()):
        check_is_file(path)
    with reading(", ".join(map(str, chain(*files.values()))) or parser):
        return PARSERS[parser](files, **arguments)


def check_arguments(entry: DatasetEntry) -> None:
    """Raise a ConfigError for arguments that the parsers of an entry do not take."""
    for source in entry.sources:
        given = {"arguments": source.arguments}
        validate(given, dict[str, _model(source.parser)], f"datasets: {entry.name}")  # type: ignore[misc]


@cache
def _model(parser: str) -> type[Model]:
    """Model of the arguments of a parser, from its signature."""
    function: Any = PARSERS[parser]
    types = get_type_hints(getattr(function, "func", function), include_extras=True)
    _, *arguments = signature(function).parameters.values()
    fields: dict[str, Any] = {
        x.name: (types[x.name], ... if x.default is x.empty else x.default) for x in arguments
    }
    return create_model(parser, __base__=Model, **fields)


def parse_arrays(kind: str, files: Files, *, X: str = "X", y: str | None = "y") -> Parsed:
    """Arrays named X and, if there are classes, y; X may be a CSR group in HDF5 as in our files."""
    path = files["data"][0]
    arrays = read_arrays(path, [X] if y is None else [X, y], kind)
    if X not in arrays:
        raise DataError(
            f"{path}: array {X!r} not found. Correct the array's name in the catalogue "
            "(`arguments`), or rename the array."
        )
    return Parsed(as_matrix(path, arrays[X]), None if y is None else arrays.get(y))


def parse_parquet(
    files: Files,
    *,
    drop: Sequence[int | str] = (),
    id: int | str | None = None,
    label: int | str | None = None,
) -> Parsed:
    """Parquet tables; `id`, `label` and `drop` are columns as in :func:`parse_delimited`."""
    path = files["data"][0]
    source = TableFile(str(path), spelled=ARGUMENTS)
    table = replace(typed_table(source, path), roles=source)
    return parsed_table(table, id=id, label=label, drop=drop)


def parse_scikit_learn(files: Files, *, loader: str) -> Parsed:
    """Data sets that come with scikit-learn: ``sklearn.datasets.load_<loader>``."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{loader}")(return_X_y=True)
    return Parsed(X, y)


#: Parsers by their names in the catalogue.
PARSERS: dict[str, Callable[..., Parsed]] = {
    "delimited": parse_delimited,
    "sparse_text": parse_sparse_text,
    "matlab": parse_matlab,
    "npz": partial(parse_arrays, ".npz"),
    "hdf5": partial(parse_arrays, ".h5"),
    "parquet": parse_parquet,
    "scikit-learn": parse_scikit_learn,
}
