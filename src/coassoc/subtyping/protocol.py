"""Draws of samples and features, and their labels for each number of clusters.

Finished resamples can be kept in a folder, so that an interrupted run can resume.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.atomic import write_bytes
from coassoc.errors import ConfigError, DataError
from coassoc.numerics.batches import in_batch
from coassoc.numerics.integers import is_integer
from coassoc.numerics.threads import one_thread_per_library, over_blocks, row_blocks
from coassoc.pools.base_clusterings import random_share
from coassoc.seeds import seed_from_names, seed_sequence
from coassoc.subtyping.algorithms import Algorithm

#: Number of resamples in a stored part.
_PART = 50

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Protocol:
    """The resamples, and the algorithm that clusters them.

    Attributes
    ----------
    numbers : tuple of int
        Increasing numbers of clusters.
    n_draws : int
        B.
    items, features : float
        Fractions of the samples and of the features in a resample, in (0, 1].
    algorithm : Algorithm
    seed : int
    """

    numbers: tuple[int, ...]
    n_draws: int
    items: float
    features: float
    algorithm: Algorithm
    seed: int

    def check(self) -> None:
        """Raise a ConfigError for values that are not allowed."""
        numbers = self.numbers
        integers = all(is_integer(k, 2) for k in numbers)
        if not numbers or not integers or any(a >= b for a, b in pairwise(numbers)):
            raise ConfigError(
                f"n_clusters is {[*numbers]!r}. Pass a sequence of increasing integers of at "
                "least 2, such as range(2, 7)."
            )
        if not is_integer(self.n_draws, 2):
            raise ConfigError(f"n_draws is {self.n_draws!r}. It must be an integer of at least 2.")
        if not is_integer(self.seed, 0):
            raise ConfigError(f"random_state is {self.seed!r}. It must be a non-negative integer.")
        for name in ("items", "features"):
            share = getattr(self, name)
            if not isinstance(share, Real) or not 0 < float(share) <= 1:
                raise ConfigError(f"{name} is {share!r}. It must be above 0 and at most 1.")

    def check_samples(self, X: Any, what: str) -> None:
        """Raise a DataError if a resample has too few samples for the numbers of clusters."""
        n, most = X.shape[0], self.numbers[-1]
        drawn = max(1, round(self.items * n))
        if drawn <= most:
            raise DataError(
                f"{what} has {n} samples, so a resample has {drawn}, but {most} clusters need at "
                f"least {most + 1}. Request fewer clusters, or draw a larger fraction."
            )
        distinct = len(np.unique(X, axis=0)) if isinstance(X, np.ndarray) else n
        if distinct < most:
            raise DataError(
                f"{what} has only {distinct} different samples for {most} clusters. Request fewer "
                "clusters."
            )

    def draw(self, X: Any, whole: Any, b: int) -> NDArray[np.int16]:
        """(K, n) labels of resample b, −1 for samples that it lacks.

        `whole` is the result of the algorithm's ``prepare`` for all samples with all features.
        """
        n, d = X.shape
        items = self._drawn("samples", b, n, self.items)
        if self.features < 1:
            prepared = self.algorithm.prepare(X[items][:, self.features_of(b, d)])
        else:
            prepared = self.algorithm.restrict(whole, items)
        clustered = self.algorithm.cluster(
            prepared, self.numbers, lambda k: seed_from_names(self.seed, "clusters", k, b)
        )
        labels = np.full((len(self.numbers), n), -1, dtype=np.int16)
        for row, clusters in zip(labels, clustered, strict=True):
            without_gaps = np.cumsum(np.bincount(clusters) > 0) - 1
            row[items] = without_gaps[clusters]
        return labels

    def features_of(self, b: int, d: int) -> NDArray[np.intp]:
        """The features of resample b, out of d."""
        return self._drawn("features", b, d, self.features)

    def _drawn(self, purpose: str, b: int, number: int, share: float) -> NDArray[np.intp]:
        if share == 1:
            return np.arange(number)
        generator = np.random.default_rng(seed_sequence(self.seed, purpose, b))
        return np.flatnonzero(random_share(number, share, generator))


class KeptDraws:
    """Labels of finished parts of the resamples in a folder.

    Parameters
    ----------
    folder : path
    what : object
        Everything that the resamples depend on. Only resamples of the same data and settings are
        read.
    """

    def __init__(self, folder: str | Path, what: Any) -> None:
        from joblib import hash as hashed

        self._stem = Path(folder) / f"draws-{hashed(what)}"

    def _path(self, part: slice) -> Path:
        return Path(f"{self._stem}-{part.start}-{part.stop}.npy")

    def read(self, part: slice) -> NDArray[np.int16] | None:
        """The labels of a part, if they are present."""
        path = self._path(part)
        return np.load(path) if path.exists() else None

    def write(self, part: slice, labels: NDArray[np.int16]) -> None:
        """Keep the labels of a part."""
        content = io.BytesIO()
        np.save(content, labels)
        write_bytes(self._path(part), content.getvalue())

    def remove(self) -> None:
        """Remove all kept labels, and the folder if it is then empty."""
        for path in self._stem.parent.glob(f"{self._stem.name}-*.npy"):
            path.unlink()
        with suppress(OSError):
            self._stem.parent.rmdir()


def draw_labels(
    X: Any, protocol: Protocol, kept: KeptDraws | None = None, progress: Progress | None = None
) -> NDArray[np.int16]:
    """Labels of all resamples.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Finite numbers.
    protocol : Protocol
    kept : KeptDraws, optional
        Where finished resamples are kept until all are finished.
    progress : callable, optional
        Function that receives the number of finished resamples and the total.

    Returns
    -------
    (K, n, B) array
        −1 for samples that a resample lacks.
    """
    labels = np.empty((len(protocol.numbers), X.shape[0], protocol.n_draws), dtype=np.int16)
    missing, done = [], 0
    for part in row_blocks(protocol.n_draws, _PART):
        saved = kept.read(part) if kept else None
        if saved is None:
            missing.append(part)
        else:
            labels[:, :, part] = saved
            done += saved.shape[2]
    with one_thread_per_library():
        whole = protocol.algorithm.prepare(X) if missing and protocol.features == 1 else None

        def draw(part: slice) -> NDArray[np.int16]:
            draws = range(part.start, part.stop)
            return np.stack(over_blocks(lambda b: protocol.draw(X, whole, b), draws), axis=2)

        drawn = map(draw, missing) if protocol.algorithm.on_threads else in_batch(draw, missing)
        for part, saved in zip(missing, drawn, strict=True):
            labels[:, :, part] = saved
            if kept:
                kept.write(part, saved)
            done += saved.shape[2]
            if progress:
                progress(done, protocol.n_draws)
    return labels


def check_drawn(labels: NDArray[np.int16]) -> None:
    """Raise a DataError if a sample is in none of the resamples with these (n, B) labels."""
    drawn = np.asarray((labels >= 0).any(axis=1))
    if not drawn.all():
        raise DataError(
            f"{np.count_nonzero(~drawn)} of {len(drawn)} samples, the first at row "
            f"{drawn.argmin() + 1}, are in no resample. Increase n_draws or items."
        )
