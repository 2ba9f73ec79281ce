"""What runs are made of, read from files."""

from pathlib import Path
from typing import Any

from coassoc.bench.fits import Task, fit
from coassoc.storage.hdf5 import read_dataset, read_pool
from coassoc.storage.records import Pool


def read_inputs(pool_file: str | Path, features_file: str | Path = "") -> tuple[Pool, Any]:
    """A pool, and the features of its data set or None where no file of them is named."""
    return read_pool(pool_file), read_dataset(features_file).X if features_file else None


def first_fit(task: Task, pool: Pool, features: Any = None) -> Any:
    """Fit a method on the first draw of a pool, as a run does first of all."""
    estimator = task.factory()(**task.arguments(0, 0, task.clusters(pool)))
    return fit(estimator, task.ensemble(pool, 0), features)
