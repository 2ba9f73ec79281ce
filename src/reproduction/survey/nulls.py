"""Both tests of structure on simulated data (clouds) with or without groups, and on data sets.

The results on clouds give the level and the power of the tests; see :mod:`coassoc.selection.null`.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool
from coassoc.selection.null import agreement_test, structure_test

logger = logging.getLogger(__name__)

#: Number of null data sets for each test on a data set, enough for p to stay significant after the
#: correction over data sets.
DRAWS = 199


@dataclass(frozen=True)
class Cloud:
    """Settings of clouds of n points in d dimensions."""

    #: "Gaussian" (standard), "uniform" (in a cube), "elongated" (a Gaussian with a standard
    #: deviation of 5 instead of 1 along the diagonal) or "groups" (three Gaussians at equal
    #: distances).
    shape: str
    n: int
    d: int
    #: Distance between the centres of the groups, in standard deviations.
    distance: float = 0
    #: Number of clouds to draw.
    repeats: int = 20
    #: Number of base clusterings of each cloud.
    size: int = 18
    #: Number of null data sets for each test. The level does not depend on this number.
    draws: int = 19

    def draw(self, seed: int, repeat: int) -> NDArray[np.float64]:
        """The points of one cloud, as an (n, d) array."""
        names = (self.shape, self.n, self.d, repeat)
        generator = np.random.default_rng(seed_sequence(seed, "cloud", *names))
        if self.shape == "uniform":
            return generator.random((self.n, self.d))
        X = generator.standard_normal((self.n, self.d))
        if self.shape == "elongated":
            X += 4 * X.mean(axis=1, keepdims=True)
        if self.shape == "groups":
            corners = self.distance * np.array([[0, 0], [1, 0], [0.5, 0.75**0.5]])
            X[:, :2] += corners[np.arange(self.n) % 3]
        return X


def _clouds() -> Iterator[Cloud]:
    for n, d, repeats, size in (
        *((50, 2, 20, 18), (50, 50, 20, 18), (50, 500, 20, 18)),
        *((500, 2, 20, 18), (500, 50, 20, 18), (500, 500, 5, 9)),
        *((10_000, 2, 20, 9), (10_000, 50, 5, 9), (10_000, 500, 1, 3)),
    ):
        yield Cloud("Gaussian", n, d, repeats=repeats, size=size)
    for shape in ("uniform", "elongated"):
        for n, d, repeats in ((50, 2, 20), (500, 2, 10), (500, 50, 10)):
            yield Cloud(shape, n, d, repeats=repeats)
    for d in (2, 10):
        for distance in (1, 2, 3, 4, 6):
            yield Cloud("groups", 150, d, distance)


#: Clouds, ordered from tests that take seconds to tests that take minutes. The file
#: results-published/nulls.csv lists the level for more Gaussian clouds in more dimensions.
CLOUDS = tuple(sorted(_clouds(), key=lambda cloud: cloud.n * cloud.d))


def nulls_of_clouds(
    recipes: Sequence[Recipe], seed: int, clouds: Sequence[Cloud] = CLOUDS
) -> list[dict[str, Any]]:
    """Results of :func:`nulls_of_dataset` on each cloud, with the cloud's fields and the repeat."""
    lines = []
    for cloud in clouds:
        for repeat in range(cloud.repeats):
            seed_of_repeat = seed_from_names(seed, "null", repeat)
            X = cloud.draw(seed, repeat)
            tests = nulls_of_dataset(X, recipes, cloud.size, seed_of_repeat, cloud.draws)
            lines.append({**asdict(cloud), "repeat": repeat, **tests})
        logger.info("%s, %d points, %d dimensions", cloud.shape, cloud.n, cloud.d)
    return lines


def nulls_of_dataset(
    X: Any, recipes: Sequence[Recipe], size: int, seed: int, draws: int = DRAWS
) -> dict[str, Any]:
    """Results of both tests on one data set, with recipes that depend only on distances.

    The keys are n and d; observed (mean ARI of the base clusterings); mean (mean ARI on Gaussian
    null data sets); z (the difference between both in standard deviations of the null); p_features
    and p_labels.
    """
    n, d = X.shape
    X = turned(X)
    generate = partial(generate_pool, recipes=recipes, size=size)
    features = structure_test(X, generate, n_draws=draws, random_state=seed)
    labels = agreement_test(generate(X, random_state=seed), n_draws=draws, random_state=seed)
    return {
        "n": n,
        "d": d,
        "observed": features.observed,
        "mean": features.null.mean(),
        "z": features.z,
        "p_features": features.p,
        "p_labels": labels.p,
    }


def turned(X: Any) -> Any:
    """Features with the same distances in fewer than n dimensions.

    Any n samples lie in a space of n − 1 dimensions, and so do the null data sets with their
    covariance. On word counts, k-means in this space takes a tenth of the time.
    """
    n, d = X.shape
    return X if d < n else distance_coordinates(X - X.mean(axis=0)[None])
