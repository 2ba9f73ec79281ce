"""Cluster names that stay the same when data are clustered again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.io.display import cluster_numbers
from coassoc.io.labels import clusters_of, encode
from coassoc.io.table import Table
from coassoc.metrics import cross_table, match_clusters

if TYPE_CHECKING:
    import pandas as pd

#: Sentences of the summary for each kind of change. The first names no other clusters, the second
#: does.
_SAYS = {
    "split": ("", "{} was split into {}."),
    "merged": ("", "{} was merged from {}."),
    "new": ("{} is new.", "{} is new, with samples from {}."),
    "gone": ("{} no longer exists.", "{} no longer exists. Its samples are now in {}."),
}


class Change(NamedTuple):
    """A cluster that was split or merged, is new, or disappeared.

    Attributes
    ----------
    kind : {"split", "merged", "new", "gone"}
        *split*: more than half of each of several clusters comes from one earlier cluster;
        *merged*: a cluster contains more than half of each of several earlier clusters; *new*: a
        cluster has a new name for another reason; *gone*: an earlier name disappeared for another
        reason.
    name
        Name of the cluster, or of the earlier cluster if it was split or is gone.
    others : tuple of names
        Clusters of the other clustering that share samples with it, such as its parts, the largest
        fraction first.
    shares : tuple of float
        The fraction of its common samples in each of `others`.
    """

    kind: Literal["split", "merged", "new", "gone"]
    name: Any
    others: tuple[Any, ...]
    shares: tuple[float, ...]

    def __str__(self) -> str:
        pairs = zip(self.others, self.shares, strict=True)
        listed = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in pairs)
        return _SAYS[self.kind][bool(listed)].format(self.name, listed)


@dataclass(frozen=True, eq=False)
class Alignment:
    """The result of :func:`align`.

    Attributes
    ----------
    labels : (n,) array or Series
        The name of each sample's cluster, of the same type as the earlier names: integers with −1
        for missing labels, or strings with None. The result is a pandas Series with the same index
        if the labels were one.
    names : dict
        Label of each cluster → its name.
    shared : (q, p) integer array
        Number of samples that each cluster, in the order of `names`, shares with each earlier one.
    earlier : list
        Names of the p earlier clusters.
    """

    labels: Any
    names: dict[Any, Any]
    shared: NDArray[np.int64]
    earlier: list[Any]

    @property
    def from_one(self) -> Alignment:
        """The alignment as files and pages show it, with clusters numbered from 1."""
        names = dict(zip(self.names, cluster_numbers([*self.names.values()]).tolist(), strict=True))
        earlier = cluster_numbers(self.earlier).tolist()
        return Alignment(cluster_numbers(self.labels), names, self.shared, earlier)

    @property
    def kept(self) -> float:
        """Fraction of the common samples whose cluster has the name of their earlier cluster."""
        place = {name: a for a, name in enumerate(self.earlier)}
        same = [(b, place[name]) for b, name in enumerate(self.names.values()) if name in place]
        return float(sum(self.shared[pair] for pair in same) / self.shared.sum())

    @property
    def changes(self) -> list[Change]:
        """Clusters that were split or merged, are new, or no longer exist, in this order."""
        now, old = [*self.names.values()], self.earlier
        of_now, of_old = _shares(self.shared), _shares(self.shared.T)
        # A row for each split or merged cluster, a column for each of its parts.
        splits, mergers = of_now.T > 0.5, of_old.T > 0.5
        splits &= splits.sum(axis=1, keepdims=True) > 1
        mergers &= mergers.sum(axis=1, keepdims=True) > 1
        new = ~(np.isin(now, old) | splits.any(axis=0) | mergers.any(axis=1))
        gone = ~(np.isin(old, now) | splits.any(axis=1) | mergers.any(axis=0))
        return [
            *_changes("split", old, now, of_old * splits),
            *_changes("merged", now, old, of_now * mergers),
            *_changes("new", now, old, of_now, new),
            *_changes("gone", old, now, of_old, gone),
        ]

    @property
    def table(self) -> pd.DataFrame:
        """A row for each pair of a cluster and an earlier cluster with common samples."""
        import pandas as pd

        b, a = np.nonzero(self.shared)
        return pd.DataFrame(
            {
                "cluster": [[*self.names.values()][k] for k in b],
                "earlier": [self.earlier[k] for k in a],
                "samples": self.shared[b, a],
                "of cluster": _shares(self.shared)[b, a],
                "of earlier": _shares(self.shared.T)[a, b],
            }
        )

    def __repr__(self) -> str:
        return self.summary

    @property
    def summary(self) -> str:
        """The kept names and the changes of clusters, in words."""
        stayed = len({*self.names.values()} & {*self.earlier})
        kept = f"{100 * self.kept:.1f} % of the {self.shared.sum():,} samples in both clusterings"
        lines = [f"{stayed} of {len(self.names)} clusters and {kept} keep an earlier name."]
        return "\n".join([*lines, *map(str, self.changes)])


def align(labels: Any, *, to: Any) -> Alignment:
    """Give clusters the names of an earlier clustering.

    A cluster can inherit an earlier name if more than half of either cluster is in the other. Among
    these pairs, an optimal one-to-one assignment lets as many samples as possible keep their names.
    Other clusters get new names: the next integers, or "new 1", "new 2", …

    Parameters
    ----------
    labels : (n,) array or Series
        Clusters as integers or strings; :mod:`coassoc.io.labels` says which labels are missing.
    to : (n,) array or Series
        The earlier clusters. Two arrays must have the same samples in the same order. Two Series
        are matched by their index of sample names and may share only some samples.

    Returns
    -------
    Alignment

    Raises
    ------
    DataError
        If only one of the two has sample names, a name occurs twice, or the two share no labelled
        sample.

    Examples
    --------
    >>> found = align([0, 0, 0, 1, 1, 2, 2], to=["b", "b", "b", "a", "a", "a", "a"])
    >>> found.labels.tolist()
    ['b', 'b', 'b', 'a', 'a', 'new 1', 'new 1']
    >>> print(found.summary)
    2 of 3 clusters and 71.4 % of the 7 samples in both clusterings keep an earlier name.
    a was split into a (50 %), new 1 (50 %).
    """
    codes, values, index = _labelling(labels, "labels")
    old, earlier, old_index = _labelling(to, "to")
    shared = cross_table(*_common((codes, index), (old, old_index)), (len(values), len(earlier)))
    may = (_shares(shared) > 0.5) | (_shares(shared.T).T > 0.5)
    match = match_clusters(np.where(may, shared, 0))
    heirs = {b: int(a) for b, a in enumerate(match) if a >= 0 and may[b, a]}
    numbers = all(isinstance(name, int) for name in earlier)
    texts = (name for k in count(1) if (name := f"new {k}") not in earlier)
    fresh: Iterator[Any] = count(max(earlier) + 1) if numbers else texts
    names = [earlier[heirs[k]] if k in heirs else next(fresh) for k in range(len(values))]
    # The last entry belongs to the code −1.
    named = np.array([*names, -1 if numbers else None], dtype=np.int64 if numbers else object)[
        codes
    ]
    if index is not None:
        named = type(labels)(named, index=index, name=labels.name)
    return Alignment(named, dict(zip(values, names, strict=True)), shared, earlier)


def aligned_to(earlier: Any, labels: NDArray, index: Any) -> Alignment:
    """:func:`align` with the names of samples that a table had, or None.

    If `earlier` has no index, its samples must be the same in the same order.
    """
    if index is not None and hasattr(earlier, "iloc"):
        import pandas as pd

        return align(pd.Series(labels, index=index), to=earlier)
    return align(labels, to=earlier)


def _labelling(labels: Any, called: str) -> tuple[NDArray, list[Any], Any]:
    """Codes of the clusters, −1 where one is missing; their labels; and the samples' names."""
    index = labels.index if hasattr(labels, "iloc") else None
    if np.ndim(labels) != 1 or not len(labels):
        raise DataError(
            f"{called} has the shape {np.shape(labels)}. Pass one label for each sample."
        )
    if index is not None and not index.is_unique:
        twice = index[index.duplicated()][0]
        raise DataError(
            f"{called}: two samples are named {twice!r}. Give each sample its own name."
        )
    table = Table(called, [called], lambda at: [labels], samples=index)
    _, codes, values, wrong, _ = clusters_of(table, encode(labels))
    if wrong:
        raise table.error(f"the clustering has {wrong}")
    return codes, values, index


