"""A pool of base clusterings, generated with its draws, and what that takes."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from coassoc.bench.pools.draws import check_labelled
from coassoc.bench.provenance import kernel
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.pools.generation import Progress, generate_pool

if TYPE_CHECKING:
    # The module reads configuration files, which base clusterings alone do not need.
    from coassoc.bench.pools.settings import PoolSettings


def make_pool(
    dataset: Dataset,
    settings: PoolSettings,
    *,
    name: str,
    random_state: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Pool:
    """Generate a pool of a prepared data set, with its draws.

    The seeds depend on its name; see :func:`generate_pool`.
    """
    import sklearn

    size = settings.size or 100
    n_classes = dataset.attributes.get("n_clusters")
    if dataset.y is not None:
        n_classes = dataset.y.max() + 1
    n_classes = None if n_classes is None else int(n_classes)
    generate = partial(
        generate_pool,
        dataset.X,
        size=size,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    names = (settings.name, name)
    numbers = numbers_of_each(settings.for_each_k, dataset.X.shape[0])
    if numbers:
        of_each = [
            generate([replace(one, k=k) for one in settings.recipes], names=(*names, f"k={k}"))
            for k in numbers
        ]
    else:
        of_each = [generate(settings.recipes, n_classes=n_classes, names=names)]
    attributes = {
        "made": f"by scikit-learn {sklearn.__version__}: {'; '.join(map(str, settings.recipes))}",
        "numpy": np.__version__,
        "scikit_learn": sklearn.__version__,
        "kernel": kernel(),
        "dataset_fingerprint": dataset.attributes.get("fingerprint", ""),
        **({} if n_classes is None else {"n_classes": n_classes}),
    }
    if numbers:
        attributes |= {"for_each_k": numbers[-1], "k_rule": f"each from 2 to {numbers[-1]}"}
    labels = np.hstack(of_each)
    pool = Pool(labels, dataset.y, {}, attributes, dataset.samples, dataset.truths)
    pool = settings.complete(pool, name, random_state, size)
    for labels in of_each:
        check_labelled(labels, pool.draws, f"{settings.name}/{name}")
    return pool


def numbers_of_each(largest: int | None, n: int) -> range:
    """Numbers of clusters with separate base clusterings for n samples; empty if there are none."""
    return range(2, max(2, min(largest, isqrt(n))) + 1) if largest else range(0)


def generation_memory_mb(n: int, d: int, compares_pairs: bool = False, n_jobs: int = 1) -> int:
    """Megabytes needed to generate a pool: for the features, and for each running clusterer.

    A clusterer needs a copy of the features, and three matrices if it compares pairs of samples.
    """
    pairs = 3 * n * n if compares_pairs else 0
    return 1000 + ((n_jobs + 2) * n * d + n_jobs * pairs) * 8 // 1_000_000


def generation_minutes(
    n: int, d: int, compares_pairs: bool = False, size: int = 100, n_jobs: int = 1
) -> int:
    """Upper bound on the minutes to generate a pool on a slow core: k ≈ √n/2, 100 iterations."""
    k_means = n * d * (isqrt(n) / 2) * 100 * 2
    pairs = n**3 if compares_pairs else 0
    return 5 + int(size * (k_means + pairs) / 1e9 / 60 / n_jobs)


def log_progress(logger: Any, name: str, finished: int, size: int) -> None:
    """Log and print a line after every ten base clusterings, and after the last."""
    if finished % 10 == 0 or finished == size:
        line = f"{name}: {finished} of {size} base clusterings"
        logger.info(line)
        print(line, file=sys.stderr, flush=True)
