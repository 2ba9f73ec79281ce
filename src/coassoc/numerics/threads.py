"""What a computation may use of the machine, its threads and its memory; parallel execution.

Inside a fit, the numerical libraries (BLAS, OpenMP) use one thread each, and this module
distributes the work. The work is divided into blocks that do not depend on the number of threads,
each block is computed by one thread, and the results are combined in the order of the blocks. The
results are therefore the same to the last bit for any number of threads. Threads help if blocks
spend their time in code that releases the interpreter lock: products of matrices, NumPy on large
arrays, and kernels of :mod:`coassoc.numerics.compiled`.

The number of threads is the one chosen with :func:`use_threads`; by default the number of cores
that the process may use, and at most ``OMP_NUM_THREADS`` if it is set.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import ConfigError
from coassoc.numerics.integers import is_integer

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Block = TypeVar("Block")
Result = TypeVar("Result")

#: Number of rows in a block of a product. Smaller blocks spread better over threads, and larger
#: blocks cost less. At n' = 1658 a product takes 5 % longer with 256 rows than in one call, and 20
#: % longer with 64.
ROWS = 192
#: Largest number of threads that help at a time, whatever number is requested.
MOST_THREADS = 256

#: The part of scikit-learn that loads OpenMP.
_OPENMP_OF_SKLEARN = "sklearn.utils._openmp_helpers"

#: Bytes that a container may take, in control groups of both versions.
_LIMITS_OF_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)

#: Seconds of work that one thread does sooner than two, because the second must wake first.
_LITTLE = 1e-3
#: Seconds that the longest of the last blocks of each function took, by its code. Unknown functions
#: start all threads at once.
_took: dict[CodeType | None, float] = {}

_chosen: ContextVar[int | None] = ContextVar("threads", default=None)


@contextmanager
def use_threads(number: int) -> Iterator[None]:
    """Set the number of threads inside a ``with`` block.

    The setting applies only to the calling thread. Threads started inside use the default.

    Parameters
    ----------
    number : int
        At least 1. Results do not depend on it.

    Raises
    ------
    ConfigError
        If `number` is not a positive integer.

    Examples
    --------
    >>> with use_threads(4):
    ...     thread_count()
    4
    """
    if not is_integer(number, 1):
        raise ConfigError(f"use_threads: number is {number!r}. It must be a positive integer.")
    token = _chosen.set(int(number))
    try:
        yield
    finally:
        _chosen.reset(token)


def thread_count() -> int:
    """Number of threads that a computation uses if it starts now.

    Raises
    ------
    ConfigError
        If ``OMP_NUM_THREADS`` is used and is not a positive integer.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    setting = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if setting and (not setting.isdecimal() or int(setting) < 1):
        raise ConfigError(f"OMP_NUM_THREADS is {setting!r}. It must be a positive integer.")
    if setting == "1":
        return 1
    return min(_cores(), int(setting)) if setting else _cores()


@cache
def _cores() -> int:
    """Cores that the process may use."""
    from joblib import cpu_count  # it takes 0.1 s to load, and 0.1 ms to ask the system

    return int(cpu_count())


def memory_of_machine() -> float:
    """Megabytes of memory of the machine, or of its container if it has a limit.

    Infinity if the system does not report it, as on Windows.
    """
    n_bytes = math.inf
    with suppress(AttributeError):
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in _LIMITS_OF_CONTAINERS:
        # no container, or the word "max", which means no limit
        with suppress(OSError, ValueError):
            n_bytes = min(n_bytes, int(file.read_text()))
    return n_bytes / 1e6


# -- work in blocks -----------------------------------------------------------------------------


def over_blocks(function: Callable[[Block], Result], blocks: Sequence[Block]) -> list[Result]:
    """Apply a function to every block, on as many threads as may be used.

    Parameters
    ----------
    function : callable
        Function of a block that does not depend on other blocks. It runs with one thread.
    blocks : sequence
        Blocks, which must not depend on the number of threads.

    Returns
    -------
    list
        The results in the order of the blocks; the first exception of a block is raised instead.
    """
    n_threads = min(thread_count(), len(blocks))
    if n_threads <= 1:
        return [function(block) for block in blocks]
    results: dict[int, Result] = {}
    waiting = deque(enumerate(blocks))
    code, took = getattr(function, "__code__", None), [0.0]

    def work(most: float = math.inf) -> None:
        while waiting and len(results) < most:
            try:
                place, block = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            start = perf_counter()
            try:
                results[place] = function(block)
            except BaseException:
                waiting.clear()
                raise
            took.append(perf_counter() - start)

    with use_threads(1):
        if _took.get(code, math.inf) * len(blocks) < _LITTLE:
            work(1)
            n_threads = n_threads if max(took) * len(waiting) > _LITTLE else 1
        helpers = [_helpers().submit(copy_context().run, work) for _ in range(n_threads - 1)]
        try:
            work()
        finally:
            # Helpers that have not started yet have nothing left to do.
            busy = [helper for helper in helpers if not helper.cancel()]
            wait(busy)
        for helper in busy:
            helper.result()
    _took[code] = max(took)
    return [results[place] for place in range(len(blocks))]


