"""Labels as integers, by three rules for a column and one check over all columns.

An array, a data frame, a file or an AnnData object becomes a :class:`~coassoc.io.table.Table`, and
its columns are *dictionary-encoded*: their distinct values, and the position of each sample's value
among them. The rules apply to the distinct values, so all sources are read in the same way.

===========  ======================================================================================
label        values
===========  ======================================================================================
missing      nothing, a masked entry, None, NaN, ``pandas.NA``, NaT; noise, which is −1 as a number
             or a string; an empty string, ``NA``, ``NaN``, ``None``, ``null``, ``N/A``, ``<NA>``
             and all other strings that pandas reads as missing; the values that the user names
an integer   non-negative whole numbers of any size and type, and False and True; in a column with
             only numbers, also strings of such numbers (``3``, ``3.0``, ``03``)
a string     all other strings, without surrounding space and in Unicode's form NFC, and strings of
             numbers in a column with other strings
rejected     other negative numbers, fractions and infinity, floating-point numbers too large to be
             exact (from 2⁵³ on, with 32 bits from 2²⁴ on), numbers in a column with strings if the
             table has types, and all other types
===========  ======================================================================================

Clusters are numbered in the order of the integers or strings. :mod:`coassoc.io` describes the rules
for a column and the check over all columns; columns that the user chooses need only be labels. For
objects passed in Python, the check over all columns only warns. Arrays of numbers need only be
labels; a warning tells of values that probably mean a missing label.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from coassoc.io.column_checks import FEW, Column, check_columns, check_long, check_map, check_shape
from coassoc.io.display import count_of
from coassoc.io.table import FrameLibrary, Table, listed
from coassoc.numerics.distinct import distinct_values

if TYPE_CHECKING:
    import pandas as pd

#: Strings that mark a missing label: those that pandas reads as missing, and NaT.
MISSING_TEXTS = frozenset(
    [
        *("", "NA", "NaN", "nan", "NAN", "-NaN", "-nan", "None", "null", "NULL", "N/A", "n/a"),
        *("<NA>", "NaT", "#N/A", "#N/A N/A", "#NA", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
    ]
)

NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class EncodedLabels:
    """Labels of n samples as integers."""

    #: Names of the M clusterings.
    clusterings: list[Any]
    #: (n, M) clusters 0 … k−1 of each clustering in increasing order of their labels, −1 for a
    #: missing label. The integers have the smallest possible type.
    labels: NDArray
    #: (n,) names of the samples.
    samples: Any = None
    #: (n,) classes 0 … c−1 of the samples in increasing order.
    classes: NDArray | None = None
    #: For each clustering, the label of each cluster in the table.
    values: list[list[Any]] = field(default_factory=list)
    #: One line that says what was read.
    line: str = ""
    #: Library of the table, and the name of the column with the sample names.
    library: FrameLibrary = "pandas"
    index_name: str = "sample"

    @property
    def frame(self) -> pd.DataFrame:
        """The labels in the table, indexed by the names of the samples if they have names."""
        import pandas as pd

        columns = [
            pd.Categorical.from_codes(codes, values)
            for codes, values in zip(self.labels.T, self.values, strict=True)
        ]
        return pd.DataFrame(dict(enumerate(columns)), self.samples).set_axis(
            self.clusterings, axis="columns"
        )

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """(n,) whether a sample has any label."""
        return np.asarray((self.labels >= 0).any(axis=1))

    def split(self) -> tuple[Self, dict[int, str]]:
        """The samples with any label, and the names of the other samples by position."""
        if self.labelled.all():
            return self, {}
        names = self.samples
        if names is None:
            names = np.arange(1, len(self.labels) + 1).astype(str).astype(object)
        without = {int(i): names[i] for i in np.flatnonzero(~self.labelled)}
        return replace(self, samples=names).at(self.labelled), without

    def at(self, positions: NDArray) -> Self:
        """The samples at some positions, or in a mask."""
        of_samples = {"labels": self.labels, "samples": self.samples, "classes": self.classes}
        some: dict[str, Any] = {
            name: None if x is None else x[positions] for name, x in of_samples.items()
        }
        return replace(self, **some)

    def repeated(self, times: NDArray[np.int64]) -> Self:
        """Each clustering repeated as often as it counts."""
        at = np.repeat(np.arange(len(times)), times)
        names, values = ([both[j] for j in at] for both in (self.clusterings, self.values))
        return replace(self, clusterings=names, values=values, labels=self.labels[:, at])


# -- tables to labels -----------------------------------------------------------------------------


def labels_of(table: Table, counts: NDArray | None = None) -> EncodedLabels:
    """All labels of a table, and other requested columns.

    Parameters
    ----------
    table : Table
    counts : (n,) integer array, optional
        Number of samples that each row represents; by default one.

    Raises
    ------
    DataError
        An error that names the table and the columns.
    """
    table = with_names(table)
    named, classes, chosen = table.choose()
    extra = [j for j in (named, classes) if j is not None]
    read = [encode(column) for column in table.read([*extra, *chosen])]
    if not len(read[0][0]):
        raise table.error("there is no row of labels", "Add one row for each sample")
    # Free the wide codes of a column as soon as its small integers exist.
    columns = [clusters_of(table, read.pop(len(extra)), table.names[j]) for j in chosen]
    check_long(table, columns, None if named is None else read[0], counts)
    if named is not None:
        table.samples = names_in(table, read.pop(0))
    y = None if classes is None else _classes(table, read.pop(0), table.names[classes])
    if counts is None:
        check_shape(table, len(columns[0].clusters), len(chosen))
        check_map(table, columns)
    doubt = check_columns(table, columns, counts)
    labels = np.column_stack([column.clusters for column in columns])
    called = None if named is None else table.names[named]
    return EncodedLabels(
        [table.names[j] for j in chosen],
        labels,
        table.samples,
        y,
        [column.labels for column in columns],
        _line(table, labels, columns, called) + doubt,
        table.library,
        str(called or "sample"),
    )


def clusters_of(table: Table, column: tuple[NDArray, Any], name: Any = "") -> Column:
    """An encoded column as a clustering."""
    at, values = column
    if at.dtype.kind == "u" and values[0] >= 0 and not table.roles.missing:
        # Positions among the integers of an array that holds only labels. An array of bytes is not
        # copied.
        smallest = np.min_scalar_type(-1 - len(values))
        same = at.dtype.itemsize == smallest.itemsize
        clusters = at.view(smallest) if same else at.astype(smallest)
        return Column(str(name), clusters, values.tolist())
    labels = _labels_in(values, {*map(str, table.roles.missing)})
    some = [*dict.fromkeys(label for label in labels if label is not None)]
    wrong = _not_labels(some)
    if wrong and some:
        return Column(str(name), at, [], wrong)
    order = {label: k for k, label in enumerate(sorted(some))}
    # The last entry belongs to the code −1.
    numbers = np.array([*(order.get(label, -1) for label in labels), -1])
    clusters = numbers.astype(np.min_scalar_type(-1 - len(order)))[at]
    gaps = (value for value, label in zip(values, labels, strict=True) if label is None)
    texts = (v.decode() if isinstance(v, bytes) else str(v).strip() for v in gaps)
    missing = [text for text in texts if text.casefold() not in ("", "nan", "none")]
    return Column(str(name), clusters, [*order], wrong, missing)


def whole_labels(table: Table, at: Sequence[int]) -> NDArray[Any]:
    """Labels in some columns: all whole numbers or all strings. A missing label is an error."""
    columns: list[NDArray[Any]] = []
    texts: list[str] = []
    for j, column in zip(at, table.read(at), strict=True):
        _, clusters, values, wrong, _ = clusters_of(table, encode(column))
        name = table.names[j]
        if wrong:
            raise table.error(f"column {name!r} has {wrong}", "Leave out what is no item or draw")
        if clusters.min() < 0:
            raise table.error(
                f"column {name!r} has no label in {table.sample(int(clusters.argmin()))}",
                "Leave out the item or the draw, because a posterior draw assigns every item to a "
                "cluster",
            )
        texts += [name] if isinstance(values[0], str) else []
        columns.append(np.array(values)[clusters])
    if 0 < len(texts) < len(at):
        raise table.error(
            f"column {texts[0]!r} holds strings, but other columns hold numbers",
            f"Pass {table.say('id', texts[0])} if the column names the rows. Otherwise leave it "
            "out",
        )
    labels = np.column_stack(columns)
    if labels.dtype.kind == "f":  # the common type of int64 and uint64
        labels = np.column_stack([column.astype(np.uint64) for column in columns])
    return labels


def _not_labels(values: Sequence[Any]) -> str:
    """Reason why the distinct values of a column are not labels; empty if they are."""
    kinds = {type(value) for value in values}
    if not values:
        return "no label at all"
    if others := kinds - {int, float, str}:
        return f"values of type {', '.join(sorted(kind.__name__ for kind in others))}"
    if str in kinds and len(kinds) > 1:
        text, number = (
            next(v for v in values if isinstance(v, str) is is_text) for is_text in (True, False)
        )
        return f"numbers and strings, such as {number!r} and {text!r}"
    for value in values:
        if isinstance(value, float) and 1 < value < np.inf and value.is_integer():
            return f"{value}, a number too large to be exact"
        if isinstance(value, float) or (isinstance(value, int) and value < 0):
            return f"{value}, but a label is a non-negative integer or a string"
    return ""


def with_names(table: Table) -> Table:
    """The table, with row names from a first column without a name if all its values differ."""
    if table.first_row is None or table.id is not None or table.roles.id is not None:
        return table
    if table.names[0] == "" and len(table.names) > 1 and not table.roles.columns:
        codes, values = encode(table.read([0])[0])
        if len(codes) == len(values) > 1:
            return replace(table, id=0)
    return table


def transpose(table: Table) -> Table:
    """The table with its rows as columns, which a column of names then names."""
    table = with_names(table)
    named = table.named()
    rest = [j for j in range(len(table.names)) if j != named]
    encoded = [encode(column) for column in table.read(rest)]
    cells = np.column_stack([np.array([*values, None], object)[at] for at, values in encoded])
    names = [str(i) for i in range(1, len(cells) + 1)]
    if named is not None:
        names = names_in(table, encode(table.read([named])[0])).tolist()
    return replace(
        table,
        names=names,
        read=lambda at: [cells[i] for i in at],
        samples=np.array([str(table.names[j]) for j in rest], dtype=object),
        first_row=1 if named is None else 2,
        kind="column",
        id=None,
        roles=replace(table.roles, id=None, in_="columns"),
    )


def names_rows(column: Any) -> bool:
    """Whether a column may name the rows: it has a different value in each of enough rows."""
    codes, values = encode(column)
    return len(codes) == len(values) >= FEW


def texts_in(table: Table, j: int) -> list[str]:
    """A column as strings without surrounding space."""
    codes, values = encode(table.read([j])[0])
    # The last entry belongs to the code −1.
    texts = [*("" if value is None else plain(str(value)) for value in values), ""]
    return [texts[code] for code in codes]


def names_in(table: Table, column: tuple[NDArray, Any]) -> NDArray:
    """(n,) names of the samples in an encoded column, as unique strings."""
    codes, values = column
    labels = (plain(value) if isinstance(value, str) else _label(value) for value in values)
    names = np.array([*("" if label is None else str(label) for label in labels), ""], dtype=object)
    names = names[codes]
    if not all(names):
        i = names.tolist().index("")
        raise table.error(f"{table.sample(i)} has no id", "Give each sample its own id")
    ((name, times),) = Counter(names.tolist()).most_common(1)
    if times > 1:
        raise table.error(f"{times} samples have the id {name!r}", "Give each sample its own id")
    return names


def _classes(table: Table, column: tuple[NDArray, Any], name: Any) -> NDArray:
    classes, wrong = clusters_of(table, column)[1:4:2]
    if wrong:
        raise table.error(f"the column of classes, {name!r}, has {wrong}", "Choose another column")
    if (classes < 0).any():
        raise table.error(
            f"{table.sample(int(classes.argmin()))} has no class in column {name!r}",
            "Add its class, or leave out the sample",
        )
    return classes


def _line(table: Table, labels: NDArray, columns: Sequence[Column], named: Any) -> str:
    """One line that says what was read."""
    (n, m), sizes = labels.shape, [len(column.labels) for column in columns]
    k = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else str(max(sizes))
    parts = [f"{table.place}: {count_of(n, 'sample')} × {count_of(m, 'clustering')}"]
    parts += [f"{k} cluster{'s' * (max(sizes) != 1)}"]
    gaps = np.count_nonzero(labels < 0)
    if gaps:
        share = 100 * gaps / labels.size
        parts += [f"{f'{share:.0f}' if share >= 1 else 'under 1'} % missing"]
    line = ", ".join(parts)
    if named is not None:
        line += f"; names from {repr(named) if named else 'the first column'}"
    missing = [value for column in columns for value in column.missing]
    if missing:
        told = dict.fromkeys("−1" if value in ("-1", "-1.0") else value for value in missing)
        line += f"; {listed([*told], 5)} read as missing"
    return line


# -- values ---------------------------------------------------------------------------------------


def _labels_in(values: Any, missing: Container[str]) -> list[Any]:
    """Distinct values as labels: int, str, None if missing, and others as they are."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        labels = values.tolist()
    else:
        labels = [None if str(value).strip() in missing else _label(value) for value in values]
    texts = {label for label in labels if isinstance(label, str)}
    if texts and all(
        label is None or (label in texts and NUMBER.fullmatch(label)) for label in labels
    ):
        labels = [None if text is None else _label(Decimal(text)) for text in labels]
    return [None if str(label) in missing or str(label) in _NOISE else label for label in labels]


