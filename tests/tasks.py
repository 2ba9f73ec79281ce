"""Tasks of tests, the library's methods or estimators of their own; a run of one; a pool for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coassoc.bench.fits import Task
from coassoc.bench.pools.draws import make_draws
from coassoc.bench.runs import execute_runs
from coassoc.bench.storage.records import Pool, Run
from coassoc.methods import METHODS
from ensembles import noisy_ensemble


@dataclass(frozen=True)
class OwnTask(Task):
    """A task whose estimators are made by a function."""

    make: Callable[..., Any] | None = None

    def factory(self):
        return self.make

    def record(self):
        return {name: value for name, value in super().record().items() if name != "make"}


def task(method: str = "LWGP", make: Callable[..., Any] | None = None, **changes: Any) -> Task:
    """A method of the library, or what `make` makes, on the ensembles of a pool."""
    usual: dict[str, Any] = {"pool": "pool", "dataset": "set", "m": 6, "n_clusters": 3, "seed": 0}
    fields = {"points": [{}], **usual, **changes}
    if make is not None:
        return OwnTask(method, {}, **fields, make=make)
    return Task(method, METHODS[method].record(), **fields)


def noisy_pool(n: int = 60, repeats: int = 4) -> Pool:
    """Noisy base clusterings of three classes, and draws of six of them, as a task has them."""
    draws = make_draws(12, [6], repeats, random_state=0)
    pool = Pool(noisy_ensemble(n, 12, 3, seed=3), np.repeat(np.arange(3), n // 3), draws)
    pool.attributes["fingerprint"] = pool.fingerprint
    return pool


def execute_run(path: Any, what: Task, *inputs: Any, **options: Any) -> Run:
    """Run one task alone."""
    (run,) = execute_runs(path, [what], *inputs, **options)
    return run
