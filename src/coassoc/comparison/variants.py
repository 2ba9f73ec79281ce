"""The ensembles of an audit: sorted by class, odd ones, and large ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from coassoc.comparison.kept import Kept
from coassoc.seeds import seed_sequence

#: Numbers of samples on which growth is measured.
SIZES = (625, 1250, 2500, 5000, 10_000)
_DATASETS, _DRAWS = ("Glass", "Wine", "Ecoli"), 7
#: Of the draws, those with which all questions but that of the order are asked.
_FEW = 3
_BASE_CLUSTERINGS = 20


@dataclass(frozen=True, eq=False)
class Case:
    """One ensemble of a data set, its samples sorted by class.

    Attributes
    ----------
    dataset : str
    number : int
        Of the draw.
    labels : (n, m) array
    y : (n,) array
        Classes.
    """

    dataset: str
    number: int
    labels: NDArray
    y: NDArray

    @property
    def c(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y))

    @property
    def is_usual(self) -> bool:
        """Whether it is among the few that serve for most questions."""
        return self.number < _FEW

    def shuffled(self, which: int) -> NDArray[np.intp]:
        """A random order of the samples."""
        seed = seed_sequence(0, "audit", self.dataset, self.number, which)
        return np.random.default_rng(seed).permutation(len(self.y))


def cases(kept: Kept) -> Iterator[Case]:
    """Draws of the shipped ensembles of small data sets."""
    m = kept.facts["m"]
    for dataset in _DATASETS:
        pool = kept.pool(dataset)
        order = np.argsort(pool.classes, kind="stable")
        for number, draw in enumerate(pool.draws[m][:_DRAWS]):
            labels = pool.labels[order][:, draw].astype(np.intp)
            yield Case(dataset, number, labels, pool.classes[order])


def odd_ensembles() -> Iterator[tuple[str, NDArray, int]]:
    """Ensembles that a method should give labels of, or refuse in a sentence: what, labels, c."""
    generator = np.random.default_rng(seed_sequence(0, "audit", "odd ensembles"))
    labels, c = planted(120)
    yield "base clusterings of one cluster", np.zeros_like(labels), 2
    yield (
        "one base clustering of one cluster among others",
        np.column_stack([labels, np.zeros(len(labels), dtype=labels.dtype)]),
        c,
    )
    yield "identical rows of labels", np.repeat(labels[:12], 10, axis=0), 3
    yield "more clusters than distinct rows", np.repeat(labels[:3], 10, axis=0), 5
    missing = np.where(generator.random(labels.shape) < 0.1, -1, labels)
    yield "missing labels", missing, c
    yield "two samples", np.array([[0, 0, 1], [1, 0, 0]]), 2


def planted(n: int, c: int = 8) -> tuple[NDArray[np.intp], int]:
    """Base clusterings of c groups in the plane, as k-means would make them, and c.

    Each assigns samples to the nearest of k of them, k from 2 to √n.
    """
    generator = np.random.default_rng(seed_sequence(0, "audit", "planted", n))
    centres = generator.normal(size=(c, 2), scale=4)
    points = centres[np.sort(generator.integers(0, c, n))] + generator.normal(size=(n, 2))
    sizes = generator.integers(2, int(np.sqrt(n)) + 1, _BASE_CLUSTERINGS)
    columns = [
        cdist(points, points[generator.choice(n, k, replace=False)]).argmin(axis=1) for k in sizes
    ]
    return np.column_stack(columns), c