def _common(
    now: tuple[NDArray, Any], before: tuple[NDArray, Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Clusters and earlier clusters of the samples that have both."""
    (codes, index), (old, old_index) = now, before
    if (index is None) != (old_index is None):
        named, other = ("labels", "to") if old_index is None else ("to", "labels")
        raise DataError(
            f"{named!r} has sample names in its index, but {other!r} has none. Pass two Series "
            "whose index holds the sample names, or two arrays with the same samples in the same "
            "order."
        )
    if index is not None:
        places = old_index.get_indexer(index)
        codes, old = codes[places >= 0], old[places[places >= 0]]
    elif len(codes) != len(old):
        raise DataError(
            f"'labels' has {len(codes)} samples, but 'to' has {len(old)}. Pass both arguments as "
            "Series whose index holds the sample names, so that align can match the samples."
        )
    both = (codes >= 0) & (old >= 0)
    if not both.any():
        raise DataError(
            "'labels' and 'to' have no labelled sample in common. Check that both arguments use "
            "the same sample names."
        )
    return codes[both].astype(np.intp), old[both].astype(np.intp)


def _shares(counts: NDArray) -> NDArray[np.float64]:
    """Counts by the sums of their rows; 0 where a row is empty."""
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _changes(
    kind: Literal["split", "merged", "new", "gone"],
    names: list[Any],
    others: list[Any],
    shares: NDArray[np.float64],
    which: NDArray[np.bool_] | None = None,
) -> Iterator[Change]:
    """Changes of the clusters in the mask `which`, or of all clusters with any share."""
    for k in np.flatnonzero(shares.any(axis=1) if which is None else which):
        order = np.argsort(-shares[k], kind="stable")
        order = order[shares[k, order] > 0]
        parts = tuple(others[i] for i in order)
        yield Change(kind, names[k], parts, tuple(shares[k, order].tolist()))
