"""Algorithms that cluster a resample into each of several numbers of clusters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from coassoc.errors import ConfigError, DataError, check_known
from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.integers import is_integer
from coassoc.pools.hartigan import Samples

#: Linkages of SciPy, and the linkages that are defined only for Euclidean distances.
SCIPY_LINKAGES = ("average", "complete", "single", "weighted", "ward", "centroid", "median")
_EUCLIDEAN = ("ward", "centroid", "median")
#: Distances in addition to those of SciPy: 1 − correlation of the features, or of their ranks.
CORRELATIONS = ("pearson", "spearman")
#: Beyond the first number of samples, a random selection of the second size is clustered, and the
#: other samples join its clusters.
MANY, FEW = 8192, 2048
#: Largest number of samples that are cheap enough for many starts. With a strong common factor and
#: four groups of 30, five starts often end in a worse optimum.
_SMALL = 256
#: Largest number of Lloyd's steps with all samples.
_STEPS = 5


def representatives(n: int, seed: int) -> NDArray[np.intp]:
    """Samples that stand for n samples: :data:`FEW` random ones beyond :data:`MANY`, or all."""
    if n <= MANY:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, FEW, replace=False))


class Algorithm(ABC):
    """Base class of algorithms that cluster the samples of a resample."""

    #: Whether several threads can cluster resamples at the same time, because the algorithm
    #: releases the interpreter lock.
    on_threads = False

    def __str__(self) -> str:
        given = [f"{name}={value}" for name, value in vars(self).items() if value is not None]
        return f"{type(self).__name__}({', '.join(given)})"

    def coordinates(self, X: Any) -> Any:
        """Features whose Euclidean distances correspond to the distances of this algorithm."""
        return X

    @abstractmethod
    def prepare(self, X: Any) -> NDArray[np.float64]:
        """Prepare the features of some samples for :meth:`cluster`."""

    def restrict(self, prepared: NDArray, items: NDArray[np.intp]) -> NDArray:
        """The result of :meth:`prepare` for these samples alone."""
        return prepared[items]

    @abstractmethod
    def cluster(
        self, prepared: NDArray, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """(K, n) labels of the samples for each number of clusters, with a seed for each number."""

    @abstractmethod
    def nearest(self, X: Any, labels: NDArray, new: Any) -> NDArray[np.intp]:
        """Cluster of each new sample: the nearest one of the clusters 0 … k−1 of the samples X."""


class KMeans(Algorithm):
    """k-means by moves of single samples; see :mod:`coassoc.pools.hartigan`.

    If there are more than :data:`MANY` samples, only :data:`FEW` random ones of them are clustered.
    Their means are the start of at most five of Lloyd's steps with all samples (P. S. Bradley,
    U. M. Fayyad, "Refining initial points for k-means clustering", ICML 1998).

    Parameters
    ----------
    n_init : int, optional
        Number of starts of each fit, of which the best is used. Default: 20 for up to 256 samples
        and 5 for more.
    """

    on_threads = True

    def __init__(self, n_init: int | None = None) -> None:
        if n_init is not None and not is_integer(n_init, 1):
            raise ConfigError(f"n_init is {n_init!r}. It must be a positive integer.")
        self.n_init = n_init

    def starts(self, n: int) -> int:
        """Number of starts for n samples."""
        return self.n_init or (20 if n <= _SMALL else 5)

    def prepare(self, X: Any) -> NDArray[np.float64]:
        """Coordinates with the same distances, at most as many as samples."""
        return np.ascontiguousarray(distance_coordinates(X), dtype=np.float64)

    def cluster(
        self, prepared: NDArray, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels by :class:`coassoc.pools.hartigan.Samples`."""
        few = representatives(len(prepared), seed(0))
        samples, n_init = Samples(prepared[few]), self.starts(len(prepared))
        labels = [samples.cluster(k, n_init, np.random.default_rng(seed(k)))[0] for k in numbers]
        if len(few) < len(prepared):
            labels = [self._extended(prepared, few, each) for each in labels]
        return np.array(labels)

    def nearest(self, X: Any, labels: NDArray, new: Any) -> NDArray[np.intp]:
        """Cluster of each new sample: the one with the nearest mean."""
        members = np.equal.outer(np.arange(labels.max() + 1), labels).astype(np.float64)
        centres = np.asarray(members @ X) / members.sum(axis=1)[:, None]
        # With m the mean of the centres, ‖x − c‖² − ‖x − m‖² keeps the numbers small.
        mean = centres.mean(axis=0)
        offsets = centres - mean
        lengths = ((centres + mean) * offsets).sum(axis=1)[:, None]
        return np.asarray((-2 * offsets @ new.T + lengths).argmin(axis=0))

    def _extended(self, X: NDArray, few: NDArray, labels: NDArray) -> NDArray[np.intp]:
        """Clusters of all samples by Lloyd's steps, from the clusters of a few samples."""
        k, found = labels.max() + 1, self.nearest(X[few], labels, X)
        for _ in range(_STEPS):
            if len(np.unique(found)) < k:
                break
            new = self.nearest(X, found, X)
            if len(np.unique(new)) < k or (new == found).all():  # a step may not empty a cluster
                break
            found = new
        return found


