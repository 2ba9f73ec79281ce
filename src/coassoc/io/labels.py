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
objects passed in Python, the check over all columns only warns, and for arrays of numbers, all
rules except those on values only warn.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.agreement import Column, Reason, columns_apart, missing_values
from coassoc.io.frames import FrameLibrary, frame_library
from coassoc.io.table import Table, TableFile, listed, shortened
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
#: Advice for a table of similarities.
_SIMILARITIES = "use coassoc consensus --similarity"

_WHOLE = re.compile(r"([+-]?\d+)(\.0*)?", re.ASCII)
#: Usual codes of missing answers, such as 99 and 888.
_CODE = re.compile(r"([789])\1+", re.ASCII)
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
        An error that names the table, the sample and the column.
    """
    table = with_names(table)
    named, classes, chosen = table.choose()
    extra = [j for j in (named, classes) if j is not None]
    read = [encode(column) for column in table.read([*extra, *chosen])]
    if not len(read[0][0]):
        raise table.error(
            "there is no row of labels below the column names. Add one row for each sample"
        )
    if named is not None:
        table.samples = names_in(table, read.pop(0))
    y = None if classes is None else _classes(table, read.pop(0), classes)
    if counts is None:
        _check_shape(table, len(read[0][0]), len(chosen))
    # Free the wide codes of a column as soon as its small integers exist.
    columns = [clusters_of(table, read.pop(0), table.names[j]) for j in chosen]
    doubt = _judge(table, columns, counts)
    warn_of_copies(table.place, [c.name for c in columns], [c.clusters for c in columns])
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
    refused = partial(Column, str(name), at, [])
    if at.dtype.kind == "u" and values[0] >= 0 and not table.roles.missing:
        # Positions among the integers of an array that holds only labels. An array of bytes is not
        # copied.
        smallest = np.min_scalar_type(-1 - len(values))
        same = at.dtype.itemsize == smallest.itemsize
        clusters = at.view(smallest) if same else at.astype(smallest)
        return Column(str(name), clusters, values.tolist())
    keys = _keys(values, {*map(str, table.roles.missing)})
    kinds = {type(key) for key in keys if key is not None}
    wrong = [
        k for k, key in enumerate(keys) if isinstance(key, float) or (type(key) is int and key < 0)
    ]
    if kinds - {int, float, str}:
        called = ", ".join(sorted(kind.__name__ for kind in kinds - {int, float, str}))
        return refused(Reason("values", f"values of type {called}"))
    if str in kinds and len(kinds) > 1:
        some = {isinstance(key, str): key for key in reversed(keys) if key is not None}
        both = f"numbers and strings, such as {some[False]!r} and {some[True]!r}"
        return refused(Reason("values", both))
    if wrong:
        i = int(np.isin(at, wrong).argmax())
        value = keys[at[i]]
        whole = bool(1 < value < np.inf and value == np.floor(value))
        whole_numbers = all(key is None or type(key) is int or abs(key) == np.inf for key in keys)
        codes = {key for key in map(keys.__getitem__, wrong) if whole_numbers and not whole}
        number = f"{value} in {table.sample(i)}" + ", a number too large to be exact" * whole
        return refused(Reason("number", number), codes)
    order = {key: k for k, key in enumerate(sorted({*keys} - {None}))}
    if not order:
        return Column(str(name), np.full(len(at), -1), [], Reason("values", "no label at all"))
    # The last entry belongs to the code −1.
    numbers = np.array([*(order.get(key, -1) for key in keys), -1])
    clusters = numbers.astype(np.min_scalar_type(-1 - len(order)))[at]
    gaps = (value for value, key in zip(values, keys, strict=True) if key is None)
    texts = (v.decode() if isinstance(v, bytes) else str(v).strip() for v in gaps)
    missing = [text for text in texts if text.casefold() not in ("", "nan", "none")]
    return Column(str(name), clusters, [*order], missing=missing)


def with_names(table: Table) -> Table:
    """The table, with row names from a first column without a name if all its values differ."""
    if table.first_row is None or table.id is not None or table.roles.id is not None:
        return table
    if table.names[0] == "" and len(table.names) > 1 and not table.roles.columns:
        codes, values = encode(table.read([0])[0])
        if len(codes) == len(values) > 1:
            return replace(table, id=0)
    return table


def warn_of_copies(place: str, names: Iterable[Any], columns: Iterable[NDArray]) -> None:
    """Warn of equal columns such as "a" and "a.1", as R and pandas call a copy of column "a"."""
    at = dict(zip(map(str, names), columns, strict=True))
    for name, column in at.items():
        original, _, number = name.rpartition(".")
        if number.isdigit() and original in at and np.array_equal(at[original], column):
            warnings.warn(
                f"{place}: the columns {original!r} and {name!r} are equal, and both count. Leave "
                f"out {name!r} if it is a copy.",
                stacklevel=3,
            )


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
    keys = (_key(value, missing=("",)) for value in values)
    names = np.array([*("" if key is None else str(key) for key in keys), ""], dtype=object)[codes]
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        if not name:
            raise table.error(f"{table.sample(i)} has no id. Give each sample its own id")
        if seen.setdefault(name, i) != i:
            raise table.error(
                f"{table.sample(i)} and {table.sample(seen[name])} have the same id {name!r}. "
                "Give each sample its own id"
            )
    return names


def _check_shape(table: Table, n: int, m: int) -> None:
    """Reject a file with more clusterings (m) than samples (n); warn if it is an object."""
    if m <= n or table.roles.columns or table.roles.in_:
        return
    if table.first_row is None:
        message = (
            f"{table.place}: there are more clusterings ({m}) than samples ({n}). If the "
            "clusterings are the rows, pass the transpose of the table."
        )
        warnings.warn(message, stacklevel=5)
        return
    raise table.error(
        f"there are {m} columns and {n} rows",
        f"Pass {table.say('in', ['rows'])} if a row is a clustering, or "
        f"{table.say('in', ['columns'])} if a column is a clustering",
    )


def _classes(table: Table, column: tuple[NDArray, Any], class_column: int) -> NDArray:
    read = clusters_of(table, column)
    if read.reason:
        raise table.error(
            f"column {table.names[class_column]!r} {read.reason.predicate()}. Choose another "
            "column for the classes"
        )
    classes = read.clusters
    if (classes < 0).any():
        raise table.error(
            f"{table.sample(int(classes.argmin()))} has no class in column "
            f"{table.names[class_column]!r}. Add its class, or leave out the sample"
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


def _judge(table: Table, every: Sequence[Column], counts: NDArray | None) -> str:
    """Reject columns that are not labels and, unless the user chose them, not clusterings.

    Return an addition to the line that says what was read: the columns of a file in doubt.

    For an object, the comparison of the columns only warns. For an array of numbers, all rules
    except those on values only warn. For AnnData, where the user has to choose columns, chosen
    columns of names and columns that do not agree cause warnings.
    """
    columns = [column for column in every if not column.reason]
    reasons = {column.name: column.reason for column in every if column.reason}
    is_object, is_array = table.first_row is None, table.numbers
    some = columns if counts is None else _drawn(columns, counts)
    other, advice, broken, apart, unclear = "", "", {}, {}, {}
    if columns and not table.roles.columns:
        other, advice = _other_table(table, some)
        if other and not is_object:
            raise table.error(
                other,
                f"Pass {table.say('columns', ['*'])} if the columns are clusterings. Otherwise "
                + advice,
            )
        if not other:
            broken = _broken_rules(table, columns, counts)
            apart = _disagreeing_columns([column for column in some if column.name not in broken])
    elif columns and table.observations:  # the user had to choose columns
        broken_rules = _broken_rules(table, columns, counts)
        unclear = {x: why for x, why in broken_rules.items() if why.kind in ("unique", "many")}
        unclear |= _disagreeing_columns([each for each in some if each.name not in unclear])
    doubts = {x: why for x, why in apart.items() if why.kind == "doubt"}
    if reasons or (broken and not is_array) or (apart != doubts and not is_object):
        codes = {code for column in every for code in column.codes}
        raise _refusal(table, columns, reasons | broken | apart, codes)
    unusual = broken | unclear | (apart if is_object else {})
    remarks = [other or _columns_that(unusual)] if other or unusual else []
    if not is_array:
        remarks += _labels_that_mean_none(table, some)
    for remark in remarks:
        warnings.warn(f"{table.place}: {remark}.", stacklevel=2)
    return f"; {_columns_that(doubts)}" if doubts and not is_object else ""


def _drawn(columns: list[Column], counts: NDArray) -> list[Column]:
    """The columns with a row for each sample, or for some at random where there are many."""
    n = int(counts.sum())
    rows = np.repeat(np.arange(len(counts)), counts) if n <= _MANY else None
    if rows is None:
        rows = np.random.default_rng(0).choice(len(counts), _MANY, p=counts / n)
    return [column._replace(clusters=column.clusters[rows]) for column in columns]


def _broken_rules(table: Table, columns: list[Column], counts: NDArray | None) -> dict[str, Reason]:
    """The second or third rule that a column breaks: name of the column → reason."""
    broken = {}
    for column in columns:
        labelled = column.clusters >= 0
        n = np.count_nonzero(labelled) if counts is None else int(counts[labelled].sum())
        k = len(column.labels)
        if n < FEW:
            continue
        if 4 * k > 3 * n:
            text = f"{k} different values for {n} samples, like a column of names"
            broken[column.name] = Reason("unique" if k == n else "many", text)
        elif k == 1 and len(columns) > 1 and not table.numbers:
            broken[column.name] = Reason("one", f"one value ({column.labels[0]!r})")
    # In an array, one column may hold names, but not every column may.
    return {} if table.numbers and len(broken) == len(columns) else broken


def _disagreeing_columns(columns: list[Column]) -> dict[str, Reason]:
    """Columns that do not agree with the others: name of the column → reason."""
    if len(columns) < 2 or len(columns[0].clusters) < _ENOUGH:
        return {}
    apart = columns_apart(columns)
    reason = Reason("apart", "with the other columns no more than expected by chance")
    doubt = Reason("doubt", "with the other columns perhaps only by chance")
    if len(apart) == len(columns):
        reason = Reason("all apart", "with no other column more than expected by chance")
    return {columns[j].name: reason if clear else doubt for j, clear in apart.items()}


def _columns_that(reasons: dict[str, Reason]) -> str:
    """The columns and their reasons, each reason once."""
    most = 6
    names: dict[Reason, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(repr(shortened(name)))
    parts = []
    for reason, some in [*names.items()][:most]:
        shown = ", ".join(some[:most]) + " …" * (len(some) > most)
        parts.append(f"{shown} {reason.predicate(len(some))}")
    more = len(names) - most
    parts += [f"{more} more columns are not clusterings"] if more > 0 else []
    return f"column{'s' * (len(reasons) > 1)} {'; '.join(parts)}"


def _refusal(
    table: Table, columns: list[Column], reasons: dict[str, Reason], codes: set[Any]
) -> DataError:
    """Error for a table with columns that are not clusterings, with advice."""
    good = [column.name for column in columns if column.name not in reasons]
    kinds = {reason.kind for reason in reasons.values()}
    if kinds == {"all apart"} and len(reasons) > 1 and not good:
        return table.error(
            f"no two of the {len(columns)} columns agree more than expected by chance, so the "
            "table may hold counts or other measurements",
            f"To cluster measurements, use coassoc subtypes. Pass {table.say('columns', ['*'])} "
            f"if the columns are clusterings, or {table.say('in', ['rows'])} if the rows are "
            "clusterings",
        )
    ways = []
    names = [name for name, reason in reasons.items() if reason.kind == "unique"]
    if names:
        position = [str(name) for name in table.names].index(names[0])
        ways += [f"{table.id_of(position)} if it names the samples"]
    if codes and len(codes) <= 3:
        ways += [
            f"{table.say('missing', sorted(codes))} if the label marks samples without a cluster"
        ]
    if len(good) > 1:
        ways += [f"{table.say('columns', table.patterns(good))} to choose the clusterings"]
    if len(reasons) <= 12 and good and table.first_row is not None:
        ways += [f"{table.say('except', [*reasons])} to leave out columns that are not clusterings"]
    rule = ". A label is a non-negative integer or a string" if "number" in kinds else ""
    verb = "Use" if table.observations and table.first_row is None else "Pass"
    advice = [f"{verb} {', or '.join(ways)}"] if ways else []
    if "number" in kinds and not codes and not good:
        advice += [
            "Use coassoc subtypes for measurements, or coassoc memberships for soft memberships"
        ]
    return table.error(_columns_that(reasons) + rule, "; ".join(advice))


def _other_table(table: Table, columns: list[Column]) -> tuple[str, str]:
    """Reason why a table does not look like clusterings, and advice; empty if there is none."""
    n, m = len(columns[0].clusters), len(columns)
    if n == m > 2 and table.samples is not None:
        names = {c.name for c in columns}
        if names == {str(s) for s in table.samples} and not all(map(str.isdigit, names)):
            same = "rows and columns have the same names, as in a table of similarities"
            return same, _SIMILARITIES
    for a, b in combinations(columns if m < 8 else (), 2):
        large, small = max(len(a.labels), len(b.labels)), min(len(a.labels), len(b.labels))
        # Independent columns would give some pair of values twice, and clusterings even more so.
        full = n <= large * small <= n * n / 20
        if full and _ENOUGH <= large <= 3 * n / 4 and small > 1:
            pairs = a.clusters.astype(np.int64) * len(b.labels) + b.clusters
            if len(np.unique(pairs)) == n:
                return (
                    f"no pair of values of the columns {a.name!r} and {b.name!r} occurs twice, as "
                    "if a row were one sample in one clustering",
                    "reshape the table so that each clustering has its own column",
                )
    if n < _ENOUGH or m < 3:
        return "", ""
    if n == m <= 5000 and not any(isinstance(c.labels[0], str) for c in columns):
        values = np.array([np.array([*c.labels, -1])[c.clusters] for c in columns])
        if (values == values.T).all():
            return "the table is symmetric, like a table of similarities", _SIMILARITIES
    if all(
        [str(v).casefold() for v in c.labels] in (["0", "1"], ["false", "true"]) for c in columns
    ):
        ones = {*np.sum([c.clusters == 1 for c in columns], axis=0).tolist()}
        # Two clusters of equal size would make half of the entries ones under either numbering.
        if len(ones) == 1 and ones != {m / 2}:
            return (
                f"each row has the same number of ones ({ones.pop()}), as if a column were a "
                "cluster",
                "write the clusters of each clustering as the labels of one column",
            )
    return "", ""


def _labels_that_mean_none(table: Table, columns: list[Column]) -> list[str]:
    """Remarks on values that probably mean that a sample has no cluster."""
    why: dict[str, str] = {}
    for column in columns:
        words = [label for label in column.labels if isinstance(label, str) and not label.isdigit()]
        if len(words) == 1 < len(column.labels) - 1:
            why[words[0]] = f"it is the only string among numbers in column {column.name!r}"
        numbers = [label for label in column.labels if isinstance(label, int)]
        codes = [label for label in numbers if _CODE.fullmatch(str(label))]
        rest = max({*numbers} - {*codes}, default=np.inf)
        for label in codes:
            if label > 5 * rest:
                why[str(label)] = f"it is far above other labels of column {column.name!r}"
    why |= missing_values(columns)
    return [
        f"{value!r} is read as a cluster, but {reason}. Use {table.say('missing', [value])} if "
        "it marks samples without a cluster"
        for value, reason in why.items()
    ]


# -- values ---------------------------------------------------------------------------------------


def _keys(values: Any, missing: Container[str] = ()) -> list[Any]:
    """Distinct values as labels: int, str, None if missing; float if not exact."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return [None if key == -1 or str(key) in missing else key for key in values.tolist()]
    keys: list[Any] = [None if str(key) in missing else key for key in map(_key, values)]
    numbers = {key: _number(key) for key in keys if isinstance(key, str) and NUMBER.fullmatch(key)}
    if all(key is None or key in numbers for key in keys):
        keys = [numbers.get(key) for key in keys]
        return [None if str(key) in missing else key for key in keys]
    return [None if numbers.get(key, key) is None else key for key in keys]


