"""Loops compiled with numba when they are first called.

Compiled code is kept on disk: beside the module where that can be written, else in the user's
cache directory (numba's rules, ``NUMBA_CACHE_DIR`` included). Where neither can be written, every
process compiles for itself, and says so once.

``numba.njit(cache=True)`` alone would not do. It numbers the versions of a function by its index on
disk, so that of two processes that compile for different types at once, the index of one can name
the code of the other; here types are fixed, and where there are POSIX locks one process compiles
while the others wait and load what it has written. And numba takes half a second to import, which
only the first call needs.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any

_compiling = threading.RLock()
_kernels: list[Kernel] = []


def compiled(*signatures: str) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorate a function of arrays and numbers that numba can compile.

    It runs without the interpreter lock, so that :func:`coassoc.numerics.threads.over_blocks` can
    call it on several threads. Sums are added in the order in which they are written, and a
    division by zero gives infinity or no number, as in NumPy.

    Parameters
    ----------
    *signatures : str
        Types of result and arguments, such as ``"f(f2, i1, i)"``: f is float64, i int64, s int32, b
        boolean and c complex128, with 1 or 2 an array of so many axes in C order; numba's own names
        are allowed too. One version is compiled for each, and only arguments of these types are
        accepted; arrays must be writable.

    Examples
    --------
    >>> @compiled("f(f1)")
    ... def sum_of_squares(x):
    ...     total = 0.0
    ...     for value in x:
    ...         total += value * value
    ...     return total
    """
    return lambda function: Kernel(function, tuple(map(_in_full, signatures)))


def load_kernels() -> None:
    """Load or compile all kernels of the imported modules, which forked processes then have."""
    for kernel in _kernels:
        kernel.load()


_TYPES = {"f": "float64", "i": "int64", "s": "int32", "b": "boolean", "c": "complex128"}
_AXES = {"": "", "1": "[::1]", "2": "[:, ::1]"}


def _in_full(signature: str) -> str:
    """A signature in numba's names."""
    return re.sub(r"\b([fisbc])([12]?)\b", lambda x: _TYPES[x[1]] + _AXES[x[2]], signature)


class Kernel:
    """A function that is compiled when it is first called; see :func:`compiled`."""

    def __init__(self, function: Callable[..., Any], signatures: tuple[str, ...]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._signatures = signatures
        self._dispatcher: Any = None
        _kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        if self._dispatcher is None:
            self.load()
        return self._dispatcher(*arguments)

    def load(self) -> None:
        """Compile the function, or load what was compiled before."""
        with _compiling:
            if self._dispatcher is None:
                dispatcher = _dispatcher(self._function)
                if dispatcher is self._function:  # NUMBA_DISABLE_JIT
                    self._dispatcher = dispatcher
                    return
                with _only_one_process(dispatcher.stats.cache_path):
                    for signature in self._signatures:
                        dispatcher.compile(signature)
                dispatcher.disable_compile()
                self._dispatcher = dispatcher


def _dispatcher(function: Callable[..., Any]) -> Any:
    import numba

    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        _say_that_none_is_kept()
        return numba.njit(**options)(function)


@cache
def _say_that_none_is_kept() -> None:
    warnings.warn(
        "The compiled code cannot be cached, so every process compiles it again. Set "
        "NUMBA_CACHE_DIR to a writable folder.",
        stacklevel=2,
    )


@contextmanager
def _only_one_process(directory: str | None) -> Iterator[None]:
    """Keep other processes out while code is compiled and written to its place on disk."""
    if directory is None:
        yield
        return
    with ExitStack() as files:
        # On Windows, or with the file of a different user, several processes compile the same
        # function. The index still names the right code, because each process compiles the types of
        # a function in one order.
        with suppress(ImportError, OSError):
            import fcntl

            lock = files.enter_context(Path(directory, "coassoc-kernels.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
