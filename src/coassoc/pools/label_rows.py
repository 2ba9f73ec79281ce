"""What a file of labels says of its samples: every row checked, in small integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coassoc.datasets.prepare import encode_classes
from coassoc.errors import DataError
from coassoc.pools.label_columns import roles_in
from coassoc.pools.label_files import Column, LabelFile, Table, open_table

__all__ = ["LabelRows", "read_rows"]

#: Texts that say that there is no label; HDBSCAN marks noise by −1.
_NO_LABEL = ("", "NA", "NaN", "nan", "-1")


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The rows of a file of labels.

    Attributes
    ----------
    path : Path
    first_row : int
        Number of the first row, for messages.
    clusterings : list of str
        Names of the columns of labels.
    labels : (n, M) integer array
        Clusters 0 … k−1 of each column, −1 where there is no label.
    labelled : (n,) boolean array
        Which samples have any label.
    samples : (n,) array of str or None
        Names of the samples, no two alike.
    classes : (n,) integer array or None
        Classes of the samples.
    """

    path: Path
    first_row: int
    clusterings: list[str]
    labels: NDArray
    labelled: NDArray[np.bool_]
    samples: NDArray | None
    classes: NDArray | None

    @property
    def names(self) -> NDArray:
        """(n,) names of the samples; their numbers from 1 where they have none."""
        numbers = np.arange(1, len(self.labels) + 1).astype(str).astype(object)
        return numbers if self.samples is None else self.samples

    def at(self, places: NDArray) -> Self:
        """The rows at some places, or those that are true."""
        return replace(
            self,
            labels=self.labels[places],
            labelled=self.labelled[places],
            samples=None if self.samples is None else self.samples[places],
            classes=None if self.classes is None else self.classes[places],
        )


def read_rows(source: LabelFile) -> LabelRows:
    """Read a file of labels.

    A label is an integer or a text, and missing where the file has nothing, NA, NaN or −1.

    Raises
    ------
    DataError
        Naming the file, the row and the column.
    """
    path = Path(source.file)
    table = open_table(source, path)
    roles = roles_in(source, table.names)
    extra = [place for place in (roles.id, roles.classes) if place is not None]
    found = dict(zip(extra, table.read(extra), strict=True)) if extra else {}
    columns = table.read(roles.clusterings)
    reader = _Reader(path, table)
    named = _index(table) if roles.id is None else found[roles.id]
    reader.samples = None if named is None else reader.identifiers(named)
    names = [table.names[place] for place in roles.clusterings]
    labels, labelled = reader.labels(columns, names)
    classes = None
    if roles.classes is not None:
        classes = reader.classes(found[roles.classes], table.names[roles.classes])
    return LabelRows(path, table.first_row, names, labels, labelled, reader.samples, classes)


def _index(table: Table) -> Column | None:
    """Names of the samples that are no column."""
    if table.samples is None:
        return None
    values, codes = np.unique(table.samples, return_inverse=True)
    return Column(codes, values.tolist())


class _Reader:
    """Makes labels, names and classes of columns; messages name the row."""

    def __init__(self, path: Path, table: Table) -> None:
        self._path = path
        self._first_row = table.first_row
        self.samples: NDArray | None = None

    def labels(
        self, columns: list[Column], names: Sequence[str]
    ) -> tuple[NDArray, NDArray[np.bool_]]:
        """Labels in the smallest integers, and which samples have any.

        (n, M) clusters 0 … k−1 of each column, −1 where there is no label; (n,) booleans.
        """
        n = len(columns[0].codes)
        if n == 0:
            raise DataError(f"{self._path}: there is no row of labels.")
        numbered = []
        labelled = np.zeros(n, dtype=bool)
        for name in names:
            codes = self._numbered(columns.pop(0), name)
            labelled |= codes >= 0
            numbered.append(codes)
        labels = np.empty((n, len(names)), dtype=np.result_type(*numbered), order="F")
        for j in range(len(names)):
            labels[:, j] = numbered.pop(0)
        return labels, labelled

    def identifiers(self, column: Column) -> NDArray:
        """(n,) names of the samples."""
        values = np.array([str(value) for value in column.values], dtype=object)
        missing = np.array([_is_missing(value) for value in column.values])[column.codes]
        if missing.any():
            raise DataError(f"{self._row(int(missing.argmax()))} has no id.")
        # Values that differ in the file may be the same text.
        codes = np.unique(values, return_inverse=True)[1][column.codes]
        order = np.argsort(codes, kind="stable")
        again = np.flatnonzero(codes[order][1:] == codes[order][:-1])
        if len(again):
            first, second = order[again[0]], order[again[0] + 1]
            raise DataError(
                f"{self._row(second)} has the id {values[column.codes[second]]!r} of row "
                f"{first + self._first_row} again."
            )
        return np.asarray(values[column.codes])

    def classes(self, column: Column, name: str) -> NDArray[np.int64]:
        """(n,) classes in order of first appearance."""
        missing = np.array([_is_missing(value) for value in column.values])[column.codes]
        if missing.any():
            raise DataError(
                f"{self._row(int(missing.argmax()))} has no class in column {name!r}; fill it in, "
                "or leave out the key classes."
            )
        return encode_classes(column.codes)[0]

    def _numbered(self, column: Column, name: str) -> NDArray:
        """Clusters 0 … k−1 in increasing order of their labels, −1 where there is no label."""
        there = [k for k, value in enumerate(column.values) if not _is_missing(value)]
        labels = self._comparable([column.values[k] for k in there], there, column, name)
        number = np.full(len(column.values), -1)
        number[there] = np.unique(labels, return_inverse=True)[1] if there else -1
        numbered = number.astype(np.min_scalar_type(-1 - len(there)))[column.codes]
        if not (numbered >= 0).any():
            raise DataError(f"{self._path}: column {name!r} has no label at all; leave it out.")
        return np.asarray(numbered)

    def _comparable(
        self, values: list[Any], places: list[int], column: Column, name: str
    ) -> NDArray:
        """Labels as numbers if all are numbers, and as texts if not."""
        kinds = {type(value).__name__ for value in values}
        if kinds - {"str", "int", "float", "bool"} and not _are_numbers(values):
            raise DataError(
                f"{self._path}: column {name!r} has values of type {', '.join(sorted(kinds))}; a "
                "label is an integer or a text."
            )
        if not all(_as_number(value) is not None for value in values):
            return np.array([str(value) for value in values])
        numbers = np.array([float(value) for value in values])
        bad = np.flatnonzero((numbers != np.floor(numbers)) | (numbers < 0) | np.isinf(numbers))
        if len(bad):
            row = int(np.argmax(np.isin(column.codes, [places[k] for k in bad])))
            value = column.values[column.codes[row]]
            raise DataError(
                f"{self._row(row)}, column {name!r}, is {value}; a label is a non-negative integer "
                "or a text, and nothing, NA, NaN or -1 where it is missing."
            )
        return numbers

    def _row(self, sample: int) -> str:
        """The file and the row of a sample, as the beginning of a sentence."""
        called = "" if self.samples is None else f" ({self.samples[sample]})"
        return f"{self._path}: row {sample + self._first_row}{called}"


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value in _NO_LABEL):
        return True
    number = _as_number(value)
    return number is not None and (math.isnan(number) or number == -1)


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, (int, float, np.generic)) for value in values)
