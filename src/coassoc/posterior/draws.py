"""Draws of partitions from a posterior: checked, in canonical form, and without duplicates."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError, DataError, TooLargeError
from coassoc.io.labels import whole_labels
from coassoc.io.objects import table_of
from coassoc.io.table import TableFile
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.numerics.arrays import join_chains
from coassoc.numerics.distinct import distinct_rows, first_places
from coassoc.numerics.integers import find_counter
from coassoc.numerics.pairs import count_agreements
from coassoc.numerics.threads import memory_of_machine
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
        clusters, place = np.empty(self.labels.T.shape, dtype=np.int32), 0
        for b, draw in enumerate(self.labels):
            is_large = np.bincount(draw, self.counts) > 1
            clusters[:, b] = np.where(is_large, place + np.cumsum(is_large), 0)[draw]
            place += int(is_large.sum())
        return clusters

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(B + 1,) first index of the clusters of each draw, and the index after the last."""
        largest = np.maximum.accumulate(self.clusters.max(axis=0).astype(np.int64))
        return np.concatenate(([1], largest + 1))

    @cached_property
    def pairs(self) -> NDArray[np.float64]:
        """(u, u) number of draws that co-cluster two units, with m on the diagonal."""
        _check_pairs(len(self.counts))
        # The draws with each binary digit of the weights are counted together.
        digits = range(int(self.weights.max()).bit_length())
        drawn = (self.labels[self.weights >> digit & 1 == 1].T for digit in digits)
        return sum(count_agreements(rows) * 2**digit for digit, rows in enumerate(drawn))

    def chosen(self, draws: NDArray[Any]) -> Units:
        """The same units in the chosen draws, repeated as often as they are chosen."""
        distinct, place = np.unique(self.place[draws], return_inverse=True)
        return Units(self.labels[distinct], self.counts, place)


#: Number of pairs of rows and of columns to compare, and the smallest mean ARI of draws.
_JUDGED, _SIMILAR = 60, 0.4
#: Mean fraction of the largest cluster from which two columns are no partitions to compare.
_SINGLE = 0.6
#: Number of first rows and columns to examine.
_BLOCK = 100
#: How a user names the items, for messages.
_ROLES = TableFile("draws", spelled="Draws.of(draws, names=…)")


@dataclass(frozen=True, eq=False)
class Draws:
    """Distinct partitions of the same items, and the number of times that each was drawn.

    Attributes
    ----------
    rows : Units
        Groups of items that are equal in all draws, in order of first appearance.
    row : (n,) integer array
        The group of each item.
    chains : (m,) array
        The chain of each draw.
    names : sequence of n
        Names of the items; by default their numbers from 0.
    """

    rows: Units
    row: NDArray[np.intp]
    chains: NDArray[Any]
    names: Sequence[Any]

    @classmethod
    def of(
        cls,
        draws: Any,
        *,
        variable: str | None = None,
        chains: ArrayLike | None = None,
        names: Sequence[Any] | None = None,
        few: bool = False,
    ) -> Draws:
        """Check draws, and find equal partitions and equal items.

        Parameters
        ----------
        draws : (n, m) or (chains, draws, n) array-like, DataArray, DataTree, InferenceData or Draws
            The cluster of each of n items in each draw, as non-negative integers or strings. A
            label may stand for different clusters in different draws. Of xarray and ArviZ, the
            axes "chain" and "draw" are found by name.
        variable : str, optional
            Variable of a DataTree, InferenceData or Dataset with the labels.
        chains : (m,) array-like, optional
            The chain of each draw; by default there is one chain, or those of the first axis.
        names : sequence of n, optional
            Names of the items.
        few : bool
            Whether to expect fewer draws than items.

        Raises
        ------
        DataError
            If there is no item or no draw, a label is missing, an item numbers the draws, or there
            are more chains than draws of a chain.

        Warns
        -----
        UserWarning
            If the rows look like draws, or there are fewer draws than items.
        """
        if isinstance(draws, Draws):
            return draws
        if hasattr(draws, "dims") or hasattr(draws, "posterior"):
            draws, names, few = *_named_axes(draws, variable, names), True
        if np.ndim(draws) == 3:
            by_chain = np.asanyarray(draws)
            draws, chains, few = *join_chains("draws", by_chain), True
        labels = draw_labels(draws)
        m = labels.shape[1]
        of_chains = np.zeros(m, dtype=int) if chains is None else np.asarray(chains)
        if of_chains.shape != (m,):
            raise ConfigError(
                f"chains have the shape {of_chains.shape}. Pass one chain for each of the {m:,} "
                "draws."
            )
        if not warn_of_rows(labels) and labels.shape[0] > m and not few:
            warnings.warn(
                f"draws: there are more items ({labels.shape[0]}) than draws ({labels.shape[1]}). "
                "Pass draws.T if a row is a draw, as in salso and mcclust.",
                stacklevel=2,
            )
        codes = _codes(labels)
        row = canonical_labels(distinct_rows(codes))
        canonical = np.ascontiguousarray(codes[first_places(row)].T)
        for draw in canonical:
            draw[:] = canonical_labels(draw)
        place = distinct_rows(canonical)
        units = Units(canonical[first_places(place)], np.bincount(row), place)
        return cls(units, row, of_chains, range(len(row)) if names is None else names)

    def chosen(self, draws: NDArray[Any]) -> Draws:
        """Some of the draws, by their numbers."""
        return replace(self, rows=self.rows.chosen(draws), chains=self.chains[draws])

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
        _check_pairs(self.n_items)
        return self.rows.pairs[self.row[:, None], self.row]

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """(n',) first item of each row."""
        return first_places(self.row)

    def units_of(self, z: NDArray[np.int64]) -> tuple[Units, NDArray[np.int64]]:
        """The largest units (rows or items) that (n,) labels do not separate, and their labels."""
        of_rows = z[self.first]
        return (self.rows, of_rows) if (of_rows[self.row] == z).all() else (self.items, z)


