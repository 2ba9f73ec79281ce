"""Recipes of base clusterings: the clusterer, the features and the samples."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from inspect import signature
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import ConfigError, DataError, check_known, names_allowed
from coassoc.numerics.integers import is_integer
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.numerics.threads import openmp_on_one_thread

#: k-means as in the protocols of the papers: it runs until no sample changes its cluster, or for
#: 100 iterations.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "KMeans": {"init": "random", "n_init": 1, "max_iter": 100, "tol": 0}
}
#: Parameters that a recipe must not set, and what decides them.
_DECIDED = {
    "random_state": "the key 'seed' of the configuration",
    "n_jobs": "the workflow",
}
#: Clusterers whose memory grows with the number of samples, not with the number of pairs.
_LINEAR = (
    *("BayesianGaussianMixture", "Birch", "BisectingKMeans", "DBSCAN", "GaussianMixture"),
    *("HDBSCAN", "HartiganKMeans", "KMeans", "Leiden", "MeanShift", "MiniBatchKMeans", "OPTICS"),
)


@dataclass(frozen=True)
class Recipe:
    """Recipe of base clusterings.

    A scikit-learn clusterer computes a base clustering from a random fraction of the samples and a
    random fraction of the features, which may be projected.
    """

    #: Name of a class in ``sklearn.cluster`` or ``sklearn.mixture``, or "HartiganKMeans", "Leiden".
    clusterer: str = "KMeans"
    #: Its parameters that differ from the defaults. Here KMeans defaults to random initialisation,
    #: one start, 100 iterations and a tolerance of 0.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Number of clusters: "sqrt", "classes" or an integer, see :func:`number_of_clusters`.
    #: Clusterers that choose the number themselves, such as HDBSCAN, ignore it.
    k: str | int | None = "sqrt"
    #: "raw", "unit", "standardised", "min-max" or "tf-idf", see
    #: :func:`coassoc.pools.generation.scaled`.
    preprocessing: str = "raw"
    #: Fraction of the features in each base clustering (a random subspace), in (0, 1].
    features: float = 1
    #: If given, a Gaussian random matrix projects these features onto this fraction of d
    #: dimensions, in (0, 1].
    projection: float | None = None
    #: Fraction of the samples in each base clustering, in (0, 1]. The labels of the other samples
    #: are missing.
    samples: float = 1

    @property
    def is_plain(self) -> bool:
        """Whether it is k-means on all features of all samples."""
        return self.clusterer == "KMeans" and self.sees_everything

    @property
    def compares_pairs(self) -> bool:
        """Whether the clusterer stores a number for each pair of samples."""
        return self.clusterer not in _LINEAR

    @property
    def sees_everything(self) -> bool:
        """Whether the clusterer uses all samples with all features."""
        return self.features == 1 and self.projection is None and self.samples == 1

    @property
    def all_parameters(self) -> dict[str, Any]:
        """Parameters, including the default values of coassoc."""
        return {**_DEFAULTS.get(self.clusterer, {}), **self.parameters}

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.all_parameters.items())
        rules = {"sqrt": "k uniform in [2, floor(sqrt(n))]", "classes": "k = number of classes"}
        parts = [f"{self.clusterer}({given})", rules.get(str(self.k), f"k = {self.k}")]
        parts.append(f"{self.preprocessing} features")
        if self.features < 1:
            parts.append(f"a random {self.features:.0%} of the features")
        if self.projection is not None:
            parts.append(f"projected at random onto {self.projection:.0%} as many dimensions")
        if self.samples < 1:
            parts.append(f"a random {self.samples:.0%} of the samples")
        return ", ".join(parts)


@cache
def known_clusterers() -> dict[str, type]:
    """Name → class, for the clusterers of samples in scikit-learn and in this library."""
    from sklearn import cluster, mixture

    from coassoc.pools.hartigan_kmeans import HartiganKMeans
    from coassoc.pools.leiden import Leiden

    exports = {
        name: getattr(module, name) for module in (cluster, mixture) for name in module.__all__
    }
    clusterers = (name for name in sorted(exports) if hasattr(exports[name], "fit_predict"))
    # FeatureAgglomeration clusters features, not samples.
    classes = {name: exports[name] for name in clusterers if name != "FeatureAgglomeration"}
    own: dict[str, type] = {"HartiganKMeans": HartiganKMeans, "Leiden": Leiden}
    return classes | own


def check_recipes(place: str, recipes: Iterable[Recipe]) -> None:
    """Raise a ConfigError for an unknown clusterer or an unknown parameter.

    The message begins with the place, the name of the pool.
    """
    for recipe in recipes:
        name = recipe.clusterer
        make = _clusterer_class(name, f"{place}.clusterer")
        decided = _DECIDED | dict.fromkeys(number_parameter(make), "the key 'k'")
        for key in decided.keys() & recipe.parameters.keys():
            raise ConfigError(
                f"{place}.parameters has {key!r}, which {decided[key]} already sets. Remove it "
                "from parameters."
            )
        taken = [key for key in _parameters(make) if key not in decided]
        check_known(f"{place}.clusterer {name!r}", "parameter", recipe.parameters, taken)
        try:
            make(**recipe.all_parameters)._validate_params()
        except ValueError as error:
            raise ConfigError(f"{place}.parameters: {error}") from error


def _clusterer_class(name: str, place: str = "clusterer") -> Any:
    """The class with this name. A ConfigError is raised if it is unknown or not installed."""
    clusterers = known_clusterers()
    if name not in clusterers:
        raise ConfigError(f"{place} is {name!r}. {names_allowed(name, clusterers)}.")
    if name == "Leiden" and find_spec("leidenalg") is None:
        raise ConfigError(
            f"{place} is 'Leiden', which is not installed. Run pip install 'coassoc[cells]'."
        )
    return clusterers[name]


def number_parameter(make: type) -> list[str]:
    """Name of the parameter that is a clusterer's number of clusters, if it has one."""
    # Spectral clustering has both parameters, and its n_components is the dimension of the
    # embedding.
    names: list[str] = ["n_clusters", "n_components"]
    return [name for name in names if name in _parameters(make)][:1]


