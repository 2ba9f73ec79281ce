"""Tasks of tests: one of the library's methods, or estimators of the test's own; a run of one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coassoc.methods import METHODS
from coassoc.running.fits import Task
from coassoc.running.runs import execute_runs
from coassoc.storage.records import Run


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
    return Task(method, METHODS.method(method).record(), **fields)


def execute_run(path: Any, what: Task, *inputs: Any, **options: Any) -> Run:
    """Run one task alone."""
    ((run,),) = execute_runs([{path: what}], *inputs, **options)
    return run
