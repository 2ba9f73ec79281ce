"""Files of anybody: how large they may be, and readers in a process of their own.

A few bytes can promise any size, and a damaged file can crash compiled code and its process.
"""

import faulthandler
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from coassoc.errors import DataError
from coassoc.processes import ChildProcess, ProcessDied

#: No file, packed or unpacked, and no array may be larger.
MAX_BYTES = 4 * 1024**3


def check_size(path: Path, name: str, shape: Sequence[int]) -> None:
    """Refuse an array of more than MAX_BYTES before it is read; its numbers take eight each."""
    if 8 * math.prod(shape) > MAX_BYTES:
        sizes = " × ".join(map(str, shape))
        raise DataError(f"{path}: {name} is {sizes}, more than {MAX_BYTES} bytes")


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