#: Noise points, as numbers or strings.
_NOISE = ("-1", "-1.0")


def _label(value: Any) -> Any:
    """A value as int, str, None if missing, or as it is."""
    kind = type(value)
    value = value.item() if isinstance(value, np.generic) else value
    value = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    if isinstance(value, str):
        return None if value.strip() in MISSING_TEXTS else plain(value)
    if value is None or kind.__name__ == "NAType" or value != value:
        return None
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Decimal):  # a text with more digits is no label
        return int(value) if abs(value) < 10**30 and value == int(value) else float(value)
    if isinstance(value, float):
        exact = 2 / np.finfo(kind if issubclass(kind, np.floating) else float).eps
        return int(value) if abs(value) < exact and value == int(value) else value
    return value


def plain(text: str) -> str:
    """A string without surrounding space, whose letters with accents are single characters."""
    return unicodedata.normalize("NFC", text).strip()


def encoded_columns(array: NDArray) -> list[Any]:
    """Columns of an (n, m) array for :func:`encode`; those of integers are encoded together."""
    encoded = distinct_values(array) if array.size else None
    return [*array.T] if encoded is None else [*zip(encoded[0].T, encoded[1], strict=True)]


def encode(column: Any) -> tuple[NDArray, Any]:
    """(n,) codes and distinct values of a NumPy, pandas, polars or Arrow column.

    If the column is already encoded, values that no sample has become None.
    """
    if isinstance(column, tuple):
        codes, values = column
        if codes.dtype.kind == "u":
            return column
        used = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
        return codes, [
            value if is_used else None for value, is_used in zip(values, used, strict=True)
        ]
    if hasattr(column, "unify_dictionaries"):
        column = column.unify_dictionaries().combine_chunks()
        column = column if hasattr(column, "dictionary") else column.dictionary_encode()
        indices = column.indices
        if indices.null_count:
            indices = indices.cast("int32").fill_null(-1)
        # NumPy reads the buffer. The method to_numpy and the functions that fill nulls would load
        # pandas.
        return encode((np.from_dlpack(indices).astype(np.int32), column.dictionary.to_pylist()))
    if hasattr(column, "factorize"):  # pandas
        codes, values = column.factorize()
        return codes, np.asarray(values)
    # A polars column of integers with gaps would become floating-point numbers.
    array = column.to_list() if hasattr(column, "to_physical") else np.asarray(column)
    array = column.tolist() if np.ma.is_masked(column) else array
    if isinstance(array, np.ndarray) and array.dtype.kind in "iufbSU":
        if found := distinct_values(array[:, None]) if array.size else None:
            return found[0][:, 0].astype(np.intp), found[1][0]
        values, codes = np.unique(array, return_inverse=True)
        return codes, values
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(value, len(number)) for value in array], dtype=np.intp)
    return codes, list(number)
