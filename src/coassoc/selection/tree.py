"""The consensus tree: clusters at all resolutions, with tests and stability of the splits.

The tree is the dendrogram of average linkage of the co-association matrix (EAC-AL), condensed as in
HDBSCAN (Campello, Moulavi & Sander 2013): a merge with a cluster that is too small is not a split.
The samples of such a cluster stay in the larger cluster, and go to the nearer side if that is
split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.confidence import agreement_with_base
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError
from coassoc.io.display import count_of, sizes_in_words
from coassoc.numerics.distinct import merge_equal_rows
from coassoc.numerics.integers import integer_arguments, is_integer
from coassoc.partition.labels import canonical_labels
from coassoc.partition.linkage import agglomerate_samples
from coassoc.selection.null import agreement_and_p, check_agreement, drawn_sizes
from coassoc.selection.resampling import half
from coassoc.similarity import co_association

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

#: Default size of the smallest cluster: a fraction of the samples, and a number of samples.
_SHARE, _LEAST = 0.02, 3
#: Largest number of samples for permutations and trees of halves. If there are more, this many are
#: drawn.
_DRAWN = 1000


@dataclass(frozen=True)
class ConsensusTree:
    """The result of :func:`consensus_tree`.

    Attributes
    ----------
    ensemble : Ensemble
    splits : DataFrame
        A row for each split, the highest first. The index is the name of the cluster that is split:
        "1" contains all samples and is split into "1.1", the larger part, and "1.2". Columns:

        - ``n_clusters``: number of clusters after this split and all higher splits
        - ``left``, ``right``: names of the two sides
        - ``size``, ``left_size``, ``right_size``: numbers of samples
        - ``height``: distance of the sides, 1 − mean co-association
        - ``agreement``: mean ARI of the base clusterings on the cluster's samples, see
          :func:`coassoc.selection.agreement`; for more than fifty base clusterings, the mean over
          about 1,225 random pairs, or one pair per base clustering if there are more
        - ``p``: p-value of the hypothesis that the base clusterings are independent on these
          samples
        - ``p_tree``: ``p`` corrected for the number of splits; both are NaN if a split above is not
          significant, because this split is then not tested
        - ``stability``: the smaller stability of the two sides
        - ``kept``: whether this split and all splits above it are significant and stable
    leaves : (n,) integer array
        Finest cluster of each sample, numbered from left to right as in the figure.
    names : list of str
        Names of the finest clusters.
    level : float
        Level of the tests.
    """

    ensemble: Ensemble
    splits: pd.DataFrame
    leaves: Integers
    names: list[str]
    level: float

    @property
    def largest(self) -> int:
        """Number of finest clusters."""
        return len(self.names)

    @property
    def n_clusters(self) -> int:
        """Number of clusters after the kept splits; 1 if no split is kept."""
        return 1 + int(self.splits["kept"].sum())

    @property
    def labels(self) -> Integers:
        """(n,) clusters of the samples after the kept splits, 0 … in order of first appearance."""
        kept = self.of_splits(self.splits.index[self.splits["kept"]])
        return canonical_labels(kept[self.leaves])

    @property
    def verdict(self) -> str:
        """The kept splits and the reason, in words."""
        if self.splits.empty:
            return "There is one cluster, and no part of it is large enough to split off."
        whole = self.splits.loc["1"]
        more = "more than" if whole["p"] <= self.level else "no more than"
        p = "< 0.001" if whole["p"] < 0.0005 else f"{whole['p']:.3f}"
        significant = (self.splits["p_tree"] <= self.level).sum()
        return (
            f"The base clusterings agree {more} expected by chance (mean ARI "
            f"{whole['agreement']:.2f}, p {p}). Of {count_of(len(self.splits), 'split')}, "
            f"{significant} are significant. A split is kept if it and all splits above it are "
            f"significant and stable. The tree keeps {count_of(self.n_clusters - 1, 'split')}, "
            f"which leads to {count_of(self.n_clusters, 'cluster')}."
        )

    def __repr__(self) -> str:
        return f"{self.verdict}\nClusters at the kept splits: {sizes_in_words(self.labels)}"

    def partition(self, n_clusters: int) -> Integers:
        """(n,) clusters after the highest n_clusters − 1 splits, in order of first appearance.

        Raises
        ------
        ConfigError
            If the tree does not have this number of clusters.
        """
        if not 1 <= n_clusters <= self.largest:
            raise ConfigError(
                f"n_clusters is {n_clusters!r}. The tree has 1 to {self.largest} clusters."
            )
        return canonical_labels(self.of_splits(self.splits.index[: n_clusters - 1])[self.leaves])

    def of_splits(self, splits: Sequence[str]) -> Integers:
        """Cluster of each finest cluster after some splits, which must include their parents."""
        nodes = {"1", *(side for name in splits for side in (f"{name}.1", f"{name}.2"))}
        deepest = [max((x for x in nodes if _inside(name, x)), key=len) for name in self.names]
        return np.cumsum([0, *(a != b for a, b in pairwise(deepest))])

    @property
    def agreements(self) -> Array:
        """(m, c) ARI of each base clustering with the tree at 1, 2, … clusters."""
        columns = [
            agreement_with_base(self.ensemble, self.partition(c), "ARI")
            for c in range(1, self.largest + 1)
        ]
        return np.column_stack(columns)


@integer_arguments("least", "n_draws", "n_halves", "random_state")
def consensus_tree(
    labels: ArrayLike | Ensemble,
    *,
    least: int | None = None,
    level: float = 0.05,
    stability: float = 0.75,
    n_draws: int = 499,
    n_halves: int = 10,
    random_state: int = 0,
) -> ConsensusTree:
    """The tree of a consensus, with tests and stability of its splits.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        The base clusterings, m ≥ 2.
    least : int, optional
        Smallest size of a cluster. The default is 2 % of the samples, but at least 3.
    level : float
        Level of the tests: the probability that any split is significant if the base clusterings
        are independent in the cluster that is split.
    stability : float
        Smallest stability of both sides of a kept split. With 0, only the tests decide.
    n_draws : int
        Largest number of permutations in each test.
    n_halves : int
        Number of random halves of the base clusterings for the stability.
    random_state : int

    Returns
    -------
    ConsensusTree

    Raises
    ------
    ConfigError
        If `least` is not a positive integer.
    DataError
        If there is only one base clustering.

    Notes
    -----
    The null hypothesis of a split is that the base clusterings are independent of each other on the
    samples of the cluster that is split. The test is :func:`~coassoc.selection.agreement_test` on
    at most 1,000 of these samples, with as few permutations as possible
    (:func:`~coassoc.selection.null.agreement_and_p`). If the hypothesis is true for a cluster, it
    is true for all clusters inside, so these are tested only if it is rejected. Let E be the number
    of splits that no other split follows, and E_C the number of those inside cluster C or at C. As
    in Meinshausen (2008),

        p_tree(C) = max over C and all clusters around it of min(1, p E / E_C).

    For a given tree, the probability that any true null hypothesis is rejected is then at most the
    level. This tree, however, is computed from the same labels. Significant sides need not be
    clusters: k-means splits data without clusters in similar ways again and again. Stability
    detects this better. The stability of a cluster C (Hennig 2007) is the mean, over the halves, of
    the largest Jaccard coefficient of C with a cluster in the dendrogram of the half, here on at
    most 1,000 samples. Hennig calls clusters with a stability of at least 0.75 stable.

    References
    ----------
    A. L. Fred, A. K. Jain, "Combining multiple clusterings using evidence accumulation", IEEE TPAMI
    27(6), 835–850, 2005.
    R. J. G. B. Campello, D. Moulavi, J. Sander, "Density-based clustering based on hierarchical
    density estimates", PAKDD 2013.
    N. Meinshausen, "Hierarchical testing of variable importance", Biometrika 95(2), 265–278, 2008.
    C. Hennig, "Cluster-wise assessment of cluster stability", Computational Statistics & Data
    Analysis 52(1), 258–271, 2007.
    """
    import pandas as pd

    ensemble = Ensemble.of(labels)
    check_agreement(ensemble)
    n = ensemble.n_samples
    least = max(_LEAST, round(_SHARE * n)) if least is None else least
    if not is_integer(least, 1):
        raise ConfigError(f"least is {least!r}. It must be a positive number of samples.")
    rows, sizes = ensemble.distinct_labels, ensemble.microclusters.sizes
    members, heights = _split(*_linked(rows, sizes), rows, sizes, least)
    tested = _test(members, heights, rows, sizes, level, n_draws, random_state)
    recovered = _resample(members, rows, sizes, n_halves, random_state)
    weaker = {name: min(recovered[side] for side in _sides(name)) for name in heights}
    kept = {""}
    for name in heights:
        p_tree = tested[name][2] if name in tested else np.nan
        if _parent(name) in kept and p_tree <= level and weaker[name] >= stability:
            kept.add(name)
    splits = sorted(heights, key=lambda name: -heights[name])  # the outer one of equal splits first
    left, right = ([_sides(name)[i] for name in splits] for i in (0, 1))
    size = pd.Series({name: sizes[inside].sum() for name, inside in members.items()})
    tests = pd.DataFrame.from_dict(tested, "index", columns=["agreement", "p", "p_tree"])
    table = pd.DataFrame(
        {
            "n_clusters": range(2, len(splits) + 2),
            "left": left,
            "right": right,
            "size": size[splits].to_numpy(),
            "left_size": size[left].to_numpy(),
            "right_size": size[right].to_numpy(),
            "height": [heights[name] for name in splits],
            **tests.reindex(splits).to_dict("list"),
            "stability": [weaker[name] for name in splits],
            "kept": np.array([name in kept for name in splits], dtype=np.bool_),
        },
        pd.Index(splits, name="cluster"),
    )
    names = [name for name in members if name not in heights]
    leaf = np.empty(len(sizes), dtype=np.intp)
    for i, name in enumerate(names):
        leaf[members[name]] = i
    return ConsensusTree(ensemble, table, leaf[ensemble.microclusters.assignment], names, level)


def _sides(name: str) -> tuple[str, str]:
    return f"{name}.1", f"{name}.2"


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _inside(name: str, around: str) -> bool:
    return name == around or name.startswith(f"{around}.")


def _linked(rows: NDArray, sizes: Integers) -> tuple[Integers, Array]:
    """Average linkage of distinct rows, which are in lexicographic order like microclusters.

    Returns
    -------
    children : (q − 1, 2) integer array
        Nodes 0 … q − 1 are the rows; each merge makes the next one, the last of which is all.
    heights : (q − 1,) array
    """
    # Loading this module takes half a second, which other steps of a workflow avoid.
    from scipy.cluster.hierarchy import DisjointSet

    rows = rows[:, (rows >= 0).any(axis=0)]
    ensemble = Ensemble.from_counts(rows, sizes, columns=range(rows.shape[1]))
    merges = agglomerate_samples(co_association(ensemble), "average")
    q = len(rows)
    order = np.argsort(merges.heights, kind="stable")
    joined, node = DisjointSet(range(q)), list(range(q))
    children = np.empty((q - 1, 2), dtype=np.intp)
    for t, sides in enumerate(zip(merges.left[order], merges.right[order], strict=True)):
        children[t] = [node[joined[side]] for side in sides]
        joined.merge(*sides)
        node[joined[sides[0]]] = q + t
    return children, merges.heights[order]


def _sums(children: Integers, values: Array) -> Array:
    """(2q − 1, …) sum of the rows' values over each node."""
    total = np.concatenate((values, np.zeros((len(children), *values.shape[1:]))))
    for t, (a, b) in enumerate(children, start=len(values)):
        total[t] = total[a] + total[b]
    return total


