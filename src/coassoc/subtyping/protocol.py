"""Draws of samples and features, and their labels for each number of clusters.

Finished resamples can be kept in a folder, so that an interrupted run can resume.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import ConfigError, DataError
from coassoc.numerics.batches import in_batch
from coassoc.numerics.integers import is_integer
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.numerics.threads import one_thread_per_library, over_blocks, row_blocks
from coassoc.pools.base_clusterings import random_share
from coassoc.subtyping.algorithms import Algorithm

#: Number of resamples that are kept together.
_PART = 50
#: Name of the folder with the kept resamples, which is deleted in the end.
_FOLDER = "coassoc-resamples"

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
    groups : (n,) integer array or None
        Replicates have equal numbers, 0, 1, …, and are resampled together.
    """

    numbers: tuple[int, ...]
    n_draws: int
    items: float
    features: float
    algorithm: Algorithm
    seed: int
    groups: NDArray[np.intp] | None = None

    def check(self) -> None:
        """Raise a ConfigError for values that are not allowed."""
        numbers = self.numbers
        integers = all(is_integer(k, 2) for k in numbers)
        if not numbers or not integers or any(a >= b for a, b in pairwise(numbers)):
            raise ConfigError(
                "n_clusters is not a sequence of increasing integers of at least 2, such as "
                "range(2, 7)."
            )
        for name in ("items", "features"):
            share = getattr(self, name)
            if not isinstance(share, Real) or not 0 < float(share) <= 1:
                raise ConfigError(f"{name} is {share!r}. It must be above 0 and at most 1.")

    def check_samples(self, X: Any, what: str) -> None:
        """Raise a DataError if a resample has too few samples for the numbers of clusters."""
        n, most = X.shape[0], self.numbers[-1]
        units = self.n_units(n)
        drawn = max(1, round(self.items * units))
        if drawn <= most:
            kind = "samples" if self.groups is None else "sets of replicates"
            raise DataError(
                f"{what} has {units} {kind}, so a resample has {drawn}, but {most} clusters need "
                f"at least {most + 1}. Request fewer clusters, or draw a larger fraction."
            )
        distinct = len(np.unique(X, axis=0)) if isinstance(X, np.ndarray) else n
        if distinct < most:
            raise DataError(
                f"{what} has only {distinct} different samples for {most} clusters. Request fewer "
                "clusters."
            )

    def n_units(self, n: int) -> int:
        """Number of samples or sets of replicates that a resample draws from."""
        return n if self.groups is None else int(self.groups.max()) + 1

    def draw(self, X: Any, whole: Any, b: int) -> NDArray[np.int16]:
        """(K, n) labels of resample b, −1 for samples that it lacks.

        `whole` is the result of the algorithm's ``prepare`` for all samples with all features.
        """
        n, d = X.shape
        items = self._drawn("samples", b, self.n_units(n), self.items)
        if self.groups is not None:
            items = np.flatnonzero(np.isin(self.groups, items))
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


def draw_labels(
    X: Any, protocol: Protocol, kept: str | Path | None, progress: Progress
) -> NDArray[np.int16]:
    """Labels of all resamples.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Finite numbers.
    protocol : Protocol
    kept : path or None
        Folder that keeps finished resamples; see :func:`remove_kept`.
    progress : callable
        Function that receives the number of finished resamples and the total.

    Returns
    -------
    (K, n, B) array
        −1 for samples that a resample lacks.
    """
    labels = np.empty((len(protocol.numbers), X.shape[0], protocol.n_draws), dtype=np.int16)
    parts = row_blocks(protocol.n_draws, _PART)
    draw_part, key = _draw_part, None
    if kept is not None:
        from joblib import Memory
        from joblib import hash as hashed

        # The key of a part is its place and everything that it depends on.
        memory, key = Memory(Path(kept) / _FOLDER, verbose=0), hashed((X, protocol))
        draw_part = memory.cache(_draw_part, ignore=["X", "whole", "protocol"])
    with one_thread_per_library():
        whole = protocol.algorithm.prepare(X) if protocol.features == 1 else None
        draw: Callable[[slice], NDArray[np.int16]] = lambda part: draw_part(
            key, part, X, whole, protocol
        )
        drawn = map(draw, parts) if protocol.algorithm.on_threads else in_batch(draw, parts)
        for part, of_part in zip(parts, drawn, strict=True):
            labels[:, :, part] = of_part
            progress(part.stop, protocol.n_draws)
    return labels


def _draw_part(
    key: str | None, part: slice, X: Any, whole: Any, protocol: Protocol
) -> NDArray[np.int16]:
    """(K, n, b) labels of some resamples."""
    draws = range(part.start, part.stop)
    return np.stack(over_blocks(lambda b: protocol.draw(X, whole, b), draws), axis=2)


def remove_kept(folder: str | Path) -> None:
    """Remove all kept labels, and the folder if it is then empty."""
    rmtree(Path(folder) / _FOLDER, ignore_errors=True)
    with suppress(OSError):
        Path(folder).rmdir()


def check_drawn(labels: NDArray[np.int16]) -> None:
    """Raise a DataError if a sample is in none of the resamples with these (n, B) labels."""
    drawn = np.asarray((labels >= 0).any(axis=1))
    if not drawn.all():
        raise DataError(
            f"{np.count_nonzero(~drawn)} of {len(drawn)} samples, the first at row "
            f"{drawn.argmin() + 1}, are in no resample. Increase n_draws or items."
        )
