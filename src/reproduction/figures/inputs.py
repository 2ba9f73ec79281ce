"""Inputs that several figures share: the pools of their cells, and methods fitted to the pools."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from coassoc.bench.fits import Task, fit
from coassoc.bench.storage.hdf5 import read_inputs, read_pool
from coassoc.bench.storage.records import Cell, Pool
from reproduction.scores.evidence import Evidence
from reproduction.study.paths import Source, below_prefix


class FittedCell(NamedTuple):
    """A method fitted to the first draw of a pool, as in the first repeat of its run."""

    label: str
    dataset: str
    pool: Pool
    #: (n, d) array or sparse matrix of features that the method used, or None.
    features: Any
    estimator: Any


def fit_cells(evidence: Evidence, fits: Mapping[str, Any]) -> Iterator[FittedCell]:
    """Fit the cells one after the other, so that memory holds the similarity of only one fit.

    `fits` are those of :func:`reproduction.study.tasks.records`.
    """
    for cell in evidence.cells:
        (run,) = cell.sources
        record, files = fits[run]
        pool, features = read_inputs(*map(below_prefix, files))
        task = Task(**record)
        estimator = task.factory()(**task.arguments(0, 0, task.clusters(pool)))
        fit(estimator, task.ensemble(pool, 0), features)
        yield FittedCell(cell.label, cell.dataset, pool, features, estimator)


def pool_of(cell: Cell) -> Pool:
    """The pool of a cell."""
    return read_pool(below_prefix(Source(cell.pool, cell.dataset).pool_file))
