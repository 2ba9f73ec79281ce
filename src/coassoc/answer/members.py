"""The members: clusterings of one view by algorithms of four kinds.

Centroids (k-means, Ward's linkage, mixtures with one covariance), mixtures of Gaussians, trees
(Genie and Lumbermark cut minimum spanning trees) and spectral clustering err in different ways, so
what they agree on is rarely an error.

M. Gagolewski, "genieclust: fast and robust hierarchical clustering", SoftwareX 15, 2021.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.answer.views import Array
from coassoc.numerics.distinct import places_among_distinct
from coassoc.numerics.threads import one_thread_per_library

#: Packages with the trees, of the extra ``[answer]``.
TREES = ("genieclust", "lumbermark")
#: Mixtures see at most this many dimensions.
_MIXED_DIMENSIONS = 20


#: Estimators of the trees in a view, by algorithm and number of neighbours.
Trees = dict[tuple[str, int], Any]


@dataclass(frozen=True)
class Member:
    """A way to cluster a view.

    Attributes
    ----------
    name, kind : str
        The kind is "centroid", "mixture", "linkage", "tree" or "spectral".
    fit : callable
        (view, k, seed, trees) → (n,) labels; `trees` keeps estimators with the spanning trees of
        the view, which do not depend on k.
    scales : bool
        Whether its time grows little faster than n, in few dimensions.
    """

    name: str
    kind: str
    fit: Callable[[Array, int, int, Trees], NDArray]
    scales: bool = False


def _kmeans(X: Array, k: int, seed: int, trees: Trees) -> NDArray:
    from sklearn.cluster import KMeans

    starts = 10 if len(X) <= 10_000 else 3
    return KMeans(k, n_init=starts, random_state=seed).fit(X).labels_


def _mixture(covariance: str, X: Array, k: int, seed: int, trees: Trees) -> NDArray:
    from sklearn.mixture import GaussianMixture

    X = X[:, :_MIXED_DIMENSIONS] if X.shape[1] > _MIXED_DIMENSIONS else X
    least = 1e-5 * max(1e-3, float(X.var(axis=0).mean()))
    mixture = GaussianMixture(
        k, covariance_type=covariance, n_init=3, random_state=seed, reg_covar=least
    )
    return np.asarray(mixture.fit_predict(X))


def _linkage(method: str, X: Array, k: int, seed: int, trees: Trees) -> NDArray:
    from sklearn.cluster import AgglomerativeClustering

    return np.asarray(AgglomerativeClustering(k, linkage=method).fit(X).labels_)


def _genie(gini: float, neighbours: int, X: Array, k: int, seed: int, trees: Trees) -> NDArray:
    import genieclust

    genie = trees.setdefault(("Genie", neighbours), genieclust.Genie(M=neighbours))
    # A second fit to the same array takes the tree of the first.
    return np.asarray(genie.set_params(n_clusters=k, gini_threshold=gini).fit_predict(X))


def _lumbermark(X: Array, k: int, seed: int, trees: Trees) -> NDArray:
    import lumbermark

    lumber = trees.setdefault(("Lumbermark", 5), lumbermark.Lumbermark(M=5))
    return np.asarray(lumber.set_params(n_clusters=k).fit_predict(X))


def _spectral(neighbours: int, X: Array, k: int, seed: int, trees: Trees) -> NDArray:
    from sklearn.cluster import SpectralClustering

    return np.asarray(
        SpectralClustering(
            k,
            affinity="nearest_neighbors",
            n_neighbors=min(neighbours, len(X) - 1),
            random_state=seed,
        ).fit_predict(X)
    )


MEMBERS = (
    *(Member(f"Genie {g}", "tree", partial(_genie, g, 0), True) for g in (0.1, 0.3, 0.5, 0.7)),
    *(Member(f"Genie {g}, M = 5", "tree", partial(_genie, g, 5), True) for g in (0.3, 0.5)),
    Member("Lumbermark", "tree", _lumbermark, True),
    Member("k-means", "centroid", _kmeans, True),
    Member("tied mixture", "centroid", partial(_mixture, "tied")),
    Member("Ward", "centroid", partial(_linkage, "ward")),
    Member("full mixture", "mixture", partial(_mixture, "full")),
    Member("diagonal mixture", "mixture", partial(_mixture, "diag")),
    Member("average linkage", "linkage", partial(_linkage, "average")),
    *(Member(f"spectral, {q} neighbours", "spectral", partial(_spectral, q)) for q in (5, 10, 20)),
)


def has_trees() -> bool:
    """Whether the packages with the trees are installed."""
    try:
        return all(find_spec(name) for name in TREES)
    except ModuleNotFoundError:
        return False


def available_members() -> tuple[Member, ...]:
    """The members whose packages are installed."""
    trees = has_trees()
    return tuple(member for member in MEMBERS if trees or member.kind != "tree")


def fit_member(member: Member, X: Array, k: int, seed: int, trees: Trees) -> NDArray[np.intp] | str:
    """(n,) labels 0 … k'−1 of a view, or the reason why the member has none."""
    with one_thread_per_library(), warnings.catch_warnings():
        # What has not converged, or comes from an unconnected graph, is judged as a candidate.
        warnings.simplefilter("ignore")
        try:
            labels = places_among_distinct(member.fit(X, k, seed, trees))
        except (ValueError, RuntimeError, np.linalg.LinAlgError) as error:
            return str(error).partition("\n")[0]
    return labels if labels.max() > 0 else "It finds a single cluster."
