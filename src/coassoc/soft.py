"""Alignment, averaging and grouping of runs of soft memberships, and splits from K to K + 1.

A run gives n samples a membership in each of K clusters: a non-negative matrix Q (n, K) with rows
that sum to 1. The order of its columns is arbitrary, so runs are *aligned*: their columns are
permuted so that all runs agree as well as possible. With the Frobenius norm ‖·‖ and permutations P
of columns, runs are compared as in CLUMPP (Jakobsson & Rosenberg 2007),

    G'(Q, R) = 1 − min_P ‖Q − R P‖ / √(2n),
    H' = mean over pairs of runs of 1 − ‖Q_i P_i − Q_j P_j‖ / √(2n),

Modes are based on the mean of 1 − ‖q_k − r_k‖ / √(2n) over the K pairs of matched clusters, which
is the metric "G" of pong (Behr et al. 2016).

How it is solved
----------------
If X has the columns of all R runs of one K, the products XᵀX contain all norms and, for each pair
of runs, a K × K table whose optimal assignment is the best permutation. This takes n (RK)²
operations and reads 8 nRK bytes for any number of tried permutations. H' is maximised by moves: a
run, or a branch of the average-linkage tree of all runs, is permuted while the other runs are
fixed. The sum of its distances to these runs is concave in the permutation, so an assignment with
weights 1/distance never increases it. Starts align one run after the other to the previous runs, in
the order of the tree and in random orders (like Greedy in CLUMPP), until more than half of the
starts end at the same H'.

Numbers of clusters follow from K to K + 1 and from mode to mode: the clusters of the largest mode
are matched with those of the previous K, and those of each other mode with both, by the memberships
that they share. For a mode of its own order, this may lower H' by at most 0.001.

References
----------
G. Evanno, S. Regnaut, J. Goudet, "Detecting the number of clusters of individuals using the
software STRUCTURE: a simulation study", Molecular Ecology 14(8), 2005.

M. Jakobsson, N. A. Rosenberg, "CLUMPP: a cluster matching and permutation program for dealing with
label switching and multimodality in analysis of population structure", Bioinformatics 23(14), 2007.

A. A. Behr, K. Z. Liu, G. Liu-Fang, P. Nakka, S. Ramachandran, "pong: fast analysis and
visualization of latent clusters in population genetic data", Bioinformatics 32(18), 2016.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError, DataError
from coassoc.io.display import count_of
from coassoc.metrics import match_clusters
from coassoc.numerics.arrays import plain_array

Array = NDArray[np.float64]

#: Largest difference of the sum of the memberships of a sample from 1, because programs round to
#: three digits.
_ROUNDING = 0.02
#: Largest number of starts for the alignment of all runs of one K.
_STARTS = 32
#: Smaller distances, and smaller differences of their sums, count as 0.
_NEAR = 1e-6
#: Largest loss of H' for clusters that keep their numbers.
TOLERANCE = 0.001
#: Clusters are distinct if this fraction of the samples has such a membership in one of them, and
#: each of them has such a sample (STRUCTURE leaves clusters empty if K is too large). Along a
#: continuum, memberships are graded: at most 0.65 of the samples at the K of the lowest CV error.
_DISTINCT, _MAIN = 0.75, 0.8
#: Smallest decrease of the CV error from the smallest K to a supported one. Without groups, it
#: decreases by up to 0.9 %, and with two groups of F = 0.2 by 7 % or more.
_DECREASE = 0.02


class Mode(NamedTuple):
    """Runs of one K that agree.

    Attributes
    ----------
    runs : list of int
        Positions of the runs among all runs, with the most typical run first.
    memberships : (n, K) array
        Mean memberships of the runs after alignment.
    """

    runs: list[int]
    memberships: Array


@dataclass(frozen=True, eq=False)
class Level:
    """All runs with K clusters, aligned.

    Attributes
    ----------
    runs : list of int
        Positions of the runs among all runs.
    columns : (R, K) integer array
        Columns of each run that correspond to the clusters 0, 1, … K−1.
    aligned : (R, n, K) array
        The runs with their columns in this order.
    similarity : (R, R) array
        G' of each pair of runs, with the best permutation for the pair.
    h : float
        H' of the aligned runs; 1 for a single run.
    modes : list of Mode
        The largest first, and of equal ones the one nearest to all runs. `memberships`, `labels`
        and `confidence` are those of the first, because a mean over different solutions is none of
        them.
    """

    runs: list[int]
    columns: NDArray[np.intp]
    aligned: Array
    similarity: Array
    h: float
    modes: list[Mode]

    @property
    def memberships(self) -> Array:
        """(n, K) mean memberships of the largest mode."""
        return self.modes[0].memberships

    @property
    def sizes_of_modes(self) -> str:
        """Number of runs in each mode, such as "3 + 1"."""
        return " + ".join(str(len(mode.runs)) for mode in self.modes)

    @property
    def labels(self) -> NDArray[np.intp]:
        """(n,) cluster of the largest mean membership."""
        return np.asarray(self.memberships.argmax(axis=1))

    @property
    def confidence(self) -> Array:
        """(n,) largest mean membership minus the second largest; 1 if K is 1."""
        if self.memberships.shape[1] == 1:
            return np.ones(len(self.memberships))
        second, largest = np.partition(self.memberships, -2, axis=1)[:, -2:].T
        return np.asarray(largest - second)


class Split(NamedTuple):
    """The division of the clusters of K into the clusters of the next K, by the largest modes.

    Attributes
    ----------
    K, next_K : int
    parents : (next_K,) integer array
        The cluster of K that each cluster continues, or, for the new ones, completes best.
    similarity : float
        1 − ‖Q − Q'‖ / √(2n), where Q' has the memberships of the larger K, summed by parents.
    """

    K: int
    next_K: int
    parents: NDArray[np.intp]
    similarity: float

    @property
    def parts(self) -> dict[int, list[int]]:
        """Cluster of K → its clusters at the next K, for clusters that have several."""
        parts = {k: np.flatnonzero(self.parents == k).tolist() for k in range(self.K)}
        return {k: part for k, part in parts.items() if len(part) > 1}


@dataclass(frozen=True, eq=False)
class AlignedMemberships:
    """The result of :func:`align_memberships`.

    Attributes
    ----------
    names : list
        Names of the runs.
    index : (n,) index or None
        Names of the samples.
    levels : dict of int to Level
        The runs of each K, in increasing order of K. Cluster k of a level continues cluster k of
        the previous level, by the least sum of squares, and new clusters come last.
    splits : list of Split
        The splits between each level and the next.
    """

    names: list[Any]
    index: Any
    levels: dict[int, Level]
    splits: list[Split]

    def __repr__(self) -> str:
        return "\n".join(
            f"K = {K}: {count_of(len(level.runs), 'run')} in {count_of(len(level.modes), 'mode')} "
            f"({level.sizes_of_modes}), H' {level.h:.4f}"
            for K, level in self.levels.items()
        )

    @property
    def memberships(self) -> dict[int, Array]:
        """K → (n, K) mean memberships of the largest mode of K."""
        return {K: level.memberships for K, level in self.levels.items()}

    @property
    def modes(self) -> dict[int, list[Mode]]:
        """K → modes of K, the largest first."""
        return {K: level.modes for K, level in self.levels.items()}


def align_memberships(
    runs: Sequence[ArrayLike] | Mapping[Any, ArrayLike], threshold: float = 0.97
) -> AlignedMemberships:
    """Align runs of soft memberships, and find their modes.

    Parameters
    ----------
    runs : sequence, or mapping of names, of (n, K) arrays or data frames
        Non-negative memberships of the same samples. Rows must sum to 1 within ±0.02; they are
        divided by their sums, as in CLUMPP. K may differ between runs. Data frames are joined by
        the names in their index.
    threshold : float
        Smallest mean similarity of matched clusters of any two runs in a mode, from 0 to 1.

    Returns
    -------
    AlignedMemberships

    Raises
    ------
    ConfigError, DataError
        If `threshold` is out of range, or a run does not have this form.

    Notes
    -----
    Modes are complete-linkage clusters: every pair of runs in a mode reaches the threshold. If the
    cliques of pong are disjoint, they equal the modes of pong with the metric "G".

    Examples
    --------
    >>> first = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]])
    >>> found = align_memberships([first, first[:, ::-1]])
    >>> found.memberships[2].round(2).tolist()
    [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]
    >>> found.levels[2].columns.tolist()
    [[0, 1], [1, 0]]
    """
    if not 0 <= threshold <= 1:
        raise ConfigError(f"threshold is {threshold!r}. It must be a number from 0 to 1.")
    names, arrays, index = _checked(runs)
    levels: dict[int, Level] = {}
    splits: list[Split] = []
    for K in sorted({Q.shape[1] for Q in arrays}):
        at = [r for r, Q in enumerate(arrays) if Q.shape[1] == K]
        before = levels[max(levels)].memberships if levels else None
        levels[K] = _level(at, np.stack([arrays[r] for r in at]), threshold, before)
        if before is not None:
            splits.append(_split(before, levels[K].memberships))
    return AlignedMemberships(names, index, levels, splits)


def _split(Q: Array, R: Array) -> Split:
    """How the clusters of Q divide into those of R, of which the first continue those of Q.

    A new cluster joins the cluster of Q that it completes best, by least squares.
    """
    K, n_next = Q.shape[1], R.shape[1]
    parents, merged = [*range(K)], R[:, :K].copy()
    for new in range(K, n_next):
        parents.append(int(((Q - merged).T @ R[:, new]).argmax()))
        merged[:, parents[-1]] += R[:, new]
    similarity = 1 - np.linalg.norm(Q - merged) / np.sqrt(2 * len(Q))
    return Split(K, n_next, np.array(parents), float(similarity))


class NumberEvidence(NamedTuple):
    """What the scores of the runs and their agreement say about K.

    Attributes
    ----------
    scores : dict of int to dict of str to float
        For each K, "CV error" (lowest of the runs), "log likelihood" (highest), "ln P(D)" (mean)
        with "sd", and "ΔK", as far as known.
    K : int or None
        The supported number of clusters, if there is one.
    verdict : str
        Empty if no criterion is known for several K.
    """

    scores: dict[int, dict[str, float]]
    K: int | None
    verdict: str


def compare_numbers(
    aligned: AlignedMemberships, scores: Sequence[tuple[str, int, float]]
) -> NumberEvidence:
    """Compare numbers of clusters by the scores of the runs, and by how well the runs agree.

    Parameters
    ----------
    aligned : AlignedMemberships
    scores : sequence of (str, int, float)
        "CV error" or "log likelihood" (ADMIXTURE) or "ln P(D)" (STRUCTURE), K, and the value.

    Notes
    -----
    With the mean L(K) and the standard deviation s(K) of ln P(D) over the runs of K, ΔK is the
    absolute value of L(K + 1) − 2 L(K) + L(K − 1), divided by s(K) (Evanno et al. 2005). It does
    not exist for the smallest and the largest K, so it never chooses K = 1. Clusters are distinct
    if at least 75 % of the samples have a membership of at least 0.8, and each cluster has such a
    sample. A K is supported if all known criteria choose it, it is the largest K at which most of
    several runs are one mode of distinct clusters, K − 1 and K + 1 have scores, too, and the CV
    error is at least 2 % lower than at the smallest K. A K with a higher CV error or a lower ln
    P(D) than the smallest K is no candidate: agreeing runs may have the same surplus clusters.
    """

    def of_each(name: str, summary: Callable[[Any], Any]) -> dict[int, float]:
        values: dict[int, list[float]] = {}
        for each, K, value in scores:
            if each == name:
                values.setdefault(K, []).append(value)
        return {K: float(summary(values[K])) for K in sorted(values)}

    cv, L = of_each("CV error", min), of_each("ln P(D)", np.mean)
    sd = of_each("ln P(D)", lambda x: np.std(x, ddof=1) if len(x) > 1 else 0)
    delta = {
        K: abs(L[K + 1] - 2 * L[K] + L[K - 1]) / sd[K]
        for K in L
        if {K - 1, K + 1} <= {*L} and sd[K] > 0
    }
    likelihood = of_each("log likelihood", max)
    known = {"CV error": cv, "log likelihood": likelihood, "ln P(D)": L, "sd": sd, "ΔK": delta}
    numbers = sorted({*aligned.levels, *cv, *L, *likelihood})
    table = {K: {name: of[K] for name, of in known.items() if K in of} for K in numbers}
    chosen = {
        **({"the CV error is lowest": min(cv, key=cv.__getitem__)} if len(cv) > 1 else {}),
        **({"the mean ln P(D) is highest": max(L, key=L.__getitem__)} if len(L) > 1 else {}),
        **({"ΔK is largest": max(delta, key=delta.__getitem__)} if delta else {}),
    }
    worse = {K for K in cv if cv[K] > cv[min(cv)]} | {K for K in L if L[K] < L[min(L)]}
    return NumberEvidence(table, *_verdict(aligned, chosen, cv, {*cv, *L}, worse))


def _verdict(
    aligned: AlignedMemberships,
    chosen: dict[str, int],
    cv: dict[int, float],
    tested: set[int],
    worse: set[int],
) -> tuple[int | None, str]:
    """The supported K, and the choices of the criteria in words.

    `worse` has each K with a score that is worse than that of the smallest K.
    """
    if not chosen:
        return None, ""
    facts = [f"{said} at K = {K}" for said, K in chosen.items()]
    agreed = [1, *(K for K, level in aligned.levels.items() if _is_clean(level))]
    clean = max(K for K in agreed if K not in worse)
    agree = "most of several runs agree on distinct clusters"
    facts.append(
        f"K = {clean} is the largest at which {agree}" if clean > 1 else f"at no K {agree}"
    )
    if surplus := sorted(K for K in agreed if K > clean):
        facts[-1] += (
            f", apart from K = {' and '.join(map(str, surplus))} with a worse score than "
            f"K = {min(tested)}"
        )
    said, K = "; ".join(facts) + ".", max(chosen.values())
    said = said[0].upper() + said[1:]
    if {*chosen.values()} != {clean}:
        sizes = np.bincount(aligned.levels[clean].labels) if clean > K else np.ones(1)
        if 2 * sizes.min() < sizes.mean():
            of = f"one of K = {clean} has {count_of(int(sizes.min()), 'sample')}"
            said += f" Such scores can overlook small clusters ({of})."
        return None, f"{said} These criteria disagree, so no K is supported."
    if K == 1:
        return None, f"{said} The runs are no evidence of several clusters."
    if absent := {K - 1, K + 1} - tested:
        return None, f"{said} K = {min(absent)} has no score, so no K is supported."
    if len(cv) > 1 and cv[K] > (1 - _DECREASE) * cv[first := min(cv)]:
        higher = f"The CV error at K = {first} is less than {100 * _DECREASE:.0f} % higher"
        return None, f"{said} {higher}, so no K is supported."
    return K, f"{said} K = {K} is supported."


def _is_clean(level: Level) -> bool:
    """Whether most of several runs agree on distinct clusters."""
    is_main = level.memberships >= _MAIN
    is_distinct = is_main.any(axis=0).all() and is_main.any(axis=1).mean() >= _DISTINCT
    return bool(is_distinct and 2 * len(level.modes[0].runs) > len(level.runs) > 1)


def co_association(runs: Sequence[ArrayLike] | Mapping[Any, ArrayLike]) -> Any:
    """Soft co-association: the mean of Q Qᵀ over the runs, 1 on the diagonal.

    This is the probability that two samples share a cluster if each run draws a cluster for each
    sample from its memberships. Runs need no alignment and may have any K.

    Parameters
    ----------
    runs
        As for :func:`align_memberships`, with the same errors.

    Returns
    -------
    Evidence
        For ``find_consensus(similarity=…)``; ``np.asarray`` gives the (n, n) array.

    Examples
    --------
    >>> np.asarray(co_association([[[0.5, 0.5], [1, 0]], [[1, 0], [1, 0]]]))
    array([[1.  , 0.75],
           [0.75, 1.  ]])
    """
    from coassoc.evidence import Evidence

    _, arrays, index = _checked(runs)
    X = np.hstack(arrays)
    S = X @ X.T / len(arrays)
    np.fill_diagonal(S, 1.0)
    return Evidence(np.minimum(S, 1.0, out=S), index)


# -- what runs must be ----------------------------------------------------------------------------


def _checked(runs: Any) -> tuple[list[Any], list[Array], Any]:
    """Names of the runs, memberships with samples in the same order, and names of the samples."""
    named = isinstance(runs, Mapping)
    names = [*runs] if named else [*range(len(runs))]
    values = [*runs.values()] if named else [*runs]
    if not values:
        raise DataError("runs is empty. Pass one (n, K) array for each run.")
    indices: list[Any] = [Q.index if hasattr(Q, "iloc") else None for Q in values]
    first = indices[0]
    arrays = []
    for name, Q, index in zip(names, values, indices, strict=True):
        place = f"run {name!r}" if named else f"run {name}"
        if (index is None) != (first is None):
            raise DataError(
                f"{place}: some runs name their samples and others do not. Name the samples in "
                "all runs."
            )
        if index is not None:
            odd = [*first.symmetric_difference(index), *index[index.duplicated()]]
            if odd:
                raise DataError(
                    f"{place}: sample {str(odd[0])!r} does not occur exactly once in each run. "
                    "Pass runs of the same samples."
                )
            Q = Q.loc[first]
        arrays.append(_memberships(place, Q))
        if len(arrays[-1]) != len(arrays[0]):
            raise DataError(
                f"{place}: {len(arrays[-1])} samples, but the first run has {len(arrays[0])}. "
                "Pass runs of the same samples."
            )
    return names, arrays, first


def _memberships(place: str, given: Any) -> Array:
    """(n, K) memberships."""
    Q = plain_array(place, given).astype(np.float64)
    if Q.ndim != 2 or 0 in Q.shape:
        raise DataError(f"{place}: the shape is {Q.shape}. Pass (n, K) memberships.")
    if not np.isfinite(Q).all() or Q.min() < 0:
        i, k = np.argwhere(~(Q >= 0) | np.isinf(Q))[0]
        raise DataError(
            f"{place}: row {i + 1} has the membership {Q[i, k]:g}. Memberships must be numbers "
            "from 0 to 1. Leave samples without memberships out of all runs."
        )
    sums = Q.sum(axis=1)
    if abs(sums - 1).max() > _ROUNDING:
        i = int(abs(sums - 1).argmax())
        raise DataError(
            f"{place}: the memberships of row {i + 1} sum to {sums[i]:.4g}. The memberships of a "
            "sample must sum to 1. Divide counts by their sums, and pass only columns of "
            "memberships."
        )
    return Q / sums[:, None]


# -- runs of one K --------------------------------------------------------------------------------


def _level(at: list[int], Q: Array, threshold: float, before: Array | None) -> Level:
    """Runs of one K aligned, with the numbers of clusters of the previous K."""
    R, n, K = Q.shape
    X = np.ascontiguousarray(Q.transpose(1, 0, 2)).reshape(n, R * K)
    G = (X.T @ X).reshape(R, K, R, K).transpose(0, 2, 1, 3)
    squares, clusters = np.einsum("iikk->ik", G), np.arange(K)
    apart, of_clusters = np.zeros((2, R, R))
    for i, j in combinations(range(R), 2):
        match = match_clusters(G[i, j])
        each = np.maximum(squares[i] + squares[j][match] - 2 * G[i, j][clusters, match], 0)
        apart[i, j], of_clusters[i, j] = np.sqrt(each.sum()), np.sqrt(each).mean()
    apart, of_clusters = ((d + d.T) / np.sqrt(2 * n) for d in (apart, of_clusters))
    groups = _modes(of_clusters, threshold)
    columns = _numbered(Q, G, _aligned(G, apart), groups, before)
    aligned = np.take_along_axis(Q, columns[:, None, :], axis=2)
    modes = [Mode([at[r] for r in group], aligned[group].mean(axis=0)) for group in groups]
    return Level(at, columns, aligned, 1 - apart, 1 - _total(G, columns) / _pairs(R, n), modes)


def _pairs(R: int, n: int) -> float:
    """The sum of all distances at which H' is 0."""
    return float(np.sqrt(2 * n) * max(R * (R - 1), 1))


