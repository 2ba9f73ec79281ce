"""The ensembles of an audit: sorted by class, degenerate, and large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from coassoc.bench.benchmark import Benchmark
from coassoc.numerics.seeds import seed_sequence
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool

#: Numbers of samples for which the growth of time and memory is measured.
SIZES = (625, 1250, 2500, 5000, 10_000)
#: Small data sets with shipped ensembles, number of ensembles of each, and number that is tried
#: first.
DATASETS, DRAWS, FEW = ("Wine", "Glass", "Ecoli"), 7, 3
BASE_CLUSTERINGS = 20
#: Ways to make new base clusterings, and numbers of pools made in each way and of draws from each.
RECIPES = (Recipe(), Recipe(parameters={"init": "k-means++"}))
POOLS, POOL_SIZE, POOL_DRAWS = 3, 100, 2
#: Small ensembles with many equal rows, on which dependence on sample order is also tested.
COARSE = 30


@dataclass(frozen=True, eq=False)
class Case:
    """An ensemble, and the other inputs that a method may need."""

    #: Name of the data set, or the unusual property of the ensemble.
    name: str
    #: (n, m) base clusterings.
    labels: NDArray
    n_clusters: int
    #: (n, d) features.
    X: NDArray
    #: Number of the draw.
    number: int = 0
    #: (n,) classes if known. The samples are then sorted by class.
    y: NDArray | None = None

    def ordered(self, order: NDArray) -> Case:
        """The case with its samples in another order, and without classes."""
        return replace(self, labels=self.labels[order], X=self.X[order], y=None)

    def shuffle(self, which: int) -> NDArray[np.intp]:
        """A random order of the samples."""
        seed = seed_sequence(0, "audit", self.name, self.number, which)
        return np.random.default_rng(seed).permutation(len(self.labels))


def cases(benchmark: Benchmark) -> dict[str, list[Case]]:
    """Each draw of each data set, with the samples sorted by class."""
    found = {}
    for name, pool in benchmark.pools.items():
        order = np.argsort(pool.classes, kind="stable")
        labels, y = pool.labels[order].astype(np.intp), pool.classes[order]
        X = benchmark.features[name][order]
        found[name] = [
            Case(name, labels[:, draw], pool.n_classes, X, number, y)
            for number, draw in enumerate(benchmark.draws(name))
        ]
    return found


def new_cases(case: Case) -> NDArray:
    """The case on new base clusterings: an array of cases (recipes × pools × draws)."""
    found = np.empty((len(RECIPES), POOLS, POOL_DRAWS), dtype=object)
    for recipe, pool in np.ndindex(found.shape[:2]):
        names = ("audit", case.name, str(recipe), str(pool))
        labels = generate_pool(case.X, RECIPES[recipe : recipe + 1], size=POOL_SIZE, names=names)
        rng = np.random.default_rng(seed_sequence(0, *names))
        for draw in range(POOL_DRAWS):
            columns = np.sort(rng.choice(POOL_SIZE, BASE_CLUSTERINGS, replace=False))
            drawn = labels[:, columns].astype(np.intp)
            found[recipe, pool, draw] = replace(case, labels=drawn, number=draw)
    return found


def coarse_cases() -> Iterator[Case]:
    """Small random ensembles with few distinct rows, most of them shared by several samples."""
    for number in range(COARSE):
        generator = np.random.default_rng(seed_sequence(0, "audit", "coarse ensembles", number))
        n, m = generator.integers(20, 60), generator.integers(2, 5)
        labels = generator.integers(0, generator.integers(2, 4), (n, m))
        c = min(int(generator.integers(2, 6)), len(np.unique(labels, axis=0)))
        X = labels + generator.normal(size=(n, m))
        yield Case("coarse", labels, c, X, number, labels[:, 0])


def odd_cases() -> Iterator[Case]:
    """Degenerate ensembles, which a method should cluster or reject with a clear message."""
    generator = np.random.default_rng(seed_sequence(0, "audit", "odd ensembles"))
    whole = planted(120)
    labels, c = whole.labels, whole.n_clusters
    missing = np.where(generator.random(labels.shape) < 0.1, -1, labels)
    one = np.zeros_like(labels)
    for case, name, changed, n_clusters in (
        (whole, "base clusterings with one cluster each", one, 2),
        (whole, "one base clustering with one cluster", np.column_stack([labels, one[:, :1]]), c),
        (whole.ordered(np.repeat(np.arange(12), 10)), "identical rows of labels", None, 3),
        (whole.ordered(np.repeat(np.arange(3), 10)), "more clusters than distinct rows", None, 5),
        (whole, "missing labels", missing, c),
        (whole.ordered(np.array([0, 119])), "two samples", None, 2),
    ):
        labels = case.labels if changed is None else changed
        yield replace(case, name=name, labels=labels, n_clusters=n_clusters)


def planted(n: int) -> Case:
    """Base clusterings of eight groups in the plane, similar to those of k-means.

    Each base clustering assigns the samples to the nearest of k random samples, with k from 2 to
    √n. The features are the coordinates.
    """
    c = 8
    generator = np.random.default_rng(seed_sequence(0, "audit", "planted", n))
    centres = generator.normal(size=(c, 2), scale=4)
    points = centres[np.sort(generator.integers(0, c, n))] + generator.normal(size=(n, 2))
    sizes = generator.integers(2, int(np.sqrt(n)) + 1, BASE_CLUSTERINGS)
    columns = [
        cdist(points, points[generator.choice(n, k, replace=False)]).argmin(axis=1) for k in sizes
    ]
    return Case("", np.column_stack(columns), c, points)
