"""Extraction of features X, class labels and sample names from the columns of a table."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import names_allowed
from coassoc.io.features import numbers_in
from coassoc.io.labels import MISSING_TEXTS, NUMBER, encode, names_in, texts_in
from coassoc.io.table import Table

#: Files of a source by their role.
Files = Mapping[str, Sequence[Path]]


class Parsed(NamedTuple):
    """Result of a parser."""

    #: (n, d) float array or CSR array.
    X: Any
    #: (n,) array of the classes as the file writes them, or None; (n, t) for t labellings.
    y: NDArray | None
    #: (n,) array of the names of the samples, or None.
    samples: NDArray | None = None
    #: Label of noise points, which belong to no class.
    noise: float | str | None = None


#: How a catalogue gives the arguments of a parser, in messages.
ARGUMENTS = "arguments: {{{}: {}}}"


def parsed_table(
    table: Table,
    *,
    id: int | str | None = None,
    label: int | str | None = None,
    one_hot: int | None = None,
    drop: Sequence[int | str] = (),
) -> Parsed:
    """Names of the samples, classes and features in a table.

    A column is "first", "last", a name or a position among the remaining columns. With `one_hot`,
    the position of the 1 in the last `one_hot` columns is the class.

    Raises
    ------
    DataError
        If a column does not exist, or one of the features has no name: usually it numbers the rows.
        If a sample has no name, the name of another one, or no class.
    """
    samples = classes = None
    left = [j for j, name in enumerate(table.names) if j != table.id or name == id]
    if id is not None:
        named = left.pop(_position(table, left, id))
        samples = names_in(table, encode(table.read([named])[0]))
    if one_hot is not None:
        indicator = numbers_in(table, left[-one_hot:])
        if not (((indicator == 0) | (indicator == 1)).all() and (indicator.sum(axis=1) == 1).all()):
            raise table.error(
                f"the last {one_hot} columns must mark the class of each row with exactly one 1, "
                "and zeros elsewhere",
                "Correct the file or the argument one_hot",
            )
        classes, left = indicator.argmax(axis=1), left[:-one_hot]
    elif label is not None:
        classes = classes_in(table, left.pop(_position(table, left, label)))
    dropped = {_position(table, left, column) for column in drop}
    features = [j for place, j in enumerate(left) if place not in dropped]
    for j in features:
        if not str(table.names[j]) or str(table.names[j]).startswith("Unnamed: "):
            raise table.error(f"column {j} has no name", f"Name it, or {_NO_FEATURE}")
    if not features:
        raise table.error("no columns are left for the features", "Name fewer columns")
    return Parsed(
        numbers_in(table, features, f"If it is no feature, {_NO_FEATURE}"), classes, samples
    )


_NO_FEATURE = "give it in the arguments as id, label or drop"


def classes_in(table: Table, j: int) -> NDArray:
    """The classes in a column: numbers if all of them are, so that 1 and 1.0 are one class."""
    classes = np.array(texts_in(table, j), dtype=object)
    for i, text in enumerate(classes):
        if text in MISSING_TEXTS:
            raise table.error(f"{table.sample(i)} has no label", "Add the label, or remove the row")
    for kind in (np.int64, np.float64) if all(map(NUMBER.fullmatch, classes)) else ():
        with suppress(ValueError, OverflowError):
            return classes.astype(kind)
    return classes


def _position(table: Table, left: Sequence[int], column: int | str) -> int:
    """Position of a column among the columns that are left."""
    names = [table.names[j] for j in left]
    ends: dict[int | str, int] = {"first": 0, "last": -1}
    position = ends.get(column, column)
    if column in names:
        return left.index(table.position("arguments", column))
    if isinstance(position, int) and -len(left) <= position < len(left):
        return position % len(left)
    raise table.error(f"column {column!r} not found. {names_allowed(column, names)}".rstrip("."))