def _numbered(
    Q: Array, G: Array, columns: Any, groups: list[list[int]], before: Array | None
) -> NDArray[np.intp]:
    """Columns of aligned runs whose clusters keep their numbers between K and in all modes."""

    def mean(group: list[int]) -> Array:
        return np.take_along_axis(Q[group], columns[group][:, None, :], axis=2).mean(axis=0)

    (R, n, K), largest = Q.shape, mean(groups[0])
    order = np.argsort(-largest.sum(axis=0), kind="stable")
    if before is not None:
        match = match_clusters(2 * before.T @ largest - (largest**2).sum(axis=0))
        order = np.array([*match, *(k for k in order if k not in match)])
    columns, most = columns[:, order], _total(G, columns) + TOLERANCE * _pairs(R, n)
    earlier = [largest[:, order], *([] if before is None else [before])]
    for group in groups[1:]:
        shared = np.zeros((K, K))
        for known in earlier:
            shared[: known.shape[1]] += known.T @ mean(group)
        moved = columns.copy()
        moved[group] = columns[group][:, match_clusters(shared)]
        columns = moved if _total(G, moved) <= most else columns
    return columns


def _total(G: Array, columns: NDArray[np.intp]) -> float:
    """Sum of the distances of all ordered pairs of runs, with their columns in these orders."""
    run = np.arange(len(G))
    shared = G[run[:, None, None], run[:, None], columns[:, None], columns].sum(axis=2)
    norms = shared.diagonal()
    distances = np.sqrt(np.maximum(norms[:, None] + norms - 2 * shared, 0))
    return float(distances.sum() - np.trace(distances))


