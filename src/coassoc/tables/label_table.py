"""Uniform reading of labels from arrays, data frames, files and AnnData objects.

An array, a data frame, a file or an AnnData object becomes a :class:`LabelTable`, whose columns are
*dictionary-encoded*: their distinct values, and the place of each sample's value among them. The
rules are applied to the distinct values, so that all sources are read alike.

===========  ======================================================================================
label        values
===========  ======================================================================================
missing      nothing, a masked entry, None, NaN, ``pandas.NA``, NaT; noise, which is −1 as a number
             or a text; an empty text, ``NA``, ``NaN``, ``nan``, ``None``, ``null``, ``NULL``,
             ``N/A``, ``n/a``, ``<NA>``, ``NaT`` and what else pandas reads as missing
an integer   whole numbers from 0 on, of any size and type, and False and True; in a column of
             numbers only, texts of them too (``3``, ``3.0``, ``03``)
a text       all other texts, without the space around them, and texts of numbers beside them
refused      other negative numbers, fractions and infinity, floating-point numbers too large to be
             exact (from 2⁵³ on, of 32 bits from 2²⁴ on), numbers beside texts where the table has
             types, and all other types
===========  ======================================================================================

Clusters are numbered in the order of the integers, or of the texts. Values that the user names
are missing too.

A table whose columns were not chosen by their names is refused where one of them is probably no
clustering (:mod:`coassoc.tables.doubts`), or where clusterings may be its rows: it has more columns
than rows. An array in Python is warned about.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from shlex import quote
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError, did_you_mean
from coassoc.numerics.distinct import distinct_of, distinct_values
from coassoc.tables.doubts import (
    COUNTS,
    ORDERED,
    JudgedColumn,
    are_measurements,
    counts_or_chance,
    doubts,
    keys_of_long_table,
    lone_column,
    ordered,
    refusal,
    remark_on_shape,
    remarks_on_missing,
    rows_agree,
)

__all__ = [
    "UNNAMED",
    "Column",
    "EncodedLabels",
    "InRowsWarning",
    "LabelTable",
    "Wanted",
    "check_last",
    "encode",
    "is_number",
    "shortened",
    "table_of",
]

#: Texts that say that there is no label: what pandas reads as missing, and NaT.
MISSING_TEXTS = frozenset(
    [
        *("", "NA", "NaN", "nan", "NAN", "-NaN", "-nan", "None", "null", "NULL", "N/A", "n/a"),
        *("<NA>", "NaT", "#N/A", "#N/A N/A", "#NA", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
    ]
)
#: More negative numbers are no codes of missing values.
_MOST_CODES = 3
#: So many names of columns are listed in a sentence.
_LISTED = 30
#: What a last row is called that sums up the others, in small letters.
_SUMMARIES = frozenset(["total", "totals", "grand total", "sum", "mean", "average", "median"])
#: Smaller whole numbers are exact in 32 bits.
_EXACT = 2**24

_WHOLE = re.compile(r"([+-]?\d+)(\.0*)?", re.ASCII)
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)
#: What pandas calls a column without a name.
UNNAMED = re.compile(r"(Unnamed: \d+|__index_level_\d+__)?$")


def is_number(text: str) -> bool:
    """Whether a cell of a text table is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def shortened(text: Any, most: int = 60) -> str:
    """A text from a file as a message shows it."""
    text = str(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


class InRowsWarning(UserWarning):
    """An array has more columns than rows: its clusterings may be the rows."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the columns of a table mean, as its user says.

    Attributes
    ----------
    id : hashable or None
        The column that names the samples; "first" for the first one, which may have no name.
    classes : hashable or None
        The column of the classes.
    columns : tuple of hashable
        The clusterings, by their names or patterns such as "leiden_*"; if empty, all columns but
        these two.
    without : tuple of str
        Columns that are left out, likewise.
    missing : tuple
        Values that mean that a sample has no cluster.
    in_ : "rows", "columns" or None
        Where the clusterings are; None for columns, unless there are more of them than rows.
    """

    id: Any = None
    classes: Any = None
    columns: tuple[Any, ...] = ()
    without: tuple[str, ...] = ()
    missing: tuple[Any, ...] = ()
    in_: Literal["rows", "columns"] | None = None


class Column(NamedTuple):
    """A column of n samples: the place of each one's value among the distinct ones, or −1.

    A dictionary made elsewhere may list values that no sample has.
    """

    codes: NDArray
    values: Sequence[Any] | NDArray
    made_elsewhere: bool = False


@dataclass(frozen=True, eq=False)
class EncodedLabels:
    """Labels of n samples as integers."""

    #: Names of the M clusterings.
    clusterings: list[Any]
    #: (n, M) clusters 0 … k−1 of each clustering in increasing order of their labels, −1 where a
    #: label is missing; of the smallest type.
    labels: NDArray
    #: (n,) names of the samples.
    samples: Any = None
    #: (n,) classes 0 … c−1 of the samples in increasing order.
    classes: NDArray | None = None
    #: Of each clustering the label that each cluster has in the table.
    values: list[list[Any]] = field(default_factory=list)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """(n,) which samples have any label."""
        if self.labels.min() >= 0:
            return np.ones(len(self.labels), dtype=np.bool_)
        return np.asarray((self.labels >= 0).any(axis=1))

    @classmethod
    def of_integers(cls, labels: NDArray) -> Self:
        """Encode (n, M) integers that are known to be labels, −1 where one is missing.

        Nothing is asked about what they mean, as it is of a table. Other numbers are a DataError,
        and so is a sample or a column without any label.
        """
        if labels.dtype.kind not in "iu" or labels.min(initial=0) < -1:
            raise DataError("labels: they must be integers from 0 on, and −1 where one is missing.")
        columns: list[NDArray] = []
        values = []
        for column in labels.T:
            found, codes = distinct_of(column)
            missing = int(found[0] < 0)
            if missing == len(found):
                raise DataError(f"labels: column {len(columns)} has no label at all; leave it out.")
            values.append(found[missing:].tolist())
            smallest = np.min_scalar_type(missing - 1 - len(found))
            columns.append((codes.astype(np.intp) - missing).astype(smallest))
        encoded = cls(list(range(len(columns))), np.column_stack(columns), values=values)
        if not encoded.labelled.all():
            first = int(encoded.labelled.argmin())
            raise DataError(f"labels: sample {first} has no label at all; leave it out.")
        return encoded

    def split(self) -> tuple[Self, dict[int, str]]:
        """The samples with any label; and the names of the others, by their places."""
        if self.labelled.all():
            return self, {}
        names = self.samples
        if names is None:
            names = np.arange(1, len(self.labels) + 1).astype(str).astype(object)
        without = {int(place): names[place] for place in np.flatnonzero(~self.labelled)}
        return replace(self, samples=names).at(self.labelled), without

    def repeated(self, times: NDArray[np.int64]) -> Self:
        """Each clustering as often as it counts."""
        places = np.repeat(np.arange(len(times)), times)
        names, values = ([both[j] for j in places] for both in (self.clusterings, self.values))
        return replace(self, clusterings=names, values=values, labels=self.labels[:, places])

    def at(self, places: NDArray) -> Self:
        """The samples at some places, or those that are true."""
        samples, classes = (
            None if values is None else values[places] for values in (self.samples, self.classes)
        )
        return replace(self, labels=self.labels[places], samples=samples, classes=classes)


@dataclass
class LabelTable:
    """A table whose columns are read on demand."""

    #: Where it is, as the beginning of messages: a file, or "labels".
    place: str
    #: Of the columns.
    names: list[Any]
    #: Takes the places of columns and returns each as a :class:`Column`; those of a file as what
    #: another function than :func:`encode`, given as `convert`, makes of them.
    read: Callable[..., list[Any]]
    #: Number of the first sample's row in its file; None if it is an object.
    first_row: int | None = None
    #: (n,) names of the samples.
    samples: Any = None
    #: What a sample is called in messages.
    kind: str = "sample"
    #: Place of the column that names the samples, if the table itself says so.
    id: int | None = None
    #: Whether its columns hold observations of any kind, as AnnData's ``obs`` does, so that the
    #: clusterings must be chosen.
    observations: bool = False
    #: Whether it is one array of numbers, no column of which can hold names.
    numbers: bool = False
    #: What its columns mean; None until it is known.
    wanted: Wanted | None = None
    #: How a key and its value are given, for messages.
    spelled: str = "Ensemble(labels, {}={})"

    @property
    def _wanted(self) -> Wanted:
        return self.wanted or Wanted()

    def labels(self, times: NDArray | None = None) -> EncodedLabels:
        """All labels, and what else is wanted.

        Parameters
        ----------
        times : (n,) integer array, optional
            Number of samples that each row stands for; by default one.

        Raises
        ------
        DataError
            Naming the table, the sample and the column.
        """
        if self._wanted.in_ == "rows":
            return self.turned().labels()
        named, known, chosen = self.roles()
        extra = [place for place in (named, known) if place is not None]
        read = self.read([*extra, *chosen])
        if not len(read[0].codes):
            raise self.error("there is no row of labels below the names of the columns")
        if named is not None:
            self.samples = self.names_in(read.pop(0))
            check_last(self.place, self.samples)
        y = None if known is None else self._classes(read.pop(0), known)
        self._check_shape(len(read[0].codes) if times is None else int(times.sum()), len(chosen))
        columns: dict[int, JudgedColumn] = {}
        refused: dict[int, DataError] = {}
        codes: list[set[float]] = []
        for place in chosen:
            # The wide codes of a column go as soon as its small integers are there.
            column = read.pop(0)
            try:
                clusters, values = self._clusters(column, place)
            except DataError as error:
                refused[place] = error
                codes.append(self._codes(column))
                continue
            name = self.names[place]
            if not values:
                raise self.error(f"column {name!r} has no label at all; leave it out")
            columns[place] = JudgedColumn(str(name), clusters, values, times)
        found = sorted(set[float]().union(*codes))
        if len(refused) > 1 and all(codes) and len(found) <= _MOST_CODES:
            listed = " and ".join(map(str, found))
            which = "which is no label" if len(found) == 1 else "which are no labels"
            values = [str(code) if np.isinf(code) else code for code in found]
            said = self._say("missing", values if len(values) > 1 else values[0])
            raise self.error(
                f"{len(refused)} columns have {listed}, {which}; say {said} if it means that a "
                "sample has none"
            )
        self._judge(columns, refused)
        names = [self.names[k] for k in chosen]
        labels = np.column_stack([column.clusters for column in columns.values()])
        return EncodedLabels(
            names, labels, self.samples, y, [[*c.values] for c in columns.values()]
        )

    def _codes(self, column: Column) -> set[float]:
        """What is no label among whole numbers, and may be a code of missing values."""
        keys = {*_keys(_used(column), {*map(str, self._wanted.missing)})} - {None}
        whole = all(type(key) is int or key in (np.inf, -np.inf) for key in keys)
        return {key for key in keys if key < 0 or key == np.inf} if whole else set()

    def clusters(self, columns: Sequence[Any]) -> Iterator[tuple[NDArray, list[Any]]]:
        """Of columns, by their names, the clusters from 0 on and their labels; −1 is missing."""
        places = [self._at("columns", name) for name in columns]
        for place, column in zip(places, self.read(places), strict=True):
            yield self._clusters(column, place)

    def roles(self) -> tuple[int | None, int | None, list[int]]:
        """Places of the column that names the samples, that of the classes, and the clusterings.

        Raises
        ------
        DataError
            If a column is not there or twice, has no name, or none is left.
        """
        wanted = self._wanted
        named = self._named()
        known = None if wanted.classes is None else self._at("classes", wanted.classes)
        if known is not None and known == named:
            raise self.error(f"{self.names[known]!r} is named as id and as classes both")
        others = [place for place in range(len(self.names)) if place not in (named, known)]
        if self.observations and not wanted.columns:
            names = ", ".join(str(self.names[place]) for place in others)
            raise self.error(
                "not every column of obs is a clustering; list those that are as columns (in "
                f"Python, Ensemble(adata, columns=[...])): {names}"
            )
        chosen = self._matching("columns", wanted.columns, others) or others
        left_out = {*self._matching("except", wanted.without, others)}
        chosen = [place for place in chosen if place not in left_out]
        if not chosen:
            raise self.error("there is no other column than those of id, classes and except")
        times = Counter(self.names)
        for place in chosen:
            if self.first_row is not None and times[self.names[place]] > 1:  # a mistake of the file
                self._at("columns", self.names[place])
            if place in (named, known):
                key = "id" if place == named else "classes"
                raise self.error(f"columns has {self.names[place]!r}, which is {key} already")
            self._check_name(place)
        return named, known, chosen

    def turned(self) -> Self:
        """The table in whose rows the clusterings are, with these as its columns."""
        named = self._named()
        rest = [place for place in range(len(self.names)) if place != named]
        read = self.read(rest if named is None else [named, *rest])
        first = None if named is None else read.pop(0)
        if first is None and _are_names(_used(read[0]), _used(read[-1])):
            raise self.error(
                f"the first column, {self.names[0]!r}, has texts and the last one numbers; say "
                f"{self._id(0)} if it names the clusterings"
            )
        values = [
            np.array([*column.values, None], dtype=object)[column.codes].tolist() for column in read
        ]
        rows = [
            encode(np.array([*row, None], dtype=object)[:-1]) for row in zip(*values, strict=True)
        ]
        names = list(map(str, range(1, len(rows) + 1)))
        if first is not None:
            names = [str(name) for name in self.names_in(first)]
        return replace(
            self,
            names=names,
            read=lambda places: [rows[place] for place in places],
            samples=np.array([str(self.names[place]) for place in rest], dtype=object),
            kind="column",
            first_row=1,
            id=None,
            wanted=replace(self._wanted, id=None, in_="columns"),
        )

    def _check_shape(self, n: int, m: int) -> None:
        """Ask about n samples in more, m, clusterings; an object is warned about."""
        if m <= n or self._wanted.in_ is not None:
            return
        if self.first_row is None:
            message = (
                f"{self.place}: {n} samples in {m} clusterings; if the clusterings are the rows, "
                "give the transpose."
            )
            warnings.warn(message, InRowsWarning, stacklevel=5)
            return
        rows, columns = (self.spelled.format("in", where) for where in ("rows", "columns"))
        raise self.error(
            f"there are {m} columns and {n} rows; say {rows} if a row is a clustering, or "
            f"{columns} if a column is one"
        )

    def _judge(self, columns: dict[int, JudgedColumn], refused: dict[int, DataError]) -> None:
        """Refuse columns that are probably no clusterings; of those that were chosen, warn.

        Parameters
        ----------
        columns : dict of int to JudgedColumn
            By their places.
        refused : dict of int to DataError
            Columns with values that are no labels, by their places.
        """
        judged, chosen = [*columns.values()], bool(self._wanted.columns)
        chosen |= self.numbers and self.first_row is None
        if refused and (chosen or self.numbers):
            raise next(iter(refused.values()))
        found = doubts(judged, values_only=chosen or self.numbers)
        if len(refused) == 1 and not found:
            raise next(iter(refused.values()))
        found |= {str(self.names[p]): "has values that are no labels" for p in refused}
        shape, counts = remark_on_shape(judged), counts_or_chance(judged)
        alone = None
        if not chosen:
            self._refuse(judged, found, shape, counts)
            alone = lone_column(judged)
        if shape or counts or are_measurements(judged, found):
            remarks = [shape or COUNTS]
        else:
            remarks = [f"column {name!r} {reason}" for name, reason in found.items()]
            remarks += [ORDERED] if ordered(judged) else []
            if self._wanted.in_ is None and rows_agree(judged):
                remarks.append(
                    "the rows agree with one another and the columns hardly, as where each row is "
                    f"a clustering or a draw of a posterior; say {self._say('in', 'rows')} if so"
                )
            if alone:
                remarks.append(
                    f"column {alone!r} agrees with the others no better than by chance, while "
                    f"these agree; {self._leave_out(alone)} if it is no clustering"
                )
        for remark in [*remarks, *remarks_on_missing(judged, self._say)]:
            warnings.warn(f"{self.place}: {remark}.", stacklevel=2)

    def _refuse(
        self, judged: list[JudgedColumn], found: dict[str, str], shape: str | None, counts: bool
    ) -> None:
        """Raise a DataError if columns that were not chosen are probably no clusterings."""
        if keys := keys_of_long_table(judged):
            raise self.error(
                f"columns {keys[0]!r} and {keys[1]!r} have each pair of their values once, as if "
                "a row were one sample in one clustering; make a table with a row for each sample "
                "and a column for each clustering"
            )
        if shape:
            every, rows = self._say("columns", ["*"]), self._say("in", "rows")
            raise self.error(
                f"{shape}; say {every} if the columns are clusterings, {rows} if the rows are"
            )
        if found or counts:
            raise self.error(refusal(judged, found, counts or ordered(judged), self._say))

    def _say(self, key: str, value: Any) -> str:
        """How a user gives a key, in this place."""
        if self.first_row is None:
            if key in ("in", "except"):
                return {"in": "labels.T", "except": ""}[key]
            if key != "missing":  # names that are numbers stay these
                real = {str(name): name for name in self.names}
                several = isinstance(value, list)
                value = [real.get(v, v) for v in value] if several else real.get(value, value)
            return self.spelled.format(key, repr(value))
        values = [*map(str, value)] if isinstance(value, list) else [str(value)]
        if self.spelled.startswith("-"):  # in a shell
            # A pattern where the comma would part a name.
            names = [re.sub(r"[,*[]", "?", each) if "," in each else each for each in values]
            once = values if key == "missing" else [",".join(names)]
            return " ".join(self.spelled.format(key, quote(each)) for each in once)
        values = [each if re.fullmatch(r"[\w.-]*\w", each) else repr(each) for each in values]
        is_list = isinstance(value, list) or key == "missing"
        return self.spelled.format(key, f"[{', '.join(values)}]" if is_list else values[0])

    def error(self, message: str) -> DataError:
        """An error of the table."""
        return DataError(f"{self.place}: {message}.")

    def sample(self, i: int) -> str:
        """The i-th sample as its table names it."""
        if self.first_row is None:
            return f"{self.kind} {i if self.samples is None else self.samples[i]}"
        called = "" if self.samples is None else f" ({self.samples[i]})"
        row = "row" if self.kind == "sample" else self.kind
        return f"{row} {i + self.first_row}{called}"

    def _named(self) -> int | None:
        wanted = self._wanted.id
        if wanted == "first":
            return 0
        return self.id if wanted is None else self._at("id", wanted)

    def _matching(self, key: str, wanted: Sequence[Any], among: Sequence[int]) -> list[int]:
        """Places of columns by their names, or by patterns, each of which fits some of these."""
        found: dict[int, None] = {}
        for name in wanted:
            is_pattern = isinstance(name, str) and name not in self.names and set("*?[") & {*name}
            places = (
                [place for place in among if fnmatchcase(str(self.names[place]), name)]
                if is_pattern
                else [self._at(key, name)]
            )
            if not places:
                raise self.error(f"{key} has {name!r}, which fits none of {self._known()}")
            found |= dict.fromkeys(places)
        return [*found]

    def _at(self, key: str, wanted: Any) -> int:
        if wanted not in self.names:
            hint = did_you_mean(wanted, self.names)
            raise self.error(f"{key} names {wanted!r}; allowed are {self._known()}{hint}")
        if (times := self.names.count(wanted)) > 1:
            called = f"are called {wanted!r}" if wanted else "have no name"
            raise self.error(
                f"{times} columns {called}; give each a name of its own, or choose others by "
                f"{self._say('columns', ['NAME'])}"
            )
        return self.names.index(wanted)

    def _known(self) -> str:
        """The names of the columns, as many as a message can hold."""
        more = ["…"] if len(self.names) > _LISTED else []
        return ", ".join([*map(shortened, self.names[:_LISTED]), *more])

    def _check_name(self, place: int) -> None:
        """Ask about a column without a name: usually it names or numbers the rows."""
        name = self.names[place]
        if UNNAMED.match(str(name)):
            called = f"is called {name!r}" if name else "has no name"
            ways = [f"say {self._id(0)} if it names the samples"] if not place else ["give it one"]
            ways += [f"list the clusterings by {self._say('columns', ['NAME', '…'])}"]
            raise self.error(f"column {place + 1} {called}; {', or '.join(ways)}")

    def _id(self, place: int) -> str:
        """How a column is named as that of the samples."""
        first = self.first_row is not None and place == 0
        return self.spelled.format("id", "first" if first else repr(self.names[place]))

    def names_in(self, column: Column) -> NDArray:
        """(n,) names of the samples in a column, texts of which no two are alike."""
        keys = (_key(value, missing=("",)) for value in column.values)
        names = np.array([*("" if key is None else str(key) for key in keys), ""], dtype=object)
        names, seen = names[column.codes], dict[str, int]()
        for i, name in enumerate(names):
            if not name:
                raise self.error(f"{self.sample(i)} has no id")
            if seen.setdefault(name, i) != i:
                raise self.error(
                    f"{self.sample(i)} has the id {name!r} of {self.sample(seen[name])} again"
                )
        return names

    def _classes(self, column: Column, place: int) -> NDArray:
        classes, _ = self._clusters(column, place)
        if (classes < 0).any():
            raise self.error(
                f"{self.sample(int(classes.argmin()))} has no class in column "
                f"{self.names[place]!r}; fill it in, or leave out the key classes"
            )
        return classes

    def _clusters(self, column: Column, place: int) -> tuple[NDArray, list[Any]]:
        """(n,) clusters of a column, and their labels."""
        name = self.names[place]
        keys = _keys(_used(column), {*map(str, self._wanted.missing)})
        kinds = {type(key) for key in keys if key is not None}
        if kinds - {int, float, str}:
            called = ", ".join(sorted(kind.__name__ for kind in kinds - {int, float, str}))
            raise self.error(
                f"column {name!r} has values of type {called}, which are no labels; "
                f"{self._leave_out(name)}"
            )
        if not (kinds <= {int, float} or kinds == {str}):
            called = " and ".join(
                repr(next(key for key in keys if isinstance(key, kind)))
                for kind in sorted(kinds, key=lambda kind: kind.__name__)
            )
            raise self.error(
                f"column {name!r} has numbers and texts, such as {called}; make it all numbers or "
                f"all texts, or {self._leave_out(name)}"
            )
        self._check_numbers(keys, column.codes, name)
        order = {key: k for k, key in enumerate(sorted(set(keys) - {None}))}
        # The last entry is that of the code −1.
        numbers = np.array([*(order.get(key, -1) for key in keys), -1])
        smallest = np.min_scalar_type(-1 - len(order))
        if column.codes.dtype.kind == "u" and np.array_equal(numbers[:-1], np.arange(len(order))):
            # Bytes stay where they are.
            same = column.codes.dtype.itemsize == smallest.itemsize
            clusters = column.codes.view(smallest) if same else column.codes.astype(smallest)
        else:
            clusters = numbers.astype(smallest)[column.codes]
        return clusters, list(order)

    def _leave_out(self, name: Any) -> str:
        said = self._say("except", [name])
        return f"say {said} to leave the column out" if said else "leave the column out"

    def _check_numbers(self, keys: Sequence[Any], codes: NDArray, name: Any) -> None:
        """Refuse what is no label: a negative number, or one that is not whole or not exact."""
        numbers = [(k, key) for k, key in enumerate(keys) if isinstance(key, int | float)]
        wrong = [k for k, key in numbers if isinstance(key, float) or key < 0]
        if not wrong:
            return
        i = int(np.isin(codes, wrong).argmax())
        value = keys[codes[i]]
        rule = "a non-negative integer or a text, and nothing, NA, NaN or -1 where it is missing"
        if 1 < value < np.inf and value == np.floor(value):
            rule = "an integer or a text; as a floating-point number, one so large is not exact"
        if isinstance(value, int):
            rule += f"; say {self._say('missing', value)} if it means that a sample has no cluster"
        elif self.numbers:
            rule += "; coassoc.subtypes clusters samples by measurements"
        else:
            rule += f"; {self._leave_out(name)} if it holds measurements"
        raise self.error(f"{self.sample(i)}, column {name!r}, is {value}; a label is {rule}")


def check_last(place: Any, names: Sequence[str] | NDArray) -> None:
    """Raise a DataError if the last of the names is that of a row that sums up the others."""
    last = str(names[-1]).strip() if len(names) > 1 else ""
    if last.casefold().rstrip(": ") in _SUMMARIES:
        raise DataError(
            f"{place}: the last row is called {last!r}; remove it if it sums up the others, or "
            "give it another name if it is a sample."
        )


def _are_names(values: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether values are texts, and others are numbers."""
    first, last = (
        {type(key) for key in _keys(some) if key is not None} for some in (values, others)
    )
    return first == {str} and bool(last) and str not in last


def _used(column: Column) -> Any:
    """The values of a column, None in place of those that no sample has."""
    if not column.made_elsewhere:
        return column.values
    used = np.bincount(column.codes.astype(np.intp) + 1, minlength=len(column.values) + 1)[1:] > 0
    return [value if there else None for value, there in zip(column.values, used, strict=True)]


def _keys(values: Iterable[Any], missing: Container[str] = ()) -> list[Any]:
    """What distinct values are as labels: int, str, None if missing; float if not exact."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return [None if key == -1 or str(key) in missing else key for key in values.tolist()]
    keys = [None if str(key) in missing else key for key in map(_key, values)]
    if all(key is None or (isinstance(key, str) and NUMBER.fullmatch(key)) for key in keys):
        numbers = [None if key is None else _number(key) for key in keys]
        return [None if str(key) in missing else key for key in numbers]
    return [None if isinstance(key, str) and _is_minus_one(key) else key for key in keys]


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
    # Python makes no integer of thousands of digits, and none of them is a label.
    whole = _WHOLE.fullmatch(text) if len(text) < 1000 else None
    return _key(int(whole[1]) if whole else float(text))


def _is_minus_one(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and _number(text) is None


# -- objects --------------------------------------------------------------------------------------


def encode(column: Any) -> Column:
    """A column of NumPy, pandas, polars or Arrow, or any sequence, as its distinct values."""
    if hasattr(column, "unify_dictionaries"):
        column = column.unify_dictionaries().combine_chunks()
        column = column if hasattr(column, "dictionary") else column.dictionary_encode()
        indices = column.indices
        if indices.null_count:
            indices = indices.cast("int32").fill_null(-1)
        codes = np.from_dlpack(indices)  # to_numpy, and what fills nulls, would load pandas
        return Column(codes, column.dictionary.to_pylist(), made_elsewhere=True)
    if hasattr(column, "factorize"):  # pandas
        codes, values = column.factorize()
        return Column(codes, np.asarray(values))
    # Integers of polars with gaps would become floating-point numbers.
    array = column.to_list() if hasattr(column, "to_physical") else np.asarray(column)
    if isinstance(array, np.ndarray) and array.dtype.kind in "iufbSU":
        values, codes = np.unique(array, return_inverse=True)
        return Column(codes, values)
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(value, len(number)) for value in array], dtype=np.intp)
    return Column(codes, list(number))


def table_of(labels: Any) -> LabelTable:
    """The table in an object: an array, nested lists, a data frame or an AnnData object.

    Raises
    ------
    DataError
        If it is none, or its first sample became the names of the columns.
    """
    if sp.issparse(labels):
        raise DataError("labels: zeros of a sparse matrix may be labels or none; use toarray().")
    if hasattr(labels, "collect"):  # polars, of what it has not computed yet
        labels = labels.collect()
    if hasattr(labels, "obs") and hasattr(labels, "obs_names"):
        return replace(table_of(labels.obs), observations=True)
    if hasattr(labels, "iloc") and hasattr(labels, "columns"):
        names = list(labels.columns)
        _check_header(names)
        samples, kind = labels.index, str(labels.index.name or "sample")
        return _frame(names, lambda place: labels.iloc[:, place], samples=samples, kind=kind)
    if hasattr(labels, "column_names") and hasattr(labels, "columns"):  # Arrow
        return _frame(list(labels.column_names), lambda place: labels.columns[place])
    if hasattr(labels, "get_columns") and hasattr(labels, "columns"):  # polars
        return _frame(list(labels.columns), lambda place: labels.get_columns()[place])
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise DataError("labels: the rows are not all of one length.") from error
    if _is_list_of_clusterings(labels, array.shape):
        raise DataError(
            f"labels: {len(array)} arrays of {array.shape[1]} labels would be {len(array)} samples "
            f"in {array.shape[1]} clusterings; give numpy.column_stack(labels) if each array is a "
            "clustering, or numpy.stack(labels) if each is a sample."
        )
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            "labels: expected a non-empty (samples, base clusterings) array, "
            f"got shape {array.shape}."
        )
    numbers = array.dtype.kind in "iufb"
    if isinstance(labels, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(labels)] = None
    elif array.dtype.kind in "fSU" and isinstance(labels, list | tuple):
        # Numbers stay numbers beside texts, and large integers exact beside small ones.
        array = np.asarray(labels, dtype=object)
    names = list(range(array.shape[1]))
    encoded = distinct_values(_integers(array)) if numbers else None
    if encoded is not None:
        columns = [*map(Column, encoded[0].T, encoded[1])]
        return LabelTable(
            "labels", names, lambda places: [columns[k] for k in places], numbers=True
        )
    return _frame(names, lambda place: array[:, place], numbers=numbers)


