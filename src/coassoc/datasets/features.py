"""Extraction of features X, class labels and sample names from the columns of a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from coassoc.errors import DataError, names_allowed
from coassoc.io.features import numeric
from coassoc.io.table import UNNAMED

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
    noise: int | str | None = None


def parsed_table(
    path: Path,
    table: Any,
    *,
    first_row: int,
    id: int | str | None = None,
    label: int | str | None = None,
    one_hot: int | None = None,
    drop: Sequence[int | str] = (),
) -> Parsed:
    """Names of the samples, classes and features in a data frame.

    A column is "first", "last", a name or a position among the remaining columns. With `one_hot`,
    the position of the 1 in the last `one_hot` columns is the class. The first row of the table has
    the number `first_row` in its file.

    Raises
    ------
    DataError
        If a column does not exist, or one of the features has no name: usually it numbers the rows.
        If a sample has no name, the name of another one, or no class.
    """
    names = classes = None
    if id is not None:
        names = table.pop(_column(path, table, id)).fillna("").astype(str)
        for wrong, what in ((names == "", "no id"), (names.duplicated(), "the id of another row")):
            if wrong.any():
                place = int(wrong.to_numpy().argmax())
                called = f", {names.iloc[place]!r}" if names.iloc[place] else ""
                raise DataError(
                    f"{path}: row {place + first_row} has {what}{called}. Give each row its own id."
                )
        names = names.to_numpy(dtype=object)
    if one_hot is not None:
        indicator = numeric(path, table.iloc[:, -one_hot:])
        if not (((indicator == 0) | (indicator == 1)).all() and (indicator.sum(axis=1) == 1).all()):
            raise DataError(
                f"{path}: the last {one_hot} columns must mark the class of each row with exactly "
                "one 1, and zeros elsewhere. Correct the file or the argument one_hot."
            )
        classes, table = indicator.argmax(axis=1), table.iloc[:, :-one_hot]
    elif label is not None:
        column = table.pop(_column(path, table, label))
        if column.isna().any():
            raise DataError(
                f"{path}: row {int(column.isna().to_numpy().argmax()) + 1} has no label. Add the "
                "label, or remove the row."
            )
        classes = column.to_numpy()
    features = table.drop(columns=[_column(path, table, column) for column in drop])
    for name in filter(UNNAMED.match, map(str, features.columns)):
        raise DataError(
            f"{path}: a column has no name ({name!r}). Add drop: [{name!r}] to the arguments if it "
            f"numbers the rows, or id: {name!r} if it names the samples. If the column is a "
            "feature, give the column a name."
        )
    return Parsed(numeric(path, features), classes, names)


def _column(path: Path, table: Any, name_or_index: int | str) -> Any:
    """Name of a column given as "first", "last", a name or a position."""
    ends: dict[int | str, int] = {"first": 0, "last": -1}
    position = ends.get(name_or_index, name_or_index)
    if name_or_index in table.columns:
        return name_or_index
    if isinstance(position, int) and -len(table.columns) <= position < len(table.columns):
        return table.columns[position]
    names = names_allowed(name_or_index, table.columns)
    raise DataError(f"{path}: column {name_or_index!r} not found. {names}")
