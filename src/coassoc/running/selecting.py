"""Looks at ranges of numbers of clusters, on the first ensembles of a pool."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from coassoc.errors import CoassocError, DataError
from coassoc.numerics.threads import use_threads
from coassoc.running.fits import Task
from coassoc.selection import DisagreementWarning, Selection, select_n_clusters
from coassoc.storage.hdf5 import read_draws
from coassoc.storage.records import Pool

__all__ = ["Comparison", "Look", "compare_numbers", "look_at_numbers"]

Progress = Callable[..., None]


@dataclass(frozen=True)
class Look:
    """On how much numbers of clusters are looked at, the key ``selection`` of a configuration.

    Attributes
    ----------
    repeats : int
        Ensembles of the pool that are looked at, at most.
    draws : int
        Draws of half of the base clusterings of each.
    largest : int
        Largest number of clusters; the root of the number of samples where that is less.
    threads : int
        Threads of a fit.
    """

    repeats: int
    draws: int
    largest: int
    threads: int = 1

    def numbers(self, n_samples: int) -> range:
        """The range of c for so many samples."""
        return range(2, max(2, min(math.isqrt(n_samples), self.largest)) + 1)


class Comparison(NamedTuple):
    """What :func:`compare_numbers` finds.

    Attributes
    ----------
    selections : dict of str to Selection
        Method → what the criteria say of its partitions.
    failures : dict of str to str
        Method → why it has none.
    """

    selections: dict[str, Selection]
    failures: dict[str, str]


def look_at_numbers(
    task: Task, pool: Pool, look: Look, progress: Progress = lambda *_: None
) -> list[dict[str, Any]]:
    """The criteria of :func:`~coassoc.selection.select_n_clusters`, a line per repeat and c.

    The task has one point of its parameters; its number of clusters is not used.

    Returns
    -------
    list of dict
        parameters, repeat, status, classes (missing where they are unknown), n_clusters and the
        criteria; a repeat that failed has one line, with the reason as its status.
    """
    (point,) = task.points
    method = partial(task.factory(), **point)
    origin = {
        "parameters": json.dumps(dict(point), sort_keys=True),
        "classes": None if pool.y is None else pool.n_classes,
    }
    lines = []
    for repeat, draw in enumerate(read_draws(pool, task.m)[: look.repeats]):
        line = {**origin, "repeat": repeat, "status": "ok"}
        try:
            labels = pool.labels[:, draw]
            found = _select(
                labels, method, look.numbers(len(labels)), look, task.repeat_seed(repeat)
            )
        except CoassocError as error:
            lines.append({**line, "status": f"skipped: {error}"})
            continue
        progress("%s: repeat %d: %s", task.method, repeat + 1, found.chosen)
        rows = found.criteria.reset_index().to_dict("records")
        lines += [{**line, **row} for row in rows]
    return lines


def compare_numbers(
    tasks: Sequence[Task],
    pool: Pool,
    numbers: range,
    look: Look,
    progress: Progress = lambda *_: None,
) -> Comparison:
    """A range of numbers of clusters on the first ensemble of a pool, by several methods.

    Each task has one point of its parameters; its number of clusters is not used.

    Raises
    ------
    DataError
        If there are too few samples, or no method takes the base clusterings.
    """
    task = tasks[0]
    labels = pool.labels[:, read_draws(pool, task.m)[0]]
    if numbers[-1] >= len(labels):
        raise DataError(
            f"config: consensus has the range [{numbers[0]}, {numbers[-1]}] for {task.pool} on "
            f"{task.dataset}, which has {len(labels)} samples; the last number must be less."
        )
    comparison = Comparison({}, {})
    for task in tasks:
        method = partial(task.factory(), **task.points[0])
        try:
            found = _select(labels, method, numbers, look, task.repeat_seed(0))
        except CoassocError as error:
            comparison.failures[task.method] = f"skipped: {error}"
            continue
        comparison.selections[task.method] = found
        progress("%s: %s", task.method, found.chosen)
    if not comparison.selections:
        name, reason = next(iter(comparison.failures.items()))
        raise DataError(f"No method gives partitions to be compared; {name} was {reason}")
    return comparison


def _select(
    labels: np.ndarray, method: Callable[..., Any], numbers: range, look: Look, seed: int
) -> Selection:
    with use_threads(look.threads), warnings.catch_warnings():
        # Whether criteria agree is shown with what they choose.
        warnings.simplefilter("ignore", DisagreementWarning)
        return select_n_clusters(labels, method, numbers, n_draws=look.draws, seed=seed)
