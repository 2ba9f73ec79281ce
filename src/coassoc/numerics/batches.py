"""Independent computations on all cores: fits of draws, grid points or null data sets."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pickle import PicklingError
from typing import Any, TypeVar

from coassoc.numerics.threads import one_thread_per_library, thread_count, use_threads

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Smallest amount of work, in processor seconds, for which processes are started. Each process
#: takes about two seconds to load its modules.
_WORTH = 8.0


def in_batch(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Apply a function to independent items, in several processes if this is faster.

    The first two items are computed in this process. If the others would take long at this rate,
    joblib distributes them over processes, as many as the allowed threads, each with one thread.
    Large arrays of the function are mapped instead of copied. The results are the same in both
    cases.

    Parameters
    ----------
    function : callable
        Any function, also a nested one. If cloudpickle cannot send it, it runs in this process.
    items : sequence

    Yields
    ------
    object
        The results in the order of the items. Warnings are issued in the same order.
    """
    seconds = 0.0
    for item in items[:2]:  # the first item may load or compile what the other items then reuse
        start = time.process_time()
        result = function(item)
        seconds = time.process_time() - start
        yield result
    others = items[2:]
    n_processes = min(thread_count(), len(others))
    if n_processes < 2 or seconds * len(others) < _WORTH:
        yield from map(function, others)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n_processes, backend="loky", return_as="generator")
    done = 0
    try:
        for result, caught in pool(delayed(_on_one_thread)(function, item) for item in others):
            for message in caught:
                warnings.warn(message, stacklevel=3)
            done += 1
            yield result
    except PicklingError:  # such as the pickling error of a user's clusterer that holds a lock
        yield from map(function, others[done:])


def _on_one_thread(function: Callable[[Item], Result], item: Item) -> tuple[Result, list[Warning]]:
    """The result of the function, and its warnings."""
    with (
        use_threads(1),
        one_thread_per_library(),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        result: Any = function(item)
    return result, [warning.message for warning in caught if isinstance(warning.message, Warning)]