class _Order:
    """Orders of the columns of R runs, with all products of columns in these orders."""

    def __init__(self, G: Array) -> None:
        self.G = np.ascontiguousarray(G)
        self.columns = np.tile(np.arange(G.shape[2]), (len(G), 1))
        self.norms = np.einsum("iikk->i", G)

    def distances(self, shared: Array, A: Any = slice(None), B: Any = slice(None)) -> Array:
        """‖Q_a − Q_b‖ for all a in A and b in B, by the inner products ⟨Q_a, Q_b⟩."""
        return np.sqrt(np.maximum(self.norms[A][:, None] + self.norms[B] - 2 * shared, 0))

    def move(self, A: Sequence[int], B: Sequence[int], start: bool = False) -> bool:
        """Permute all runs of A alike if this lowers their summed distance from the runs of B.

        At the `start`, squared distances are summed, and any permutation is accepted.
        """
        X = self.G[np.ix_(A, B)]
        before = self.distances(np.einsum("abkk->ab", X), A, B)
        weights = np.ones(before.shape) if start else 1 / np.maximum(before, _NEAR)
        order = match_clusters(np.tensordot(weights, X, 2).T)
        if (order == np.arange(len(order))).all():
            return False
        after = self.distances(X[:, :, order, np.arange(len(order))].sum(axis=2), A, B)
        if not start and after.sum() > before.sum() - _NEAR:
            return False
        self.columns[A] = self.columns[A][:, order]
        self.G[A] = self.G[A][:, :, order]
        self.G[:, A] = self.G[:, A][:, :, :, order]
        return True


