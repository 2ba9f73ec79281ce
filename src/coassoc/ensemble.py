"""Base clusterings, and the quantities that every method derives from them.

An :class:`Ensemble` is built once from the label matrix Π (n × m) and shared by all methods.
It knows the clusters, the membership matrix Z of all clusters side by side, and the
*microclusters*: groups of samples with equal rows of Π, on which every labels-only method works.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from coassoc.errors import DataError
from coassoc.io.labels import EncodedLabels, clusters_of, encode, labels_of
from coassoc.io.objects import table_of
from coassoc.io.table import frame_of_columns
from coassoc.numerics.distinct import distinct_rows, first_places
from coassoc.numerics.sparse import scaled_rows
from coassoc.numerics.threads import row_blocks

#: Number of clusters up to which all intersections are computed at once, and the number of entries
#: computed at a time for more clusters.
_MOST_CLUSTERS, _ENTRIES = 8192, 2**23


@dataclass(frozen=True, eq=False)
class Microclusters:
    """A partition of n samples into n' groups of interchangeable samples.

    Parameters
    ----------
    assignment : (n,) integer array
        Microcluster of each sample, 0 … n'−1; the 0/1 matrix P of the formulas has a one
        in row i at column ``assignment[i]``.
    sizes : (n',) integer array
        Number of samples r_k of each microcluster, at least 1.

    Notes
    -----
    If samples are only counted (:meth:`Ensemble.from_counts`), `assignment` has one entry per
    microcluster instead of one per sample, in the given order.
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
        return int(self.sizes.sum())

    @property
    def counted(self) -> bool:
        """Whether samples are only counted, so that each microcluster has a single label."""
        return len(self.assignment) < self.n_samples

    @property
    def count(self) -> int:
        """n', the number of microclusters."""
        return len(self.sizes)

    @cached_property
    def r(self) -> NDArray[np.float64]:
        """The sizes as floating-point numbers, for the formulas."""
        return self.sizes.astype(np.float64)

    @property
    def weights(self) -> NDArray[np.float64]:
        """(n,) number of samples per entry of `assignment`; 1 unless samples are only counted."""
        return self.expand(self.r) if self.counted else np.ones(len(self.assignment))

    @cached_property
    def representatives(self) -> NDArray[np.intp]:
        """(n',) index of the first sample of each microcluster."""
        return first_places(self.assignment)

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """(n,) place of each sample among the samples of its microcluster: 0, 1, …"""
        if self.counted:
            return np.zeros(self.count, dtype=np.intp)
        place = np.empty(self.n_samples, dtype=np.intp)
        first = np.repeat(np.cumsum(self.sizes) - self.sizes, self.sizes)
        place[np.argsort(self.assignment, kind="stable")] = np.arange(self.n_samples) - first
        return place

    def expand(self, values: NDArray) -> NDArray:
        """Give each sample the value (or row) of its microcluster."""
        return values[self.assignment]

    def counts(self, clusters: NDArray[np.intp]) -> sp.csr_array:
        """(n', c) number of samples of each microcluster in each of the clusters 0 … c−1."""
        shape = self.count, int(clusters.max()) + 1
        return sp.coo_array((self.weights, (self.assignment, clusters)), shape).tocsr()

    def reorder(self, order: ArrayLike) -> Microclusters:
        """The same microclusters, renumbered so that the new number k is the old ``order[k]``."""
        order = np.asarray(order, dtype=np.intp)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return Microclusters(position[self.assignment], self.sizes[order])


class Patterns(NamedTuple):
    """The base clusterings that label each sample, as P different patterns.

    Attributes
    ----------
    seen : (P, m) array of 0 and 1
        The base clusterings that have the samples of each pattern.
    of : (n',) integer array
        Pattern of each microcluster.
    """

    seen: NDArray[np.float64]
    of: NDArray[np.intp]

    def totals(self, weights: ArrayLike, rows: Any = slice(None)) -> NDArray[np.float64]:
        """(P, P) sums of (m,) weights over the base clusterings that have both; some rows of it."""
        return (self.seen[rows] * weights) @ self.seen.T


class Ensemble:
    """m base clusterings of the same n samples.

    Parameters
    ----------
    labels : (n, m) array, masked array, nested list or table
        Cluster of each sample in each base clustering, as integers or strings. Every column is
        relabelled to 0 … l_j−1 in increasing order. A label is missing if it is masked, NaN, None,
        an empty string or −1 (noise); :mod:`coassoc.io.labels` has the full rule. Samples with the
        same labels and the same missing labels form one microcluster. A table is a pandas or polars
        DataFrame, an Arrow Table, or an AnnData object, in which `columns` selects the clusterings
        from ``obs``.
    id : hashable, optional
        Column that names the samples, or "first" for the first column.
    columns : sequence of hashable, optional
        The columns that are clusterings, or patterns of their names. The default is all columns
        except `id`, and each must then be a clustering by the rules of :mod:`coassoc.io`.
    missing : sequence, optional
        Further labels that mean "no cluster", such as "unassigned".
    weights : (m,) array of integers, optional
        How often each clustering counts, at least once. Results are the same as for a table in
        which the column is repeated this often.

    Raises
    ------
    DataError
        If `labels` is not such a table, or a sample or a clustering has no label at all. A list of
        arrays that are longer than the list, such as ``[a.labels_, b.labels_]``, is also an error.
        Join such columns with ``numpy.column_stack``.

    Warns
    -----
    UserWarning
        If an array has more columns than rows.

    Attributes
    ----------
    labels : (n, m) int32 array
        The relabelled base clusterings Π; −1 if a label is missing.
    n_clusters_per_clustering : (m,) array
        l_j, the number of clusters of each base clustering.
    index : sequence or None
        Names of the samples, if the table has them.
    clusterings : list
        Names of the base clusterings, or numbers from 0 if they have no names.
    values : list of list
        For each base clustering, the labels of its clusters in the table.
    """

    def __init__(
        self,
        labels: Any,
        *,
        id: Any = None,
        columns: Sequence[Any] = (),
        missing: Sequence[Any] = (),
        weights: ArrayLike | None = None,
    ) -> None:
        roles = {"id": id, "columns": _several(columns), "missing": _several(missing)}
        self._read(labels, weights, **roles)

    def _read(
        self,
        labels: Any,
        weights: ArrayLike | None = None,
        sizes: NDArray | None = None,
        **roles: Any,
    ) -> None:
        table = table_of(labels, few=sizes is not None)
        table.roles = replace(table.roles, **roles)
        encoded = labels_of(table, sizes)
        if weights is not None:
            encoded = encoded.repeated(_counts("weights", weights, len(encoded.clusterings)))
        without = np.flatnonzero(~encoded.labelled)
        if len(without):
            more = f" (and {len(without) - 1} more)" if len(without) > 1 else ""
            first = table.sample(int(without[0]))
            raise table.error(f"{first}{more} has no label at all. Leave out such samples")
        self._hold(encoded, sizes)

    def _hold(self, encoded: EncodedLabels, sizes: NDArray[np.int64] | None) -> None:
        self._labels, self._sizes = encoded.labels, sizes
        self.index = encoded.samples
        self._library, self._index_name = encoded.library, encoded.index_name
        self.clusterings, self.values = encoded.clusterings, encoded.values
        self.n_clusters_per_clustering = encoded.labels.max(axis=0).astype(np.intp) + 1

    @classmethod
    def from_labels(cls, labels: EncodedLabels, sizes: NDArray | None = None) -> Self:
        """Create an ensemble from labels that were read from a table; every sample has a label.

        Parameters
        ----------
        labels : EncodedLabels
            Labels read by :func:`coassoc.io.labels.labels_of`, without the samples that
            :meth:`~coassoc.io.labels.EncodedLabels.split` removes.
        sizes : (n',) integer array, optional
            Number of samples with each of these rows, if samples are only counted.
        """
        ensemble = cls.__new__(cls)
        ensemble._hold(labels, sizes)
        return ensemble

    @classmethod
    def from_clusterings(cls, labels: ArrayLike) -> Self:
        """Create an ensemble from (n, m) integers from a program; −1 marks a missing label.

        The columns are known to be clusterings, so only their labels are checked.
        """
        array = np.asanyarray(labels)
        ensemble = cls.__new__(cls)
        ensemble._read(array, columns=_several(range(array.shape[1])))
        return ensemble

    @classmethod
    def of(cls, labels: Any) -> Ensemble:
        """The ensemble of a table of labels. An ensemble is returned unchanged."""
        return labels if isinstance(labels, Ensemble) else cls(labels)

    @classmethod
    def from_counts(cls, rows: Any, sizes: ArrayLike, *, columns: Sequence[Any] = ()) -> Self:
        """Create an ensemble of many samples from their distinct rows of labels.

        Methods need only the distinct rows and the number of samples with each row, so time and
        memory depend on the number of rows, not on the number of samples. Samples with the same row
        are never separated. Methods therefore return one label per row: results that usually have
        one entry per sample, such as `labels_` and confidences, have one entry per row, in the
        given order. The number of clusters cannot exceed the number of rows. Sizes of clusters,
        weights and means count the samples.

        CSPA and HGPA, which can otherwise separate samples with the same row, balance whole rows.
        Methods that use features or the order of the samples raise DataError.

        Parameters
        ----------
        rows : (n', m) array or table
            Labels as for :class:`Ensemble`, without equal rows.
        sizes : (n',) array of integers
            Number of samples with each row, at least 1.
        columns
            As for :class:`Ensemble`.

        Raises
        ------
        DataError
            If `rows` or `sizes` do not have this form.

        Examples
        --------
        >>> ensemble = Ensemble.from_counts([[0, 0], [0, 1], [1, 1]], [4_000_000, 10, 3_000_000])
        >>> ensemble.n_samples, ensemble.microclusters.count
        (7000010, 3)
        """
        ensemble = cls.__new__(cls)
        sizes = _counts("sizes", sizes, len(rows))
        if sum(map(int, sizes)) >= 2**63:
            raise DataError(
                "sizes: the sum is too large for a 64-bit integer (at least 2⁶³ samples). Divide "
                "all sizes by the same number."
            )
        ensemble._read(rows, sizes=sizes, columns=_several(columns))
        group = ensemble.microclusters.assignment
        again = np.flatnonzero(np.bincount(group)[group] > 1)
        if len(again):
            same = np.flatnonzero(group == group[again[0]])
            raise DataError(
                f"rows: rows {same[0]} and {same[1]} are equal. Keep one of the two rows, with the "
                "sum of their sizes."
            )
        return ensemble

    def renamed(self, rows: NDArray[np.int32]) -> Ensemble:
        """The ensemble with renumbered or reordered base clusterings.

        Parameters
        ----------
        rows : (n', m) int32 array
            New rows of `distinct_labels`. The numbers in each base clustering are 0, 1, … without
            gaps, and −1 marks a missing label.
        """
        micro, groups = self.microclusters, distinct_rows(rows)
        sizes = np.empty_like(micro.sizes)
        sizes[groups] = micro.sizes
        values = [list(range(most + 1)) for most in rows.max(axis=0)]
        short = rows.astype(np.min_scalar_type(-int(rows.max()) - 1))
        labels = EncodedLabels(list(range(len(values))), micro.expand(short), values=values)
        ensemble = type(self).from_labels(labels, self._sizes)
        ensemble.microclusters = Microclusters(groups[micro.assignment], sizes)
        return ensemble

    def encode(self, labels: Any) -> NDArray[np.int32]:
        """Encode the labels of new samples by the cluster numbers of these base clusterings.

        Parameters
        ----------
        labels : (n_new, m) array or table
            As for :class:`Ensemble`. Columns of a table are matched by their names. If a column is
            missing, its labels are missing.

        Returns
        -------
        (n_new, m) int32 array
            Numbers as in `labels` of the ensemble; −1 if a label is missing or does not occur in
            the base clustering.

        Raises
        ------
        DataError
            If `labels` is not such a table, or has no label that occurs in these base clusterings.
        """
        table = table_of(labels, few=True)
        by_number = table.names == list(range(len(table.names)))
        once = {name: j for j, name in enumerate(dict.fromkeys(self.clusterings))}
        names = [once[name] for name in self.clusterings] if by_number else self.clusterings
        shared = [j for j, name in enumerate(names) if name in table.names]
        if not shared or (by_number and len(table.names) != len(once)):
            raise table.error(
                f"the columns cannot be matched with {len(once)} base clusterings. Pass one column "
                "for each clustering, or give the columns the names of the clusterings"
            )
        columns = []
        read = table.read([table.position("columns", names[j]) for j in shared])
        for j, given in zip(shared, map(encode, read), strict=True):
            _, column, values, reason, *_ = clusters_of(table, given)
            # Other samples may lack the labels of a base clustering.
            if reason and (column >= 0).any():
                raise table.error(
                    f"column {names[j]!r} has {reason}. Pass labels as integers or strings"
                )
            number = {value: k for k, value in enumerate(self.values[j])}
            columns.append(np.array([*(number.get(value, -1) for value in values), -1])[column])
        encoded = np.full((len(columns[0]), self.n_clusterings), -1, dtype=np.int32)
        encoded[:, shared] = np.column_stack(columns)
        if (encoded < 0).all():
            raise table.error(
                "none of the labels occurs in the base clusterings. Give the new samples cluster "
                "labels that occur in the base clusterings"
            )
        return encoded

    def place(self, sample: int, clustering: int) -> str:
        """Position of a label, by the names of its sample and its base clustering."""
        name = sample if self.index is None else self.index[sample]
        return f"sample {name}, column {self.clusterings[clustering]!r}"

    def frame(self, columns: Mapping[str, NDArray]) -> Any:
        """Table with a value for each sample in each column, of the same library as the labels.

        Parameters
        ----------
        columns : mapping of str to (n,) array

        Returns
        -------
        DataFrame of pandas or polars, or Table of Arrow
            Pandas for labels in an array, a file or an AnnData object. Names of the samples are
            the index in pandas, and the first column in polars and Arrow.
        """
        return frame_of_columns(self._library, columns, self.index, self._index_name)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray:
        """The base clusterings Π, so that an ensemble can be passed in place of an array."""
        return np.array(self.labels, dtype=dtype, copy=copy)

    @property
    def n_samples(self) -> int:
        """n, the number of samples."""
        return self._labels.shape[0] if self._sizes is None else int(self._sizes.sum())

    @property
    def n_clusterings(self) -> int:
        """m, the number of base clusterings."""
        return self._labels.shape[1]

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
    def labels(self) -> NDArray[np.int32]:
        """(n, m) the relabelled base clusterings Π; −1 if a label is missing."""
        return self._labels.astype(np.int32)

    @cached_property
    def microclusters(self) -> Microclusters:
        """Groups of samples with equal rows of Π, numbered in lexicographic order of the rows."""
        groups = distinct_rows(self._labels)
        if self._sizes is None:
            return Microclusters.from_assignment(groups)
        sizes = np.empty_like(groups)
        sizes[groups] = self._sizes
        return Microclusters(groups, sizes)

    @cached_property
    def distinct_labels(self) -> NDArray[np.int32]:
        """(n', m) the distinct rows of Π, in the order of the microclusters."""
        return self._labels[self.microclusters.representatives].astype(np.int32)

    @cached_property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return bool(self._labels.min() < 0)

    @cached_property
    def n_common(self) -> NDArray[np.float64]:
        """(n', n') number of base clusterings that label both of two microclusters."""
        seen = (self.distinct_labels >= 0).astype(np.float64)
        return seen @ seen.T

    @cached_property
    def patterns(self) -> Patterns:
        """Which base clusterings label the samples of each microcluster."""
        seen = (self.distinct_labels >= 0).astype(np.int8)
        kinds = Microclusters.from_assignment(distinct_rows(seen))
        return Patterns(seen[kinds.representatives].astype(np.float64), kinds.assignment)

    @cached_property
    def n_unobserved_pairs(self) -> int:
        """Number of pairs of samples that no base clustering labels together."""
        if 2 * (self.distinct_labels >= 0).sum(axis=1).min() > self.n_clusterings:
            return 0  # more than half of the base clusterings label each sample
        patterns = self.patterns
        sizes = np.bincount(patterns.of, self.microclusters.r)
        n_seen = patterns.seen.sum(axis=1)
        few = n_seen <= self.n_clusterings - n_seen.min()  # all other pairs are observed
        patterns, sizes = Patterns(patterns.seen[few], patterns.of), sizes[few]
        blocks = row_blocks(len(sizes))
        return int(sum(sizes[b] @ (patterns.totals(1, b) == 0) @ sizes for b in blocks)) // 2

    @cached_property
    def microcluster_membership(self) -> sp.csr_array:
        """(n', L) 0/1 membership of microclusters in clusters: the distinct rows of Z (n × L)."""
        labels = self.distinct_labels
        columns, labelled = labels + self.offsets[:-1].astype(np.int32), labels >= 0
        columns = columns[labelled] if self.has_missing else columns.ravel()
        pointers = np.concatenate(([0], np.cumsum(labelled.sum(axis=1))))
        # as many bytes as the column indices, because SciPy would otherwise widen those
        if len(columns) < 2**31:
            pointers = pointers.astype(np.int32)
        shape = len(labels), self.n_clusters_total
        return sp.csr_array((np.ones(len(columns)), columns, pointers), shape=shape)

    @cached_property
    def cluster_sizes(self) -> NDArray[np.float64]:
        """(L,) number of samples in each cluster."""
        return self.microcluster_membership.T @ self.microclusters.r

    @cached_property
    def cluster_intersections(self) -> sp.csr_array:
        """(L, L) number of samples that each pair of clusters shares, ZᵀZ."""
        Z = self.microcluster_membership
        return sp.csr_array(Z.T @ scaled_rows(Z, self.microclusters.r))

    def intersections(self) -> Iterator[tuple[slice, sp.csr_array]]:
        """Blocks of rows of `cluster_intersections` with their row numbers, which saves memory."""
        L = self.n_clusters_total
        if L <= _MOST_CLUSTERS:
            yield slice(0, L), self.cluster_intersections
            return
        Z = self.microcluster_membership
        Zt, weighted = Z.T.tocsr(), scaled_rows(Z, self.microclusters.r)
        for rows in row_blocks(L, max(1, _ENTRIES // L)):
            shared = sp.csr_array(Zt[rows] @ weighted)
            shared.sort_indices()  # as for all clusters at once
            yield rows, shared

    @cached_property
    def cluster_keys(self) -> list[NDArray[np.float64]]:
        """Integers for each of the L clusters that do not depend on any order or numbering."""
        sizes = self.cluster_sizes
        squares = [rows.power(2) for _, rows in self.intersections()]
        sums = [(rows.sum(axis=1), rows @ sizes) for rows in squares]
        return [sizes, *map(np.concatenate, zip(*sums, strict=True))]

    def __repr__(self) -> str:
        return f"Ensemble(n_samples={self.n_samples}, n_clusterings={self.n_clusterings})"


def _several(values: Any) -> tuple[Any, ...]:
    """Names or values as a tuple; a single string or number becomes one item."""
    return (
        (values,) if isinstance(values, str) or not hasattr(values, "__iter__") else tuple(values)
    )


def _counts(name: str, given: ArrayLike, length: int) -> NDArray[np.int64]:
    """The number of times that each row or column counts; raises a DataError for a wrong form."""
    array = np.asarray(given)
    if array.shape != (length,) or array.dtype.kind not in "iu" or array.min() < 1:
        of = "rows" if name == "sizes" else "base clusterings"
        raise DataError(f"{name} must have one positive integer for each of the {length} {of}.")
    return array.astype(np.int64)