def _key(value: Any, missing: Iterable[str] = MISSING_TEXTS) -> Any:
    kind = type(value)
    if isinstance(value, np.number | np.bool_ | np.str_ | np.bytes_):
        value = value.item()
    value = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    if isinstance(value, str):
        text = value.strip()
        return None if text in missing else text
    if value is None or kind.__name__ == "NAType" or value != value:
        return None
    if kind.__name__ == "Decimal" and value.is_finite() and value == int(value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        exact = 2 / np.finfo(kind if issubclass(kind, np.floating) else float).eps
        value = int(value) if abs(value) < exact else value
    if isinstance(value, int):
        return None if value == -1 else int(value)
    return value


def _number(text: str) -> Any:
    # Python refuses to convert thousands of digits to an integer, and no such number is a label.
    whole = _WHOLE.fullmatch(text) if len(text) < 1000 else None
    return _key(int(whole[1]) if whole else float(text))


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
        If it is not a table, or its first sample became the names of the columns.
    """
    if sp.issparse(labels):
        raise DataError(
            "labels: in a sparse matrix 0 could be a cluster or a missing label. Pass "
            "labels.toarray()."
        )
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
            f"labels has the shape {array.shape}. Pass a non-empty array of samples by base "
            "clusterings."
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


def _check_header(names: Sequence[Any]) -> None:
    """Reject column names that are labels, as in a file without a header."""
    numbers = [float(name) for name in names if isinstance(name, str) and NUMBER.fullmatch(name)]
    # pandas calls the second of two equal names 1.1.
    if len(numbers) == len(names) and (np.diff(numbers) <= 0).any():
        raise DataError(
            f"labels: the columns are called {', '.join(names[:3])}, …. If these names are the "
            "labels of the first sample, read the file without a header. Otherwise rename the "
            "columns."
        )
