"""Base clusterings and what every method derives from them.

An :class:`Ensemble` is built once from the label matrix Π (n × m) and shared by all methods.
It knows the clusters, the membership matrix Z of all clusters side by side, and the
*microclusters*: groups of samples with equal rows of Π, on which every labels-only method works.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from coassoc.errors import DataError

__all__ = ["Ensemble", "Microclusters"]


@dataclass(frozen=True, eq=False)
class Microclusters:
    """A partition of n samples into n' groups of interchangeable samples.

    Parameters
    ----------
    assignment : (n,) integer array
        Microcluster of each sample, 0 … n'−1; the 0/1 matrix P of the formulas has a one
        in row i at column ``assignment[i]``.
    sizes : (n',) integer array
        Number of samples r_k of each microcluster, all at least 1.
    """

    assignment: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def from_assignment(cls, assignment: ArrayLike) -> Microclusters:
        """Count the sizes of the groups named by `assignment`, an (n,) array of 0 … n'−1."""
        groups = np.asarray(assignment, dtype=np.intp)
        return cls(groups, np.bincount(groups))

    @property
    def n_samples(self) -> int:
        """n, the number of samples."""
        return len(self.assignment)

    @property
    def count(self) -> int:
        """n', the number of microclusters."""
        return len(self.sizes)

    @cached_property
    def r(self) -> NDArray[np.float64]:
        """The sizes as floating-point numbers, for the formulas."""
        return self.sizes.astype(np.float64)

    @cached_property
    def representatives(self) -> NDArray[np.intp]:
        """(n',) index of the first sample of each microcluster."""
        first = np.full(self.count, self.n_samples, dtype=np.intp)
        np.minimum.at(first, self.assignment, np.arange(self.n_samples))
        return first

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """(n,) place of each sample among the samples of its microcluster: 0, 1, …"""
        place = np.empty(self.n_samples, dtype=np.intp)
        first = np.repeat(np.cumsum(self.sizes) - self.sizes, self.sizes)
        place[np.argsort(self.assignment, kind="stable")] = np.arange(self.n_samples) - first
        return place

    def expand(self, values: NDArray) -> NDArray:
        """Give each sample the value (or row) of its microcluster."""
        return values[self.assignment]

    def reorder(self, order: ArrayLike) -> Microclusters:
        """The same microclusters numbered so that the new k-th is the old ``order[k]``."""
        order = np.asarray(order, dtype=np.intp)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return Microclusters(position[self.assignment], self.sizes[order])


class Ensemble:
    """m base clusterings of the same n samples.

    Parameters
    ----------
    labels : (n, m) integer array
        Cluster of each sample in each base clustering. Any non-negative integers; unused ids
        are allowed, since every column is relabelled to 0 … l_j−1 in increasing order.

    Raises
    ------
    DataError
        If `labels` is not a non-empty two-dimensional array of non-negative finite integers.

    Attributes
    ----------
    labels : (n, m) int32 array
        The relabelled base clusterings Π.
    n_clusters_per_clustering : (m,) array
        l_j, the number of clusters of each base clustering.
    """

    def __init__(self, labels: ArrayLike) -> None:
        self.labels = _relabel(_validated(labels))
        self.n_clusters_per_clustering: NDArray[np.intp] = (
            self.labels.max(axis=0).astype(np.intp) + 1
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray:
        """The base clusterings Π, so that an ensemble can be given where an array is wanted."""
        return np.array(self.labels, dtype=dtype, copy=copy)

    @property
    def n_samples(self) -> int:
        """n, the number of samples."""
        return self.labels.shape[0]

    @property
    def n_clusterings(self) -> int:
        """m, the number of base clusterings."""
        return self.labels.shape[1]

    @property
    def n_clusters_total(self) -> int:
        """L, the number of clusters of all base clusterings together."""
        return int(self.n_clusters_per_clustering.sum())

    @cached_property
    def offsets(self) -> NDArray[np.intp]:
        """(m + 1,) position of each base clustering's first cluster among all L clusters."""
        return np.concatenate(([0], np.cumsum(self.n_clusters_per_clustering)))

    @cached_property
    def clustering_of_cluster(self) -> NDArray[np.intp]:
        """(L,) base clustering to which each cluster belongs."""
        return np.repeat(np.arange(self.n_clusterings), self.n_clusters_per_clustering)

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        return _distinct_rows(self.labels)

    @cached_property
    def microclusters(self) -> Microclusters:
        """Groups of samples with equal rows of Π, numbered in lexicographic order of the rows."""
        return Microclusters.from_assignment(self._distinct[1])

    @property
    def distinct_labels(self) -> NDArray[np.int32]:
        """(n', m) the distinct rows of Π, in the order of the microclusters."""
        return self._distinct[0]

    @cached_property
    def membership(self) -> sp.csr_array:
        """Z, the (n, L) 0/1 membership of samples in clusters."""
        return self._one_hot(self.labels)

    @cached_property
    def microcluster_membership(self) -> sp.csr_array:
        """(n', L) 0/1 membership of microclusters in clusters: the distinct rows of Z."""
        return self._one_hot(self.distinct_labels)

    @cached_property
    def cluster_sizes(self) -> NDArray[np.float64]:
        """(L,) number of samples in each cluster."""
        return self.microcluster_membership.T @ self.microclusters.r

    @cached_property
    def cluster_intersections(self) -> sp.csr_array:
        """(L, L) number of samples that each pair of clusters shares, ZᵀZ."""
        Z = self.microcluster_membership
        weighted = Z.multiply(self.microclusters.r[:, None]).tocsr()
        return sp.csr_array(Z.T @ weighted)

    def _one_hot(self, labels: NDArray[np.int32]) -> sp.csr_array:
        n, m = labels.shape
        columns = (labels + self.offsets[:-1]).ravel()
        pointers = np.arange(0, n * m + 1, m)
        return sp.csr_array((np.ones(n * m), columns, pointers), shape=(n, self.n_clusters_total))

    def __repr__(self) -> str:
        return f"Ensemble(n_samples={self.n_samples}, n_clusterings={self.n_clusterings})"


def _validated(labels: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            "labels: expected a non-empty (samples, base clusterings) array, "
            f"got shape {array.shape}."
        )
    if array.dtype.kind not in "iufb":
        raise DataError(f"labels: expected integers, got values of type {array.dtype}.")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            row, column = np.argwhere(~np.isfinite(array))[0]
            raise DataError(
                f"labels: sample {row} of base clustering {column} is {array[row, column]}; "
                "every label must be a non-negative integer."
            )
        if (array != np.floor(array)).any():
            raise DataError("labels: expected integers, got fractional values.")
    if array.min() < 0:
        row, column = np.argwhere(array < 0)[0]
        raise DataError(
            f"labels: sample {row} of base clustering {column} is {array[row, column]}; "
            "every label must be a non-negative integer."
        )
    return array.astype(np.int64)


def _relabel(labels: NDArray[np.int64]) -> NDArray[np.int32]:
    relabelled = np.empty(labels.shape, dtype=np.int32)
    for j, column in enumerate(labels.T):
        relabelled[:, j] = np.unique(column, return_inverse=True)[1]
    return relabelled


def _distinct_rows(labels: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Distinct rows in lexicographic order and the number of each row's group.

    Ranks are refined one column at a time, so that a sort is always of n single integers.
    """
    rank = np.zeros(len(labels), dtype=np.int64)
    for column in labels.T:
        rank = np.unique(rank * (int(column.max()) + 1) + column, return_inverse=True)[1]
    first = np.full(int(rank.max()) + 1, len(labels), dtype=np.intp)
    np.minimum.at(first, rank, np.arange(len(labels)))
    return labels[first], rank.astype(np.intp)
