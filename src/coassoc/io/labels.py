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
a string     all other strings, without surrounding space, and strings of numbers in a column with
             other strings
rejected     other negative numbers, fractions and infinity, floating-point numbers too large to be
             exact (from 2⁵³ on, with 32 bits from 2²⁴ on), numbers in a column with strings if the
             table has types, and all other types
===========  ======================================================================================

Clusters are numbered in the order of the integers or strings. :mod:`coassoc.io` describes the rules
for a column and the check over all columns; columns that the user chooses need only be labels. For
objects passed in Python, the check over all columns only warns. Arrays of numbers need only be
labels.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.agreement import Column, columns_apart, missing_values
from coassoc.io.frames import FrameLibrary, frame_library
from coassoc.io.table import Table, TableFile, listed
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
#: Whole numbers below this are exact in 32-bit floating point.
_EXACT = 2**24
#: Smallest number of samples to judge a column, smallest number to compare columns, and largest
#: number of samples to use.
FEW, _ENOUGH, _MANY = 5, 20, 20_000

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

    def repeated(self, times: NDArray[np.int64]) -> Self:
        """Each clustering repeated as often as it counts."""
        at = np.repeat(np.arange(len(times)), times)
        names, values = ([both[j] for j in at] for both in (self.clusterings, self.values))
        return replace(self, clusterings=names, values=values, labels=self.labels[:, at])

    def at(self, positions: NDArray) -> Self:
        """The samples at some positions, or in a mask."""
        samples, classes = (
            None if values is None else values[positions] for values in (self.samples, self.classes)
        )
        return replace(self, labels=self.labels[positions], samples=samples, classes=classes)


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
    _check_long(table, extra + chosen, [codes for codes, _ in read], counts)
    if named is not None:
        table.samples = names_in(table, read.pop(0))
    y = None if classes is None else _classes(table, read.pop(0), table.names[classes])
    if counts is None:
        _check_shape(table, len(read[0][0]), len(chosen))
    # Free the wide codes of a column as soon as its small integers exist.
    columns = [clusters_of(table, read.pop(0), table.names[j]) for j in chosen]
    doubt = _check_columns(table, columns, counts)
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
    texts = [*("" if value is None else str(value).strip() for value in values), ""]
    return [texts[code] for code in codes]


def names_in(table: Table, column: tuple[NDArray, Any]) -> NDArray:
    """(n,) names of the samples in an encoded column, as unique strings."""
    codes, values = column
    labels = (value.strip() if isinstance(value, str) else _label(value) for value in values)
    names = np.array([*("" if label is None else str(label) for label in labels), ""], dtype=object)
    names = names[codes]
    if not all(names):
        i = names.tolist().index("")
        raise table.error(f"{table.sample(i)} has no id", "Give each sample its own id")
    ((name, times),) = Counter(names.tolist()).most_common(1)
    if times > 1:
        raise table.error(f"{times} samples have the id {name!r}", "Give each sample its own id")
    return names


def _check_long(table: Table, at: Sequence[int], codes: Sequence[NDArray], counts: Any) -> None:
    """Reject a table whose rows have a sample, a clustering and a label each.

    Then no pair of a sample and a clustering occurs twice. Clusterings of this kind would agree on
    no pair of samples. An object without names of samples only causes a warning.
    """
    n = len(codes[0])
    if (
        n < _ENOUGH
        or table.numbers
        or table.roles.columns
        or (counts is not None and counts.max() > 1)
    ):
        return
    sizes = {j: int(column.max()) + 1 for j, column in zip(at, codes, strict=True)}
    codes_of = dict(zip(at, codes, strict=True))
    grouping = sorted(
        (j for j in at if 1 < sizes[j] < n), key=lambda j: (j != table.named(), -sizes[j])
    )
    for sample, clustering in combinations(grouping, 2) if len(grouping) == 3 else ():
        if sizes[sample] * sizes[clustering] < n:
            continue
        pairs = codes_of[sample].astype(np.int64) * sizes[clustering] + codes_of[clustering]
        if len(np.unique(pairs)) == n:
            (label,) = {*grouping} - {sample, clustering}
            break
    else:
        return
    what = "each row has one label of one sample"
    pivot = "index={!r}, columns={!r}, values={!r}".format(
        *(table.names[j] for j in (sample, clustering, label))
    )
    way = f"Reshape the table to a column for each clustering, as with pandas' table.pivot({pivot})"
    if table.first_row is not None or table.roles.id is not None:
        raise table.error(what, way)
    warnings.warn(f"{table.place}: {what}. {way}.", stacklevel=4)


