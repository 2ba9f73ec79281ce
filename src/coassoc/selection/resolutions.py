"""Choice of a resolution by the agreement between clusterings with different seeds.

The similarity of two clusterings is element-centric (Gates et al. 2019). For a sample in cluster A
of one clustering and cluster B of the other, it is |A ∩ B| / max(|A|, |B|). For partitions, this
equals their definition by personalised PageRank with any α. The similarity of two clusterings is
the mean over the samples. It is computed exactly from contingency tables.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.io.display import count_of
from coassoc.metrics import adjusted_rand_index, cross_table

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Pattern of names with one number, or one after "res"; the number of a run may follow.
_USUAL = r"^(\D*|.*res[._]?|sc3_)(?P<resolution>\d+(\.\d+)?([eE][+-]?\d+)?)(_\d+|_clusters)?$"
_FLOWS = [
    *("resolution", "cluster", "next_resolution", "next_cluster", "size", "of_cluster", "of_next")
]
#: Smallest stability of a stable resolution, and level of the tests.
STABLE, LEVEL = 0.9, 0.05


@dataclass(frozen=True, eq=False)
class Resolutions:
    """The result of :func:`compare_resolutions` for R resolutions.

    Attributes
    ----------
    ensemble : Ensemble
        The clusterings.
    table : DataFrame
        A row for each resolution, in increasing order. Columns:

        - ``runs``: number of clusterings
        - ``clusters``: number of clusters of the most typical run, which is most similar to the
          others
        - ``fewest``, ``most``: smallest and largest number of clusters over all runs
        - ``stability``: mean similarity of two runs
        - ``error``: its jackknife standard error over the runs
        - ``ARI``: mean adjusted Rand index of two runs
        - ``next``: mean similarity of a run and a run at the next resolution
        - ``null``, ``null_high``: mean and 95 % quantile of the stability under the null. Here and
          for ``p``, a run with fewer than two clusters counts as different from all other runs
        - ``p``: probability that null data are at least as stable at one or more resolutions
        - ``smallest_p``: the smallest p that is possible with the number of null draws
        - ``level``: whether it is the most stable resolution of a level
    clusters : DataFrame
        A row for each cluster of the most typical runs: ``resolution``, ``cluster``, ``size``,
        ``stability`` (mean similarity of its samples to the other runs), ``p`` (probability that
        null data have a cluster that is at least as stable at one or more resolutions; 1 for a
        cluster of a single sample or of all samples), ``parent`` (the cluster at the previous
        resolution that contains most of its samples) and ``from_parent`` (the fraction of its
        samples in the parent).
    flows : DataFrame
        A row for each pair of clusters of the most typical runs at neighbouring resolutions that
        share samples: ``resolution``, ``cluster``, ``next_resolution``, ``next_cluster``, ``size``,
        and the fractions ``of_cluster`` and ``of_next`` (the in-proportion of clustree).
    labels : (n, R) integer array
        Clusters of the most typical runs, as numbered in `ensemble`; −1 if missing.
    names : list of list
        Names of these clusters at each resolution.
    consistency : (n, R) array
        Mean similarity of each sample over the pairs of runs; NaN if fewer than two runs label it.
    """

    ensemble: Ensemble
    table: pd.DataFrame
    clusters: pd.DataFrame
    flows: pd.DataFrame
    labels: NDArray[np.int32]
    names: list[list[Any]]
    consistency: Array

    @property
    def levels(self) -> list[float]:
        """Stable resolutions from coarse to fine, each the most stable of similar neighbours."""
        return self.table.index[self.table["level"]].tolist()

    @property
    def single(self) -> bool:
        """Whether each resolution has one run."""
        return bool((self.table["runs"] == 1).all())

    @property
    def tested(self) -> bool:
        """Whether the stability was compared with null data."""
        return bool(self.table["p"].notna().any())

    @property
    def p_in_words(self) -> str:
        """The smallest p of the resolutions, and the smallest that is possible."""
        p, possible = self.table[["p", "smallest_p"]].min()
        return f"smallest p {p:.2g}, smallest possible {possible:.2g}"

    def __repr__(self) -> str:
        return f"{self.verdict}\n{self.table.to_string(float_format='{:.3f}'.format)}"

    @property
    def verdict(self) -> str:
        """The stable resolutions, or that no resolution is stable, in words."""
        if self.single:
            return (
                "Each resolution has one run, so no resolution can be called stable. Stabilities "
                "of clusters refer to the neighbouring resolutions."
            )
        levels = self.table[self.table["level"]].itertuples()
        listed = "; ".join(
            f"{line.Index:g} ({count_of(line.clusters, 'cluster')}, stability {line.stability:.2f})"
            for line in levels
        )
        if not self.tested:
            stable = f"Stable resolutions: {listed}." if listed else "No resolution is stable."
            return f"{stable} Labels alone cannot show whether stability is due to chance."
        if listed:
            return f"Stable, and more so than expected by chance ({self.p_in_words}): {listed}."
        return (
            "No resolution is stable and more so than expected by chance "
            f"({self.p_in_words}): the largest mean similarity of two runs is "
            f"{self.table['stability'].max():.2f}."
        )


class _Runs(NamedTuple):
    """Similarity of the r runs at one resolution."""

    columns: list[int]
    typical: int  # column of the run that is most similar to the others
    similarity: Array  # (r, r)
    ari: Array  # (r, r)
    consistency: Array  # (n',) mean similarity of each row of labels over the pairs of runs
    clusters: Array  # (c,) mean similarity of the clusters of the typical run to the other runs


def resolutions_in(names: Sequence[Any], pattern: str = _USUAL) -> Array:
    r"""The resolution of each clustering, read from its name.

    Parameters
    ----------
    names : sequence of m names
    pattern : str
        Regular expression whose group ``resolution`` is the number. The default finds the only
        number in a name, or the number after "res"; the number of a run may follow. Examples are
        ``leiden_0.5`` (scanpy), ``PCA10_snn_res.0.8`` (Seurat), ``sc3_4_clusters`` (SC3) and
        ``leiden_0.5_3`` (:func:`coassoc.cells.leiden`).

    Raises
    ------
    ConfigError
        If the pattern is not a regular expression with such a group.
    DataError
        If a name does not match the pattern, or the group is not a number.

    Examples
    --------
    >>> resolutions_in(["k15_r0.5", "k30_r0.5"], r"k\d+_r(?P<resolution>[\d.]+)")
    array([0.5, 0.5])
    """
    try:
        expression = re.compile(pattern)
        _ = expression.groupindex["resolution"]
    except (re.error, KeyError) as error:
        raise ConfigError(
            f"pattern is {pattern!r}. It must be a regular expression with a group called "
            "resolution, such as 'r(?P<resolution>[0-9.]+)'."
        ) from error
    values = []
    for name in map(str, names):
        match = expression.search(name)
        try:
            values.append(float(match["resolution"] if match else "none"))
        except (TypeError, ValueError):
            raise DataError(
                f"labels: the name of column {name!r} contains no resolution, such as 0.5 in "
                "leiden_0.5_3. Choose other columns, or pass a pattern that matches the resolution."
            ) from None
    return np.array(values)


def compare_resolutions(
    labels: ArrayLike | Ensemble,
    resolutions: Sequence[float] | None = None,
    *,
    null: Iterable[ArrayLike] = (),
    peaks: bool = True,
) -> Resolutions:
    """Compare resolutions by the agreement between clusterings with different seeds.

    With null data, p refers to the largest standardised stability over all resolutions (Westfall &
    Young 1993). A run with fewer than two clusters of several samples counts as different from all
    other runs, because a single cluster that all seeds find is not a sign of clusters. If the data
    are exchangeable with the draws, the probability that any resolution is called more stable than
    chance is at most 5 %. A second test refers to the largest standardised stability of a
    cluster. Its probability of calling any cluster more stable than chance is at most 5 %, too.

    Neighbouring resolutions belong to one *level* if each is more stable than chance (if this was
    tested), each has more than one cluster and a stability of at least 0.9, and the mean similarity
    between their runs is at least 0.9, too. The most stable resolution represents the level.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        Clusterings with several seeds, or of several subsamples, at each resolution. Two
        clusterings are compared on the samples that both label. With one clustering at each of
        several resolutions, the stability of a cluster and the consistency of a sample refer to the
        neighbouring resolutions, and there is no stability of a resolution.
    resolutions : sequence of m numbers, optional
        By default, :func:`resolutions_in` reads them from the names.
    null : iterable of (n, m) tables
        Draws under the null: clusterings of data without clusters at the same resolutions, computed
        in the same way. :func:`coassoc.cells.resolutions` computes them.
    peaks : bool
        Whether the resolutions just before and after a level may not be more stable, unless they
        have one cluster.

    Warns
    -----
    UserWarning
        If there are too few null draws for any p to reach 0.05.

    Raises
    ------
    DataError
        If only some resolutions have several clusterings, or two clusterings share no sample.
    ConfigError
        If there are not m resolutions.

    References
    ----------
    A. J. Gates, I. B. Wood, W. P. Hetrick, Y.-Y. Ahn, "Element-centric clustering comparison
    unifies overlaps and hierarchy", Scientific Reports 9, 8574, 2019.
    P. H. Westfall, S. S. Young, "Resampling-based multiple testing", Wiley, 1993.
    L. Zappia, A. Oshlack, "Clustering trees: a visualization for evaluating clusterings at multiple
    resolutions", GigaScience 7(7), giy083, 2018.
    """
    import pandas as pd

    ensemble = Ensemble.of(labels)
    groups = _groups(ensemble, resolutions)
    if all(len(columns) == 1 for columns in groups.values()):
        if next(iter(null), None) is not None:
            raise ConfigError("null data need several runs at each resolution. Leave out null.")
        beside = [j for (j,) in groups.values()]
        runs = [
            _compare_runs(ensemble, [j], [*beside[max(k - 1, 0) : k], *beside[k + 1 : k + 2]])
            for k, j in enumerate(beside)
        ]
    else:
        runs = [_compare_runs(ensemble, columns) for columns in groups.values()]
    typical = [run.typical for run in runs]
    numbers = [ensemble.n_clusters_per_clustering[columns] for columns in groups.values()]
    between = [
        np.mean([_similarity(ensemble, i, j) for i in one for j in other])
        for one, other in pairwise(groups.values())
    ]
    table = pd.DataFrame(
        {
            "runs": [*map(len, numbers)],
            "clusters": ensemble.n_clusters_per_clustering[typical],
            "fewest": [each.min() for each in numbers],
            "most": [each.max() for each in numbers],
            "stability": [_mean(run.similarity) for run in runs],
            "error": [_jackknife(run.similarity) for run in runs],
            "ARI": [_mean(run.ari) for run in runs],
            "next": [*between, np.nan],
            **dict.fromkeys(("null", "null_high", "p", "smallest_p"), np.nan),
        },
        index=pd.Index(groups, name="resolution"),
    )
    flows = _flows(ensemble, groups, typical)
    clusters = _clusters(ensemble, groups, runs, flows)
    draws = [
        _tested_stability(drawn, [_compare_runs(drawn, columns) for columns in groups.values()])
        for drawn in map(Ensemble.of, null)
    ]
    if draws:
        of_runs, of_clusters = _tested_stability(ensemble, runs)
        null_runs = np.array([each for each, _ in draws])
        null_clusters = np.array([[*map(np.max, each)] for _, each in draws])
        table["null"] = null_runs.mean(axis=0)
        table["null_high"] = np.quantile(null_runs, 0.95, axis=0)
        table["p"] = _p_values([*of_runs[:, None]], null_runs)
        clusters["p"] = _p_values(of_clusters, null_clusters)
        table["smallest_p"] = clusters["smallest_p"] = least = 1 / (len(draws) + 1)
        if least > LEVEL:
            warnings.warn(
                f"With {count_of(len(draws), 'null draw')} the smallest possible p is {least:.2g}. "
                f"Use at least {ceil(1 / LEVEL) - 1} null draws to reach {LEVEL:g}.",
                stacklevel=2,
            )
    table["level"] = _levels(table, peaks)
    return Resolutions(
        ensemble,
        table,
        clusters,
        flows,
        ensemble.labels[:, typical],
        [ensemble.values[j] for j in typical],
        np.column_stack([ensemble.microclusters.expand(run.consistency) for run in runs]),
    )


def _groups(ensemble: Ensemble, resolutions: Sequence[float] | None) -> dict[float, list[int]]:
    """Clusterings of each resolution, in increasing order."""
    m = ensemble.n_clusterings
    values = resolutions_in(ensemble.clusterings) if resolutions is None else resolutions
    if len(values) != m:
        raise ConfigError(
            f"resolutions has {count_of(len(values), 'number')}, but there are {m} clusterings. "
            "Pass one number for each clustering."
        )
    groups = {float(x): np.flatnonzero(np.equal(values, x)).tolist() for x in np.unique(values)}
    several = max(map(len, groups.values())) > 1
    for value, columns in groups.items():
        if len(columns) < 2 and (several or len(groups) == 1):
            raise DataError(
                f"labels: {ensemble.clusterings[columns[0]]!r} is the only clustering at "
                f"resolution {value:g}. Pass at least two clusterings for each resolution, with "
                "different seeds, or one for each of several resolutions."
            )
    return groups


def _compare_runs(ensemble: Ensemble, columns: list[int], beside: Sequence[int] = ()) -> _Runs:
    """Compare all pairs of clusterings at one resolution, or a single one with those beside it."""
    one, columns = len(beside) > 0, [*columns, *beside]
    rows, r = ensemble.distinct_labels[:, columns].T, len(columns)
    similarity, ari = np.ones((2, r, r))
    sums, met = np.zeros((2, r, rows.shape[1]))  # over the other runs
    for i, j in combinations(range(r), 2):
        if one and i > 0:
            break
        shared, both = _shared(ensemble, columns[i], columns[j])
        each = _element_centric(shared)
        similarity[i, j] = similarity[j, i] = (shared * each).sum() / shared.sum()
        ari[i, j] = ari[j, i] = adjusted_rand_index(shared)
        values = each[rows[i], rows[j]] * both
        for k in (i, j):
            sums[k] += values
            met[k] += both
    typical = 0 if one else int(_others(similarity).mean(axis=1).argmax())
    weights = ensemble.microclusters.r
    of_clusters = (
        np.bincount(rows[typical] + 1, weights * each[typical])[1:] for each in (sums, met)
    )
    with np.errstate(invalid="ignore"):  # no other run labels the row or the cluster
        own = slice(1 if one else None)
        consistency = sums[own].sum(axis=0) / met[own].sum(axis=0)
        clusters = np.divide(*of_clusters)
    pairs = (similarity[own, own], ari[own, own])
    return _Runs(columns[own], columns[typical], *pairs, consistency, clusters)


def _tested_stability(ensemble: Ensemble, runs: Sequence[_Runs]) -> tuple[Array, list[Array]]:
    """Stability of the resolutions, and of the clusters of their typical runs, as it is tested.

    It is 0 for two runs if one of them has fewer than two clusters of several samples, and for a
    cluster that has a single sample or is in such a run.
    """
    of_runs, of_clusters = [], []
    for run in runs:
        several = {j: _sizes(ensemble, j) > 1 for j in run.columns}
        divided = np.array([each.sum() > 1 for each in several.values()])
        of_runs.append(_others(run.similarity * np.outer(divided, divided)).mean())
        counted = several[run.typical] & (several[run.typical].sum() > 1)
        of_clusters.append(np.where(counted, np.nan_to_num(run.clusters), 0.0))
    return np.array(of_runs), of_clusters


def _sizes(ensemble: Ensemble, clustering: int) -> NDArray[np.intp]:
    """Samples of each cluster."""
    first, last = ensemble.offsets[clustering : clustering + 2]
    return ensemble.cluster_sizes[first:last].astype(np.intp)


def _similarity(ensemble: Ensemble, i: int, j: int) -> float:
    """Mean similarity of two clusterings."""
    shared = _shared(ensemble, i, j)[0]
    return float((shared * _element_centric(shared)).sum() / shared.sum())


def _shared(ensemble: Ensemble, i: int, j: int) -> tuple[NDArray[np.int64], Any]:
    """Samples that two clusters share, and whether both clusterings have each row of labels."""
    p, q = ensemble.n_clusters_per_clustering[[i, j]]
    a, b = ensemble.distinct_labels[:, [i, j]].T
    both = (a >= 0) & (b >= 0)
    if not both.any():
        names = " and ".join(repr(ensemble.clusterings[k]) for k in (i, j))
        raise DataError(f"labels: {names} have no sample in common. Pass runs of the same samples.")
    return cross_table(a[both], b[both], (p, q), ensemble.microclusters.r[both]), both


def _element_centric(shared: NDArray[np.int64]) -> Array:
    """Similarity of the samples that clusters A and B share, |A ∩ B| / max(|A|, |B|)."""
    larger = np.maximum.outer(shared.sum(axis=1), shared.sum(axis=0))
    return np.asarray(shared / np.maximum(larger, 1))


def _others(matrix: Array) -> Array:
    """(r, r − 1) values of each run with the others."""
    r = len(matrix)
    return matrix[~np.eye(r, dtype=np.bool_)].reshape(r, r - 1)


def _mean(matrix: Array) -> float:
    """Mean of the values of different runs."""
    return float(_others(matrix).mean()) if len(matrix) > 1 else float("nan")


def _jackknife(similarity: Array) -> float:
    """Standard error of the mean over pairs of runs, of which each is left out in turn."""
    r = len(similarity)
    if r < 3:
        return float("nan")
    without = [_others(np.delete(np.delete(similarity, k, 0), k, 1)).mean() for k in range(r)]
    return float(np.sqrt((r - 1) * np.var(without)))


def _p_values(values: Sequence[Array], draws: Array) -> Array:
    """p-values of several values at each of R resolutions, from (B, R) null draws of their largest.

    They are corrected by the null distribution of the largest standardised value.
    """
    curves = np.vstack(([*map(np.max, values)], draws))
    spread = curves.std(axis=0)
    scale, mean = np.where(spread > 1e-12, spread, np.inf), curves.mean(axis=0)
    largest = ((draws - mean) / scale).max(axis=1)
    at = np.repeat(np.arange(len(mean)), [*map(len, values)])
    z = (np.concatenate(values) - mean[at]) / scale[at]
    reached = (largest[:, None] >= z - 1e-12).sum(axis=0)
    return np.asarray((1 + reached) / (1 + len(draws)))


def _levels(table: pd.DataFrame, peaks: bool) -> NDArray[np.bool_]:
    """The most stable resolution in each sequence of similar neighbours, if it is a peak."""
    import pandas as pd

    good = (table["stability"] >= STABLE) & (table["clusters"] > 1)
    good &= table["p"].isna() | (table["p"] <= LEVEL)
    joined = (table["next"].shift() >= STABLE) & good & good.shift(fill_value=False)
    run = (~joined).cumsum()
    # that all runs find a single cluster is no better level
    best = table["stability"].where(table["clusters"] > 1).groupby(run).max()
    beside = pd.concat((best.shift(), best.shift(-1)), axis=1).max(axis=1)
    kept = best.index[~(peaks & (best < beside))]
    stands = table["stability"][good & run.isin(kept)].groupby(run).idxmax()
    return np.asarray(table.index.isin(stands))


def _flows(ensemble: Ensemble, values: Iterable[float], typical: Sequence[int]) -> pd.DataFrame:
    """Samples that clusters of the typical runs at neighbouring resolutions share."""
    import pandas as pd

    rows = []
    for (value, i), (after, j) in pairwise(zip(values, typical, strict=True)):
        shared = _shared(ensemble, i, j)[0]
        into, out = shared.sum(axis=0), shared.sum(axis=1)
        for a, b in np.argwhere(shared):
            ends = value, ensemble.values[i][a], after, ensemble.values[j][b]
            size = shared[a, b]
            rows.append((*ends, size, size / out[a], size / into[b]))
    return pd.DataFrame(rows, columns=_FLOWS)


def _clusters(
    ensemble: Ensemble, values: Iterable[float], runs: Sequence[_Runs], flows: pd.DataFrame
) -> pd.DataFrame:
    """Clusters of the typical runs, not yet tested."""
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "resolution": value,
                "cluster": ensemble.values[run.typical],
                "size": _sizes(ensemble, run.typical),
                "stability": run.clusters,
                "p": np.nan,
                "smallest_p": np.nan,
            }
        )
        for value, run in zip(values, runs, strict=True)
    ]
    ends = ["next_resolution", "next_cluster"]
    largest = flows.loc[flows.groupby(ends)["size"].idxmax()]
    parents = largest.set_index(ends)[["cluster", "of_next"]].astype({"cluster": object})
    parents = parents.set_axis(["parent", "from_parent"], axis=1)
    return pd.concat(parts, ignore_index=True).join(parents, on=["resolution", "cluster"])