def _rows_of(children: Integers, node: int) -> Integers:
    """Rows below a node."""
    q, waiting, rows = len(children) + 1, [node], []
    while waiting:
        node = waiting.pop()
        if node < q:
            rows.append(node)
        else:
            waiting.extend(children[node - q])
    return np.array(rows, dtype=np.intp)


def _split(
    children: Integers, distances: Array, rows: NDArray, sizes: Integers, least: int
) -> tuple[dict[str, Integers], dict[str, float]]:
    """Rows of the clusters of the condensed tree, each before its sides, and heights of splits."""
    q = len(rows)
    weight = _sums(children, sizes.astype(np.float64))
    members: dict[str, Integers] = {}
    heights: dict[str, float] = {}
    waiting = [("1", np.arange(q), 2 * q - 2)]
    while waiting:
        name, inside, k = waiting.pop()
        members[name] = inside
        while k >= q:
            a, b = sorted(children[k - q], key=lambda side: (-weight[side], side))
            if weight[b] >= least:
                heights[name] = float(distances[k - q])
                cores = [_rows_of(children, side) for side in (a, b)]
                parts = _with_nearest(inside, cores, rows, sizes)
                waiting += reversed([*zip(_sides(name), parts, (a, b), strict=True)])
                break
            k = a
    return members, heights