def row_blocks(n_rows: int, size: int = ROWS) -> list[slice]:
    """Consecutive slices of `size` rows, the last one shorter."""
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def even_blocks(n_rows: int) -> list[slice]:
    """One slice, or an even number of nearly equal slices, of at most :data:`ROWS` rows each."""
    count = 1 if n_rows <= ROWS else 2 * -(-n_rows // (2 * ROWS))
    bounds = [place * n_rows // count for place in range(count + 1)]
    return [slice(*ends) for ends in itertools.pairwise(bounds)]


def lower_tiles(n: int, side: int) -> NDArray[np.int64]:
    """(q, 4) array of the tiles on and below the diagonal of an (n, n) array.

    A row has the first row of a tile, the one after its last, and the same for its columns. A
    kernel that also handles a tile's mirror image covers the whole array.
    """
    sides = [(rows.start, rows.stop) for rows in row_blocks(n, side)]
    return np.array([i + j for k, i in enumerate(sides) for j in sides[: k + 1]])


def matmul(A: NDArray, B: NDArray) -> NDArray:
    """A @ B, a block of rows of A at a time.

    Parameters
    ----------
    A : (n, k) array
    B : (k, q) array

    Returns
    -------
    (n, q) array
    """
    product = np.empty((A.shape[0], B.shape[1]), dtype=np.result_type(A, B))
    over_blocks(lambda rows: np.matmul(A[rows], B, out=product[rows]), even_blocks(A.shape[0]))
    return product


@cache
def _helpers() -> ThreadPoolExecutor:
    """The threads that help; they start when they are first needed."""
    return ThreadPoolExecutor(MOST_THREADS, "coassoc", initializer=openmp_on_one_thread)


# -- libraries that start threads ---------------------------------------------------------------


@dataclass
class _Blas:
    """Number of computations that need BLAS on one thread, and the limit to restore."""

    lock: Any = field(default_factory=threading.Lock)
    computations: int = 0
    limit: Any = None


_blas = _Blas()


@contextmanager
def one_thread_per_library() -> Iterator[None]:
    """Inside this context, BLAS and OpenMP use one thread, and :func:`thread_count` is fixed.

    The number of threads of BLAS belongs to the whole process, and is restored when the last of
    several concurrent computations ends. The number of threads of OpenMP belongs to the calling
    thread; scikit-learn, which takes a second to load, may be loaded later and is then called
    inside :func:`openmp_on_one_thread`.
    """
    blas = _blas
    with blas.lock:
        if blas.computations == 0:
            _take_control_of_blas()
            blas.limit = _libraries("blas").limit(limits=1)
        blas.computations += 1
    try:
        with openmp_on_one_thread(), use_threads(thread_count()):
            yield
    finally:
        with blas.lock:
            blas.computations -= 1
            if blas.computations == 0:
                _take_control_of_blas()
                blas.limit.restore_original_limits()
                _take_control_of_blas()


def openmp_on_one_thread() -> AbstractContextManager[Any]:
    """From now on, or only inside a ``with``, OpenMP uses one thread if this thread calls it."""
    return _libraries("openmp").limit(limits=1)


def _libraries(interface: str) -> ThreadpoolController:
    """The loaded libraries that start threads, including all libraries of scikit-learn."""
    if "sklearn" in sys.modules:
        import_module(_OPENMP_OF_SKLEARN)
    import scipy.linalg  # noqa: F401  which brings a BLAS that must be among them

    return _controller(len(sys.modules)).select(user_api=interface)


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    """The libraries, searched again after further modules were imported, which may load more."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _take_control_of_blas() -> None:
    """Let this thread set limits: threadpoolctl obeys only the thread that did so first."""
    from threadpoolctl import OpenBLASController

    OpenBLASController.clear_controlling_thread(force=True)


def _forget_threads() -> None:
    """A forked process has none of the threads, and none of the computations, of its parent."""
    global _blas
    _helpers.cache_clear()
    _blas = _Blas()


if hasattr(os, "register_at_fork"):  # Windows does not fork processes
    os.register_at_fork(after_in_child=_forget_threads)