def _aligned(G: Array, apart: Array) -> NDArray[np.intp]:
    """Order of the columns of each run, with the smallest sum of distances that was found."""
    R = len(G)
    if R == 1:
        return np.arange(G.shape[2])[None]
    parts = {r: [r] for r in range(R)}
    for t, (a, b, *_) in enumerate(_tree(apart, "average")):
        parts[R + t] = parts[int(a)] + parts[int(b)]
    joins = [(parts[k], [r for r in range(R) if r not in parts[k]]) for k in range(2 * R - 2)]
    random = np.random.default_rng(0)
    ends: list[tuple[float, NDArray[np.intp]]] = []
    while len(ends) < _STARTS:
        order = _Order(G)
        runs = random.permutation(R).tolist() if ends else parts[2 * R - 2]
        for k in range(1, R):
            order.move([runs[k]], runs[:k], start=True)
        while sum(order.move(A, B) for A, B in joins):
            pass
        ends.append((_total(G, order.columns), order.columns))
        least = min(total for total, _ in ends)
        if len(ends) > 2 and 2 * sum(total < least + _NEAR for total, _ in ends) > len(ends):
            break
    return min(ends, key=lambda end: end[0])[1]


def _tree(apart: Array, method: str) -> Array:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return np.asarray(linkage(squareform(apart, checks=False), method))


def _modes(apart: Array, threshold: float) -> list[list[int]]:
    """Groups of runs with pairwise distances of at most 1 − threshold.

    The largest comes first, and of equal ones the one that is nearest to all runs.
    """
    from scipy.cluster.hierarchy import fcluster

    if len(apart) == 1:
        return [[0]]
    mode = fcluster(_tree(apart, "complete"), 1 - threshold, "distance")
    groups = [np.flatnonzero(mode == k) for k in np.unique(mode)]
    by_typical = [group[np.argsort(apart[np.ix_(group, group)].sum(axis=1))] for group in groups]

    def rank(group: list[int]) -> tuple[float, ...]:
        return -len(group), round(apart[group].mean(), 9), min(group)

    return sorted((group.tolist() for group in by_typical), key=rank)
