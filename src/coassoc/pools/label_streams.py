"""Labels of more samples than fit into memory, read batch by batch.

A consensus of labels needs the distinct rows of the table and how often each occurs. One pass over
the files finds them, a second one gives each sample the answer of its row, in the order of the
files. What a label is, is said in :mod:`coassoc.label_table`, as for all tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.label_table import Column, LabelTable, encode
from coassoc.numerics.distinct import distinct_rows, distinct_values
from coassoc.numerics.threads import over_blocks, thread_count
from coassoc.pools.label_files import BATCH, LabelFile, batches_of, kind_of, open_table

__all__ = ["DistinctRows", "LabelStream"]

#: Kinds of files that are read batch by batch.
KINDS = (".parquet", ".csv", ".tsv")


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of a table of labels.

    Attributes
    ----------
    labels : (n', m) integer array
        Distinct rows, −1 where a label is missing.
    sizes : (n',) integer array
        Number of samples with each row.
    codes : (q, m) int32 array
        The q ≥ n' rows as they are written, by places in `values`, −1 for nothing; in lexicographic
        order.
    values : list of list
        Values of each column as they are written.
    row : (q,) integer array
        The row of `labels` that each row of `codes` spells.
    """

    labels: NDArray
    sizes: NDArray[np.int64]
    codes: NDArray[np.int32]
    values: list[list[Any]]
    row: NDArray[np.intp]


class LabelStream:
    """A file of labels, or a folder of files that continue one another in the order of their names.

    Parameters
    ----------
    source : LabelFile
        A file or a folder, and what the columns mean. Files are Parquet or text.
    memory : int
        Bytes that the distinct rows may take.

    Attributes
    ----------
    files : list of path
    clusterings : list
        Names of the m columns that are clusterings.

    Raises
    ------
    DataError
        If there is no such file, or two files have other columns.
    """

    def __init__(self, source: LabelFile, memory: int = 2**31) -> None:
        path = Path(source.file)
        every = sorted(path.iterdir()) if path.is_dir() else [path]
        self.files = [file for file in every if kind_of(file) in KINDS]
        if not self.files:
            raise DataError(f"{path}: labels are read in batches from {', '.join(KINDS)}.")
        self._sources = [replace(source, file=str(file)) for file in self.files]
        self._table, *others = map(open_table, self._sources)
        for other in others:
            if other.names != self._table.names:
                raise other.error(f"the columns are not those of {self._table.place}")
        self._memory = memory
        self._id, _, self._places = self._table.roles(source.id, source.classes, source.columns)
        self._chosen = bool(source.columns)
        self.clusterings = [self._table.names[place] for place in self._places]

    def distinct(self) -> DistinctRows:
        """Read all files and group equal rows.

        Raises
        ------
        DataError
            If a file cannot be read, a column is no clustering, or there are more distinct rows
            than memory takes.
        """
        known: list[dict[Any, int]] = [{} for _ in self._places]
        codes = np.empty((0, len(known)), dtype=np.int32)
        sizes = np.empty(0, dtype=np.int64)
        for _, batch in self._batches():
            both = np.concatenate((codes, batch.codes(known)))
            group, first = _groups(both)
            # Sums of floating-point numbers are exact up to 2⁵³ samples.
            sizes = np.bincount(group, np.concatenate((sizes, np.bincount(batch.group))))
            codes, sizes = both[first], sizes.astype(np.int64)
            self._check_size(codes, int(sizes.sum()), known)
        values = [list(each) for each in known]
        columns = [*map(Column, codes.T, values)]
        table = LabelTable(
            self._table.place, self.clusterings, lambda _: columns, kind="distinct row"
        )
        labels = table.labels(columns=self.clusterings).labels
        if not self._chosen:
            for place, column in zip(self._places, labels.T, strict=True):
                self._table.check_values(
                    place, int(column.max()) + 1, int(sizes[column >= 0].sum())
                )
        row, first = _groups(labels)
        counts = np.bincount(row, sizes).astype(np.int64)
        return DistinctRows(labels[first], counts, codes, values, row)

    def rows(self, found: DistinctRows) -> Iterator[tuple[Any, NDArray[np.intp]]]:
        """Read all files again, to find the row of each sample.

        Yields
        ------
        names : array of Arrow or None
            Names of a batch of samples, where a column has them.
        row : (batch,) integer array
            The row of `found.labels` that each of these samples has.
        """
        known = [{value: k for k, value in enumerate(values)} for values in found.values]
        for names, batch in self._batches():
            group, _ = _groups(np.concatenate((found.codes, batch.codes(known))))
            # Where all rows of the batch are among the distinct ones, these keep their ranks.
            if group.max() >= len(found.codes):
                raise self._table.error("the labels changed while they were read")
            yield names, found.row[group[len(found.codes) :]][batch.group]

    def _batches(self) -> Iterator[tuple[Any, _Batch]]:
        """Names and distinct rows of each batch, of which every thread groups one at a time."""
        places = [*self._places, *([] if self._id is None else [self._id])]
        every = (batch for source in self._sources for batch in batches_of(source, places))
        while some := [*islice(every, thread_count())]:
            labels = [batch.columns[: len(self._places)] for batch in some]
            for batch, grouped in zip(some, over_blocks(_Batch, labels), strict=True):
                yield (None if self._id is None else batch.columns[-1]), grouped

    def _check_size(self, codes: NDArray, read: int, known: list[dict[Any, int]]) -> None:
        for place, values in zip(self._places, known, strict=True):
            if len(values) > BATCH / 2 and not self._chosen:
                self._table.check_values(place, len(values), read)
        if codes.nbytes > self._memory:
            raise self._table.error(
                f"the first {read} samples have {len(codes)} distinct rows, more than memory "
                "takes; coarser clusterings have fewer"
            )


