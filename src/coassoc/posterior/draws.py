"""Draws of partitions from a posterior: checked, in canonical form, and without duplicates."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import DataError, TooLargeError
from coassoc.numerics.agreements import weighted_agreements
from coassoc.numerics.compiled import compiled
from coassoc.numerics.distinct import distinct_rows, first_places
from coassoc.numerics.integers import find_counter
from coassoc.numerics.memory import memory_of_machine
from coassoc.partition.labels import canonical_labels


@dataclass(frozen=True, eq=False)
class Units:
    """Units that move as a whole: groups of items that are equal in all draws, or single items.

    Attributes
    ----------
    labels : (B, u) int32 array
        Cluster of each unit in each distinct draw, numbered by first appearance; draws are in
        lexicographic order.
    counts : (u,) int64 array
        Number of items in each unit.
    place : (m,) integer array
        Index of the distinct draw that equals each draw.
    """

    labels: NDArray[np.int32]
    counts: NDArray[np.int64]
    place: NDArray[np.intp]

    @cached_property
    def n_items(self) -> int:
        """n, the number of items."""
        return int(self.counts.sum())

    @property
    def n_draws(self) -> int:
        """m, the number of draws."""
        return len(self.place)

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """(B,) number of times that each distinct draw occurs."""
        return np.bincount(self.place)

    @cached_property
    def n_clusters(self) -> NDArray[np.int64]:
        """(B,) number of clusters of each distinct draw."""
        return self.labels.max(axis=1).astype(np.int64) + 1

    @cached_property
    def clusters(self) -> NDArray[np.int32]:
        """(u, B) index of each unit's cluster among all clusters of at least two items.

        Clusters of the draws are numbered from 1, draw by draw. A cluster of one item has the
        number 0, because it contributes nothing to sums over pairs or logarithms of sizes.
        """
        return _clusters(self.labels, self.counts, self.n_clusters)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(B + 1,) first index of the clusters of each draw, and the index after the last."""
        largest = np.maximum.accumulate(self.clusters.max(axis=0).astype(np.int64))
        return np.concatenate(([1], largest + 1))

    @cached_property
    def pairs(self) -> NDArray[np.float64]:
        """(u, u) number of draws that co-cluster two units, with m on the diagonal."""
        return weighted_agreements(self.labels.T, self.weights)

    def chosen(self, draws: NDArray[Any]) -> Units:
        """The same units in the chosen draws, repeated as often as they are chosen."""
        distinct, place = np.unique(self.place[draws], return_inverse=True)
        return Units(self.labels[distinct], self.counts, place)


#: Number of draws to examine.
_JUDGED = 60


@dataclass(frozen=True, eq=False)
class Draws:
    """Distinct partitions of the same items, and the number of times that each was drawn.

    Attributes
    ----------
    rows : Units
        Groups of items that are equal in all draws, in order of first appearance.
    row : (n,) integer array
        The group of each item.
    """

    rows: Units
    row: NDArray[np.intp]

    @classmethod
    def of(cls, draws: Draws | ArrayLike, *, few: bool = False) -> Draws:
        """Check draws, and find equal partitions and equal items.

        Parameters
        ----------
        draws : (n, m) array-like, or Draws
            The cluster of each of n items in each of m draws, as non-negative integers or strings.
            A label may stand for different clusters in different draws.
        few : bool
            Whether to expect fewer draws than items.

        Raises
        ------
        DataError
            If there is no item or no draw, a label is missing, or an item numbers the draws.

        Warns
        -----
        UserWarning
            If the numbers look like draws in rows, or there are fewer draws than items.
        """
        if isinstance(draws, Draws):
            return draws
        labels = whole_labels(draws)
        if not _warn_of_rows(labels) and labels.shape[0] > labels.shape[1] and not few:
            warnings.warn(
                f"draws: there are more items ({labels.shape[0]}) than draws ({labels.shape[1]}). "
                "Pass draws.T if a row is a draw, as in salso and mcclust.",
                stacklevel=2,
            )
        codes = _codes(labels)
        row = canonical_labels(distinct_rows(codes))
        canonical = np.ascontiguousarray(codes[first_places(row)].T)
        _number_by_appearance(canonical, np.full(int(canonical.max()) + 1, -1))
        place = distinct_rows(canonical)
        return cls(Units(canonical[first_places(place)], np.bincount(row), place), row)

    @property
    def n_items(self) -> int:
        """n, the number of items."""
        return len(self.row)

    @property
    def n_draws(self) -> int:
        """m, the number of draws."""
        return self.rows.n_draws

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """(B, n) distinct draws in lexicographic order; clusters in order of first appearance."""
        return np.ascontiguousarray(self.rows.labels[:, self.row])

    @cached_property
    def items(self) -> Units:
        """Single items as units."""
        return Units(self.labels, np.ones(self.n_items, dtype=np.int64), self.rows.place)

    @cached_property
    def pairs(self) -> NDArray[np.float64]:
        """(n, n) number of draws that co-cluster two items, with m on the diagonal."""
        n = self.n_items
        if 8 * n * n > 1e6 * memory_of_machine():
            raise TooLargeError(
                f"Similarities of {n:,} items take {8 * n * n / 1e9:,.0f} GB of memory. Leave out "
                "some items."
            )
        return self.rows.pairs[self.row[:, None], self.row]

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """(n',) first item of each row."""
        return first_places(self.row)

    def units_of(self, z: NDArray[np.int64]) -> tuple[Units, NDArray[np.int64]]:
        """The largest units (rows or items) that (n,) labels do not separate, and their labels."""
        of_rows = z[self.first]
        return (self.rows, of_rows) if (of_rows[self.row] == z).all() else (self.items, z)


