"""Algorithms that cluster a resample into each of several numbers of clusters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from inspect import signature
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from coassoc.errors import ConfigError, DataError, check_known
from coassoc.numerics.compiled import compiled
from coassoc.numerics.distances import distance_coordinates
from coassoc.pools.base_clusterings import (
    Recipe,
    check_recipes,
    clusterer_of,
    fit_clusterer,
    known_clusterers,
    number_parameter,
)
from coassoc.pools.hartigan import Samples

#: Linkages of SciPy, and the linkages that are defined only for Euclidean distances.
SCIPY_LINKAGES = ("average", "complete", "single", "weighted", "ward", "centroid", "median")
_EUCLIDEAN = ("ward", "centroid", "median")
#: Distances in addition to those of SciPy: 1 − correlation of the features, or of their ranks.
CORRELATIONS = ("pearson", "spearman")


class Algorithm(ABC):
    """Base class of algorithms that cluster the samples of a resample."""

    #: Whether several threads can cluster resamples at the same time, because the algorithm
    #: releases the interpreter lock.
    on_threads = False

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__}({given})"

    def coordinates(self, X: Any) -> Any:
        """Features whose Euclidean distances correspond to the distances of this algorithm."""
        return X

    def prepare(self, X: Any) -> Any:
        """Prepare the features of some samples for :meth:`cluster`."""
        return X

    def restrict(self, prepared: Any, items: NDArray[np.intp]) -> Any:
        """The result of :meth:`prepare` for these samples alone."""
        return prepared[items]

    @abstractmethod
    def cluster(
        self, prepared: Any, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels of the samples for each number of clusters, with a seed for each number.

        Returns
        -------
        (K, n) integer array
            −1 for a sample without a cluster.
        """

    def nearest(self, X: Any, labels: NDArray, new: Any) -> NDArray[np.intp]:
        """Cluster of each new sample: the one with the nearest mean."""
        from sklearn.metrics import pairwise_distances_argmin

        names, cluster = np.unique(labels, return_inverse=True)
        members = np.equal.outer(np.arange(len(names)), cluster).astype(np.float64)
        centres = np.asarray(members @ X) / members.sum(axis=1)[:, None]
        return names[pairwise_distances_argmin(new, centres)]


