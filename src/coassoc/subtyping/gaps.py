"""Gaps between clusters: whether the density between two clusters is less than half of theirs.

Clusters of a continuum can be as stable as groups, so their stability says nothing about gaps. For
two clusters, the samples are projected on the line between their means. In each of five folds, the
means are those of the other folds, so no sample pulls the line towards itself. Let w be the
distance from the middle between the clusters to the median of one of them. The density within w / 2
of the middle is compared with the density of that cluster from w / 2 to w. Of the larger cluster,
only the nearest samples count, as many as the smaller one has: its tail does not hide a small
cluster, and samples of a branch do not look sparse beside other branches. There is a gap if

- the density is below half of that of either cluster, and significantly lower (binomial test);
- it is also not clearly above half if w is a quartile of the cluster instead of the median. The two
  halves of a circle crowd at the ends of the line, but not close to the middle;
- of two finer clusterings, one or both have the same gap between their clusters on either side. If
  a curve is cut in two, a third cluster crosses the cut.

Clusters at k are compared in the k leading principal components.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from coassoc.numerics.seeds import seed_sequence
from coassoc.pools.hartigan import Samples
from coassoc.subtyping.clouds import principal_components

Array = NDArray[np.float64]
Labels = NDArray[np.intp]

#: Density between two clusters, relative to theirs, from which on there is no gap.
_HALF = 0.5
#: Largest size of a cluster that may consist of outliers, and least size with which to see a gap.
OUTLIERS, _LEAST = 2, 8
#: Components in which finer clusters are formed, folds, and starts of k-means.
_COMPONENTS, _FOLDS, _STARTS = 20, 5, 5
#: Numbers of additional clusters in finer clusterings.
_FINER = (1, 2)
#: Fraction of a cluster's samples up to the distance w, level of the test there, and smallest
#: density without a gap.
_WIDE, _NEAR, _UNTESTED = (0.5, 0.1, _HALF), (0.25, 1.0, 0.55), (0.5, 1.0, _HALF)
#: Quantile of either cluster towards the other; their mean is the middle between the clusters.
_EDGE = 0.2


def densities(
    scores: Array, labels: Mapping[int, Labels], seed: int, tests: int = 1
) -> dict[int, Array]:
    """Density between each two clusters, relative to the clusters.

    Parameters
    ----------
    scores : (n, r) array
        Principal components, the longest first.
    labels : dict of int to (n,) integer array
        Number of clusters → clusters, 0 … k−1.
    seed : int
    tests : int
        Number of searches for any gap, by which the level is divided.

    Returns
    -------
    dict of int to (k, k) array
        Densities; NaN for clusters of fewer than eight samples. If a density below ½ is not
        significantly lower than in the clusters, it counts as ½.
    """
    finer: dict[int, Labels] = {}
    found, (part, level, least) = {}, _WIDE
    for k, codes in labels.items():
        density, crossing = _of_pairs(scores[:, :k], codes, (part, level / tests, least), _NEAR), []
        for number in (k + more for more in _FINER if k + more < len(scores)):
            if number not in finer:
                finer[number] = _clusters(scores, number, seed)
            parts, of_parts = np.unique(codes * number + finer[number], return_inverse=True)
            between = _of_pairs(scores[:, :number], of_parts, _UNTESTED)
            owner, of_finer = parts // number, np.zeros_like(density)
            np.maximum.at(of_finer, np.ix_(owner, owner), np.nan_to_num(between))
            crossing.append(of_finer)
        density = np.maximum(density, np.min(crossing, axis=0)) if crossing else density
        np.fill_diagonal(density, np.nan)
        found[k] = density
    return found


def splits(scores: Array, seed: int, tests: int) -> bool:
    """Whether the samples of a cluster, one of `tests`, fall into two with a gap between them."""
    if len(scores) < 2 * _LEAST:
        return False
    scores = principal_components(scores)
    return separated(densities(scores, {2: _clusters(scores, 2, seed)}, seed, tests)[2]) is True


def _clusters(scores: Array, k: int, seed: int) -> Labels:
    """Clusters of k-means in the leading components."""
    generator = np.random.default_rng(seed_sequence(seed, "finer clusters", k))
    samples = Samples(np.ascontiguousarray(scores[:, :_COMPONENTS]))
    return samples.cluster(k, _STARTS, generator)[0]


def separated(density: Array) -> bool | None:
    """Whether there is a gap between each two clusters; None if small clusters leave it open."""
    pairs = density[np.tril_indices(len(density), -1)]
    if not len(pairs) or (pairs >= _HALF).any():
        return False
    return None if np.isnan(pairs).any() else True


def _of_pairs(scores: Array, codes: Labels, *parts: tuple[float, float, float]) -> Array:
    """(k, k) densities between the clusters 0 … k−1, the largest over some parts of them."""
    sizes = np.bincount(codes)
    density = np.full((len(sizes),) * 2, np.nan)
    for a in range(len(sizes)):
        for b in range(a):
            if min(sizes[a], sizes[b]) >= _LEAST:
                pair = np.flatnonzero((codes == a) | (codes == b))
                left, right = _projected(scores[pair], codes[pair] == a)
                n = min(sizes[a], sizes[b])
                left, right = left[-n:], right[:n]  # the nearest ones of the larger cluster
                density[a, b] = max(_valley(left, right, *part) for part in parts)
                density[b, a] = density[a, b]
    return density


def _projected(scores: Array, is_right: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Sorted positions of two clusters on the line between their means in the other folds."""
    fold = np.empty(len(scores), dtype=np.intp)
    means = []
    for side in (~is_right, is_right):
        fold[side] = np.random.default_rng(0).permutation(np.count_nonzero(side)) % _FOLDS
        members = np.eye(_FOLDS)[:, fold[side]]
        others = 1 - members
        means.append(others @ scores[side] / others.sum(axis=1)[:, None])
    line, middle = means[1] - means[0], (means[0] + means[1]) / 2
    lengths = np.maximum(np.square(line).sum(axis=1), np.finfo(float).tiny)
    places = ((scores - middle[fold]) * line[fold]).sum(axis=1) / lengths[fold]
    return np.sort(places[~is_right]), np.sort(places[is_right])


def _valley(left: Array, right: Array, part: float, level: float, least: float) -> float:
    """Density between two equally large clusters, relative to their nearer parts, at most 1.

    It is scaled so that the smallest density without a gap is ½.
    """
    n = len(left)
    middle = (left[-1 - int(_EDGE * n)] + right[int(_EDGE * n)]) / 2
    distances = (middle - left)[::-1], right - middle
    density = []
    for own in distances:
        width = own[int(part * n)]
        if width <= 0:
            return 1.0
        inside = sum(np.count_nonzero(np.abs(x) < width / 2) for x in distances)
        outside = np.count_nonzero((own >= width / 2) & (own <= width))
        # P(I ≤ inside) if I of the inside + outside samples are in two of three equal intervals.
        p = betainc(outside, inside + 1, 1 / 3)
        relative = inside / 2 / outside
        density.append(max(relative, _HALF) if p > level else relative)
    return float(min(max(density) * _HALF / least, 1.0))