def _warn_of_rows(labels: NDArray[Any]) -> bool:
    """Warn if rows seem to be draws, as each numbers its clusters in order; whether they do."""
    if labels.dtype.kind not in "iu" or min(labels.shape) < 20:
        return False
    first, some = labels[0, 0], labels[:_JUDGED].astype(np.int64)
    by_rows = (labels[:, 0] == first).all() and _by_first_appearance(some)
    in_rows = bool(by_rows and some.max() > first + 1 and not _by_first_appearance(some.T))
    if in_rows:
        warnings.warn(
            "draws: the labels of each row increase in order of first appearance from left to "
            "right, as if a row were a draw. Draws must be the columns, so pass draws.T if a row "
            "is a draw.",
            stacklevel=3,
        )
    return in_rows


def _by_first_appearance(rows: NDArray[np.int64]) -> bool:
    """Whether no number in a row exceeds all previous numbers of the row by more than 1."""
    return bool((rows[:, 1:] <= np.maximum.accumulate(rows, axis=1)[:, :-1] + 1).all())


def whole_labels(draws: ArrayLike) -> NDArray[Any]:
    """(n, m) labels as integers or strings. Missing labels raise a DataError."""
    labels = np.asarray(draws)
    if labels.ndim != 2 or 0 in labels.shape:
        raise DataError(
            f"draws have the shape {labels.shape}. Pass items × draws, with at least one of each."
        )
    missing = np.ma.getmaskarray(np.asanyarray(draws))
    if labels.dtype.kind == "O":
        missing = missing | np.frompyfunc(_is_missing, 1, 1)(labels).astype(bool)
    elif labels.dtype.kind in "SU":
        missing = missing | (np.char.strip(labels) == labels.dtype.type())
    elif labels.dtype.kind in "if":
        missing = missing | ~(labels >= 0)
    if missing.any():
        item, draw = np.argwhere(missing)[0]
        raise DataError(
            f"draws: item {item} has no label in draw {draw} ({labels[item, draw]}; items and "
            "draws count from 0). Leave out the item or the draw, because a posterior draw assigns "
            "every item to a cluster."
        )
    if labels.dtype.kind == "O":
        texts = sum(isinstance(label, str) for label in labels.flat)
        if 0 < texts < labels.size:
            raise DataError(
                "draws hold both strings and numbers. Pass labels of one kind, without the names "
                "of items."
            )
        return whole_labels(labels.astype(str if texts else float))
    if labels.dtype.kind == "f":
        if (labels != np.rint(labels)).any() or np.abs(labels).max() > 2**53:
            raise DataError("draws hold fractions. Labels must be integers or strings.")
        labels = labels.astype(np.int64)
    if labels.dtype.kind in "iu":
        if (counter := find_counter(labels)) is not None:
            raise DataError(
                f"draws: the labels of item {counter} change by equal steps, as if they numbered "
                "the draws. Leave out this item."
            )
    elif labels.dtype.kind not in "bSU":
        raise DataError(f"draws are of type {labels.dtype}. Labels must be integers or strings.")
    return labels


def _is_missing(label: Any) -> bool:
    """Whether it is None or not equal to itself, as NaN and the NA of pandas are."""
    same = label is not None and label == label
    return not (isinstance(same, (bool, np.bool_)) and same)


def _codes(labels: NDArray[Any]) -> NDArray[np.int32]:
    """(n, m) labels as non-negative integers that are not far above the number of items."""
    if labels.dtype.kind not in "iu" or int(labels.max()) >= 4 * max(len(labels), 2**14):
        labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape)
    return np.ascontiguousarray(labels, dtype=np.int32)


@compiled("void(s2, i1)")
def _number_by_appearance(labels, names):
    """Number the clusters of each row by first appearance; `names` has −1 for each old name."""
    m, n = labels.shape
    seen = np.empty(n, dtype=np.int64)
    for j in range(m):
        count = 0
        for i in range(n):
            label = labels[j, i]
            if names[label] < 0:
                names[label] = count
                seen[count] = label
                count += 1
            labels[j, i] = names[label]
        for k in range(count):
            names[seen[k]] = -1


@compiled("s2(s2, i1, i1)")
def _clusters(labels, counts, n_clusters):
    m, n = labels.shape
    clusters = np.empty((n, m), dtype=np.int32)
    place = 1
    for j in range(m):
        sizes = np.zeros(n_clusters[j], dtype=np.int64)
        for i in range(n):
            sizes[labels[j, i]] += counts[i]
        for k in range(n_clusters[j]):
            if sizes[k] > 1:
                sizes[k] = place
                place += 1
            else:
                sizes[k] = 0
        for i in range(n):
            clusters[i, j] = sizes[labels[j, i]]
    return clusters