def _is_list_of_clusterings(labels: Any, shape: tuple[int, ...]) -> bool:
    """Whether it is a list of longer arrays, as of ``labels_`` of several fits."""
    return (
        isinstance(labels, list | tuple)
        and len(shape) == 2
        and 0 < shape[0] < shape[1]
        and all(hasattr(row, "__array__") for row in labels)
    )


def _integers(array: NDArray) -> NDArray:
    """An array of numbers as integers, −1 for NaN; as it is where not all are whole and exact."""
    if array.dtype.kind != "f" or array.dtype.itemsize < 4:
        return array
    filled = np.where(np.isnan(array), array.dtype.type(-1), array)
    exact = np.abs(filled).max() < _EXACT and (filled == np.trunc(filled)).all()
    return filled.astype(np.int32) if exact else array


def _frame(names: list[Any], column: Callable[[int], Any], **known: Any) -> LabelTable:
    def read(places: Sequence[int]) -> list[Column]:
        columns = []
        for place in places:
            try:
                columns.append(encode(column(place)))
            except TypeError as error:  # such as a list, which no dictionary takes
                raise DataError(
                    f"labels: column {names[place]!r} has values that are no labels ({error})."
                ) from error
        return columns

    return LabelTable("labels", names, read, **known)


def _check_header(names: Sequence[Any]) -> None:
    """Ask about names that a file without a header leaves: labels of its first sample."""
    numbers = [float(name) for name in names if isinstance(name, str) and NUMBER.fullmatch(name)]
    # pandas calls the second of two equal names 1.1.
    if len(numbers) == len(names) and (np.diff(numbers) <= 0).any():
        raise DataError(
            f"labels: the columns are called {', '.join(names[:3])}, …; if these are labels of the "
            "first sample, read the file without a header, otherwise give the columns other names."
        )