class OfDistances(Algorithm):
    """Base class of algorithms that use only distances.

    Parameters
    ----------
    distance : str
        "pearson" or "spearman" (1 − correlation), or a distance of SciPy's ``pdist``.
    """

    def __init__(self, distance: str = "euclidean") -> None:
        from scipy.spatial.distance import _METRICS_NAMES as known

        if distance not in (*CORRELATIONS, *known):
            raise ConfigError(
                f"distance is {distance!r}. It must be one of {', '.join(CORRELATIONS)}, or a "
                f"SciPy distance: {', '.join(known)}."
            )
        self.distance = distance

    def coordinates(self, X: Any) -> NDArray[np.float64]:
        """The scaled samples for correlations, and otherwise the features."""
        X = np.asarray(X.toarray() if issparse(X) else X, dtype=float)
        return _scaled(X, self.distance) if self.distance in CORRELATIONS else X

    def prepare(self, X: Any) -> NDArray[np.float64]:
        """(n, n) distances."""
        X = self.coordinates(X)
        return self._between(X, X)

    def restrict(self, prepared: NDArray, items: NDArray[np.intp]) -> Any:
        """Distances of some samples."""
        return prepared[np.ix_(items, items)]

    def nearest(self, X: Any, labels: NDArray, new: Any) -> NDArray[np.intp]:
        """Cluster of each new sample: the one with the smallest mean distance."""
        members = np.equal.outer(labels, np.arange(labels.max() + 1)).astype(np.float64)
        D = self._between(self.coordinates(new), self.coordinates(X))
        return np.asarray((D @ members / members.sum(axis=0)).argmin(axis=1))

    def _between(self, A: NDArray, B: NDArray) -> NDArray[np.float64]:
        """Distances between the coordinates of samples."""
        from scipy.spatial.distance import cdist

        D = 1 - A @ B.T if self.distance in CORRELATIONS else cdist(A, B, self.distance)
        if not np.isfinite(D).all():
            raise DataError(
                f"The {self.distance} distance of some samples is undefined. Leave out samples "
                "with the same value in all features, or use another distance."
            )
        return D


def _scaled(X: NDArray, distance: str) -> NDArray[np.float64]:
    """Rows with mean 0 and norm 1, whose products are correlations; NaN for constant rows."""
    if distance == "spearman":
        from scipy.stats import rankdata

        X = rankdata(X, axis=1)
    X = X - X.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    largest = np.abs(X).max(axis=1, keepdims=True)
    defined = norms > len(X.T) * np.finfo(float).eps * np.maximum(largest, 1e-300)
    return np.divide(X, norms, out=np.full_like(X, np.nan), where=defined)


class Hierarchical(OfDistances):
    """Hierarchical clustering by SciPy; the dendrogram of a resample is cut at every number.

    Parameters
    ----------
    linkage : str
        One of :data:`SCIPY_LINKAGES`.
    distance : str
        As for :class:`OfDistances`; "ward", "centroid" and "median" need Euclidean distances.
    """

    def __init__(self, linkage: str = "average", distance: str = "euclidean") -> None:
        super().__init__(distance)
        if linkage not in SCIPY_LINKAGES:
            raise ConfigError(
                f"linkage is {linkage!r}. It must be one of {', '.join(SCIPY_LINKAGES)}."
            )
        if linkage in _EUCLIDEAN and distance != "euclidean":
            raise ConfigError(
                f"distance is {distance!r}, but linkage {linkage!r} needs Euclidean distances. "
                "Change the distance or the linkage."
            )
        self.linkage = linkage

    def cluster(
        self, prepared: NDArray, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Cuts of one dendrogram."""
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        merges = linkage(squareform(prepared, checks=False), self.linkage)
        # Heights tie or decrease (in "centroid"); the order of the merges does not.
        merges[:, 2] = np.arange(len(merges))
        return np.array([fcluster(merges, k, "maxclust") - 1 for k in numbers])


class PAM(OfDistances):
    """Partitioning around medoids by the package kmedoids: BUILD, followed by swaps.

    Parameters
    ----------
    distance : str
        As for :class:`OfDistances`.
    """

    def __init__(self, distance: str = "euclidean") -> None:
        super().__init__(distance)
        if find_spec("kmedoids") is None:
            raise ConfigError(
                "algorithm is 'pam', which is not installed. Run pip install 'coassoc[pam]'."
            )

    def cluster(
        self, prepared: NDArray, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels after swaps that start from BUILD."""
        import kmedoids

        return np.array(
            [kmedoids.fasterpam(prepared, k, init="build", n_cpu=1).labels for k in numbers]
        )


#: Algorithms by their names.
ALGORITHMS: dict[str, Callable[..., Algorithm]] = {
    "kmeans": KMeans,
    "hierarchical": Hierarchical,
    "pam": PAM,
}


def algorithm_of(name: str, parameters: dict[str, Any]) -> Algorithm:
    """The algorithm for a name and parameters.

    Raises
    ------
    ConfigError
        If there is no such algorithm, or it lacks a parameter.
    """
    if name not in ALGORITHMS:
        raise ConfigError(f"algorithm is {name!r}. It must be one of {', '.join(ALGORITHMS)}.")
    make = ALGORITHMS[name]
    for key in parameters.keys() - signature(make).parameters.keys():
        if others := [a for a, other in ALGORITHMS.items() if key in signature(other).parameters]:
            raise ConfigError(
                f"{key} is for the algorithm {' or '.join(others)}, not {name}. Choose this "
                f"algorithm (--algorithm {others[0]}), or leave {key} out."
            )
    check_known(f"algorithm {name!r}", "parameter", parameters, signature(make).parameters)
    return make(**parameters)