class _Batch:
    """Some samples, grouped by equal rows.

    Attributes
    ----------
    group : (batch,) integer array
        The distinct row of each sample.
    """

    def __init__(self, columns: list[Any]) -> None:
        encoded = _integers(columns) or [*map(encode, columns)]
        places = np.column_stack([column.codes for column in encoded])
        self.group, first = _groups(places.astype(np.min_scalar_type(-1 - int(places.max()))))
        self._places = places[first]
        self._values = [column.values for column in encoded]

    def codes(self, known: list[dict[Any, int]]) -> NDArray[np.int32]:
        """The distinct rows by the numbers of known values, to which new ones are added."""
        codes = np.empty(self._places.shape, dtype=np.int32)
        for j, (values, numbers) in enumerate(zip(self._values, known, strict=True)):
            values = values.tolist() if isinstance(values, np.ndarray) else values
            # NaN, which equals nothing, is no value.
            found = [numbers.setdefault(x, len(numbers)) if x == x else -1 for x in values]
            codes[:, j] = np.array([*found, -1], dtype=np.int32)[self._places[:, j]]
        return codes


def _integers(columns: list[Any]) -> list[Column] | None:
    """Columns of integers without gaps, encoded together; None for all others."""
    import pyarrow as pa

    if not all(pa.types.is_integer(column.type) and not column.null_count for column in columns):
        return None
    shifted, low = [], []
    for column in columns:
        array = column.to_numpy()
        least, width = array.min(), int(array.max()) - int(array.min())
        if width >= 2**15:
            return None
        # What wraps around a narrow type comes out right in the unsigned type of the same width.
        low.append(least)
        shifted.append((array - least).astype(np.min_scalar_type(width)))
    found = distinct_values(np.column_stack(shifted))
    if found is None:
        return None
    return [Column(*each) for each in zip(found[0].T, map(np.add, found[1], low), strict=True)]


def _groups(codes: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The group of each row, in lexicographic order, and one row of each group."""
    group = distinct_rows(codes)
    one = np.empty(group.max() + 1, dtype=np.intp)
    one[group] = np.arange(len(group))
    return group, one