def _with_nearest(
    inside: Integers, cores: Sequence[Integers], rows: NDArray, sizes: Integers
) -> list[Integers]:
    """Two sides of a split, each with the other rows of the cluster that are nearer to it."""
    others = np.setdiff1d(inside, np.concatenate(cores))
    near = np.column_stack([_closeness(rows[others], rows[core], sizes[core]) for core in cores])
    side = near.argmax(axis=1)
    return [np.sort(np.concatenate((core, others[side == i]))) for i, core in enumerate(cores)]


def _closeness(rows: NDArray, core: NDArray, sizes: Integers) -> Array:
    """Mean co-association of each row with the samples of a cluster."""
    together, common = np.zeros((2, len(rows)))
    for mine, theirs in zip(rows.T, core.T, strict=True):
        counts = np.bincount(theirs + 1, sizes, minlength=int(rows.max(initial=0)) + 2)
        counts[0] = 0  # missing labels
        together += counts[mine + 1]
        common += (mine >= 0) * counts.sum()
    return np.divide(together, common, out=np.zeros(len(rows)), where=common > 0)


def _test(
    members: dict[str, Integers],
    heights: dict[str, float],
    rows: NDArray,
    sizes: Integers,
    level: float,
    n_draws: int,
    random_state: int,
) -> dict[str, tuple[float, float, float]]:
    """Agreement, p and p_tree of the splits that are tested."""
    last = [name for name in heights if not any(side in heights for side in _sides(name))]
    tested: dict[str, tuple[float, float, float]] = {"": (0.0, 0.0, 0.0)}
    for name in heights:
        if _parent(name) in tested and (around := tested[_parent(name)][2]) <= level:
            counted = rows[members[name]], sizes[members[name]]
            agreement, p = agreement_and_p(*counted, n_draws, random_state, _DRAWN)
            n_last = sum(_inside(each, name) for each in last)
            tested[name] = agreement, p, max(around, min(1.0, p * len(last) / n_last))
    return tested


