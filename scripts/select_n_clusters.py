"""Criteria that need no classes, for a range of numbers of clusters."""

import json
import logging
import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.fits import Task
from coassoc.bench.storage.hdf5 import read_pool
from coassoc.bench.storage.records import Outcome, Pool
from coassoc.errors import CoassocError
from coassoc.numerics.threads import use_threads
from coassoc.selection import select_n_clusters
from reproduction.running.scripting import job
from reproduction.scores.files import write_scores

logger = logging.getLogger(__name__)


def numbers_up_to(largest: int, n_samples: int) -> range:
    """Numbers of clusters to compare, at most the square root of the number of samples."""
    return range(2, max(2, min(math.isqrt(n_samples), largest)) + 1)


def criteria_of_numbers(
    task: Task, pool: Pool, *, repeats: int, draws: int, largest: int, threads: int = 1
) -> list[dict[str, Any]]:
    """The criteria of :func:`~coassoc.selection.select_n_clusters`, a line per repeat and c.

    The task has one grid point; its number of clusters is not used. If a pool has base clusterings
    for each number of clusters, these numbers are compared (Monti et al. 2003). The lines contain
    parameters, repeat, status, classes (None if unknown), n_clusters and the criteria. A failed
    repeat has one line, with the reason as its status.

    The function uses the first `repeats` ensembles of the pool, `draws` random halves of the base
    clusterings of each ensemble, and at most `largest` clusters. A fit uses `threads` threads.
    """
    (point,) = task.points
    each = pool.for_each_k(np.arange(0))
    method = partial(task.factory(), **point)
    origin = {
        "parameters": json.dumps(dict(point), sort_keys=True),
        "classes": None if pool.y is None else pool.n_classes,
    }
    lines, numbers = [], numbers_up_to(largest, len(pool.labels))
    if each:
        numbers = range(2, min(numbers[-1], max(each)) + 1)
    for repeat, columns in enumerate(task.draws(pool)[:repeats]):
        line = {**origin, "repeat": repeat, "status": "ok"}
        effort = {"n_draws": draws, "random_state": task.repeat_seed(repeat)}
        try:
            with use_threads(threads):
                labels = pool.for_each_k(columns) if each else task.ensemble(pool, repeat)
                choice = select_n_clusters(labels, method, numbers, **effort)
        except CoassocError as error:
            lines.append({**line, "status": f"{Outcome.REFUSED.value}{error}"})
            continue
        logger.info("%s: repeat %d: %s", task.method, repeat + 1, choice.chosen)
        rows = choice.criteria.reset_index().to_dict("records")
        lines += [{**line, **row} for row in rows]
    return lines


if __name__ == "__main__":
    with job(snakemake.log[0]):
        ((task,),) = snakemake.params.tasks.values()
        pool = read_pool(snakemake.input.pool)
        lines = criteria_of_numbers(Task(**task), pool, **snakemake.params.search)
        write_scores(snakemake.output[0], pd.DataFrame(lines))