@cache
def _parameters(make: type) -> tuple[str, ...]:
    return tuple(signature(make).parameters)


def number_of_clusters(
    k: str | int | None, n_samples: int, n_classes: int | None, generator: np.random.Generator
) -> int:
    """Number of clusters of one base clustering by the rule of the pool.

    "sqrt" is uniform in [2, ⌊√n⌋] (EC-CMS, LTA), "classes" is the number of classes (RCE, ACMK,
    HCLCE), and an integer is the number itself. Anything else raises a ConfigError.
    """
    if k == "sqrt":
        return int(generator.integers(2, max(2, isqrt(n_samples)), endpoint=True))
    if k == "classes":
        if n_classes is None:
            raise ConfigError(
                "k is 'classes', but the number of classes is unknown. Add the key 'classes' to "
                "the data set."
            )
        return n_classes
    if not (is_integer(k, 1) and k <= n_samples):
        raise ConfigError(
            f"k is {k!r}. It must be 'sqrt', 'classes' or a number from 1 to {n_samples}."
        )
    return int(k)


def base_clustering(
    X: Any, recipe: Recipe, n_classes: int | None, seed: int, names: Sequence[str], j: int
) -> NDArray[np.intp]:
    """The j-th base clustering of a pool.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        The features, preprocessed.
    recipe : Recipe
    n_classes : int or None
        Number of classes, for ``k="classes"``.
    seed, names
        Root seed, and names that distinguish the seeds of the pool from other seeds.
    j : int

    Returns
    -------
    (n,) integer array
        Clusters 0 … k−1 without gaps; −1 for samples that were left out, and for noise.

    Raises
    ------
    ConfigError
        If the clusterer cannot be fitted, for example with more neighbours than samples.
    DataError
        If it labels all samples as noise.
    """

    def generator(purpose: str) -> np.random.Generator:
        return np.random.default_rng(seed_sequence(seed, *names, purpose, j))

    seen, X = _seen(X, recipe, generator)
    k = number_of_clusters(recipe.k, X.shape[0], n_classes, generator("number of clusters"))
    # The seeds of other clusterers contain this name as well.
    random_state = seed_from_names(seed, *names, "k-means", j)
    clusters = fit_clusterer(clusterer_of(recipe, min(k, X.shape[0]), random_state), X)
    labelled = clusters >= 0
    if not labelled.any():
        raise DataError(
            f"{'/'.join(names)}: base clustering {j} by {recipe} has only noise and no cluster. "
            "Change the parameters of the clusterer."
        )
    labels = np.full(len(seen), -1, dtype=np.intp)
    labels[np.flatnonzero(seen)[labelled]] = np.unique(clusters[labelled], return_inverse=True)[1]
    return labels


def _seen(X: Any, recipe: Recipe, generator: Any) -> tuple[NDArray[np.bool_], Any]:
    """The samples that the clusterer sees, and their features."""
    n, d = X.shape
    seen = random_share(n, recipe.samples, generator("samples"))
    if recipe.sees_everything:
        return seen, X
    X = X[np.flatnonzero(seen)]
    X = X[:, np.flatnonzero(random_share(d, recipe.features, generator("features")))]
    if recipe.projection is not None:
        p = max(1, round(recipe.projection * d))
        X = X @ (generator("projection").standard_normal((X.shape[1], p)) / np.sqrt(p))
    return seen, X


def random_share(n: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """(n,) mask of a random fraction of n items, at least one."""
    chosen = np.zeros(n, dtype=bool)
    chosen[generator.permutation(n)[: max(1, round(share * n))]] = True
    return chosen


def clusterer_of(recipe: Recipe, k: int, random_state: int) -> Any:
    """The unfitted clusterer of a recipe with k clusters."""
    make = _clusterer_class(recipe.clusterer)
    values = {**recipe.all_parameters, **dict.fromkeys(number_parameter(make), k)}
    if "random_state" in _parameters(make):
        values["random_state"] = random_state
    return make(**values)


def fit_clusterer(clusterer: Any, X: Any) -> NDArray:
    """Labels from a clusterer with the interface of scikit-learn, reproducible.

    A ConfigError is raised if it cannot be fitted.
    """
    from scipy.sparse import issparse
    from sklearn.exceptions import ConvergenceWarning

    if issparse(X) and not clusterer.__sklearn_tags__().input_tags.sparse:
        X = X.toarray()
    # On several threads the sums of a centroid are added in an order that depends on timing.
    with openmp_on_one_thread(), warnings.catch_warnings():
        # Fewer distinct samples than clusters are no error. The base clustering then has fewer
        # clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return np.asarray(clusterer.fit_predict(X))
        except ValueError as error:
            name = type(clusterer).__name__
            raise ConfigError(
                f"{name} on {X.shape[0]} samples: {error}. Change the parameters of the clusterer."
            ) from error
