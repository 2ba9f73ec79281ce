"""Independent computations on all cores: fits of draws, grid points or null data sets.

They run in processes, because they hold the interpreter lock. The blocks of one fit, which do not,
run on threads (:mod:`coassoc.numerics.threads`).
"""

import os
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


def in_batch(
    function: Callable[[Item], Result], items: Sequence[Item], *, in_order: bool = True
) -> Iterator[Result]:
    """Apply a function to independent items, in several processes if this is faster.

    At least two items are computed in this process. Once the remaining items would take long at the
    rate of the last one, joblib distributes them over processes, as many as the allowed threads,
    each with one thread. Large arrays of the function are mapped instead of copied. The results are
    the same in both cases.

    Parameters
    ----------
    function : callable
        Any function, also a nested one. If cloudpickle cannot send it, it runs in this process.
    items : sequence
    in_order : bool
        Whether to wait for each item in turn. If not, results come as soon as they are computed.

    Yields
    ------
    object
        The results in the order of the items. Warnings are issued in the same order.
    """
    seconds, n_processes, waiting = 0.0, thread_count(), dict(enumerate(items))
    for place, item in enumerate(items):  # the first may compile what the others then reuse
        n_processes = min(n_processes, len(waiting))
        if place >= 2 and n_processes >= 2 and seconds * len(waiting) >= _WORTH:
            break
        start = _processor_time()
        result = function(item)
        seconds = _processor_time() - start
        del waiting[place]
        yield result
    if not waiting:
        return
    from joblib import Parallel, delayed

    return_as = "generator" if in_order else "generator_unordered"
    pool = Parallel(n_jobs=n_processes, backend="loky", return_as=return_as)
    jobs = [delayed(_on_one_thread)(function, *numbered) for numbered in waiting.items()]
    try:
        for place, result, caught in pool(jobs):
            for message in caught:
                warnings.warn(message, stacklevel=3)
            del waiting[place]
            yield result
    except PicklingError:  # such as the pickling error of a user's clusterer that holds a lock
        yield from map(function, [*waiting.values()])


def _processor_time() -> float:
    """Processor seconds of this process and of its children that have ended."""
    return time.process_time() + sum(os.times()[2:4])


def _on_one_thread(
    function: Callable[[Item], Result], place: int, item: Item
) -> tuple[int, Result, list[Warning]]:
    """The place of an item, the result of the function, and its warnings."""
    with (
        use_threads(1),
        one_thread_per_library(),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        result: Any = function(item)
    messages = [warning.message for warning in caught]
    return place, result, [message for message in messages if isinstance(message, Warning)]
