"""What can be said of a candidate without classes: compactness, gaps, likelihood, agreement.

Each candidate gets a row of numbers, from which :mod:`coassoc.answer.scorer` predicts its adjusted
Rand index with the classes. Indices are computed in every view; a row has their means over the
views and their values in the candidate's own view.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from coassoc.answer.candidates import Candidate, mean_agreement
from coassoc.answer.members import MEMBERS
from coassoc.answer.views import Array

#: Sizes of neighbourhoods.
_FEW, _MANY = 5, 15
#: Gaussians are fitted in at most this many dimensions.
_DIMENSIONS = 12
#: Numbers of neighbours behind the distances of the two minimum spanning trees.
_SMOOTHED = (1, 5)
_TINY = 1e-12
_KINDS = ("centroid", "mixture", "tree", "spectral")

_OF_TREE = ("cuts", "share cut", "rank", "least rank", "length ratio", "gap", "least gap")
_OF_VIEW = (
    *(f"neighbours {q}" for q in (_FEW, _MANY)), "neighbours, least",
    "silhouette", "silhouette of clusters", "Calinski-Harabasz", "within",
    "full Gaussians", "diagonal Gaussians", "spheres",
    *(f"{name}, tree {M}" for M in _SMOOTHED for name in _OF_TREE),
)  # fmt: skip
_OF_AGREEMENT = (
    "agreement",
    *(f"{which} agreement with {kind}" for kind in _KINDS for which in ("mean", "largest")),
    "agreement with other kinds",
)
_OF_SIZES = ("entropy", "smallest", "largest")
_CORE = (
    *(f"{name}, {where}" for where in ("mean", "own") for name in _OF_VIEW),
    *_OF_AGREEMENT, *_OF_SIZES,
)  # fmt: skip
_NAMES = (*(member.name for member in MEMBERS), "consensus")
_OF_SET = (
    "log n", "log d", "log k", "log n/k", "agreement of members",
    *(f"{a} with {b}" for a, b in (("tree", "centroid"), ("tree", "spectral"),
                                   ("spectral", "centroid"), ("centroid", "mixture"))),
)  # fmt: skip
#: Names of the columns of :func:`describe`.
COLUMNS = (
    *_CORE, *(f"{name}, relative" for name in _CORE),
    *(f"is {name}" for name in (*_NAMES, "standardised", "cosine", *_KINDS)), *_OF_SET,
)  # fmt: skip


def describe(
    candidates: list[Candidate], views: Mapping[str, "ViewIndices"], A: Array, d: int
) -> NDArray[np.float64]:
    """(q, len(COLUMNS)) numbers of q candidates with one requested number of clusters.

    Parameters
    ----------
    candidates : list of Candidate
    views : mapping of str to ViewIndices
    A : (q, q) array
        Their adjusted Rand indices with each other.
    d : int
        Number of measured columns.
    """
    partitions = [candidate.labels for candidate in candidates]
    of_views = np.array([view.of_all(partitions) for view in views.values()])
    names = list(views)
    own = [names.index(x.view) if x.view else 0 for x in candidates]
    core = np.hstack(
        [
            of_views.mean(axis=0),
            of_views[own, np.arange(len(candidates))],
            _agreements(candidates, A),
            [_sizes(labels) for labels in partitions],
        ]
    )
    relative = (core - core.mean(axis=0)) / (core.std(axis=0) + 1e-9)
    kinds = np.array([x.kind for x in candidates])
    is_named = [
        [_name(x) == name for name in _NAMES]
        + [x.view == "standardised", x.view == "cosine"]
        + [x.kind == kind for kind in _KINDS]
        for x in candidates
    ]
    of_set = np.tile(_of_set(partitions, kinds, A, d), (len(candidates), 1))
    return np.hstack([core, relative, np.array(is_named, dtype=float), of_set])


def _name(candidate: Candidate) -> str:
    return "consensus" if candidate.kind == "consensus" else candidate.name


def _sizes(labels: NDArray) -> list[float]:
    """Relative entropy of the sizes of clusters, and the smallest and the largest one."""
    p = np.bincount(labels) / len(labels)
    entropy = -(p * np.log(p)).sum() / np.log(max(2, len(p)))
    return [entropy, p.min() * len(p), p.max()]


def _agreements(candidates: list[Candidate], A: Array) -> Array:
    """Agreement of candidates with all members, each kind, and the three nearest others."""
    kinds = np.array([x.kind for x in candidates])
    is_member = kinds != "consensus"
    columns = [mean_agreement(A, is_member)]
    index = np.arange(len(kinds))
    for kind in _KINDS:
        others = (kinds == kind)[None, :] & (index[:, None] != index)
        counts = others.sum(axis=1)
        columns += [
            np.where(counts, (A * others).sum(axis=1) / np.maximum(counts, 1), 0.0),
            np.where(others, A, -1.0).max(axis=1),
        ]
    foreign = is_member[None, :] & (kinds[:, None] != kinds)
    nearest = -np.sort(-np.where(foreign, A, -1.0), axis=1)[:, :3]
    columns.append(nearest.mean(axis=1))
    return np.column_stack(columns)


def _of_set(partitions: list[NDArray], kinds: NDArray, A: Array, d: int) -> list[float]:
    """Numbers that all candidates of a data set share."""
    n, k = len(partitions[0]), max(int(labels.max()) + 1 for labels in partitions)
    is_member = kinds != "consensus"

    def between(a: str, b: str) -> float:
        block = A[np.ix_(kinds == a, kinds == b)]
        return float(block.mean()) if block.size else 0.0

    return [
        *np.log([n, d, k, n / k]),
        float(A[np.ix_(is_member, is_member)].mean()),
        between("tree", "centroid"),
        between("tree", "spectral"),
        between("spectral", "centroid"),
        between("centroid", "mixture"),
    ]


class ViewIndices:
    """Indices of partitions in one view, the (n, d') measurements X."""

    def __init__(self, X: Array) -> None:
        n = len(X)
        self.X, self.D = X, cdist(X, X)
        np.fill_diagonal(self.D, np.inf)
        most = min(_MANY, n - 1)
        near = np.argpartition(self.D, most - 1, axis=1)[:, :most]
        by_distance = np.argsort(np.take_along_axis(self.D, near, axis=1), axis=1, kind="stable")
        self.near = np.take_along_axis(near, by_distance, axis=1)
        np.fill_diagonal(self.D, 0.0)
        self.mixed = X
        if X.shape[1] > _DIMENSIONS:
            u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
            self.mixed = (u * s)[:, :_DIMENSIONS]
        self.single = _likelihoods(self.mixed, np.zeros(n, dtype=np.intp))
        self.trees = [_tree(X, M) for M in _SMOOTHED]

    def of_all(self, partitions: list[NDArray]) -> Array:
        """A row of numbers for each partition, named by ``_OF_VIEW``."""
        return np.array([self._of(labels) for labels in partitions])

    def _of(self, labels: NDArray) -> list[float]:
        k = int(labels.max()) + 1
        same = labels[self.near] == labels[:, None]
        near = [same[:, :_FEW].mean(), same.mean(), min(same[labels == j].mean() for j in range(k))]
        tree = [number for tree in self.trees for number in _cuts(*tree, labels)]
        gains = _likelihoods(self.mixed, labels) - self.single
        return [*near, *self._silhouettes(labels, k), *self._squares(labels, k), *gains, *tree]

    def _silhouettes(self, labels: NDArray, k: int) -> list[float]:
        """Rousseeuw's index: the mean over samples, and the mean over clusters."""
        rows, sizes = np.arange(len(labels)), np.bincount(labels)
        member = np.zeros((len(labels), k))
        member[rows, labels] = 1.0
        sums = self.D @ member
        inside = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
        means = sums / sizes
        means[rows, labels] = np.inf
        outside = means.min(axis=1)
        values = (outside - inside) / np.maximum(np.maximum(outside, inside), _TINY)
        values = np.where(sizes[labels] > 1, values, 0.0)
        return [values.mean(), (np.bincount(labels, values) / sizes).mean()]

    def _squares(self, labels: NDArray, k: int) -> list[float]:
        """Logarithm of the Calinski-Harabasz index, and the fraction of squares within clusters."""
        total = ((self.X - self.X.mean(axis=0)) ** 2).sum()
        within = sum(
            ((part - part.mean(axis=0)) ** 2).sum()
            for j in range(k)
            for part in [self.X[labels == j]]
        )
        ratio = (total - within) / max(within, _TINY) * (len(labels) - k) / max(1, k - 1)
        return [np.log(ratio + 1e-6), within / max(total, _TINY)]


def _likelihoods(X: Array, labels: NDArray) -> Array:
    """Log-likelihood of full, diagonal and spherical Gaussians, per sample and dimension."""
    n, d = X.shape
    share = np.bincount(labels) / n
    least = 1e-3 * X.var(axis=0).mean() + _TINY
    sums = np.zeros(3)
    for j, p in enumerate(share):
        part = X[labels == j]
        if len(part) > 1:
            part = part - part.mean(axis=0)
            weight = len(part) / (len(part) + d)
            covariance = part.T @ part / len(part)
            variances = covariance.diagonal().copy()
            shrunk = weight * covariance + (1 - weight) * np.diag(variances) + least * np.eye(d)
            sums += p * np.array(
                [
                    np.linalg.slogdet(shrunk)[1],
                    np.log(variances + least).sum(),
                    d * np.log(variances.mean() + least),
                ]
            )
    entropy = -(share * np.log(share)).sum()
    return (-0.5 * sums - entropy) / d


def _tree(X: Array, M: int) -> tuple[Array, NDArray, Array]:
    """Edges of a minimum spanning tree: lengths, ends, and ranks of lengths in [0, 1]."""
    import quitefastmst

    lengths, ends = quitefastmst.mst_euclid(np.ascontiguousarray(X), M)[:2]
    lengths = np.asarray(lengths)
    ranks = np.argsort(np.argsort(lengths, kind="stable")) / max(1, len(lengths) - 1)
    return lengths, np.asarray(ends), ranks


def _cuts(lengths: Array, ends: NDArray, ranks: Array, labels: NDArray) -> list[float]:
    """How many edges of a tree a partition cuts, and how long they are."""
    k, (a, b) = int(labels.max()) + 1, labels[ends].T
    cut = a != b
    many = int(cut.sum())
    gaps = []
    for j in range(k):
        inside, leaving = (a == j) & (b == j), (a == j) ^ (b == j)
        if inside.any() and leaving.any():
            usual = np.quantile(lengths[inside], 0.95)
            gaps.append(np.log((lengths[leaving].min() + _TINY) / (usual + _TINY)))
    between = np.log((np.median(lengths[cut]) + _TINY) / (np.median(lengths[~cut]) + _TINY))
    return [
        np.log(max(1, many - k + 2)),
        (many - k + 1) / len(labels),
        ranks[cut].mean() if many else 0.0,
        ranks[cut].min() if many else 0.0,
        float(between) if many and not cut.all() else 0.0,
        float(np.mean(gaps)) if gaps else 0.0,
        float(np.min(gaps)) if gaps else 0.0,
    ]
