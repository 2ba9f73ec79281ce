"""Draws of samples and features, and their labels for each number of clusters.

Finished resamples can be kept in a folder, so that an interrupted run can resume.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from pathlib import Path
from pickle import PicklingError
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

#: Largest number of numbers of clusters to compare, each of which has its own files.
MOST_NUMBERS = 1000
#: Numbers of resamples that a core clusters at a time, and that a stored part contains.
_TOGETHER, _PART = 5, 50

Progress = Callable[[int, int], object]
DrawLabels = list[NDArray[np.int16]]


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
        if len(numbers) > MOST_NUMBERS:
            raise ConfigError(
                f"n_clusters has more than {MOST_NUMBERS} numbers. Pass at most {MOST_NUMBERS} "
                "numbers."
            )
        whole = all(is_integer(k, 2) for k in numbers)
        if not numbers or not whole or any(a >= b for a, b in pairwise(numbers)):
            raise ConfigError(
                f"n_clusters is {[*numbers]!r}. Pass a sequence of increasing integers of at "
                "least 2, such as range(2, 7)."
            )
        if not is_integer(self.n_draws, 2):
            raise ConfigError(f"n_draws is {self.n_draws!r}. It must be an integer of at least 2.")
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
            labelled = clusters >= 0
            row[items[labelled]] = np.unique(clusters[labelled], return_inverse=True)[1]
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

    Raises
    ------
    ConfigError
        If `what` cannot be pickled.
    """

    def __init__(self, folder: str | Path, what: Any) -> None:
        from joblib import hash as hashed

        try:
            self._stem = Path(folder) / f"draws-{hashed(what)}"
        except (PicklingError, TypeError) as error:
            raise ConfigError(
                f"kept is {str(folder)!r}, but this algorithm cannot be pickled, so coassoc could "
                "not recognise its resamples in a later run. Leave out the argument kept."
            ) from error

    def _path(self, part: slice) -> Path:
        return Path(f"{self._stem}-{part.start}-{part.stop}.npy")

    def read(self, part: slice) -> NDArray[np.int16] | None:
        """The labels of a part, if they are present and complete."""
        path = self._path(part)
        try:
            return np.load(path, allow_pickle=False)
        except FileNotFoundError:
            return None
        except (ValueError, EOFError):
            warnings.warn(
                f"{path}: the file is damaged, so its resamples are computed again.", stacklevel=2
            )
            return None

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
        draw: Callable[[range], DrawLabels] = lambda few: [protocol.draw(X, whole, b) for b in few]
        for part, drawn in zip(missing, _parts(draw, protocol, missing), strict=True):
            labels[:, :, part] = saved = np.stack(drawn, axis=2)
            if kept:
                kept.write(part, saved)
            done += saved.shape[2]
            if progress:
                progress(done, protocol.n_draws)
    return labels


def _parts(
    draw: Callable[[range], DrawLabels], protocol: Protocol, parts: Sequence[slice]
) -> Iterator[DrawLabels]:
    """The resamples of each part, on as many cores as may be used."""
    blocks = [
        [range(part.start, part.stop)[few] for few in row_blocks(_PART, _TOGETHER)]
        for part in parts
    ]
    resamples: Iterator[DrawLabels]
    if protocol.algorithm.on_threads:
        resamples = (drawn for of_part in blocks for drawn in over_blocks(draw, of_part))
    else:
        resamples = in_batch(draw, [few for of_part in blocks for few in of_part])
    for of_part in blocks:
        yield [labels for _ in of_part for labels in next(resamples)]


def check_drawn(labels: NDArray[np.int16], k: int) -> None:
    """Raise a DataError if all (n, B) labels, or all labels of a sample, at k are missing."""
    labelled = np.asarray((labels >= 0).any(axis=1))
    if not labelled.any():
        raise DataError(
            f"No resample could be clustered into {k} clusters. Request fewer clusters, or "
            "increase items."
        )
    if not labelled.all():
        raise DataError(
            f"{np.count_nonzero(~labelled)} of {len(labelled)} samples, the first at row "
            f"{labelled.argmin() + 1}, are in no resample that could be clustered into {k} "
            "clusters. Increase n_draws or items."
        )
