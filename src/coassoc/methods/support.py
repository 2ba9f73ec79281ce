"""Whether base clusterings determine their consensus, or have two answers.

The base clusterings are split at random into halves, and each half is combined by itself. If the
two partitions are nearly equal, other clusterings of the same kind would give the same answer.
Clusterings that agree with no other (:func:`coassoc.io.column_checks.columns_apart`) are not of the
same kind, and are left out: a column with forty values decides the answer of a small half.

The base clusterings are also divided into two groups, by average linkage of their ARI. They have
two answers if both groups agree within and not with each other, and if the consensus of a group
fits its own clusterings only. Nested clusterings, or fine and coarse ones of the same clusters,
have one answer: the consensus of one group then fits the other group, too.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.io.column_checks import ENOUGH, Column, columns_apart, drawn
from coassoc.io.table import listed
from coassoc.metrics import pairwise_ari
from coassoc.numerics.distinct import merge_equal_rows
from coassoc.numerics.seeds import seed_sequence

#: Number of splits into halves, and largest number of distinct rows that are compared.
_SPLITS, _ROWS = 3, 1000
#: Mean ARI between halves from which on the answer is stable, and below which it is unstable.
STABLE, UNSTABLE = 0.8, 0.3
#: Two answers: smallest differences of the mean ARI within and between groups, and of the mean ARI
#: of clusterings with the answers of their own and of the other group; largest ARI of the answers.
_APART, _FITS, _SAME = 0.5, 0.45, 0.3


@dataclass(frozen=True)
class Support:
    """Whether base clusterings determine their consensus.

    Attributes
    ----------
    halves : float
        Mean ARI between the consensus partitions of two halves of the base clusterings.
    apart : str
        Names of the base clusterings that agree with no other, and are in no half.
    groups : list of str
        Names of the base clusterings of each of two groups with different answers; empty if there
        is one answer.
    within : list of float
        Mean ARI between base clusterings of the same group, for each group.
    between : float
        Mean ARI between base clusterings of different groups.
    answers : (n, 0) or (n, 2) integer array
        The consensus of each group; −1 for samples that no clustering of the group labels.
    """

    halves: float
    apart: str
    groups: list[str]
    within: list[float]
    between: float
    answers: NDArray[np.intp]

    @property
    def verdict(self) -> str:
        """The conclusion in words."""
        if self.groups:
            first, second = (
                f"{names} (mean ARI {ari:.2f})"
                for names, ari in zip(self.groups, self.within, strict=True)
            )
            return (
                f"Two answers: these clusterings agree with each other, {first}, and so do these, "
                f"{second}, but the two groups do not agree (mean ARI {self.between:.2f}). Look at "
                "both answers."
            )
        ari = f"(mean ARI {self.halves:.2f})"
        of = "the clusterings" + (f" without {self.apart}" if self.apart else "")
        if self.halves >= STABLE:
            return f"Stable: two halves of {of} give nearly the same clusters {ari}."
        if self.halves < UNSTABLE:
            return (
                f"Unstable: two halves of {of} give different clusters {ari}. Do not rely on these "
                "clusters."
            )
        return f"Two halves of {of} give similar clusters {ari}."


def support_of(
    ensemble: Ensemble, n_clusters: int, names: dict[int, Any], method: Callable[..., Any]
) -> Support:
    """Compare the consensus partitions of halves, and of groups, of the base clusterings.

    If there are more than 1,000 distinct rows of labels, a random part of them is compared.

    Parameters
    ----------
    ensemble : Ensemble
        At least two base clusterings, in an order that does not depend on the input.
    n_clusters : int
        c, at least 2.
    names : dict
        Name of each base clustering, in the order of the input; the keys are the positions.
    method : callable
        Callable that returns a fast estimator from a number of clusters and ``random_state``.
    """
    rows, sizes = ensemble.distinct_labels, ensemble.microclusters.sizes
    m = rows.shape[1]
    rng, part = np.random.default_rng(seed_sequence(0, "support")), np.arange(len(rows))
    if len(rows) > _ROWS:
        part = np.sort(rng.choice(len(rows), _ROWS, replace=False))
    some = _Rows(rows[part], sizes[part], n_clusters, method)
    apart = _apart(rows[part], sizes[part])
    related = np.setdiff1d(np.arange(m), apart)
    splits = (np.array_split(rng.permutation(related), 2) for _ in range(_SPLITS))
    halves = float(np.mean([some.agreement(map(some.answer, split))[0, 1] for split in splits]))
    named = listed([names[j] for j in names if j in apart])
    groups, within, between = _groups(some.agreement(some.rows.T))
    none = np.empty((ensemble.n_samples, 0), dtype=np.intp)
    if min(within) - between < _APART:
        return Support(halves, named, [], within, between, none)
    answers = [*map(some.answer, groups)]
    ari = some.agreement([*answers, *some.rows.T])
    fits = [[ari[a, 2 + columns].mean() for columns in groups] for a in (0, 1)]
    differ = min(fits[0][0] - fits[1][0], fits[1][1] - fits[0][1]) >= _FITS and ari[0, 1] <= _SAME
    if not differ or min(answer.max() for answer in answers) == 0:
        return Support(halves, named, [], within, between, none)
    of_groups = [listed([names[j] for j in names if j in columns]) for columns in groups]
    whole = _Rows(rows, sizes, n_clusters, method)
    answers = [whole.answer(columns)[ensemble.microclusters.assignment] for columns in groups]
    return Support(halves, named, of_groups, within, between, np.column_stack(answers))


def _apart(rows: NDArray[np.int32], sizes: NDArray[np.int64]) -> list[int]:
    """Base clusterings that agree with no other, unless fewer than two agree."""
    columns = [Column("", labels, [*range(labels.max() + 1)]) for labels in rows.T]
    apart = [*columns_apart(drawn(columns, sizes))] if sizes.sum() >= ENOUGH else []
    return apart if len(columns) - len(apart) > 1 else []


def _groups(ari: NDArray) -> tuple[list[NDArray[np.intp]], list[float], float]:
    """Two groups of base clusterings, the larger first, and their mean ARI within and between."""
    from scipy.cluster.hierarchy import fcluster, linkage  # takes long to load
    from scipy.spatial.distance import squareform

    group = fcluster(linkage(squareform(1 - ari, checks=False), "average"), 2, "maxclust")
    groups = sorted((np.flatnonzero(group == g) for g in (1, 2)), key=len, reverse=True)
    # A clustering alone is no group.
    pairs = (ari[np.ix_(one, one)][np.triu_indices(len(one), 1)] for one in groups)
    within = [float(each.mean()) if len(each) else -1.0 for each in pairs]
    return groups, within, float(ari[np.ix_(*groups)].mean()) if len(groups[1]) else 1.0


@dataclass(frozen=True)
class _Rows:
    """Distinct rows of labels with their numbers of samples, and how they are combined."""

    rows: NDArray[np.int32]
    sizes: NDArray[np.int64]
    n_clusters: int
    method: Callable[..., Any]

    def answer(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """Consensus of some base clusterings; −1 for rows that none of them labels."""
        table = self.rows[:, columns]
        seen = (table >= 0).any(axis=1)
        distinct, sizes, place = merge_equal_rows(table[seen], self.sizes[seen])
        ensemble = Ensemble.from_counts(distinct, sizes, columns=range(len(columns)))
        estimator = self.method(min(self.n_clusters, len(distinct)), random_state=0)
        labels = np.full(len(table), -1, dtype=np.intp)
        with warnings.catch_warnings(action="ignore"):  # about a part of the clusterings
            labels[seen] = estimator.fit(ensemble).labels_[place]
        return labels

    def agreement(self, partitions: Iterable[NDArray]) -> NDArray[np.float64]:
        """ARI between all pairs of partitions."""
        return pairwise_ari(partitions, self.sizes)
