"""Readers in a process of their own: a damaged file can crash compiled code and its process."""

import faulthandler
from collections.abc import Callable
from typing import Any

from coassoc.errors import DataError
from coassoc.processes import ChildProcess, ProcessDied


def in_own_process(read: Callable[..., Any], source: Any, *arguments: Any) -> Any:
    """Call ``read(source, *arguments)`` in a child process, and return or raise what it does.

    `read` is a function of a module, not one made inside another function. A process that dies, as
    SciPy's reader of MATLAB files does on some damaged ones, is a DataError.
    """
    with ChildProcess(_quietly) as process:
        try:
            return process.call(read, source, *arguments)
        except ProcessDied:
            raise DataError(f"{source}: the file is damaged; its reader crashed") from None


def _quietly(read: Callable[..., Any], *arguments: Any) -> Any:
    """The error says what happened; where in the reader is of no use to anybody here."""
    faulthandler.disable()
    return read(*arguments)