def _check_shape(table: Table, n: int, m: int) -> None:
    """Reject a file with fewer samples (n) than columns (m), or as many; warn if it is an object.

    Its rows may be clusterings, or its values similarities.
    """
    if m < n or m == n < FEW or table.roles.columns or table.roles.in_:
        return
    if table.first_row is None:
        warnings.warn(
            f"{table.place}: there are {m} clusterings of {n} samples. If the clusterings are the "
            "rows, pass the transpose of the table. Pass similarities as `similarity`.",
            stacklevel=5,
        )
        return
    raise table.error(
        f"there are {m} columns and {n} rows",
        f"Pass {table.say('in', 'rows')} if a row is a clustering, or {table.say('in', 'columns')} "
        "if a column is a clustering. To cluster by similarities, use coassoc consensus "
        "--similarity",
    )


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
    parts = [f"{table.place}: {n:,} samples × {m:,} clustering{'s' * (m != 1)}"]
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


# -- requirements on columns -----------------------------------------------------------------------


def _check_columns(table: Table, columns: Sequence[Column], counts: NDArray | None) -> str:
    """Reject columns that are not labels and, unless the user chose them, not clusterings.

    The comparison of the columns of an object only warns. Return an addition to the line that says
    what was read: the columns of a file in doubt.
    """
    is_file = table.first_row is not None
    refused = {column.name: column.wrong for column in columns if column.wrong}
    clusterings = [column for column in columns if not column.wrong]
    doubts: dict[str, str] = {}
    if not table.roles.columns and not table.numbers:
        refused |= _broken_rules(clusterings, counts)
        clusterings = [column for column in clusterings if column.name not in refused]
    if counts is not None:
        clusterings = _drawn(clusterings, counts)
    one_hot = not table.roles.columns and _is_one_hot(clusterings)
    if one_hot and is_file:
        every = table.say("columns", "'*'")
        raise table.error(
            _ONE_HOT,
            "Write the clusters of each clustering as the labels of one column, or pass "
            f"{every} if each column is a clustering",
        )
    enough = len(clusterings) > 1 and len(clusterings[0].clusters) >= _ENOUGH
    if enough and not table.roles.columns:
        for j, is_clear in columns_apart(clusterings).items():
            told = refused if is_clear and is_file else doubts
            told[clusterings[j].name] = _APART
    if refused:
        columns_way, id_way = table.say("columns", "…"), table.say("id", "…")
        if is_file:
            columns_way += f" or {table.say('except', '…')}"
        gap_way = f"pass {table.say('missing', '…')} for missing labels"
        raise table.error(
            f"these columns are not clusterings: {_reasons(refused)}",
            f"Choose the clusterings with {columns_way} and the samples' names with {id_way}, and "
            f"{gap_way if is_file else 'replace missing labels by NaN'}. For measurements use "
            "coassoc subtypes, and for soft memberships coassoc memberships",
        )
    doubt = f"columns that may not be clusterings: {_reasons(doubts)}" if doubts else ""
    remarks = [_ONE_HOT] if one_hot else [doubt] if doubt and not is_file else []
    gaps = {} if table.numbers or one_hot else missing_values(clusterings)
    for value, reason in gaps.items():
        way = f"Pass {table.say('missing', repr(value))}" if is_file else "Replace it by NaN"
        remarks += [f"{value!r} is read as a cluster, but {reason}. {way} if it means none"]
    for remark in remarks:
        warnings.warn(f"{table.place}: {remark}.", stacklevel=4)
    return f"; {doubt}" if doubt and is_file else ""


_ONE_HOT = "each row has the same number of ones and otherwise zeros, as if a column were a cluster"
_APART = "no more agreement with other columns than expected by chance"


def _reasons(columns: dict[str, str]) -> str:
    """Names and reasons of some columns, each reason once."""
    names: dict[str, list[str]] = {}
    for name, reason in columns.items():
        names.setdefault(reason, []).append(repr(name))
    return "; ".join(f"{listed(some)} ({reason})" for reason, some in [*names.items()][:8])


def _drawn(columns: list[Column], counts: NDArray) -> list[Column]:
    """The columns with a row for each sample, or for some at random where there are many."""
    n = int(counts.sum())
    rows = np.repeat(np.arange(len(counts)), counts) if n <= _MANY else None
    if rows is None:
        rows = np.random.default_rng(0).choice(len(counts), _MANY, p=counts / n)
    return [column._replace(clusters=column.clusters[rows]) for column in columns]


def _broken_rules(columns: list[Column], counts: NDArray | None) -> dict[str, str]:
    """The second or third rule that a column breaks: name of the column → reason."""
    broken = {}
    for column in columns:
        labelled = column.clusters >= 0
        n = np.count_nonzero(labelled) if counts is None else int(counts[labelled].sum())
        k = len(column.labels)
        if _UNNAMED.fullmatch(column.name):
            broken[column.name] = "no name, so it may name the rows"
        elif n >= FEW and 4 * k > 3 * n:
            broken[column.name] = f"{k} different values for {n} samples, as names have"
        elif n >= FEW and k == 1 and len(columns) > 1:
            broken[column.name] = f"one value, {column.labels[0]!r}"
    return broken


#: Name of a column without a name, also as pandas calls it.
_UNNAMED = re.compile(r"(Unnamed: \d+)?")