def _resample(
    members: dict[str, Integers], rows: NDArray, sizes: Integers, n_halves: int, random_state: int
) -> dict[str, float]:
    """Stability of all clusters except the one with all samples."""
    names = [*members][1:]
    if not names:
        return {}
    sizes = drawn_sizes(sizes, _DRAWN, random_state)
    inside = np.column_stack([np.isin(np.arange(len(rows)), members[name]) for name in names])
    coefficients = [
        _recovered(rows[:, half(rows.shape[1], b, random_state)], sizes, inside)
        for b in range(n_halves)
    ]
    return dict(zip(names, np.nanmean(coefficients, axis=0).tolist(), strict=True))


def _recovered(rows: NDArray, sizes: Integers, inside: NDArray[np.bool_]) -> Array:
    """Largest Jaccard coefficient of each cluster with any node of a dendrogram of some columns."""
    labelled = (rows >= 0).any(axis=1) & (sizes > 0)
    rows, sizes, inside = rows[labelled], sizes[labelled], inside[labelled]
    distinct, merged, group = merge_equal_rows(rows, sizes)
    counts = np.zeros((len(distinct), inside.shape[1]))
    np.add.at(counts, group, inside * sizes[:, None])
    children, _ = _linked(distinct, merged)
    shared = _sums(children, counts)
    union = _sums(children, merged.astype(np.float64))[:, None] + counts.sum(axis=0) - shared
    return np.asarray((shared / union).max(axis=0))