class KMeans(Algorithm):
    """k-means by moves of single samples; see :mod:`coassoc.pools.hartigan`.

    Parameters
    ----------
    n_init : int
        Number of starts of each fit, of which the best is used.
    """

    on_threads = True

    def __init__(self, n_init: int = 5) -> None:
        if not isinstance(n_init, Integral) or n_init < 1:
            raise ConfigError(f"n_init is {n_init!r}. It must be a positive integer.")
        self.n_init: int = n_init

    def prepare(self, X: Any) -> Any:
        """Coordinates with the same distances, at most as many as samples."""
        return np.ascontiguousarray(distance_coordinates(X), dtype=np.float64)

    def cluster(
        self, prepared: Any, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels by :class:`coassoc.pools.hartigan.Samples`."""
        samples = Samples(prepared)
        return np.array(
            [samples.cluster(k, self.n_init, np.random.default_rng(seed(k)))[0] for k in numbers]
        )


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

    def coordinates(self, X: Any) -> Any:
        """The scaled samples for correlations, and otherwise the features."""
        if self.distance not in CORRELATIONS:
            return X
        return _scaled(np.asarray(X.toarray() if issparse(X) else X, dtype=float), self.distance)

    def prepare(self, X: Any) -> Any:
        """(n, n) distances."""
        return self._between(X, X)

    def restrict(self, prepared: Any, items: NDArray[np.intp]) -> Any:
        """Distances of some samples."""
        return prepared[np.ix_(items, items)]

    def nearest(self, X: Any, labels: NDArray, new: Any) -> NDArray[np.intp]:
        """Cluster of each new sample: the one with the smallest mean distance."""
        names, cluster = np.unique(labels, return_inverse=True)
        members = np.equal.outer(cluster, np.arange(len(names))).astype(np.float64)
        means = self._between(new, X) @ members / members.sum(axis=0)
        return names[means.argmin(axis=1)]

    def _between(self, A: Any, B: Any) -> NDArray[np.float64]:
        from scipy.spatial.distance import cdist

        same = A is B
        A, B = (np.asarray(X.toarray() if issparse(X) else X, dtype=float) for X in (A, B))
        if self.distance in CORRELATIONS:
            left = _scaled(A, self.distance)
            D = 1 - left @ (left if same else _scaled(B, self.distance)).T
        else:
            D = cdist(A, B, self.distance)
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
        self, prepared: Any, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Cuts of one dendrogram."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        merges = linkage(squareform(prepared, checks=False), self.linkage)[:, :2]
        labels = np.empty((len(numbers), len(prepared)), dtype=np.int64)
        _cut_merges(merges.astype(np.int64), np.asarray(numbers, dtype=np.int64), labels)
        return labels


@compiled("void(i2, i1, i2)")
def _cut_merges(merges, numbers, labels):
    """For each c, write the clusters after all but the last c − 1 merges."""
    n = len(merges) + 1
    cluster = np.empty(2 * n - 1, dtype=np.int64)
    for row in range(len(numbers)):
        n_merged = n - numbers[row]
        n_found = 0
        cluster[2 * n - 2] = -1
        for t in range(n - 2, -1, -1):
            if t < n_merged and cluster[n + t] < 0:
                cluster[n + t] = n_found
                n_found += 1
            for part in merges[t]:
                cluster[part] = cluster[n + t] if t < n_merged else -1
        for i in range(n):
            if cluster[i] < 0:
                cluster[i] = n_found
                n_found += 1
            labels[row, i] = cluster[i]


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
        self, prepared: Any, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels after swaps that start from BUILD."""
        import kmedoids

        return np.array(
            [kmedoids.fasterpam(prepared, k, init="build", n_cpu=1).labels for k in numbers]
        )


class Communities(Algorithm):
    """Leiden communities of a graph of neighbours, at a resolution that gives k communities.

    Parameters
    ----------
    n_neighbors : int
        As for :class:`coassoc.pools.leiden.Leiden`.
    """

    #: Halvings of the logarithm of the resolution, from 2⁻¹⁰ to 2¹⁰.
    _STEPS = 20

    def __init__(self, n_neighbors: int = 15) -> None:
        if find_spec("leidenalg") is None:
            raise ConfigError(
                "algorithm is 'leiden', which is not installed. Run pip install 'coassoc[cells]'."
            )
        self.n_neighbors = n_neighbors

    def cluster(
        self, prepared: Any, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels; all are missing if no tried resolution gives k communities."""
        from coassoc.pools.leiden import communities, neighbor_graph

        graph = neighbor_graph(prepared, self.n_neighbors)
        tried = cache(lambda exponent: communities(graph, 2.0**exponent, seed(0)))
        labels = np.full((len(numbers), prepared.shape[0]), -1)
        for row, k in enumerate(numbers):
            low, high = -10.0, 10.0
            for _ in range(self._STEPS):
                middle = (low + high) / 2
                n_found = tried(middle)
                if n_found.max() + 1 == k:
                    labels[row] = n_found
                    break
                low, high = (middle, high) if n_found.max() + 1 < k else (low, middle)
        return labels


class Clusterer(Algorithm):
    """A clusterer with the interface of scikit-learn.

    Parameters
    ----------
    clusterer : object
        Object with ``fit_predict`` and a parameter for the number of clusters.
    """

    def __init__(self, clusterer: Any) -> None:
        self.clusterer = clusterer
        number = number_parameter(type(clusterer))
        if not number:
            raise ConfigError(
                f"algorithm is {type(clusterer).__name__}, which chooses the number of clusters "
                "itself. Pass a clusterer with the parameter n_clusters."
            )
        self._number = number[0]
        self._seeded = "random_state" in clusterer.get_params(deep=False)

    def __str__(self) -> str:
        return " ".join(str(self.clusterer).split())

    def cluster(
        self, prepared: Any, numbers: Sequence[int], seed: Callable[[int], int]
    ) -> NDArray[Any]:
        """Labels from a fit for each number."""
        return np.array(
            [fit_clusterer(self._configure_clusterer(k, seed(k)), prepared) for k in numbers]
        )

    def _configure_clusterer(self, k: int, random_state: int) -> Any:
        from sklearn.base import clone

        seeded = {"random_state": random_state} if self._seeded else {}
        return clone(self.clusterer).set_params(**{self._number: k}, **seeded)


#: Algorithms by their names. All other names are classes of scikit-learn.
ALGORITHMS: dict[str, Callable[..., Algorithm]] = {
    "kmeans": KMeans,
    "hierarchical": Hierarchical,
    "pam": PAM,
    "leiden": Communities,
}


def algorithm_of(algorithm: Any, parameters: dict[str, Any]) -> Algorithm:
    """The algorithm for a name and parameters, or for a clusterer with its own parameters.

    Raises
    ------
    ConfigError
        If there is no such algorithm, or it lacks a parameter.
    """
    if not isinstance(algorithm, str):
        if not hasattr(algorithm, "fit_predict") or isinstance(algorithm, type) or parameters:
            raise ConfigError(
                f"algorithm is {algorithm!r}. It must be one of {', '.join(ALGORITHMS)}, the name "
                "of a scikit-learn clusterer, or such a clusterer with its parameters."
            )
        return Clusterer(algorithm)
    if algorithm not in ALGORITHMS and algorithm not in known_clusterers():
        raise ConfigError(
            f"algorithm is {algorithm!r}. It must be one of {', '.join(ALGORITHMS)}, or a "
            f"scikit-learn clusterer: {', '.join(known_clusterers())}."
        )
    if algorithm not in ALGORITHMS:
        recipe = Recipe(algorithm, parameters)
        check_recipes("algorithm", [recipe])
        return Clusterer(clusterer_of(recipe, 2, 0))
    make = ALGORITHMS[algorithm]
    check_known(f"algorithm {algorithm!r}", "parameters", parameters, signature(make).parameters)
    return make(**parameters)