def _is_one_hot(columns: list[Column]) -> bool:
    """Whether all columns have zeros and ones, and each row has the same number of ones."""
    texts = ({str(label).casefold() for label in column.labels} for column in columns)
    if len(columns) < 3 or not all(each in ({"0", "1"}, {"false", "true"}) for each in texts):
        return False
    ones = np.sum([column.clusters == 1 for column in columns], axis=0)
    # Two clusters of equal size would make half of the labels ones under either numbering.
    return bool(len(ones) >= _ENOUGH and (ones == ones[0]).all() and 2 * ones[0] != len(columns))


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
        return None if value.strip() in MISSING_TEXTS else value.strip()
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
    if isinstance(array, np.ndarray) and array.dtype.kind in "iufbSU":
        values, codes = np.unique(array, return_inverse=True)
        return codes, values
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(value, len(number)) for value in array], dtype=np.intp)
    return codes, list(number)


# -- objects --------------------------------------------------------------------------------------


def table_of(labels: Any, few: bool = False) -> Table:
    """The table in an object: an array, nested lists, a data frame or an AnnData object.

    A list of lists may have `few` samples in more clusterings if the clusterings are known.

    Raises
    ------
    DataError
        If it is not a table.
    """
    if hasattr(labels, "collect"):  # a lazy table of polars
        labels = labels.collect()
    if hasattr(labels, "obs") and hasattr(labels, "obs_names"):
        roles = TableFile("labels", spelled="{}={}")  # for all functions that accept such objects
        return replace(table_of(labels.obs), observations=True, roles=roles)
    if hasattr(labels, "iloc") and hasattr(labels, "columns"):
        names = list(labels.columns)
        _check_header(names)
        kind = str(labels.index.name or "sample")
        return _frame(names, lambda j: labels.iloc[:, j], samples=labels.index, kind=kind)
    library = frame_library(labels)
    if library == "pandas" or not hasattr(labels, "columns"):
        return _array(labels, few)
    is_arrow = library == "pyarrow"
    names = list(labels.column_names if is_arrow else labels.columns)
    columns = labels.columns if is_arrow else labels.get_columns()
    return _frame(names, lambda j: columns[j], library=library)


def _check_header(names: Sequence[Any]) -> None:
    """Reject names that are labels: numbers that do not rise, as of a file without a header."""
    if not all(isinstance(name, str) and NUMBER.fullmatch(name) for name in names):
        return
    # pandas calls the second of two equal names 1.1.
    if (np.diff([float(name) for name in names]) <= 0).any():
        raise DataError(
            f"labels: the columns are called {listed(names, 3)}, as if these names were the labels "
            "of the first sample. Read the file without a header, or rename the columns."
        )


def _frame(names: list[Any], column: Any, **known: Any) -> Table:
    def read(at: Sequence[int]) -> list[Any]:
        columns = []
        for j in at:
            try:
                columns.append(encode(column(j)))
            except TypeError as error:  # such as a list, which cannot be a key of a dictionary
                raise DataError(
                    f"labels: column {names[j]!r} has values that cannot be labels ({error}). Pass "
                    "integers or strings."
                ) from error
        return columns

    return Table("labels", names, read, **known)


def _array(labels: Any, few: bool) -> Table:
    """The table in an array, or nested lists."""
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise DataError(
            "labels: the rows differ in length. Pass a table of samples by clusterings."
        ) from error
    is_wide = array.ndim == 2 and 1 < len(array) < array.shape[1]
    if isinstance(labels, list | tuple) and is_wide and not few:
        raise DataError(
            f"labels: {len(array)} lists of {array.shape[1]} labels would be {len(array)} samples "
            f"in {array.shape[1]} clusterings. Pass numpy.column_stack(labels) if each list is a "
            "clustering, or numpy.stack(labels) if each list is a sample."
        )
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            f"labels has the shape {array.shape}. Pass a non-empty, dense array of samples by "
            "base clusterings."
        )
    numbers = array.dtype.kind in "iufb"
    if isinstance(labels, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(labels)] = None
    elif array.dtype.kind in "fSU" and isinstance(labels, list | tuple):
        # Numbers stay numbers next to strings, and large integers stay exact next to small ones.
        array = np.asarray(labels, dtype=object)
    names = list(range(array.shape[1]))
    encoded = distinct_values(_integers(array)) if numbers else None
    if encoded is None:
        return _frame(names, lambda j: array[:, j], numbers=numbers)
    columns = [*zip(encoded[0].T, encoded[1], strict=True)]
    return Table("labels", names, lambda at: [columns[j] for j in at], numbers=True)


def _integers(array: NDArray) -> NDArray:
    """An array of numbers as integers, −1 for NaN; unchanged unless all are whole and exact."""
    if array.dtype.kind != "f" or array.dtype.itemsize < 4:
        return array
    filled = np.where(np.isnan(array), array.dtype.type(-1), array)
    exact = np.abs(filled).max() < _EXACT and (filled == np.trunc(filled)).all()
    return filled.astype(np.int32) if exact else array
