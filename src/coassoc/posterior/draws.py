"""Draws of partitions from a posterior: checked, in canonical form, equal ones found once."""

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
from coassoc.numerics.distinct import distinct_rows
from coassoc.numerics.memory import memory_of_machine
from coassoc.tables.doubts import COUNTS, LOOKED_AT, Judged, counts_or_chance, remark_on_shape

__all__ = ["Draws", "whole_labels"]

#: So many draws are looked at.
_JUDGED = 60


@dataclass(frozen=True, eq=False)
class Draws:
    """Distinct partitions of the same items, and how often each was drawn.

    Attributes
    ----------
    labels : (B, n) int32 array
        Distinct draws in lexicographic order; clusters are numbered by first appearance.
    weights : (B,) int64 array
        How often each was drawn.
    place : (m,) integer array
        Row of `labels` that holds each of the draws that were given.
    """

    labels: NDArray[np.int32]
    weights: NDArray[np.int64]
    place: NDArray[np.intp]

    @classmethod
    def of(cls, draws: Draws | ArrayLike) -> Draws:
        """Check draws, and find equal partitions.

        Parameters
        ----------
        draws : (n, m) array-like, or Draws
            The cluster of each of n items in each of m draws, under any names: integers from 0 on,
            or texts. The same cluster may have another name in another draw.

        Raises
        ------
        DataError
            If there is no item or no draw, or a label is missing.

        Warns
        -----
        UserWarning
            If the numbers look like counts, similarities, or draws in rows.
        """
        if isinstance(draws, Draws):
            return draws
        labels = whole_labels(draws)
        _warn_of_others(labels)
        canonical = _canonical(labels.T)
        place = distinct_rows(canonical)
        weights = np.bincount(place)
        first = np.empty(len(weights), dtype=np.intp)
        first[place[::-1]] = np.arange(len(place))[::-1]
        return cls(canonical[first], weights, place)

    @property
    def n_items(self) -> int:
        """n, the number of items."""
        return self.labels.shape[1]

    @property
    def n_draws(self) -> int:
        """m, the number of draws that were given."""
        return len(self.place)

    @cached_property
    def n_clusters(self) -> NDArray[np.int64]:
        """(B,) number of clusters of each distinct draw."""
        return self.labels.max(axis=1).astype(np.int64) + 1

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """(n, B) place of each item's cluster among all clusters of two items and more.

        Clusters of the draws are counted from 1 on, draw by draw; a cluster of one item is 0, since
        nothing that is summed over pairs or logarithms of sizes can come from it.
        """
        return _rows(self.labels, self.n_clusters)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(B + 1,) first place of the clusters of each draw, and the one after the last."""
        largest = np.maximum.accumulate(self.rows.max(axis=0).astype(np.int64))
        return np.concatenate(([1], largest + 1))

    @cached_property
    def pairs(self) -> NDArray[np.float64]:
        """(n, n) number of draws that have two items together, m on the diagonal."""
        n = self.n_items
        if 8 * n * n > 1e6 * memory_of_machine():
            raise TooLargeError(
                f"Similarities of {n:,} items take {8 * n * n / 1e9:,.0f} GB; leave items out."
            )
        return weighted_agreements(self.labels.T, self.weights)


def _warn_of_others(labels: NDArray[Any]) -> None:
    """Warn of what is given in place of items × draws, as far as the first ones show it."""
    if labels.dtype.kind not in "iu":
        return
    whole = len(labels) == labels.shape[1] or (labels[:, 0] == labels[0, 0]).all()
    columns = []
    for j, draw in enumerate(labels[:, : LOOKED_AT if whole else _JUDGED].T):
        values, clusters = np.unique(draw, return_inverse=True)
        columns.append(Judged(str(j), clusters, values.tolist()))
    if remark := remark_on_shape(columns) or (counts_or_chance(columns) and COUNTS):
        warnings.warn(f"draws: {remark}; they must be items × draws.", stacklevel=3)


def whole_labels(draws: ArrayLike) -> NDArray[Any]:
    """(n, m) labels as integers or texts, with no label missing; a DataError otherwise."""
    labels = np.asarray(draws)
    if labels.ndim != 2 or 0 in labels.shape:
        raise DataError(
            f"draws have the shape {labels.shape}; they must be items × draws, with at least one "
            "of each."
        )
    if isinstance(draws, np.ma.MaskedArray):
        _refuse_missing(labels, np.ma.getmaskarray(draws))
    if labels.dtype.kind == "O":
        _refuse_missing(labels, np.frompyfunc(_absent, 1, 1)(labels).astype(bool))
        texts = sum(isinstance(label, str) for label in labels.flat)
        if 0 < texts < labels.size:
            raise DataError(
                "draws hold texts and numbers; labels are one or the other, and names of items are "
                "none."
            )
        labels = labels.astype(str if texts else float)
    if labels.dtype.kind in "SU":
        _refuse_missing(labels, np.char.strip(labels) == labels.dtype.type())
    if labels.dtype.kind == "f":
        _refuse_missing(labels, np.isnan(labels))
        if (labels != np.rint(labels)).any() or np.abs(labels).max() > 2**53:
            raise DataError("draws hold numbers that are not whole; labels are integers or texts.")
        labels = labels.astype(np.int64)
    if labels.dtype.kind in "iu":
        _refuse_missing(labels, labels < 0)
    elif labels.dtype.kind not in "bSU":
        raise DataError(f"draws are of type {labels.dtype}; labels are integers or texts.")
    return labels


def _absent(label: Any) -> bool:
    """Whether it is None or not equal to itself, as NaN and the NA of pandas are."""
    same = label is not None and label == label
    return not (isinstance(same, (bool, np.bool_)) and same)


def _refuse_missing(labels: NDArray[Any], missing: NDArray[np.bool_]) -> None:
    if missing.any():
        item, draw = np.argwhere(missing)[0]
        raise DataError(
            f"draws: item {item} has no label in draw {draw} ({labels[item, draw]}), counted from "
            "0; leave the item or the draw out, since a posterior draw has every item in a cluster."
        )


def _canonical(labels: NDArray[Any]) -> NDArray[np.int32]:
    """(m, n) labels with the clusters of each row numbered 0 … c−1 by first appearance."""
    if labels.dtype.kind not in "iu" or int(labels.max()) >= 4 * max(labels.shape[1], 2**14):
        labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape)
    names = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
    canonical = np.array(labels, dtype=np.int32, order="C")
    _number_by_appearance(canonical, names)
    return canonical


@compiled("void(s2, i1)")
def _number_by_appearance(labels: Any, names: Any) -> None:
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


@compiled("s2(s2, i1)")
def _rows(labels: Any, n_clusters: Any) -> Any:
    m, n = labels.shape
    rows = np.empty((n, m), dtype=np.int32)
    place = 1
    for j in range(m):
        sizes = np.zeros(n_clusters[j], dtype=np.int32)
        for i in range(n):
            sizes[labels[j, i]] += 1
        for k in range(n_clusters[j]):
            if sizes[k] > 1:
                sizes[k] = place
                place += 1
            else:
                sizes[k] = 0
        for i in range(n):
            rows[i, j] = sizes[labels[j, i]]
    return rows