def _check_pairs(n: int) -> None:
    """Raise a TooLargeError if (n, n) numbers do not fit into memory."""
    if 8 * n * n > 1e6 * memory_of_machine():
        raise TooLargeError(
            f"Similarities of {n:,} items take {8 * n * n / 1e9:,.0f} GB of memory. Leave out "
            "some items."
        )


def _named_axes(draws: Any, variable: str | None, names: Any) -> tuple[Any, Any]:
    """Chain × draw × item of xarray or ArviZ, and the names of the items if they have names."""
    group = draws.posterior if hasattr(draws, "posterior") else draws
    if not hasattr(group, "transpose") or hasattr(group, "data_vars"):
        whole = {
            str(name): node
            for name, node in group.data_vars.items()
            if {"chain", "draw"} < {*node.dims} and node.ndim == 3 and _is_whole(node)
        }
        if (variable or next(iter(whole), None)) not in whole or (len(whole) > 1 and not variable):
            raise DataError(
                "draws: the labels could be in several variables, or in none. Pass "
                f"Draws.of(draws, variable=…) with one of: {', '.join(whole) or 'none'}."
            )
        group = whole[variable or next(iter(whole))]
    others = [dim for dim in group.dims if dim not in ("chain", "draw")]
    if not {"chain", "draw"} < {*group.dims} or len(others) != 1:
        raise DataError(
            f"draws have the axes {', '.join(map(str, group.dims))}. They must be chain, draw and "
            "an axis of the items."
        )
    values = group.transpose("chain", "draw", others[0]).values
    if names is None and others[0] in getattr(group, "coords", {}):
        names = group.coords[others[0]].values.tolist()
    return values, names


def _is_whole(node: Any) -> bool:
    values = np.asarray(node.values)
    return values.dtype.kind in "iu" or (values.dtype.kind == "f" and not (values % 1).any())


def warn_of_rows(labels: NDArray[Any]) -> bool:
    """Warn if rows, but not columns, agree as partitions of the same items do; whether they do."""
    if min(labels.shape) < 20:
        return False
    # The names of clusters differ between chains, so only draws of the same chain are compared.
    block = labels[:_BLOCK, :_BLOCK]
    of_columns, of_rows = _mean_agreement(block), _mean_agreement(block.T)
    in_rows = of_rows >= _SIMILAR and of_rows >= 1.3 * of_columns
    if in_rows:
        # One label in a column is a draw of a single cluster, or an item that never changes it.
        largest = [np.unique(column, return_counts=True)[1].max() for column in block.T]
        is_open = np.mean(largest) > _SINGLE * len(block)
        warnings.warn(
            f"draws: the rows {'may be' if is_open else 'look like'} draws, because they agree "
            f"with one another (mean ARI {of_rows:.2f}) more than the columns do "
            f"({of_columns:.2f}). Pass draws.T, or --draws rows, if a row is a draw.",
            stacklevel=3,
        )
    return in_rows


def _mean_agreement(labels: NDArray[Any]) -> float:
    """Mean ARI of pairs of columns, where a single cluster agrees with nothing."""
    random, total = np.random.default_rng(0), 0.0
    for _ in range(_JUDGED):
        first, second = labels[:, random.choice(labels.shape[1], 2, replace=False)].T
        x, y = (np.unique(each, return_inverse=True)[1] for each in (first, second))
        if x.max() > 0 and y.max() > 0:
            total += adjusted_rand_index(contingency_table(x, y))
    return total / _JUDGED


def draw_labels(draws: ArrayLike, name: str = "draws") -> NDArray[Any]:
    """(n, m) labels as integers or strings. Missing labels raise a DataError with the name."""
    array = np.asanyarray(draws)
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            f"draws have the shape {array.shape}. Pass items × draws, with at least one of each."
        )
    table = replace(table_of(array, few=True), place=name, kind="item", roles=_ROLES)
    labels = whole_labels(table, table.names)
    if (counter := find_counter(labels)) is not None:
        raise DataError(
            f"draws: the labels of item {counter} change by equal steps, as if they numbered the "
            "draws. Leave out this item."
        )
    return labels


def _codes(labels: NDArray[Any]) -> NDArray[np.int32]:
    """(n, m) labels as non-negative integers that are not far above the number of items."""
    if labels.dtype.kind not in "iu" or int(labels.max()) >= 4 * max(len(labels), 2**14):
        labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape)
    return np.ascontiguousarray(labels, dtype=np.int32)
