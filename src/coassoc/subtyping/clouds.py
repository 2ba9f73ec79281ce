"""Whether there are groups at all: the protocol on Gaussian clouds.

Clouds have exactly the mean and the covariance of the data and no groups; see
:func:`coassoc.selection.gaussian_cloud`. If the data are Gaussian, data and clouds are exchangeable
whatever the algorithm is, so that p has its level exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import ConfigError
from coassoc.numerics.batches import in_batch
from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.threads import one_thread_per_library
from coassoc.seeds import seed_sequence
from coassoc.selection.null import agreement, gaussian_cloud
from coassoc.subtyping.protocol import Progress, Protocol, draw_labels

#: Level of the verdict.
LEVEL = 0.05
#: Difference below which two means are equal.
_EQUAL = 1e-12
#: Disagreement that is as good as none.
_LITTLE = 0.01
#: Most samples that are compared with clouds.
MOST_SAMPLES = 1000
#: Draws of the data and of each cloud that are compared.
N_DRAWS = 50


@dataclass(frozen=True, eq=False)
class CloudTest:
    """Agreement of the draws beside that of the draws of Gaussian clouds.

    Attributes
    ----------
    numbers : (K,) integer array
        Numbers of clusters.
    observed : (K,) array
        Mean ARI of two draws of the data into so many clusters.
    null : (n_clouds, K) array
        The same of each cloud.
    """

    numbers: NDArray[np.intp]
    observed: NDArray[np.float64]
    null: NDArray[np.float64]

    @property
    def p(self) -> NDArray[np.float64]:
        """(K,) share of data and clouds whose draws agree as much as those of the data."""
        values = np.concatenate((self.observed[None], self.null))
        return np.mean(values >= values[0] - _EQUAL, axis=0)

    @property
    def p_best(self) -> float:
        """Corrected for the choice of k: of the largest z, among those of data and clouds."""
        largest = self._z().max(axis=1)
        return float(np.mean(largest >= largest[0] - _EQUAL))

    @property
    def one_group(self) -> bool:
        """Whether one group explains the data as well, at the level of 5 %."""
        return self.p_best > LEVEL

    @property
    def verdict(self) -> str:
        """What the test says, in a sentence."""
        said = f"(p = {self.p_best:.3f}, {len(self.null)} clouds)"
        if self.one_group:
            return (
                "One group is the answer unless you know better: draws of Gaussian clouds without "
                f"any groups agree as much as those of the data {said}."
            )
        k = int(self.numbers[self._z()[0].argmax()])
        return (
            f"More than one group: draws agree more than those of Gaussian clouds {said}, most "
            f"clearly at {k} clusters."
        )

    def _z(self) -> NDArray[np.float64]:
        """(1 + n_clouds, K) standard deviations above the mean of data and clouds, the data first.

        Of −log(1 − agreement), so that draws which all agree stand out. The data count among the
        clouds, so that all are treated alike.
        """
        values = -np.log(1 - np.concatenate((self.observed[None], self.null)) + _LITTLE)
        spread = values.std(axis=0)
        return (values - values.mean(axis=0)) / np.where(spread > _EQUAL, spread, np.inf)


def cloud_test(
    X: Any,
    protocol: Protocol,
    labels: NDArray[np.int16],
    n_clouds: int,
    progress: Progress | None = None,
) -> CloudTest:
    """Compare the draws of the data with those of Gaussian clouds.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
    protocol : Protocol
    labels : (K, n, B) array
        The draws of the data, of which the first ones count, as many as :data:`N_DRAWS`. Of more
        than :data:`MOST_SAMPLES` samples, so many are chosen at random and drawn from anew.
    n_clouds : int
    progress : callable, optional
        Called with the number of clouds that are done, and of all.
    """
    few = replace(protocol, n_draws=min(N_DRAWS, protocol.n_draws))
    labels = labels[:, :, : few.n_draws]
    if X.shape[0] > MOST_SAMPLES:
        generator = np.random.default_rng(seed_sequence(protocol.seed, "samples of clouds"))
        X = X[np.sort(generator.choice(X.shape[0], MOST_SAMPLES, replace=False))]
        labels = draw_labels(X, few)
    if protocol.features == 1 and protocol.algorithm.rotates:
        with one_thread_per_library():
            X = distance_coordinates(X - X.mean(axis=0)[None])
    cloud = gaussian_cloud(X, random_state=protocol.seed)

    null = []
    for value in in_batch(lambda c: statistic(draw_labels(cloud(c), few)), range(n_clouds)):
        null.append(value)
        if progress:
            progress(len(null), n_clouds)
    return CloudTest(np.array(protocol.numbers), statistic(labels), np.array(null))


def check_n_clouds(n_clouds: int) -> None:
    """Raise a ConfigError for fewer clouds than a test at :data:`LEVEL` needs, but for none."""
    least = round(1 / LEVEL) - 1
    if not isinstance(n_clouds, Integral) or not (n_clouds == 0 or n_clouds >= least):
        raise ConfigError(
            f"n_clouds is {n_clouds!r}; it must be 0, or {least} at least: fewer cannot tell "
            f"anything at the level of {LEVEL:.0%}."
        )


def statistic(labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """(K,) mean ARI of two draws, for each number of clusters."""
    return np.array([agreement(draws) for draws in labels])
