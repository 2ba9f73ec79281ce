"""Loops that numba compiles when they are first called.

Compiled code is stored on disk: next to the module if this folder is writable, and otherwise in the
user's cache directory (by the rules of numba, including ``NUMBA_CACHE_DIR``). If neither is
writable, every process compiles the code again and issues one warning.

``numba.njit(cache=True)`` alone is not enough. It numbers the versions of a function by an index on
disk. If two processes compile for different types at the same time, the index of one can refer to
the code of the other. Here, types are fixed, and on systems with POSIX locks one process compiles
while the others wait and load its result. In addition, importing numba takes half a second and is
needed only for the first call.
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
    call it on several threads. Sums are added in the written order, and a division by zero gives
    infinity or NaN, as in NumPy.

    Parameters
    ----------
    *signatures : str
        Types of result and arguments, such as ``"f(f2, i1, i)"``: f is float64, i int64, s int32, b
        boolean and c complex128, and 1 or 2 marks an array with this number of axes in C order; the
        names of numba are allowed, too. One version is compiled for each, and only arguments of
        these types are accepted; arrays must be writable.

    Examples
    --------
    >>> @compiled("f(f1)")
    ... def sum_of_squares(x):
    ...     total = 0.0
    ...     for value in x:
    ...         total += value * value
    ...     return total
    """
    in_full = (
        re.sub(r"\b([fisbc])([12]?)\b", lambda x: _TYPES[x[1]] + _AXES[x[2]], signature)
        for signature in signatures
    )
    return lambda function: Kernel(function, tuple(in_full))


def load_kernels() -> None:
    """Load or compile all kernels of the imported modules, for use in forked processes."""
    for kernel in _kernels:
        kernel.load()


_TYPES = {"f": "float64", "i": "int64", "s": "int32", "b": "boolean", "c": "complex128"}
_AXES = {"": "", "1": "[::1]", "2": "[:, ::1]"}


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
        """Compile the function, or load its compiled code."""
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
